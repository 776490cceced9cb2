package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/server"
)

// browser finds out whether there is a browser and whether it starts. Without options
// for one a failure is only a warning: open and demo need a browser, serve does not.
func (c *doctorCmd) browser(ctx context.Context, wanted *server.Browsers) []finding {
	bad, o := failing, chrome.Options{NoSandbox: os.Geteuid() == 0}
	if wanted == nil {
		bad = warning
	} else {
		o = wanted.Chrome
	}
	var all []finding
	if o.URL == "" {
		path, err := chrome.Find(o.Path)
		if err != nil {
			return []finding{{"chromium", bad, err.Error(), "install a Chromium (Debian: apt-get install chromium), or set --browser-path; not needed for Host pages alone"}}
		}
		all = append(all, finding{Check: "chromium", State: fine, Found: path})
	}
	began := time.Now()
	product, err := chrome.Try(ctx, o)
	if err != nil {
		return append(all, finding{"browser start", bad, err.Error(), "do what this says, and run cdphub doctor again with the same options"})
	}
	found := fmt.Sprintf("%s answers after %v", product, time.Since(began).Round(10*time.Millisecond))
	if o.NoSandbox {
		found += ", without its sandbox"
	}
	return append(all, finding{Check: "browser start", State: fine, Found: found})
}

// userNamespaces are the settings of Linux that keep Chromium's sandbox from working,
// each with the value that does so. The last one is Ubuntu's, from 23.10.
var userNamespaces = map[string]string{
	"kernel/unprivileged_userns_clone":             "0",
	"user/max_user_namespaces":                     "0",
	"kernel/apparmor_restrict_unprivileged_userns": "1",
}

// checkSandbox finds out whether Chromium's sandbox can work.
func checkSandbox() finding {
	const check = "sandbox"
	if runtime.GOOS != "linux" {
		return finding{Check: check, State: fine, Found: "needs nothing on " + runtime.GOOS}
	}
	if os.Geteuid() == 0 {
		return finding{
			check, warning, "this is root, for whom Chromium's sandbox does not run",
			"run cdphub as another user; where only trusted pages are shown, --browser-no-sandbox does without the sandbox",
		}
	}
	for setting, off := range userNamespaces {
		if text, err := os.ReadFile("/proc/sys/" + setting); err == nil && strings.TrimSpace(string(text)) == off {
			return finding{
				check, warning, "user namespaces are restricted (" + setting + " is " + off + "): Chromium needs them, unless it brings a helper or a profile of its own",
				"if the browser does not start, set it otherwise with sysctl, or add --browser-no-sandbox",
			}
		}
	}
	return finding{Check: check, State: fine, Found: "user namespaces are not restricted"}
}

// sharedMemory finds out whether browsers have room for what their processes share.
// Those that the hub starts have it in the folder for temporary files
// (--disable-dev-shm-usage).
func sharedMemory() finding {
	const check, least = "shared memory", 512 << 20
	room, known := freeSpace(os.TempDir())
	if !known {
		return finding{Check: check, State: fine, Found: "not known on " + runtime.GOOS}
	}
	found := fmt.Sprintf("%s has %s free, which is where browsers share memory", os.TempDir(), humanize.IBytes(room))
	if shm, known := freeSpace("/dev/shm"); known {
		found += fmt.Sprintf("; /dev/shm has %s and is not used", humanize.IBytes(shm))
	}
	if room < least {
		return finding{check, warning, found, "free some space there, or set TMPDIR to a folder with " + humanize.IBytes(least) + " or more"}
	}
	return finding{Check: check, State: fine, Found: found}
}

// fontFolders are where Linux has fonts.
var fontFolders = []string{"/usr/share/fonts", "/usr/local/share/fonts", "$HOME/.fonts", "$HOME/.local/share/fonts"}

// checkFonts counts the fonts that pages can be shown with.
func checkFonts() finding {
	const check = "fonts"
	if runtime.GOOS != "linux" {
		return finding{Check: check, State: fine, Found: "come with " + runtime.GOOS}
	}
	count, emoji := 0, false
	for _, folder := range fontFolders {
		filepath.WalkDir(os.ExpandEnv(folder), func(path string, _ fs.DirEntry, _ error) error { //nolint:errcheck // what cannot be read has none
			switch strings.ToLower(filepath.Ext(path)) {
			case ".ttf", ".otf", ".ttc", ".pfb":
				count++
				emoji = emoji || strings.Contains(strings.ToLower(path), "emoji")
			}
			return nil
		})
	}
	switch {
	case count == 0:
		return finding{check, warning, "there are none: pages and screenshots show boxes in place of text", "install some (Debian: apt-get install fonts-liberation fonts-noto-cjk fonts-noto-color-emoji)"}
	case !emoji:
		return finding{Check: check, State: fine, Found: english.Plural(count, "file", "") + ", none with emoji (Debian: fonts-noto-color-emoji)"}
	}
	return finding{Check: check, State: fine, Found: english.Plural(count, "file", "")}
}
