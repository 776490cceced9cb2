package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

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
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return fmt.Errorf("%s is not an address: %w", endpoint, err)
	}
	client := http.Client{
		// No proxy and no redirect: the answer must be that of the server itself.
		Transport:     &http.Transport{DisableKeepAlives: true, Proxy: nil},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(r)
	if err != nil {
		return explainFailure(endpoint, err)
	}
	return answer.Body.Close()
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
