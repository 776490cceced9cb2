package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/cdphub/cdphub/internal/logging"
	"github.com/cdphub/cdphub/internal/plain"
	"github.com/cdphub/cdphub/server"
)

// serveCmd is `cdphub serve`.
type serveCmd struct {
	hubFlags
	browserFlags
	BrowserShare string `help:"Who shares a browser. token: each token has a browser of its own, and a hub of its own at the same address; tokens with the same share (cdphub token new --share NAME) have one together. hub: all tokens of a hub use one browser, and can end it or slow it down for each other. Without tokens, and with --browser-url or --chrome, each hub has one browser." enum:"token,hub" default:"token" env:"CDPHUB_BROWSER_SHARE" needs:"browser,browser-path,browser-url,chrome" useless-with:"browser-url,chrome" group:"Browsers:"`
	PageHost     bool   `help:"Allow a Host page at a hub that has a browser, in addition to the browser. A page with a Host token is always allowed." env:"CDPHUB_PAGE_HOST" needs:"browser,browser-path,browser-url,chrome" group:"Browsers:"`

	operationFlags
	logFlags
	kong.Plugins
}

// Run serves until ctx ends.
func (c *serveCmd) Run(ctx context.Context, s streams) error {
	log, err := c.open(s.err)
	if err != nil {
		return err
	}
	o, err := c.options(log)
	if err != nil {
		return err
	}
	for _, extra := range c.Plugins {
		end, err := extra.(ServeExtra).Apply(ctx, &o)
		if err != nil {
			return err
		}
		defer end()
	}
	var srv *server.Server
	welcome := sync.OnceFunc(func() { c.welcome(srv, s.out) })
	o.OnState = func(state server.State) {
		if state == server.Ready && plain.IsTerminal(s.out) { // a service has its log
			welcome()
		}
	}
	if srv, err = newServer(o); err != nil {
		return err
	}
	return runServer(ctx, srv)
}

// options are those of a server, whose log is l.
func (c *serveCmd) options(l *logging.Log) (server.Options, error) {
	o := c.hubFlags.options(l)
	o.AdminAddr, o.Tokens.Admin, o.TLS, o.PageHost = c.AdminAddr, c.AdminToken, c.tls(), c.PageHost
	var err error
	if o.Browsers, err = c.browserFlags.options(); err != nil {
		return o, err
	}
	if o.Browsers != nil {
		o.Browsers.Undivided = c.BrowserShare == "hub"
	}
	if o.Listeners, err = inherited(); err != nil {
		return o, err
	}
	return o, c.checkTokens(o)
}

// checkTokens refuses tokens that leave out a role which is needed: with one token
// set, every peer needs one. A file of tokens may get the missing ones later.
func (c *serveCmd) checkTokens(o server.Options) error {
	t := o.Tokens
	switch {
	case t.Admin != "" && o.AdminAddr == "" && o.Listeners.Admin == nil:
		return errors.New("--admin-token has no effect without --admin-addr: add --admin-addr, or leave --admin-token out")
	case t.File != "" || len(t.JWTKeys) > 0 || t.Client+t.Host+t.Admin == "":
		return nil
	case t.Client == "":
		return errors.New("no Client could connect: if any token is set, Clients need a token too: add --client-token, --tokens or --jwt-key")
	case t.Host == "" && o.Browsers == nil:
		return errors.New("there would be nothing to drive: if any token is set, Hosts need a token too: add --host-token, --tokens or --jwt-key, or start a browser with --browser")
	}
	return nil
}

// welcome says where the server is and what to do next.
func (c *serveCmd) welcome(srv *server.Server, out io.Writer) {
	g := guide{srv: srv, secure: c.TLSCert != "", urlTokens: c.URLToken, terminal: true}
	fmt.Fprintf(out, "\nThe hub is running:\n\n%s\n", g.listeners())
	switch {
	case c.Chrome:
		fmt.Fprintf(out, "It drives the Chrome that you have open, once you press Allow there. If it does not ask, open\n"+
			"chrome://inspect/#remote-debugging in it and tick the box. Then try:\n\n%s", g.examples("open https://example.com"))
	case c.BrowserURL != "":
		fmt.Fprintf(out, "It drives the browser at %s. Try it:\n\n%s", c.BrowserURL, g.examples("open https://example.com"))
	case c.wanted():
		fmt.Fprintf(out, "A browser starts when its first Client connects. Try it:\n\n%s", g.examples("open https://example.com"))
	default:
		fmt.Fprintf(out, "There is nothing to drive yet. Connect a Host page, or start one of these in place of this command:\n\n"+
			"  cdphub open http://localhost:3000     opens a web app of yours, made drivable, in your browser\n"+
			"  cdphub serve --browser                has a Chromium of its own\n\nThen try:\n\n%s", g.examples("snapshot -i"))
	}
	fmt.Fprint(out, "\nCtrl+C ends it.\n\n")
}

// newServer makes a server that reports its state to the service manager, too.
func newServer(o server.Options) (*server.Server, error) {
	own := o.OnState
	o.OnState = func(state server.State) {
		notifyManager(o.Log, state)
		if own != nil {
			own(state)
		}
	}
	return server.New(o)
}

// runServer runs a server. It reads its files again at each SIGHUP, and gives memory
// back when there is little to do.
func runServer(ctx context.Context, srv *server.Server) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go returnMemory(ctx, quietEvery)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer close(hangups)
	defer signal.Stop(hangups)
	go func() {
		for range hangups {
			srv.Reload()
		}
	}()
	return srv.Run(ctx)
}

// runWhile runs a server and use at the same time. When one of them ends, the other
// is ended, too. The error joins those of both.
func runWhile(ctx context.Context, srv *server.Server, use func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() {
		defer stop()
		served <- runServer(ctx, srv)
	}()
	err := use(ctx)
	stop()
	return errors.Join(err, <-served)
}
