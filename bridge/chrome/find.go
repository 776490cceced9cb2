package chrome

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/optionname"
)

// pathNames has the names of browsers on the PATH, the best first.
var pathNames = []string{
	"google-chrome", "google-chrome-stable", "chrome",
	"chromium", "chromium-browser",
	"microsoft-edge", "microsoft-edge-stable",
	"chrome-headless-shell", "chromium-headless-shell",
}

// installPaths has the places where browsers are that no PATH leads to, by
// operating system and in the same order. Variables are those of the
// environment; a place with one that is not set does not count.
var installPaths = map[string][]string{
	"darwin": {
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"$HOME/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"$HOME/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
	},
	"windows": {
		`$ProgramFiles\Google\Chrome\Application\chrome.exe`,
		`${ProgramFiles(x86)}\Google\Chrome\Application\chrome.exe`,
		`$LocalAppData\Google\Chrome\Application\chrome.exe`,
		`$LocalAppData\Chromium\Application\chrome.exe`,
		`$ProgramFiles\Chromium\Application\chrome.exe`,
		`$ProgramFiles\Microsoft\Edge\Application\msedge.exe`,
		`${ProgramFiles(x86)}\Microsoft\Edge\Application\msedge.exe`,
	},
}

// Find returns the path of a browser: of the one named, by a path or a name on
// the PATH, or of the first that is found on this machine when path is empty.
func Find(path string) (string, error) {
	if path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("no browser at %s: %w; set the path of an executable, or leave it out to search for a browser", path, err)
		}
		return found, nil
	}
	list := browserCandidates(runtime.GOOS, os.LookupEnv)
	for _, candidate := range list {
		if found, err := exec.LookPath(candidate); err == nil {
			return found, nil
		}
	}
	where := "the PATH (" + os.Getenv("PATH") + ") has none of " + strings.Join(pathNames, ", ")
	if places := list[len(pathNames):]; len(places) > 0 {
		where += ", and no browser is at " + strings.Join(places, ", ")
	}
	return "", optionname.Errorf("no browser found: install one (Debian: apt-get install chromium), or set {chrome.Options.Path}; %s", where)
}

// browserCandidates lists where a browser may be. The first len(pathNames) of them are names
// without a folder, as exec.LookPath wants them.
func browserCandidates(system string, variable func(string) (string, bool)) []string {
	return append(slices.Clone(pathNames), expandPlaces(installPaths[system], variable)...)
}

// expandPlaces replaces the variables in paths. A path with a variable that is not set is left out.
func expandPlaces(places []string, variable func(string) (string, bool)) (list []string) {
	for _, place := range places {
		known := true
		place = os.Expand(place, func(name string) string {
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
