package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server"
)

const (
	// pairWithin is how long the browser may take to open the page and pair.
	pairWithin = 60 * time.Second
	// noticeAfter is how long something may take before the program prints what it
	// waits for.
	noticeAfter = 2 * time.Second
)

// awaitApp waits until something listens at the address of the app, which is often
// started at the same time. It prints once what it waits for. A host name that does
// not exist is an error: waiting would not help.
func awaitApp(ctx context.Context, address string, out io.Writer) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	at := net.JoinHostPort(u.Hostname(), auth.PortOf(u))
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for announced := false; ; {
		dialer := net.Dialer{Timeout: noticeAfter}
		conn, err := dialer.DialContext(ctx, "tcp", at)
		if err == nil {
			conn.Close()
			if announced {
				fmt.Fprintln(out, "The app answers.")
			}
			return nil
		}
		if dns, is := errors.AsType[*net.DNSError](err); is && dns.IsNotFound {
			return fmt.Errorf("the app's address %s: the host %s does not exist: check its spelling", address, u.Hostname())
		}
		if !announced && ctx.Err() == nil {
			announced = true
			fmt.Fprintf(out, "Waiting for the app: nothing answers on %s (%v). Start the app, or press Ctrl+C and give another address.\n", at, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// show opens a page and waits until that many apps in it have paired. closeAll gives
// back the hub and closes the page, unless the user's own browser shows it.
func (b desktop) show(ctx context.Context, srv *server.Server, page string, apps int, out io.Writer) (closeAll func(), err error) {
	browser, err := b.open(ctx, page)
	if err != nil {
		return nil, err
	}
	hub, release, err := srv.Hub(ctx, relay.DefaultHub)
	if err != nil {
		browser.Close()
		return nil, err
	}
	closeAll = func() {
		release()
		browser.Close()
	}
	if err := awaitTargets(ctx, hub, apps, browser, out); err != nil {
		closeAll()
		return nil, fmt.Errorf("%w: check that %s is open in a browser", err, page)
	}
	return closeAll, nil
}

// awaitTargets waits until that many apps, which a browser shows, have announced
// their titles. It fails when the browser ends, or after pairWithin.
func awaitTargets(ctx context.Context, hub *relay.Hub, count int, browser shown, out io.Writer) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(pairWithin)
	notice := time.After(noticeAfter)
	for {
		paired := 0
		for _, t := range hub.Targets(nil) {
			if t.Title != "" {
				paired++
			}
		}
		if paired == count {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-browser.Gone():
			return browser.Failure()
		case <-timeout:
			return fmt.Errorf("paired so far: %d of %s", paired, english.Plural(count, "app", ""))
		case <-notice:
			fmt.Fprintf(out, "Waiting for the browser to show the page: %d of %s connected.\n", paired, english.Plural(count, "app", ""))
		case <-tick.C:
		}
	}
}
