package chrome

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFind has folders with some browsers on the PATH.
func TestFind(t *testing.T) {
	for _, names := range [][]string{
		{"google-chrome", "chromium", "microsoft-edge"},
		{"chromium", "microsoft-edge", "chrome-headless-shell"},
		{"microsoft-edge", "chrome-headless-shell"},
		{"chrome-headless-shell"},
	} {
		dir := t.TempDir()
		t.Setenv("PATH", dir)
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := Find(""); err != nil || got != filepath.Join(dir, names[0]) {
			t.Errorf("of %q, %q was found, %v", names, got, err)
		}
		last := filepath.Join(dir, names[len(names)-1])
		for _, path := range []string{last, filepath.Base(last)} {
			if got, err := Find(path); err != nil || got != last {
				t.Errorf("%s is %q, %v", path, got, err)
			}
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(""); err == nil || !strings.Contains(err.Error(), "apt-get install chromium") {
		t.Errorf("without any: %v", err)
	}
	if _, err := Find("firefox"); err == nil || !strings.Contains(err.Error(), "no browser at firefox") {
		t.Errorf("without the one named: %v", err)
	}
}

func TestCandidates(t *testing.T) {
	environment := map[string]string{"HOME": "/Users/a", "ProgramFiles": `C:\Program Files`, "ProgramFiles(x86)": `C:\Program Files (x86)`}
	variable := func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}
	for system, want := range map[string][]string{
		"linux": {},
		"darwin": {
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
			"/Users/a/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
			"/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Users/a/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
		},
		"windows": {
			`C:\Program Files\Google\Chrome\Application\chrome.exe`,
			`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
			`C:\Program Files\Chromium\Application\chrome.exe`,
			`C:\Program Files\Microsoft\Edge\Application\msedge.exe`,
			`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
		},
	} {
		if got := browserCandidates(system, variable)[len(pathNames):]; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", system, got, want)
		}
	}
}
