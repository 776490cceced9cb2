package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/urlpolicy"
	"github.com/cdphub/cdphub/relay"
)

// poolFlags are the options of browsers behind hubs.
type poolFlags struct {
	Browser          bool     `help:"Put a Chromium behind each hub that somebody connects to." env:"CDPHUB_BROWSER" group:"Browsers:"`
	BrowserPath      string   `help:"Its executable; found when not given. Implies --browser." env:"CDPHUB_BROWSER_PATH" placeholder:"FILE" group:"Browsers:"`
	BrowserURL       string   `name:"browser-url" help:"Connect to a browser that runs already instead: http://HOST:PORT, ws://…, or the folder of its profile. Implies --browser." env:"CDPHUB_BROWSER_URL" placeholder:"URL" group:"Browsers:"`
	BrowserHub       []string `help:"The hubs that have one: names, or patterns as sandbox-*; / is the hub at the root. All when not given, or with --browser-url that one." env:"CDPHUB_BROWSER_HUB" placeholder:"NAME" group:"Browsers:"`
	BrowserProfile   string   `help:"A folder with the user's data, that is kept, for one browser alone; each has a fresh one when not given." env:"CDPHUB_BROWSER_PROFILE" placeholder:"DIR" group:"Browsers:"`
	BrowserArg       []string `help:"A further argument of the browser." env:"CDPHUB_BROWSER_ARG" placeholder:"ARG" sep:"none" group:"Browsers:"`
	BrowserHeaded    bool     `help:"Show its windows; needs a display." env:"CDPHUB_BROWSER_HEADED" group:"Browsers:"`
	BrowserNoSandbox bool     `help:"Run it without Chromium's sandbox, as root must." env:"CDPHUB_BROWSER_NO_SANDBOX" group:"Browsers:"`
	BrowserShared    bool     `help:"Let every Client see and use the browser contexts that others have made." env:"CDPHUB_BROWSER_SHARED" group:"Browsers:"`
	IsolateNetwork   bool     `help:"Let browsers send every request through the hub, which judges all as it does those for pages: of images, scripts, WebSockets, workers. 32 connections at a time, no HTTP/3, no WebRTC beyond it." env:"CDPHUB_ISOLATE_NETWORK" group:"Network:"`
	BrowserIdle      period   `help:"How long a browser outlives the last Client of its hub." default:"5m" env:"CDPHUB_BROWSER_IDLE" group:"Browsers:"`
	MaxBrowsers      count    `help:"Browsers at a time; one that is idle makes room for the next." default:"8" env:"CDPHUB_MAX_BROWSERS" group:"Browsers:"`
}

// pool makes what runs the browsers, whose pages hold to a policy; nil when
// there are to be none.
func (f poolFlags) pool(hubs *relay.Hubs, urls *urlpolicy.Policy, log *zap.Logger) (*pool, error) {
	if !f.Browser && f.BrowserPath == "" && f.BrowserURL == "" {
		if f.IsolateNetwork {
			return nil, errors.New("--isolate-network is for browsers that the hub starts, and it starts none: add --browser")
		}
		return nil, nil
	}
	patterns := f.BrowserHub
	switch {
	case len(patterns) > 0:
	case f.BrowserURL != "":
		patterns = []string{rootHub}
	default:
		patterns = []string{rootHub, "*"}
	}
	o := chrome.Options{
		URL: f.BrowserURL, Path: f.BrowserPath, Profile: f.BrowserProfile, Headed: f.BrowserHeaded,
		NoSandbox: f.BrowserNoSandbox, Args: f.BrowserArg, Shared: f.BrowserShared, Log: log,
		Network: urls, Isolate: f.IsolateNetwork,
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("--browser-hub %q can never match: %w", pattern, err)
		}
	}
	p := &pool{
		run:    func(ctx context.Context, hub bridge.Hub, came func()) error { return chrome.Run(ctx, o, hub, came) },
		serves: func(hub string) bool { return matches(patterns, hub) },
		hubs:   hubs, max: int(f.MaxBrowsers), idle: time.Duration(f.BrowserIdle), log: log.Named("pool"),
	}
	if f.BrowserProfile != "" {
		p.max = 1 // two browsers cannot share a profile
	}
	return p, nil
}

// rootHub stands for the hub at the root, which has no name.
const rootHub = "/"

// matches reports whether a hub's name fits one of the patterns.
func matches(patterns []string, hub string) bool {
	if hub == relay.DefaultHub {
		return slices.Contains(patterns, rootHub)
	}
	for _, p := range patterns {
		if ok, err := path.Match(p, hub); ok && err == nil {
			return true
		}
	}
	return false
}
