package cli

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cdphub/cdphub/server"

	"github.com/cdphub/cdphub/bridge/chrome"
)

// browserFlags are the options of browsers behind hubs.
type browserFlags struct {
	Browser          bool             `help:"Start a Chromium behind each hub that a Client connects to." env:"CDPHUB_BROWSER" group:"Browsers:" basic:""`
	BrowserPath      string           `help:"Executable of the browser. Without it, a Chromium or Chrome is searched for. Implies --browser." env:"CDPHUB_BROWSER_PATH" placeholder:"FILE" useless-with:"browser-url,chrome" group:"Browsers:" basic:""`
	BrowserURL       string           `name:"browser-url" help:"Connect to a browser that is already running, instead of starting one: http://HOST:PORT, ws://…, or the folder of its profile. Implies --browser." env:"CDPHUB_BROWSER_URL" placeholder:"URL" group:"Browsers:" basic:""`
	Chrome           bool             `help:"Connect to the Chrome that you have open, which asks you once: press Allow. First open chrome://inspect/#remote-debugging in it, and tick the box. With --browser-profile, to the one with this folder of user data. Implies --browser." env:"CDPHUB_CHROME" useless-with:"browser-url,browser-path" group:"Browsers:" basic:""`
	BrowserHub       []string         `help:"Hubs that have a browser: names, or patterns such as sandbox-*; / is the default hub. Default: all hubs; with --browser-url or --chrome, the default hub." env:"CDPHUB_BROWSER_HUB" placeholder:"NAME" needs:"browser,browser-path,browser-url,chrome" group:"Browsers:"`
	BrowserProfile   string           `help:"Folder with the user data of the browser, which stays when the browser ends. Only one browser can then run; --browser-profiles is for several. Default: each browser has a new folder, which is removed when the browser ends." env:"CDPHUB_BROWSER_PROFILE" placeholder:"DIR" needs:"browser,browser-path,browser-url,chrome" useless-with:"browser-url" group:"Browsers:" basic:""`
	BrowserProfiles  string           `help:"Folder in which the browser of each hub, and of each token, keeps its user data: its log-ins are there when it starts again. Sandboxes have no folder there." env:"CDPHUB_BROWSER_PROFILES" placeholder:"DIR" needs:"browser,browser-path" useless-with:"browser-url,chrome,browser-profile" group:"Browsers:" basic:""`
	BrowserArg       []string         `help:"Extra argument for the browser. May be repeated." env:"CDPHUB_BROWSER_ARG" placeholder:"ARG" sep:"none" needs:"browser,browser-path,browser-url,chrome" useless-with:"browser-url,chrome" group:"Browsers:"`
	BrowserHeaded    bool             `help:"Show the windows of the browser. This needs a display." env:"CDPHUB_BROWSER_HEADED" needs:"browser,browser-path,browser-url,chrome" useless-with:"browser-url,chrome" group:"Browsers:" basic:""`
	BrowserNoSandbox bool             `help:"Start the browser without Chromium's sandbox. This is needed as root and in most containers, where the sandbox does not work." env:"CDPHUB_BROWSER_NO_SANDBOX" needs:"browser,browser-path,browser-url,chrome" useless-with:"browser-url,chrome" group:"Browsers:" basic:""`
	BrowserShared    bool             `help:"Let every Client see and use the browser contexts that other Clients have made." env:"CDPHUB_BROWSER_SHARED" needs:"browser,browser-path,browser-url,chrome" group:"Browsers:"`
	IsolateNetwork   bool             `help:"Send every request of the browsers through the hub, which applies --allow-url, --block-url and --public-urls to all of them: images, scripts, WebSockets, workers. Allows 32 connections at a time, no HTTP/3, and no WebRTC past the hub." env:"CDPHUB_ISOLATE_NETWORK" needs:"browser,browser-path,browser-url,chrome" useless-with:"browser-url,chrome" group:"Network:"`
	BrowserIdle      positiveDuration `help:"Time that a browser stays after the last Client of its hub has left." default:"5m" env:"CDPHUB_BROWSER_IDLE" needs:"browser,browser-path,browser-url,chrome" group:"Browsers:"`
	BrowserQueue     time.Duration    `help:"Time that a Client waits for a browser while --max-browsers are in use, first come, first served. After that, the hub answers 503 with Retry-After. 0: Clients do not wait." default:"30s" env:"CDPHUB_BROWSER_QUEUE" needs:"browser,browser-path,browser-url,chrome" group:"Browsers:"`
	MaxBrowsers      positiveInt      `help:"Maximum browsers that run at the same time. An idle browser is closed to make room for a new one." default:"8" env:"CDPHUB_MAX_BROWSERS" needs:"browser,browser-path,browser-url,chrome" group:"Browsers:" basic:""`
}

// wanted reports whether any of the options asks for browsers.
func (f browserFlags) wanted() bool {
	return f.Browser || f.BrowserPath != "" || f.BrowserURL != "" || f.Chrome
}

// url is of the browser to connect to, "" for none.
func (f browserFlags) url() string {
	if f.Chrome {
		return chrome.Own
	}
	return f.BrowserURL
}

// options are for the browsers of a process; nil when there are none.
func (f browserFlags) options() (*server.Browsers, error) {
	if !f.wanted() {
		return nil, nil
	}
	if !mayBeBrowser(f.BrowserURL) {
		return nil, fmt.Errorf("--browser-url %q is not an http:// or ws:// URL, nor a folder that exists: use an address such as http://127.0.0.1:9222", f.BrowserURL)
	}
	return &server.Browsers{
		Chrome: chrome.Options{
			URL: f.url(), Path: f.BrowserPath, Profile: f.BrowserProfile, Headed: f.BrowserHeaded,
			NoSandbox: f.BrowserNoSandbox, Args: f.BrowserArg, Shared: f.BrowserShared, Isolate: f.IsolateNetwork,
		},
		Hubs: f.BrowserHub, Profiles: f.BrowserProfiles, Max: int(f.MaxBrowsers), Idle: time.Duration(f.BrowserIdle), Queue: f.BrowserQueue,
	}, nil
}

// mayBeBrowser reports whether there can be a browser at a --browser-url, now or later. A
// path may become the folder of a profile when its browser starts; a word without a slash
// that is no folder is most likely an address without its scheme.
func mayBeBrowser(where string) bool {
	if where == "" {
		return true
	}
	if info, err := os.Stat(where); err == nil && info.IsDir() {
		return true
	}
	u, err := url.Parse(where)
	if err == nil && u.Host != "" {
		return slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme)
	}
	return strings.ContainsAny(where, `/\`)
}
