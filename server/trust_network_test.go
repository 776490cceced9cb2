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
		`server.Network.Block "http://example.com" can never match`:      func(f *Options) { f.Network.Block = []string{"http://example.com"} },
		`server.Network.Block "example.com:8080" can never match`:        func(f *Options) { f.Network.Block = []string{"example.com:8080"} },
		`server.Network.Allow "a.*.example.com" can never match`:         func(f *Options) { f.Network.Allow = []string{"a.*.example.com"} },
		`server.Actions.EvalDeny "bank.example" can never match`:         func(f *Options) { f.Actions.EvalDeny = []string{"bank.example"} },
		`server.Actions.EvalAllow "https://a.example/b" can never match`: func(f *Options) { f.Actions.EvalAllow = []string{"https://a.example/b"} },
		`server.Options.ClientOrigins "app.example" can never match`:     func(f *Options) { f.ClientOrigins = []string{"app.example"} },
		`server.Options.ClientOrigins "*" can never match`:               func(f *Options) { f.ClientOrigins = []string{"*"} },
		`server.Options.ClientOrigins "https://a.example/b" can never`:   func(f *Options) { f.ClientOrigins = []string{"https://a.example/b"} },
		`server.Options.HostOrigins "localhost:3000" can never match`:    func(f *Options) { f.HostOrigins = []string{"https://a.example", "localhost:3000"} },
		`server.Options.HostOrigins "https://*.example" can never match`: func(f *Options) { f.HostOrigins = []string{"https://*.example"} },
		`server.Options.AllowedHosts "http://a.example" can never match`: func(f *Options) { f.AllowedHosts = []string{"http://a.example"} },
		`server.Options.AllowedHosts "a.example:9222" can never match`:   func(f *Options) { f.AllowedHosts = []string{".a.example", "a.example:9222"} },
		`server.Actions.HookScopes "browser:all" can never match`:        func(f *Options) { f.Actions.HookScopes = []string{"browser:all"} },
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
	read, err := peerOrigins("server.Options.ClientOrigins", given)
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
