package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge/chrome"
)

// desktop opens a Host page for the user.
type desktop struct {
	path     string // of a Chromium; empty: found on the PATH
	headless bool   // even where there is a display
	log      *zap.Logger
}

// check reports whether there is a browser to open a page in.
func (b desktop) check() error {
	if b.opener() != "" {
		return nil
	}
	_, err := chrome.Find(b.path)
	return err
}

// open shows a page in the user's own browser where there is a display, else in a
// headless Chromium. Only that one ends when window is closed.
func (b desktop) open(ctx context.Context, page string) (window shown, err error) {
	if opener := b.opener(); opener != "" {
		b.log.Info("opening the default browser", zap.String("page", withoutToken(page)))
		if err := handOver(ctx, opener, page); err != nil {
			return nil, fmt.Errorf("open the default browser with %s: %w; with --headless, a Chromium without windows is used", opener, err)
		}
		return users{}, nil
	}
	window, err = chrome.Show(chrome.Options{
		Path:      b.path,
		NoSandbox: os.Geteuid() == 0, // Chromium's sandbox does not run as root
		Args:      []string{"--window-size=1500,900", "--disable-gpu"},
		Log:       b.log,
	}, page)
	if err == nil {
		b.log.Info("opened a headless browser", zap.String("page", withoutToken(page)))
	}
	return window, err
}

// openerWithin is how long the program that opens the default browser may take to
// fail.
const openerWithin = 3 * time.Second

// handOver starts the program that opens a page in the default browser. It returns
// when that program has ended, or after openerWithin: xdg-open runs as long as the
// browser if it has started the browser. The browser is the user's, and stays when
// cdphub ends.
func handOver(ctx context.Context, opener, page string) error {
	cmd := exec.Command(opener, page)
	separateSession(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(openerWithin):
	case <-ctx.Done():
	}
	return nil
}

// shown is a browser that shows a page.
type shown interface {
	Close()
	Gone() <-chan struct{} // is closed when the browser has ended
	Failure() error        // why, then
}

// users is the user's own browser, which is theirs to end.
type users struct{}

func (users) Close() {}

func (users) Gone() <-chan struct{} { return nil }

func (users) Failure() error { return nil }

// opener is the program that opens a page in the default browser, or "".
func (b desktop) opener() string {
	if b.headless || b.path != "" {
		return ""
	}
	opener := ""
	switch {
	case runtime.GOOS == "darwin":
		opener = "open"
	case os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "":
		opener = "xdg-open"
	}
	if _, err := exec.LookPath(opener); err != nil {
		return ""
	}
	return opener
}

// printed is the address of a page for the user to open. If a headless browser shows
// the page already, the user's own page waits on standby: opened only to look, it
// must not take the hub away from the page that clients drive.
func (b desktop) printed(page string) string {
	if b.opener() != "" {
		return page
	}
	before, fragment, found := strings.Cut(page, "#")
	if strings.Contains(before, "?") {
		before += "&standby"
	} else {
		before += "?standby"
	}
	if found {
		before += "#" + fragment
	}
	return before
}

// withoutToken is the URL of a page as it may be logged.
func withoutToken(page string) string {
	page, _, _ = strings.Cut(page, "#")
	return page
}
