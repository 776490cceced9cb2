package chrome

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// Own, as Options.URL, is the Chrome that the user of this machine has open, once she has
// allowed it at chrome://inspect/#remote-debugging. Chrome asks her at each connection
// (Chromium 156: a dialog with Allow and Cancel), which so can take as long as its context lasts.
// Options.Profile is the folder of its user data; without it, those of all Chromes of this
// user are looked at.
const Own = "chrome:"

// What Options.Waiting is told that a connection to Own waits for, and why there will be none.
var (
	ErrSwitchedOff error = advice.ChromeSwitchedOff
	ErrAsks        error = advice.ChromeAsks
	ErrDenied      error = advice.ChromeDenied
)

// seekEvery is the time between two looks for a Chrome that can be connected to.
const seekEvery = time.Second

// dataPaths has the folders in which Chromes have their user data, by operating system
// (Chromium's docs/user_data_dir.md). $config is where the system has such folders.
var dataPaths = map[string][]string{
	"linux": {
		"$config/google-chrome", "$config/google-chrome-beta", "$config/google-chrome-unstable", "$config/google-chrome-canary",
		"$config/chromium", "$config/microsoft-edge", "$config/BraveSoftware/Brave-Browser",
		"$HOME/snap/chromium/common/chromium", "$HOME/.var/app/com.google.Chrome/config/google-chrome",
		"$HOME/.var/app/org.chromium.Chromium/config/chromium",
	},
	"darwin": {
		"$config/Google/Chrome", "$config/Google/Chrome Beta", "$config/Google/Chrome Dev", "$config/Google/Chrome Canary",
		"$config/Chromium", "$config/Microsoft Edge", "$config/BraveSoftware/Brave-Browser",
	},
	"windows": {
		`$LocalAppData\Google\Chrome\User Data`, `$LocalAppData\Google\Chrome Beta\User Data`, `$LocalAppData\Google\Chrome Dev\User Data`,
		`$LocalAppData\Google\Chrome SxS\User Data`, `$LocalAppData\Chromium\User Data`, `$LocalAppData\Microsoft\Edge\User Data`,
		`$LocalAppData\BraveSoftware\Brave-Browser\User Data`,
	},
}

// connectOwn connects to the Chrome of this user. It waits until there is one, and until its
// user has answered. An Allow counts for one connection.
func connectOwn(ctx context.Context, o *Options, limit int) (conn, error) {
	told := error(nil)
	tell := func(why error) {
		if told != why && o.Waiting != nil { //nolint:errorlint // it is one of ours, as it is
			o.Waiting(why)
		}
		told = why
	}
	folders := []string{o.Profile}
	if o.Profile == "" {
		folders = dataFolders(runtime.GOOS, os.LookupEnv)
	}
	for {
		for _, endpoint := range ownEndpoints(folders) {
			if !hasListener(ctx, endpoint.Host) { // a Chrome that has ended has left its file
				continue
			}
			tell(ErrAsks)
			ws, err := wsconn.Dial(ctx, endpoint.String(), nil, wsconn.Limits{MaxMessage: int64(limit), MaxPending: math.MaxInt32, MaxQueued: math.MaxInt32})
			if err == nil {
				return socket{newOutbox(), ws}, nil
			}
			if ctx.Err() != nil {
				return nil, told
			}
			// Chromium 156: 403, "Connection rejected".
			if status, _ := errors.AsType[wsconn.StatusError](err); status == http.StatusForbidden {
				return nil, ErrDenied
			}
			// Another error is of a Chrome that has ended meanwhile, or of another program at its port.
		}
		tell(ErrSwitchedOff)
		select {
		case <-ctx.Done():
			return nil, cmp.Or(told, context.Cause(ctx))
		case <-time.After(seekEvery):
		}
	}
}

// hasListener reports whether a program listens at an address.
func hasListener(ctx context.Context, address string) bool {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// ownEndpoints are the WebSockets of the browsers that have left their address in one of the
// folders, the one that came last first.
func ownEndpoints(folders []string) []*url.URL {
	type found struct {
		endpoint *url.URL
		since    time.Time
	}
	var all []found
	for _, folder := range folders {
		endpoint, err := endpointIn(folder)
		if err != nil {
			continue
		}
		if info, err := os.Stat(filepath.Join(folder, activePort)); err == nil {
			all = append(all, found{endpoint, info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b found) int { return b.since.Compare(a.since) })
	list := make([]*url.URL, len(all))
	for i, f := range all {
		list[i] = f.endpoint
	}
	return list
}

// dataFolders lists the folders of user data on a system. Variables are those of the
// environment; a folder with one that is not set does not count.
func dataFolders(system string, variable func(string) (string, bool)) (list []string) {
	home, _ := variable("HOME")
	config := filepath.Join(home, "Library", "Application Support")
	if system != "darwin" {
		set, _ := variable("XDG_CONFIG_HOME")
		config = cmp.Or(set, filepath.Join(home, ".config"))
	}
	for _, place := range dataPaths[system] {
		known := true
		place = os.Expand(place, func(name string) string {
			if name == "config" {
				return config
			}
			value, ok := variable(name)
			known = known && ok
			return value
		})
		if known {
			list = append(list, place)
		}
	}
	return list
}
