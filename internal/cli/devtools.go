package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// inspectCmd is `cdphub devtools`.
type inspectCmd struct {
	Target string `arg:"" optional:"" help:"Target to inspect: its id, or HUB/ID in the hub of that name. Default: every target of the hub."`
	URL    string `help:"Address of the hub." default:"http://127.0.0.1:9222" env:"CDPHUB_URL"`
	Token  string `help:"Token for the hub." placeholder:"TOKEN" env:"CDPHUB_TOKEN"`
}

// inspected is what /json/list says of a target.
type inspected struct{ ID, Title, URL string }

// Run prints two addresses for each target.
func (c *inspectCmd) Run(ctx context.Context, s streams) error {
	base, id, err := c.hub()
	if err != nil {
		return err
	}
	var list []inspected
	if err := c.get(ctx, base+"/json/list", &list); err != nil {
		return err
	}
	found := false
	for _, t := range list {
		if id != "" && t.ID != id {
			continue
		}
		found = true
		if err := c.print(ctx, s.out, base, t); err != nil {
			return err
		}
	}
	switch {
	case found:
		fmt.Fprintln(s.out, "Each address works once, within a minute. The addresses with devtools:// are for Chrome, and need a hub with --client-origin devtools://devtools.")
		return nil
	case id == "":
		return fmt.Errorf("the hub at %s has no target: open a page first", base)
	}
	return fmt.Errorf("the hub at %s has no target with the id %s: leave the id out to see all", base, id)
}

// hub is the address of the hub, and the id of the target in it.
func (c *inspectCmd) hub() (base, id string, err error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", "", fmt.Errorf("--url %q is not the address of a hub: use an address such as http://127.0.0.1:9222 or http://127.0.0.1:9222/hub/NAME", c.URL)
	}
	base = u.Scheme + "://" + u.Host + strings.TrimSuffix(u.Path, "/")
	hub, id, named := strings.Cut(c.Target, "/")
	if !named {
		return base, c.Target, nil
	}
	return base + "/hub/" + url.PathEscape(hub), id, nil
}

// print prints a target with its two addresses. Each has a ticket of its own, since a
// ticket works once.
func (c *inspectCmd) print(ctx context.Context, out io.Writer, base string, t inspected) error {
	front, err := c.open(ctx, base, t.ID)
	if err != nil {
		return err
	}
	own, err := c.open(ctx, base, t.ID)
	if err != nil {
		return err
	}
	_, socket, _ := strings.Cut(own, "?")
	fmt.Fprintf(out, "%s  %q  %q\n", t.ID, t.Title, t.URL) // quoted: they are the page's, and may have escapes for terminals
	if why := c.missing(ctx, front); why != "" {
		fmt.Fprintf(out, "  %s\n", why)
	} else {
		fmt.Fprintf(out, "  %s\n", front)
	}
	fmt.Fprintf(out, "  devtools://devtools/bundled/inspector.html?%s\n", socket)
	return nil
}

// open asks the hub for the address of the front end, with a ticket for a target in
// it.
func (c *inspectCmd) open(ctx context.Context, base, id string) (string, error) {
	resp, err := c.do(ctx, base+"/devtools/ui/?target="+url.QueryEscape(id))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusFound {
		return "", refusedError(resp)
	}
	return resp.Header.Get("Location"), nil
}

// missing says how to get the front end if the hub has none; "" if it has one.
func (c *inspectCmd) missing(ctx context.Context, front string) string {
	page, _, _ := strings.Cut(front, "?")
	resp, err := c.do(ctx, page)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusFound {
		return ""
	}
	return refusedError(resp).Error()
}

func (c *inspectCmd) get(ctx context.Context, address string, into any) error {
	resp, err := c.do(ctx, address)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("the hub at %s refuses the token: set the right one with --token or CDPHUB_TOKEN (%w)", c.URL, refusedError(resp))
	case resp.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s does not exist: check the address (--url) and the name of the hub, which has only a-z, 0-9 and -", address)
	case resp.StatusCode != http.StatusOK:
		return refusedError(resp)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return fmt.Errorf("%s is not a list of targets: check that --url is the address at which a hub listens for Clients (%w)", address, err)
	}
	return nil
}

// refusedError is the error for an answer of the hub that is no success, with the first
// KiB of its text.
func refusedError(resp *http.Response) error {
	text, err := beginningOf(resp)
	if err != nil {
		return err
	}
	return fmt.Errorf("the hub answered %d: %s", resp.StatusCode, strings.TrimSpace(string(text)))
}

// do sends a request with the token to the hub. It follows no redirect: the address
// of one has a ticket, which would be used up.
func (c *inspectCmd) do(ctx context.Context, address string) (*http.Response, error) {
	req, err := hubRequest(ctx, address, c.Token)
	if err != nil {
		return nil, err
	}
	client := hubClient(&http.Transport{DisableKeepAlives: true}) // without a proxy, which would answer in place of the hub
	resp, err := client.Do(req)
	var in *url.Error // names the URL, whose query may be a secret
	if errors.As(err, &in) {
		return nil, fmt.Errorf("no hub answers at %s: %w: start one with cdphub serve, or set --url", c.URL, in.Err)
	}
	return resp, err
}
