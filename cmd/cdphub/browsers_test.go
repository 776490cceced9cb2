package main

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/browsers"
)

// TestR142BrowserOptionsThatNeverMatch starts a hub with options of browsers
// that contradict each other.
func TestR142BrowserOptionsThatNeverMatch(t *testing.T) {
	for says, f := range map[string]browserFlags{
		"starts none":        {IsolateNetwork: true},
		"runs already":       {IsolateNetwork: true, BrowserURL: "http://127.0.0.1:1"},
		"a proxy of its own": {IsolateNetwork: true, Browser: true, BrowserArg: []string{"--proxy-server=http://127.0.0.1:1"}},
		`--browser-hub "a["`: {Browser: true, BrowserHub: []string{"a["}},
	} {
		o, err := f.options()
		if err == nil {
			_, err = browsers.New(nil, *o)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
