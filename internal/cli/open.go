package cli

import (
	"context"
	"fmt"
)

// openCmd is `cdphub open URL`: the proxy, its Host page and a browser that
// shows it.
type openCmd struct {
	hubFlags
	logFlags
	proxyFlags
	Headless    bool   `help:"Use a headless browser even where there is a display." env:"CDPHUB_HEADLESS"`
	BrowserPath string `help:"Executable of the Chromium to use. Without it, one is searched for." placeholder:"FILE" env:"CDPHUB_BROWSER_PATH" basic:""`
}

// Run serves the app until ctx ends.
func (c *openCmd) Run(ctx context.Context, s streams) error {
	log, err := c.open(s.err)
	if err != nil {
		return err
	}
	b := desktop{path: c.BrowserPath, headless: c.Headless, log: log.Logger}
	if err := b.check(); err != nil {
		return err
	}
	srv, err := c.serve(c.options(log))
	if err != nil {
		return err
	}
	page, upstream := srv.AppPage()
	return runWhile(ctx, srv, func(ctx context.Context) error {
		if err := awaitApp(ctx, upstream, s.out); err != nil {
			return unlessEnded(ctx, err)
		}
		closeAll, err := b.show(ctx, srv, page, 1, s.out)
		if err != nil {
			return unlessEnded(ctx, err)
		}
		defer closeAll()
		fmt.Fprintf(s.out, "The app is at %s\n\n%s", b.printed(page), howTo(c.guide(srv, s)))
		<-ctx.Done()
		return nil
	})
}

// unlessEnded is an error, or nil when the user has ended the command.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
