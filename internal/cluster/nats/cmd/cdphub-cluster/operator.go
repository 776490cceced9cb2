package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/httpserver"
)

// operatorFlags say how the listener for operators of a node is reached.
type operatorFlags struct {
	URL        string        `arg:"" optional:"" help:"Listener for operators of any node: unix:PATH, or a URL." default:"unix:/run/cdphub-cluster/admin.sock"`
	AdminToken string        `help:"Token for the listener of operators." env:"CDPHUB_ADMIN_TOKEN" placeholder:"TOKEN"`
	Timeout    time.Duration `help:"Time that the answer may take." default:"15s"`
}

// drainCmd is `cdphub-cluster cluster drain`.
type drainCmd struct {
	Node string `arg:"" help:"Name of the node, as cluster status prints it."`
	operatorFlags
}

// Run asks a node to drain another, or itself.
func (c *drainCmd) Run(ctx context.Context, out io.Writer) error {
	if _, err := c.ask(ctx, http.MethodPost, "/cluster/drain?"+url.Values{"node": {c.Node}}.Encode(), http.StatusNoContent); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s drains: it takes nothing new, lets commands in flight finish, and ends.\n", c.Node)
	return err
}

// client is how the listener is asked, and what its URLs begin with.
func (c *operatorFlags) client() (base string, client http.Client, err error) {
	if path, is := httpserver.UnixPath(c.URL); is && path != "" {
		return "http://localhost", http.Client{Transport: httpserver.UnixTransport(path)}, nil
	}
	if u, err := url.Parse(c.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", client, fmt.Errorf("%q is not the address of a node: use one such as unix:/run/cdphub-cluster/admin.sock or http://127.0.0.1:9224", c.URL)
	}
	client.Transport = &http.Transport{} // and no proxy: it would answer in place of the hub
	return strings.TrimSuffix(c.URL, "/"), client, nil
}

// ask returns the body of an answer with the wanted status.
func (c *operatorFlags) ask(ctx context.Context, method, path string, want int) ([]byte, error) {
	base, client, err := c.client()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, base+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	if c.AdminToken != "" {
		req.Header.Set("Authorization", "Bearer "+c.AdminToken)
	}
	resp, err := client.Do(req)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%s has not answered within %v: its node may be cut off, or the directory is choosing a leader. Try again, or ask another node", c.URL, c.Timeout)
	}
	if wrong, is := errors.AsType[*url.Error](err); is { // it names the URL and the method
		return nil, fmt.Errorf("no node answers at %s: %w: check the address, which is the one of --admin-addr", c.URL, wrong.Err)
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	const longest = 16 << 20
	body, err := io.ReadAll(io.LimitReader(resp.Body, longest))
	said := strings.TrimSpace(string(body))
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == want:
		return body, nil
	case resp.StatusCode == http.StatusUnauthorized:
		return nil, fmt.Errorf("%s needs a token: set --admin-token or CDPHUB_ADMIN_TOKEN", c.URL)
	case resp.StatusCode == http.StatusNotFound && !strings.Contains(said, "node"):
		return nil, fmt.Errorf("%s is not a node of a cluster, or not its listener for operators (--admin-addr)", c.URL)
	}
	return nil, fmt.Errorf("%s answered %d: %s", c.URL, resp.StatusCode, said)
}
