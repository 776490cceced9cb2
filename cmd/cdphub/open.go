package main

import (
	"context"
	"fmt"

	"github.com/cdphub/cdphub/relay"
)

// openCmd is `cdphub open URL`: the proxy, its Host page and a browser that
// shows it.
type openCmd struct {
	hubFlags
	logFlags
	proxyFlags
	Headless    bool   `help:"Use a headless browser even where there is a display." env:"CDPHUB_HEADLESS"`
	BrowserPath string `help:"The Chromium to use; found when left out." placeholder:"FILE" env:"CDPHUB_BROWSER_PATH"`
}

func (c *openCmd) Run(ctx context.Context, s streams) error {
	log, err := c.logger(s.err)
	if err != nil {
		return err
	}
	srv, app, err := c.start(c.hubFlags, log)
	if err != nil {
		return err
	}
	defer app.server.Close()
	return srv.runWhile(ctx, func(ctx context.Context) error {
		b := browser{path: c.BrowserPath, headless: c.Headless, log: log}
		closeBrowser, err := b.open(ctx, app.page)
		if err != nil {
			return err
		}
		defer closeBrowser()
		hub, release, err := srv.hubs.Acquire(relay.DefaultHub)
		if err != nil {
			return err
		}
		defer release()
		if err := awaitTargets(ctx, hub, 1); err != nil {
			if ctx.Err() != nil {
				return nil // the user has ended it
			}
			return fmt.Errorf("%w: is %s open in a browser?", err, app.page)
		}
		fmt.Fprintf(s.out, "The app is at %s\n\n%s", app.page, app.howTo())
		<-ctx.Done()
		return nil
	})
}
