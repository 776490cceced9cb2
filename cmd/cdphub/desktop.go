package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge/chrome"
)

// desktop opens a Host page for the user.
type desktop struct {
	path     string // of a Chromium; empty: found on the PATH
	headless bool   // even where there is a display
	log      *zap.Logger
}

// open shows a page in the user's own browser where there is a display, else
// in a headless Chromium, and returns how to end what it has started.
func (b desktop) open(ctx context.Context, page string) (end func(), err error) {
	if opener := b.opener(); opener != "" {
		b.log.Info("opening the default browser", zap.String("page", withoutToken(page)))
		return func() {}, exec.CommandContext(ctx, opener, page).Run()
	}
	end, err = chrome.Show(chrome.Options{
		Path:      b.path,
		NoSandbox: os.Geteuid() == 0, // Chromium's sandbox does not run as root
		Args:      []string{"--window-size=1500,900", "--disable-gpu"},
		Log:       b.log,
	}, page)
	if err == nil {
		b.log.Info("opened a headless browser", zap.String("page", withoutToken(page)))
	}
	return end, err
}

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

// withoutToken is the URL of a page as it may be logged.
func withoutToken(page string) string {
	page, _, _ = strings.Cut(page, "#")
	return page
}
