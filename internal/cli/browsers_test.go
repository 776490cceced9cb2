package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/logging/logtest"
)

// TestBrowsersThatCannotStart wants an error at the start of the hub, which says
// what to do.
func TestBrowsersThatCannotStart(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for want, args := range map[string][]string{
		"apt-get install chromium": {"--browser"},
		"/nope":                    {"--browser-path=/nope"},
	} {
		for _, command := range []string{"serve", "mcp"} {
			err := run(t.Context(), append([]string{command}, args...), io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %v: %v, want %q", command, args, err, want)
			}
		}
	}
	broken := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho 'No usable sandbox!' >&2; exit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := run(t.Context(), []string{
		"serve", "--browser-path", broken, "--browser-no-sandbox", "--client-addr=127.0.0.1:0", "--host-addr=localhost:0",
	}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "user namespaces") {
		t.Errorf("a browser that ends at once: %v, want what to do", err)
	}
	if os.Geteuid() != 0 {
		return
	}
	err = run(t.Context(), []string{"serve", "--browser-path", broken}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "--browser-no-sandbox") {
		t.Errorf("as root: %v, want --browser-no-sandbox", err)
	}
}

// TestR142BrowserOptionsThatNeverMatch starts a hub with options of browsers
// that contradict each other.
func TestR142BrowserOptionsThatNeverMatch(t *testing.T) {
	for says, f := range map[string]browserFlags{
		"runs already":       {IsolateNetwork: true, BrowserURL: "http://127.0.0.1:1"},
		"a proxy of its own": {IsolateNetwork: true, Browser: true, BrowserNoSandbox: true, BrowserArg: []string{"--proxy-server=http://127.0.0.1:1"}},
		`"localhost:9222" is not an http:// or ws:// URL`: {BrowserURL: "localhost:9222"},
		`"9222" is not an http:// or ws:// URL`:           {BrowserURL: "9222"},
		`"ftp://a.example" is not an http:// or ws://`:    {BrowserURL: "ftp://a.example"},
		`--browser-hub "a["`:                              {Browser: true, BrowserNoSandbox: true, BrowserHub: []string{"a["}},
	} {
		o, err := f.options()
		if err == nil {
			_, err = browsers.New(nil, browsers.Options{Chrome: o.Chrome, Hubs: o.Hubs})
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// TestBrowsersThatMayComeLater has addresses at which a browser may start after the hub.
func TestBrowsersThatMayComeLater(t *testing.T) {
	for _, where := range []string{"http://127.0.0.1:1", "wss://a.example/devtools/browser/x", "./profile", t.TempDir(), "."} {
		if _, err := (browserFlags{BrowserURL: where}).options(); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
}

// TestR230BrowserShareOption wants tokens to have browsers of their own unless the option
// says otherwise, and the option to need browsers that the hub starts.
func TestR230BrowserShareOption(t *testing.T) {
	for share, undivided := range map[string]bool{"token": false, "hub": true} {
		c := serveCmd{browserFlags: browserFlags{Browser: true}, BrowserShare: share}
		o, err := c.options(logtest.Open(t, io.Discard))
		if err != nil || o.Browsers.Undivided != undivided {
			t.Errorf("--browser-share=%s: undivided is %v, %v", share, o.Browsers.Undivided, err)
		}
	}
	for want, args := range map[string][]string{
		"--browser-share": {"serve", "--browser-share=hub"},
		"--browser-url":   {"serve", "--browser-share=hub", "--browser-url=http://127.0.0.1:1"},
		"must be one of":  {"serve", "--browser", "--browser-share=all"},
	} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}
