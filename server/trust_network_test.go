package server

import (
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/urlpolicy"
)

// TestR142OptionsThatNeverMatch starts a hub with lists that mean nothing.
func TestR142OptionsThatNeverMatch(t *testing.T) {
	for says, change := range map[string]func(*Options){
		`--block-url "http://example.com" can never match`:   func(f *Options) { f.Network.Block = []string{"http://example.com"} },
		`--block-url "example.com:8080" can never match`:     func(f *Options) { f.Network.Block = []string{"example.com:8080"} },
		`--allow-url "a.*.example.com" can never match`:      func(f *Options) { f.Network.Allow = []string{"a.*.example.com"} },
		`--eval-deny "bank.example" can never match`:         func(f *Options) { f.Actions.EvalDeny = []string{"bank.example"} },
		`--eval-allow "https://a.example/b" can never match`: func(f *Options) { f.Actions.EvalAllow = []string{"https://a.example/b"} },
		`--client-origin "app.example" can never match`:      func(f *Options) { f.ClientOrigins = []string{"app.example"} },
		`--client-origin "*" can never match`:                func(f *Options) { f.ClientOrigins = []string{"*"} },
		`--client-origin "https://a.example/b" can never`:    func(f *Options) { f.ClientOrigins = []string{"https://a.example/b"} },
		`--host-origin "localhost:3000" can never match`:     func(f *Options) { f.HostOrigins = []string{"https://a.example", "localhost:3000"} },
		`--host-origin "https://*.example" can never match`:  func(f *Options) { f.HostOrigins = []string{"https://*.example"} },
		`--allowed-host "http://a.example" can never match`:  func(f *Options) { f.AllowedHosts = []string{"http://a.example"} },
		`--allowed-host "a.example:9222" can never match`:    func(f *Options) { f.AllowedHosts = []string{".a.example", "a.example:9222"} },
		`--hook-scope "browser:all" can never match`:         func(f *Options) { f.Actions.HookScopes = []string{"browser:all"} },
	} {
		f := Options{ClientAddr: "127.0.0.1:0", HostAddr: "127.0.0.1:0"}
		change(&f)
		if _, err := makeServer(f, zap.NewNop()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// TestR142OptionsAreReadAsTheyAreMeant has origins and blocks of addresses in
// other spellings.
func TestR142OptionsAreReadAsTheyAreMeant(t *testing.T) {
	c, err := Actions{EvalAllow: []string{"*"}, EvalDeny: []string{"https://Bank.example:443/"}}.consents()
	if err != nil {
		t.Fatal(err)
	}
	if c.Check(t.Context(), "", "https://bank.example") == nil || c.Check(t.Context(), "", "https://app.example") != nil {
		t.Error("an origin is not denied by another spelling")
	}
	given := []string{"https://App.example:443/", "devtools://devtools", "chrome-extension://abc/", "null", "file://"}
	read, err := peerOrigins("--client-origin", given)
	if want := "https://app.example devtools://devtools chrome-extension://abc null file://"; err != nil || strings.Join(read, " ") != want {
		t.Errorf("origins of pages: %v %v, want %s", read, err, want)
	}
	p, err := Network{Block: []string{"10.0.0.0/8", "[::1]"}}.policy(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []string{"http://10.1.2.3/", "http://[::1]/", "http://[::ffff:a01:203]/"} {
		if why := p.Check(u); why == nil || why.Reason != urlpolicy.Domain {
			t.Errorf("%s: %v", u, why)
		}
	}
}
