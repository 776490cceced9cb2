package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/httpserver"
)

// operatorFlags say how the listener for operators of a node is reached.
type operatorFlags struct {
	URL        string        `arg:"" optional:"" help:"Listener for operators of any node: unix:PATH, or a URL." default:"unix:/run/cdphub-cluster/admin.sock" env:"CDPHUB_ADMIN_ADDR"`
	AdminToken string        `help:"Token for the listener of operators." env:"CDPHUB_ADMIN_TOKEN" placeholder:"TOKEN"`
	Timeout    time.Duration `help:"Time that the answer may take." default:"15s"`
}

// drainCmd is `cdphub-cluster cluster drain`.
type drainCmd struct {
	Node string        `arg:"" optional:"" help:"Name of the node, as cluster status prints it. Default: the node of this environment." env:"CDPHUB_CLUSTER_NAME"`
	Wait time.Duration `help:"Longest time that the node waits for its sessions: Clients, named sessions and browsers. It takes no new hub meanwhile, and ends as soon as the last session has ended. The command prints what is left until the node has ended; Ctrl+C ends the command alone. With 0, sessions are ended at once. A second drain of the node replaces the time." placeholder:"TIME"`
	operatorFlags
}

// Run asks a node to drain another, or itself.
func (c *drainCmd) Run(ctx context.Context, out io.Writer) error {
	if c.Node == "" {
		return errors.New("name the node to drain, as cluster status prints it")
	}
	query := url.Values{"node": {c.Node}}
	if c.Wait > 0 {
		query.Set("wait", c.Wait.String())
	}
	if _, err := c.ask(ctx, http.MethodPost, "/cluster/drain?"+query.Encode(), http.StatusNoContent); err != nil {
		return err
	}
	if c.Wait <= 0 {
		_, err := fmt.Fprintf(out, "%s drains: it takes nothing new, lets commands in flight finish, and ends.\n", c.Node)
		return err
	}
	fmt.Fprintf(out, "%s drains: it takes no new hub, and ends when its sessions have ended, in %v at the latest.\n", c.Node, c.Wait)
	return c.follow(ctx, out)
}

// follow prints what a node waits for, whenever that changes, until the node has ended.
func (c *drainCmd) follow(ctx context.Context, out io.Writer) error {
	for last := ""; ; {
		left, ended, err := c.left(ctx)
		switch {
		case ctx.Err() != nil: // Ctrl+C
			return nil
		case err != nil:
			return err
		case ended:
			_, err := fmt.Fprintf(out, "%s has ended.\n", c.Node)
			return err
		case left != last:
			last = left
			fmt.Fprintf(out, "%s drains%s\n", c.Node, left)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
	}
}

// left says what the node waits for. It has ended when it is not in the list any more, or does
// not answer itself.
func (c *drainCmd) left(ctx context.Context) (left string, ended bool, err error) {
	body, err := c.ask(ctx, http.MethodGet, "/cluster", http.StatusOK)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, io.EOF) { // it was the one that is asked
		return "", true, nil
	}
	if err != nil {
		return "", false, err
	}
	status, err := c.readStatus(body)
	if err != nil {
		return "", false, err
	}
	i := slices.IndexFunc(status.Nodes, func(n cluster.Node) bool { return n.Name == c.Node || n.ID == c.Node })
	if i < 0 {
		return "", true, nil
	}
	return describeWaits(status.Nodes[i].Waits), false, nil
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
