package cli

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/internal/version"
)

// healthCmd is `cdphub health`. It finds the hub by the options of `cdphub serve`, so
// that both can have them from the same environment.
type healthCmd struct {
	URL        string        `arg:"" optional:"" help:"Hub to ask, for example https://hub.example:9222; without a path, its /health. Default: /readyz of --admin-addr, else /health of --client-addr, on this machine."`
	ClientAddr string        `help:"Address where the hub listens for Clients." default:"127.0.0.1:9222" env:"CDPHUB_CLIENT_ADDR"`
	AdminAddr  string        `help:"Address where the hub listens for operators. Only /readyz says when the hub shuts down." placeholder:"ADDR" env:"CDPHUB_ADMIN_ADDR"`
	Live       bool          `help:"Ask /livez of --admin-addr in place of /readyz: whether the process answers at all."`
	AdminToken string        `help:"Token for the listener of operators." env:"CDPHUB_ADMIN_TOKEN" placeholder:"TOKEN"`
	TLSCert    string        `help:"Certificate of the hub, in PEM: ask by TLS, and accept this certificate only." name:"tls-cert" placeholder:"FILE" env:"CDPHUB_TLS_CERT"`
	Timeout    time.Duration `help:"Time that the answer may take." default:"5s"`
}

// Run prints one line. Its error makes the exit status 1.
func (c *healthCmd) Run(ctx context.Context, s streams) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("no answer within %v", c.Timeout))
	defer cancel()
	req, client, err := c.request(ctx)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		var in *url.Error // names the URL, which is named below without its query
		if errors.As(err, &in) {
			err = in.Err
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("unhealthy: %s: %w", c.asked(req.URL), err)
	}
	defer resp.Body.Close()
	body, err := beginningOf(resp)
	if err != nil {
		return fmt.Errorf("unhealthy: %s: %w", c.asked(req.URL), err)
	}
	said := strings.Join(strings.Fields(string(body)), " ")
	if isHub(resp) && strings.HasSuffix(req.URL.Path, "/health") {
		said += " " + resp.Header.Get("Server")
	}
	switch {
	case resp.StatusCode == http.StatusOK && strings.HasSuffix(req.URL.Path, "/health") && !isHub(resp):
		return fmt.Errorf("unhealthy: %s: another program answers there, which is not a hub", c.asked(req.URL))
	case resp.StatusCode == http.StatusOK:
		_, err = fmt.Fprintf(s.out, "healthy: %s: %s\n", c.asked(req.URL), said)
		return err
	case resp.StatusCode == http.StatusUnauthorized && c.URL == "":
		return fmt.Errorf("unhealthy: %s answered 401: set --admin-token or CDPHUB_ADMIN_TOKEN", c.asked(req.URL))
	}
	return fmt.Errorf("unhealthy: %s answered %d: %s", c.asked(req.URL), resp.StatusCode, said)
}

// asked is how the lines of this command call the place that was asked.
func (c *healthCmd) asked(u *url.URL) string {
	if _, unix := httpserver.UnixPath(c.AdminAddr); unix && c.URL == "" {
		return c.AdminAddr + u.Path
	}
	return withoutQuery(u)
}

// beginningOf is the first KiB of the body of an answer.
func beginningOf(resp *http.Response) ([]byte, error) {
	const longest = 1 << 10
	return io.ReadAll(io.LimitReader(resp.Body, longest))
}

// splitAddress splits the value of an option that is an address.
func splitAddress(option, addr string) (host, port string, err error) {
	if host, port, err = net.SplitHostPort(addr); err != nil {
		return "", "", fmt.Errorf("%s %q is not an address: set a host and a port, such as 127.0.0.1:9222", option, addr)
	}
	return host, port, nil
}

// isHub reports whether the answer of /health, or of the listener of operators, is that of a hub.
func isHub(answer *http.Response) bool {
	return strings.HasPrefix(answer.Header.Get("Server"), "cdphub")
}

// withoutQuery is a URL without its query, which may be a secret.
func withoutQuery(u *url.URL) string { return u.Scheme + "://" + u.Host + u.Path }

func (c *healthCmd) request(ctx context.Context) (*http.Request, *http.Client, error) {
	u, err := c.url()
	if err != nil {
		return nil, nil, err
	}
	transport := &http.Transport{} // and no proxy: it would answer in place of the hub
	if path, unix := httpserver.UnixPath(c.AdminAddr); unix && c.URL == "" {
		transport = httpserver.UnixTransport(path)
	}
	if c.TLSCert != "" && u.Scheme == "https" {
		if transport.TLSClientConfig, err = trustOnly(c.TLSCert); err != nil {
			return nil, nil, err
		}
	}
	token := ""
	if c.URL == "" && c.AdminAddr != "" {
		token = c.AdminToken
	}
	req, err := hubRequest(ctx, u.String(), token)
	return req, hubClient(transport), err
}

// hubRequest is a GET request to a hub, with a token if there is one.
func hubRequest(ctx context.Context, address, token string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", version.UserAgent())
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req, nil
}

// hubClient follows no redirect.
func hubClient(t *http.Transport) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (c *healthCmd) url() (*url.URL, error) {
	if c.URL != "" {
		u, err := url.Parse(c.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("%q is not the URL of a hub: use one such as http://127.0.0.1:9222", c.URL)
		}
		if u.Path == "" || u.Path == "/" {
			u.Path = "/health"
		}
		return u, nil
	}
	option, addr, path := "--client-addr", c.ClientAddr, "/health"
	switch {
	case c.AdminAddr != "" && c.Live:
		option, addr, path = "--admin-addr", c.AdminAddr, "/livez"
	case c.AdminAddr != "":
		option, addr, path = "--admin-addr", c.AdminAddr, "/readyz"
	case c.Live:
		return nil, errors.New("--live asks the listener of operators: add --admin-addr")
	}
	if _, unix := httpserver.UnixPath(addr); unix {
		return &url.URL{Scheme: "http", Host: "localhost", Path: path}, nil
	}
	host, port, err := splitAddress(option, addr)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // it listens on all addresses, of both families
	}
	u := &url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: path}
	if c.TLSCert != "" {
		u.Scheme = "https"
	}
	return u, nil
}

// trustOnly accepts the certificate of a file and no other, whatever name the server was
// asked by: a listener is asked by its address, which is in no certificate.
func trustOnly(file string) (*tls.Config, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert: %w", err)
	}
	block, rest := pem.Decode(raw)
	for block != nil && block.Type != "CERTIFICATE" {
		block, rest = pem.Decode(rest)
	}
	if block == nil {
		return nil, fmt.Errorf("--tls-cert: %s has no certificate in PEM", file)
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection does it
		VerifyConnection: func(s tls.ConnectionState) error {
			if string(s.PeerCertificates[0].Raw) != string(block.Bytes) {
				return fmt.Errorf("the listener has another certificate than %s", file)
			}
			return nil
		},
	}, nil
}
