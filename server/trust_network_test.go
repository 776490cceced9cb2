package server

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
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
	p, err := Network{Block: []string{"10.0.0.0/8", "[::1]"}}.policy()
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []string{"http://10.1.2.3/", "http://[::1]/", "http://[::ffff:a01:203]/"} {
		if why := p.Check(u); why == nil || why.Reason != urlpolicy.Domain {
			t.Errorf("%s: %v", u, why)
		}
	}
}

// TestR144OnePolicyForAllClients has Clients of CDP and of an action API led
// to where the options let nobody go. Nothing is asked there.
func TestR144OnePolicyForAllClients(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var came []string
	ln, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skipf("this machine has no second address on loopback: %v", err)
	}
	secret := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		came = append(came, r.Host+r.URL.Path)
	}))
	secret.Listener.Close()
	secret.Listener = ln
	secret.Start()
	t.Cleanup(secret.Close)
	s := newStage(t, func(f *Options) { f.Network.Block = []string{"127.0.0.2/32"} })
	hub := strings.TrimPrefix(s.base("/hub/chromium"), "http")

	c := dial(t, "ws"+hub+"/devtools/browser", nil)
	c.send(`{"id":1,"method":"Target.createTarget","params":{"url":"about:blank"}}`)
	target := resultOf(c, 1, "targetId")
	c.send(fmt.Sprintf(`{"id":2,"method":"Target.attachToTarget","params":{"targetId":%q,"flatten":true}}`, target))
	session := resultOf(c, 2, "sessionId")
	id := 2
	for _, to := range []string{secret.URL + "/cdp", s.app.URL + "/redirect?to=" + url.QueryEscape(secret.URL+"/cdp-hop")} {
		id++
		c.send(fmt.Sprintf(`{"id":%d,"method":"Page.navigate","params":{"url":%q},"sessionId":%q}`, id, to, session))
		if got := resultOf(c, id, ""); !strings.Contains(got, "net::ERR_ACCESS_DENIED") {
			t.Errorf("%s: %s", to, got)
		}
	}
	a := dial(t, "ws"+hub+"/ndjson", nil)
	for _, to := range []string{secret.URL + "/actions", s.app.URL + "/redirect?to=" + url.QueryEscape(secret.URL+"/actions-hop")} {
		a.send(fmt.Sprintf(`{"id":"1","action":"page.navigate","params":{"url":%q}}`, to))
		if got := a.next(); !strings.Contains(got, "navigation blocked: Domain not allowed: 127.0.0.2") {
			t.Errorf("%s: %s", to, got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(came) > 0 {
		t.Errorf("this was asked for: %q", came)
	}
}

// resultOf waits for an answer, and returns a member of its result, or all of it.
func resultOf(c *far, id int, member string) string {
	c.t.Helper()
	m := c.until(fmt.Sprintf(`{"id":%d,`, id))
	var a struct{ Result map[string]any }
	if err := json.Unmarshal([]byte(m), &a); err != nil {
		c.t.Fatal(err)
	}
	if member == "" {
		return m
	}
	value, _ := a.Result[member].(string)
	return value
}
