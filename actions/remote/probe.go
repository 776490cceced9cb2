package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// answering is how long a server may take to answer an HTTP request that needs no
// browser. A server that takes longer is no hub.
const answering = 5 * time.Second

// probeHealth asks for /health, which a hub answers and a browser refuses, both at once.
// Without it, a wrong address would show only after the time of a handshake, in which
// a hub may start a browser.
func probeHealth(endpoint string, within time.Duration) error {
	u, err := url.Parse(endpoint)
	if err != nil {
		return fmt.Errorf("%s is not an address: %w", endpoint, err)
	}
	u.Scheme = strings.Replace(u.Scheme, "ws", "http", 1)
	u.Path, u.RawQuery = "/health", ""
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	answer, err := getFrom(ctx, u.String(), nil)
	if err != nil {
		return explainFailure(endpoint, err)
	}
	return answer.Body.Close()
}

// getFrom asks a server for what is at an address. No proxy and no redirect: the answer must be that
// of the server itself.
func getFrom(ctx context.Context, address string, header http.Header) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if header != nil {
		r.Header = header.Clone()
	}
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, Proxy: nil},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return client.Do(r)
}

// findBrowser asks the server of an endpoint that ends in /devtools/browser for the one that it has, as
// Chromium tells it at /json/version. It is "" where there is no other.
func findBrowser(ctx context.Context, endpoint string, header http.Header) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	prefix, ends := strings.CutSuffix(u.Path, "/devtools/browser")
	if !ends {
		return ""
	}
	at := url.URL{Scheme: strings.Replace(u.Scheme, "ws", "http", 1), Host: u.Host, Path: prefix + "/json/version"}
	answer, err := getFrom(ctx, at.String(), header)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	var version struct {
		Endpoint string `json:"webSocketDebuggerUrl"`
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil || answer.StatusCode != http.StatusOK || wire.Decode(text, &version) != nil {
		return ""
	}
	found, err := url.Parse(version.Endpoint)
	if err != nil || found.Path == u.Path || !strings.HasPrefix(found.Path, "/") {
		return ""
	}
	// By the name and the scheme that lead to the server: a proxy may stand before it.
	u.Path, u.RawQuery = found.Path, found.RawQuery
	return u.String()
}

// explainFailure says what a failure to connect means, and what to do.
func explainFailure(endpoint string, err error) error {
	at := endpoint
	if u, bad := url.Parse(endpoint); bad == nil {
		at = strings.Replace(u.Scheme, "ws", "http", 1) + "://" + u.Host
	}
	if status, ok := errors.AsType[wsconn.StatusError](err); ok {
		switch int(status) {
		case http.StatusUnauthorized, http.StatusForbidden:
			return fmt.Errorf("the hub at %s refuses this token: set the right one with --token or CDPHUB_TOKEN (%w)", at, err)
		case http.StatusNotFound, http.StatusOK:
			return fmt.Errorf("the server at %s is not a hub, or has no hub of this name: check --url (%w)", at, err)
		}
		return fmt.Errorf("the hub at %s refuses connections: %w", at, err)
	}
	var network net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("nothing listens at %s: start a hub there (cdphub serve --browser, or cdphub open URL), or set its address with --url", at)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return fmt.Errorf("the server at %s does not answer, and is not a hub: check --url", at)
	}
	return fmt.Errorf("the server at %s cannot be used as a hub: check --url (%w)", at, err)
}
