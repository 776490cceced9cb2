package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"go.uber.org/zap"
)

// browser opens a Host page for the user.
type browser struct {
	path     string // of a Chromium; empty: found on the PATH
	headless bool   // even where there is a display
	log      *zap.Logger
}

// open shows a page in the user's own browser where there is a display, else
// in a headless Chromium, and returns how to end what it has started.
func (b browser) open(ctx context.Context, page string) (end func(), err error) {
	if opener := b.desktop(); opener != "" {
		b.log.Info("opening the default browser", zap.String("page", withoutToken(page)))
		return func() {}, exec.CommandContext(ctx, opener, page).Run()
	}
	path, err := b.find()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "cdphub-browser-")
	if err != nil {
		return nil, err
	}
	args := []string{
		"--headless", "--user-data-dir=" + profile, "--window-size=1500,900", "--no-first-run", "--disable-gpu",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium's sandbox does not run as root
	}
	cmd := exec.Command(path, append(args, page)...) //nolint:gosec // a path the user gave
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", path, err), os.RemoveAll(profile))
	}
	b.log.Info("opened a headless browser", zap.String("browser", path), zap.String("page", withoutToken(page)))
	return func() { endBrowser(cmd, profile, b.log) }, nil
}

// endBrowser kills a browser with all its processes and removes its profile.
func endBrowser(cmd *exec.Cmd, profile string, log *zap.Logger) {
	killGroup(cmd)
	cmd.Wait() //nolint:errcheck // it was killed
	var err error
	for range 20 { // its last children may still be writing
		if err = os.RemoveAll(profile); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	log.Warn("the browser's profile is left behind", zap.Error(err))
}

// desktop is the program that opens a page in the default browser, or "".
func (b browser) desktop() string {
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

// find looks for a Chromium.
func (b browser) find() (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chrome-headless-shell"}
	if b.path != "" {
		names = []string{b.path}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	if b.path != "" {
		return "", fmt.Errorf("there is no browser at %s", b.path)
	}
	return "", errors.New("no Chromium found: install one (Debian: apt-get install chromium), or name one with --browser")
}
