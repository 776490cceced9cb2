package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/cdphub/cdphub/server"
)

// serveCmd is `cdphub serve`.
type serveCmd struct {
	hubFlags
	browserFlags
	PageHost bool `help:"Let a page be a Host of a hub that has a browser, beside the browser. A page with a Host token is always let in." env:"CDPHUB_PAGE_HOST" needs:"browser,browser-path,browser-url" group:"Browsers:"`

	operationFlags
	logFlags
}

// Run serves until ctx ends.
func (c *serveCmd) Run(ctx context.Context, s streams) error {
	log, err := c.open(s.err)
	if err != nil {
		return err
	}
	o := c.hubFlags.options(log)
	o.AdminAddr, o.TLS, o.PageHost = c.AdminAddr, c.tls(), c.PageHost
	if o.Browsers, err = c.browserFlags.options(); err != nil {
		return err
	}
	if o.Listeners, err = inherited(); err != nil {
		return err
	}
	srv, err := newServer(o)
	if err != nil {
		return err
	}
	return runServer(ctx, srv)
}

// newServer makes a server that reports its state to the service manager.
func newServer(o server.Options) (*server.Server, error) {
	o.OnState = func(state server.State) { notify(o.Log, state) }
	return server.New(o)
}

// runServer runs a server, which reads its files again at each SIGHUP.
func runServer(ctx context.Context, srv *server.Server) error {
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

// runWhile runs a server for as long as use takes, or lets use go on for as
// long as the server runs.
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
