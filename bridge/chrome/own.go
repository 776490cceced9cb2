package chrome

import (
	"cmp"
	"context"
	"errors"
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

// Own is, as Options.URL, the Chrome that the user of this machine has open, once she has
// allowed it at chrome://inspect/#remote-debugging. Chrome asks her at each connection
// (Chromium 156: a dialog with Allow and Cancel). To connect takes until she answers, or ctx ends.
// Options.Profile is the folder of its user data; without it, those of all Chromes of this
// user are looked at.
const Own = "chrome:"

// Options.Waiting gets the first two while a connection to Own waits; the third ends it.
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
			c, err := dialBrowser(ctx, endpoint, limit)
			if err == nil {
				return c, nil
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
func dataFolders(system string, variable func(string) (string, bool)) []string {
	home, _ := variable("HOME")
	config := filepath.Join(home, "Library", "Application Support")
	if system != "darwin" {
		set, _ := variable("XDG_CONFIG_HOME")
		config = cmp.Or(set, filepath.Join(home, ".config"))
	}
	return expandPlaces(dataPaths[system], func(name string) (string, bool) {
		if name == "config" {
			return config, true
		}
		return variable(name)
	})
}
