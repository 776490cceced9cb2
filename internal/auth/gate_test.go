package auth

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/advice"
)

// gated is a handler behind a gate, for the role and hub that a request's
// path names: /ROLE/HUB/PATH.
type gated struct {
	http.Handler
	pass  Pass   // of the last request let in
	query string // that it had then
}

func newGated(t *testing.T, tokens TokenOptions, o GateOptions) *gated {
	t.Helper()
	set, err := NewTokens(tokens)
	if err != nil {
		t.Fatal(err)
	}
	g := &gated{}
	ask := func(r *http.Request) Ask {
		parts := strings.SplitN(r.URL.Path, "/", 4)
		return Ask{Role: Role(parts[1]), Hub: parts[2], Path: "/" + parts[3], Listener: "tests"}
	}
	g.Handler = NewGate(set, o).Require(ask, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		g.pass, g.query = PassOf(r), r.URL.RawQuery
	}))
	return g
}

func (g *gated) ask(from, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr = from + ":1"
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w
}

const (
	clientToken = "token-of-clients"
	hostToken   = "token-of-hosts--"
	adminToken  = "token-of-admins-"
)

func TestR21R22FormsOfTokens(t *testing.T) {
	const wrong, protocols, agents = "token-of-nobody-", "Sec-WebSocket-Protocol", "X-BAP-Token"
	upgrade := func(more ...string) []string { return append([]string{"Upgrade", "websocket"}, more...) }
	for _, tt := range []struct {
		name, path string
		header     []string
		noURLs     bool
		status     int
		protocol   string
		query      string // what the hub's URLs carry
		left       string // of the request's query
	}{
		{name: "R-21 header", path: "/client/h/x", header: []string{"Authorization", "Bearer " + clientToken}, status: 200},
		{name: "R-21 header in other case", path: "/client/h/x", header: []string{"Authorization", "bearer  " + clientToken}, status: 200},
		{name: "R-21 another scheme", path: "/client/h/x", header: []string{"Authorization", "Basic " + clientToken}, status: 401},
		{name: "R-21 subprotocol", path: "/client/h/x", header: upgrade(protocols, "bearer."+clientToken), status: 200, protocol: "bearer." + clientToken},
		{
			name: "R-21 subprotocol beside others", path: "/client/h/x", status: 200, protocol: "bearer." + clientToken,
			header: upgrade(protocols, "a, b", protocols, "c,bearer."+clientToken+" ,d, bearer."+wrong),
		},
		{name: "R-21 the first of two counts", path: "/client/h/x", header: upgrade(protocols, "bearer."+wrong+", bearer."+clientToken), status: 401},
		{name: "R-21 subprotocol without a WebSocket", path: "/client/h/x", header: []string{protocols, "bearer." + clientToken}, status: 401},
		{
			name: "R-21 header and subprotocol", path: "/client/h/x", status: 200, protocol: "bearer." + wrong,
			header: upgrade("Authorization", "Bearer "+clientToken, protocols, "bearer."+wrong),
		},
		{name: "R-21 the header counts before the URL", path: "/client/h/json/list?token=" + clientToken, header: []string{"Authorization", "Bearer " + wrong}, status: 401},
		{name: "R-22 discovery", path: "/client/h/json/version?token=" + clientToken, status: 200, query: "?token=" + clientToken},
		{name: "R-22 list", path: "/client/h/json?a=1&token=" + clientToken + "&b=2", status: 200, query: "?token=" + clientToken, left: "a=1&b=2"},
		{name: "R-22 socket", path: "/client/h/devtools/browser?token=" + clientToken, status: 200, query: "?token=" + clientToken},
		{name: "R-22 host", path: "/host/h/icdp/host?token=" + hostToken, status: 200, query: "?token=" + hostToken},
		{name: "R-22 escaped", path: "/client/h/json?token=token%2Dof%2Dclients", status: 200, query: "?token=" + clientToken},
		{name: "R-22 elsewhere", path: "/client/h/icdp/status?token=" + clientToken, status: 401},
		{name: "R-22 where a dialect takes none", path: "/client/h/cdp?token=" + clientToken, status: 401},
		{name: "R-22 off", path: "/client/h/json?token=" + clientToken, noURLs: true, status: 401},
		{name: "R-22 under another name", path: "/client/h/json?access_token=" + clientToken, status: 401},
		{name: "R-22 new page", path: "/client/h/json/new?token=" + clientToken + "&http://a/?b&token=c", status: 200, query: "?token=" + clientToken, left: "http://a/?b&token=c"},
		{name: "R-22 new page with a token of its own", path: "/client/h/json/new?http://a/?b&token=" + clientToken, status: 401},
		{name: "R-21 agents' header", path: "/client/h/bap", header: upgrade(agents, clientToken), status: 200},
		{name: "R-21 agents' header at the root", path: "/client/h/", header: upgrade(agents, clientToken), status: 200},
		{name: "R-21 agents' header, wrong", path: "/client/h/bap", header: upgrade(agents, wrong), status: 401},
		{name: "R-21 agents' header without a WebSocket", path: "/client/h/bap", header: []string{agents, clientToken}, status: 401},
		{name: "R-21 agents' header elsewhere", path: "/client/h/devtools/browser", header: upgrade(agents, clientToken), status: 401},
		{name: "R-22 agents", path: "/client/h/bap?token=" + clientToken, header: upgrade(), status: 200, query: "?token=" + clientToken},
		{name: "R-22 agents at the root", path: "/client/h/?token=" + clientToken, header: upgrade(), status: 200, query: "?token=" + clientToken},
		{name: "R-22 agents, without a WebSocket", path: "/client/h/?token=" + clientToken, status: 401},
		{name: "R-22 agents, off", path: "/client/h/bap?token=" + clientToken, header: upgrade(), noURLs: true, status: 401},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGated(t, TokenOptions{Client: clientToken, Host: hostToken}, GateOptions{NoURLs: tt.noURLs})
			w := g.ask("192.0.2.1", tt.path, tt.header...)
			if w.Code != tt.status || g.pass.Protocol != tt.protocol || g.pass.Query != tt.query || g.query != tt.left {
				t.Errorf("got %d, protocol %q, query %q, left %q; want %d, %q, %q, %q",
					w.Code, g.pass.Protocol, g.pass.Query, g.query, tt.status, tt.protocol, tt.query, tt.left)
			}
		})
	}
}

func TestR23RolesDoNotMix(t *testing.T) {
	g := newGated(t, TokenOptions{Client: clientToken, Host: hostToken, Admin: adminToken}, GateOptions{})
	for _, role := range []Role{RoleClient, RoleHost, RoleAdmin} {
		for of, token := range map[Role]string{RoleClient: clientToken, RoleHost: hostToken, RoleAdmin: adminToken} {
			want := 401
			if of == role {
				want = 200
			}
			if w := g.ask("192.0.2.1", "/"+string(role)+"/h/x", "Authorization", "Bearer "+token); w.Code != want {
				t.Errorf("a %s token on a path for %s: %d, want %d", of, role, w.Code, want)
			}
		}
	}
	tokens, err := NewTokens(TokenOptions{Client: clientToken, Admin: adminToken})
	if err != nil {
		t.Fatal(err)
	}
	admin := &gated{Handler: NewGate(tokens, GateOptions{}).Admin(http.NotFoundHandler())}
	for token, want := range map[string]int{clientToken: 401, adminToken: 404} {
		if w := admin.ask("192.0.2.1", "/metrics", "Authorization", "Bearer "+token); w.Code != want {
			t.Errorf("%s on an admin path: %d, want %d", token, w.Code, want)
		}
	}
}

// TestR20RefusalsAreAlike wants refusals to say what is wrong with the token, and
// the same of a hub that there is and of one that there is not.
func TestR20RefusalsAreAlike(t *testing.T) {
	file := write(t, "tokens.yaml", `
tokens:
  - {token: token-of-hub-one, role: client, hub: one}
  - {token: token-that-is-over, role: client, hub: one, expires: 2001-01-01}
`)
	g := newGated(t, TokenOptions{File: file}, GateOptions{})
	for _, tt := range []struct {
		name, token string
		paths       []string
		want        advice.Entry
	}{
		{"none", "", []string{"/client/one/x", "/client/two/x", "/client/No:Hub/x", "/host/one/x"}, advice.TokenMissing},
		{"wrong", "token-of-nobody-", []string{"/client/one/x", "/client/two/x", "/client/No:Hub/x", "/host/one/x"}, advice.TokenUnknown},
		{"of another hub", "token-of-hub-one", []string{"/client/two/x", "/client/No:Hub/x"}, advice.TokenHub.With("hub", "the hub one")},
		{"over", "token-that-is-over", []string{"/client/one/x", "/client/two/x", "/host/one/x"}, advice.TokenExpired},
		{"of another role", "token-of-hub-one", []string{"/host/one/x", "/host/two/x"}, advice.TokenRole.With("role", "client", "needed", "host")},
		{"in the URL", "", []string{"/client/one/x?token=token-of-hub-one", "/client/one/ndjson?token=x"}, advice.TokenInURL},
	} {
		for _, path := range tt.paths {
			var header []string
			if tt.token != "" {
				header = []string{"Authorization", "Bearer " + tt.token}
			}
			w := g.ask("192.0.2.1", path, header...)
			if w.Code != 401 || len(w.Header()) != 2 || w.Header().Get("WWW-Authenticate") != "Bearer" || w.Body.String() != tt.want.String()+"." {
				t.Errorf("%s, %s: got %d %v %s, want %s", tt.name, path, w.Code, w.Header(), w.Body, tt.want)
			}
		}
	}
	if w := g.ask("192.0.2.1", "/client/one/x", "Authorization", "Bearer token-of-hub-one"); w.Code != 200 || g.pass.Grant.Hub != "one" {
		t.Errorf("the right token: %d %+v", w.Code, g.pass.Grant)
	}
}

// TestR20RefusalsTakeTheSameTime compares the medians of 1,000 tries each,
// taken in turns. A busy machine gets several chances.
func TestR20RefusalsTakeTheSameTime(t *testing.T) {
	file := "tokens:\n"
	for i := range 200 {
		file += fmt.Sprintf("  - {token: token-of-hub-number-%d, role: client, hub: h%d}\n", i, i)
	}
	g := newGated(t, TokenOptions{File: write(t, "tokens.yaml", file), Keys: []string{write(t, "key", hmacSecret)}}, GateOptions{})
	const tries, chances = 1000, 20
	var apart float64
	for range chances {
		var wrong, nowhere []time.Duration
		measure := func(i int, hub, token string) time.Duration {
			from := netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 1}).String() // one each: nobody is locked out
			begun := time.Now()
			g.ask(from, "/client/"+hub+"/x", "Authorization", "Bearer "+token)
			return time.Since(begun)
		}
		for i := range tries {
			wrong = append(wrong, measure(i, "h0", "token-of-nobody-at-all"))
			nowhere = append(nowhere, measure(i, "no", "token-of-hub-number-0"))
		}
		slices.Sort(wrong)
		slices.Sort(nowhere)
		apart = math.Abs(float64(wrong[tries/2])/float64(nowhere[tries/2]) - 1)
		if apart <= 0.2 {
			return
		}
	}
	t.Errorf("the medians of a wrong token and of no such hub are %.0f%% apart in %d rounds, want 20%%", apart*100, chances)
}

func TestR26GuessersAreLockedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t, TokenOptions{Client: clientToken}, GateOptions{})
		ask := func(from, hub, token string) *httptest.ResponseRecorder {
			return g.ask(from, "/client/"+hub+"/x", "Authorization", "Bearer "+token)
		}
		for i := range 30 {
			want := 401
			if i >= 10 {
				want = 429
			}
			w := ask("192.0.2.1", "h", "token-of-nobody-")
			if w.Code != want || (want == 429) != (w.Header().Get("Retry-After") != "") {
				t.Fatalf("wrong token %d: %d %v, want %d", i+1, w.Code, w.Header(), want)
			}
			time.Sleep(300 * time.Millisecond)
		}
		for what, w := range map[string]*httptest.ResponseRecorder{
			"then the right one": ask("192.0.2.1", "h", clientToken), "none at all": g.ask("192.0.2.1", "/client/h/x"),
			"a wrong one from another address": ask("192.0.2.2", "h", "token-of-nobody-"), "a wrong one to another hub": ask("192.0.2.1", "other", "token-of-nobody-"),
		} {
			want := map[bool]int{true: 200, false: 401}[what == "then the right one"]
			if w.Code != want {
				t.Errorf("%s: %d, want %d", what, w.Code, want)
			}
		}
		time.Sleep(lockOut)
		if w := ask("192.0.2.1", "h", "token-of-nobody-"); w.Code != 401 {
			t.Errorf("a wrong one after Retry-After: %d, want 401", w.Code)
		}
		// It is the first of a new count, for as long as a count lasts.
		for i := range 2*wrongMost - 1 {
			if i == wrongMost-2 {
				time.Sleep(wrongWithin)
			}
			want := map[bool]int{true: 429, false: 401}[i == 2*wrongMost-2]
			if w := ask("192.0.2.1", "h", "token-of-nobody-"); w.Code != want {
				t.Errorf("wrong token %d after Retry-After: %d, want %d", i+2, w.Code, want)
			}
		}

		for range 30 {
			g.ask("192.0.2.3", "/client/h/x")
		}
		if w := ask("192.0.2.3", "h", "token-of-nobody-"); w.Code != 401 {
			t.Errorf("after 30 requests without any token: %d, want 401", w.Code)
		}
		for i := range 100 {
			ask("192.0.2.4", fmt.Sprint("h", i), "token-of-nobody-")
		}
		if w := ask("192.0.2.4", "another", "token-of-nobody-"); w.Code != 429 {
			t.Errorf("after wrong tokens to 100 hubs: %d, want 429", w.Code)
		}
		if w := ask("192.0.2.4", "another", clientToken); w.Code != 200 {
			t.Errorf("the right one then: %d, want 200", w.Code)
		}
	})
}

// TestR132PlacesCountOnce sends wrong tokens to what is no hub of its own: to
// hubs that cannot be, and to what asks for every hub.
func TestR132PlacesCountOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t, TokenOptions{Client: clientToken, Admin: adminToken}, GateOptions{})
		wrong := func(from, path string) int { return g.ask(from, path, "Authorization", "Bearer token-of-nobody-").Code }
		for _, hub := range []string{"%3F", "No", "a.b", "h%20h", strings.Repeat("x", 64), "%2A%2A"} {
			for range 15 {
				if status := wrong("192.0.2.1", "/client/"+hub+"/x"); status != 401 {
					t.Fatalf("hub %s, which has no lock of its own: %d, want 401", hub, status)
				}
			}
		}
		if status := wrong("192.0.2.1", "/client/h/x"); status != 401 {
			t.Errorf("then a hub that can be: %d, want 401", status)
		}
		for range 9 { // 100 in all, on which every place is locked
			wrong("192.0.2.1", "/client/h/x")
		}
		if status := wrong("192.0.2.1", "/client/other/x"); status != 429 {
			t.Errorf("after 100: %d, want 429", status)
		}

		for i := range 15 { // what asks for every hub has a lock of its own, like any hub
			if status, want := wrong("192.0.2.2", "/admin/*/metrics"), map[bool]int{true: 401, false: 429}[i < 10]; status != want {
				t.Fatalf("wrong token %d for every hub: %d, want %d", i+1, status, want)
			}
		}
		if status := wrong("192.0.2.2", "/client/h/x"); status != 401 {
			t.Errorf("then one hub: %d, want 401", status)
		}
		if w := g.ask("192.0.2.2", "/admin/*/metrics", "Authorization", "Bearer "+adminToken); w.Code != 200 {
			t.Errorf("the right one for every hub: %d, want 200", w.Code)
		}
	})
}

// TestR132ExpiredTokensTellNothing wants the same of tokens that were good as
// of those that never were, but for the word that they have expired, which only
// their bearers can hear. Locked out, they hear nothing.
func TestR132ExpiredTokensTellNothing(t *testing.T) {
	file := write(t, "tokens.yaml", "tokens:\n  - {token: token-that-is-over, role: client, hub: h, expires: 2001-01-01}\n")
	g := newGated(t, TokenOptions{File: file}, GateOptions{})
	for i := range 12 {
		over := g.ask("192.0.2.1", "/client/h/x", "Authorization", "Bearer token-that-is-over")
		never := g.ask("192.0.2.1", "/client/h/x", "Authorization", "Bearer token-of-nobody-")
		if i < 10 && (over.Code != 401 || never.Code != 401) || i >= 10 && (over.Code != 429 || never.Code != 429 || over.Body.String() != never.Body.String()) {
			t.Errorf("round %d: %d %s and %d %s", i, over.Code, over.Body, never.Code, never.Body)
		}
	}
}

func TestR26MemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l limiter
		addr := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}) }
		for i := range 3 * maxTallies {
			l.wrong(addr(i), "h")
			if i == maxTallies {
				time.Sleep(2 * wrongWithin)
			}
		}
		if n := len(l.tallies); n > maxTallies {
			t.Errorf("%d tallies, want at most %d", n, maxTallies)
		}
		for range wrongMost {
			l.wrong(netip.MustParseAddr("2001:db8::1"), "h")
		}
		if l.locked(netip.MustParseAddr("2001:db8::2"), "h") == 0 {
			t.Error("a neighbour in the same /64 is not locked out")
		}
		if l.locked(netip.MustParseAddr("2001:db8:0:1::2"), "h") != 0 {
			t.Error("another /64 is locked out")
		}

		l = limiter{}
		for i := range maxTallies/2 + wrongMost - 1 { // two tallies for each address, and addr(0) is locked out
			l.wrong(addr(max(0, i-wrongMost+1)), "h")
		}
		time.Sleep(wrongWithin)
		l.wrong(addr(maxTallies), "h")
		if l.locked(addr(0), "h") == 0 || len(l.tallies) != 3 {
			t.Errorf("of %d tallies, that of a lock-out is not among those that stay", len(l.tallies))
		}
	})
}

func TestR11ForwardedHeadersNeedTrust(t *testing.T) {
	tokens, err := NewTokens(TokenOptions{Client: clientToken})
	if err != nil {
		t.Fatal(err)
	}
	g := NewGate(tokens, GateOptions{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32")}})
	for _, tt := range []struct {
		peer      string
		forwarded []string
		want      string
	}{
		{"192.0.2.1:1", nil, "192.0.2.1"},
		{"192.0.2.1:1", []string{"127.0.0.1"}, "192.0.2.1"},
		{"127.0.0.1:1", nil, "127.0.0.1"},
		{"127.0.0.1:1", []string{"192.0.2.7"}, "192.0.2.7"},
		{"[::ffff:127.0.0.1]:1", []string{"192.0.2.7"}, "192.0.2.7"},
		{"127.0.0.1:1", []string{"192.0.2.8, 192.0.2.7"}, "192.0.2.7"},
		{"127.0.0.1:1", []string{"192.0.2.8", "192.0.2.7, 10.1.1.1"}, "192.0.2.7"},
		{"127.0.0.1:1", []string{"192.0.2.7, nonsense"}, "127.0.0.1"},
		{"127.0.0.1:1", []string{"10.0.0.1"}, "10.0.0.1"},
		{"[2001:db8::1%eth0]:1", nil, "2001:db8::1"},
		{"nonsense", nil, "invalid IP"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Header["X-Forwarded-For"] = tt.peer, tt.forwarded
		if got := g.Address(r).String(); got != tt.want {
			t.Errorf("%s %q: %s, want %s", tt.peer, tt.forwarded, got, tt.want)
		}
	}
	b := newGated(t, TokenOptions{Client: clientToken}, GateOptions{})
	for _, name := range []string{"X-Forwarded-For", "Forwarded", "CF-Connecting-IP"} {
		if w := b.ask("127.0.0.1", "/client/h/x", name, "127.0.0.1"); w.Code != 401 {
			t.Errorf("%s from loopback without a token: %d, want 401", name, w.Code)
		}
	}
}

func TestGateWithoutTokens(t *testing.T) {
	g := newGated(t, TokenOptions{}, GateOptions{})
	if w := g.ask("192.0.2.1", "/client/h/x"); w.Code != 200 || g.pass.Grant.Scope != 0 {
		t.Errorf("without any: %d %+v", w.Code, g.pass)
	}
	// Browsers give up on a server that leaves out what they offered.
	g.ask("192.0.2.1", "/host/h/icdp/host", "Upgrade", "websocket", "Sec-WebSocket-Protocol", "bearer.x")
	if g.pass.Protocol != "bearer.x" {
		t.Errorf("an offered subprotocol is answered with %q", g.pass.Protocol)
	}
}

// TestR90TokensOfTheDefaultHub wants them to open that hub alone.
func TestR90TokensOfTheDefaultHub(t *testing.T) {
	file := write(t, "tokens.yaml", "tokens:\n  - {token: "+clientToken+", role: client}\n  - {token: "+hostToken+", role: client, hub: ''}\n")
	g := newGated(t, TokenOptions{File: file}, GateOptions{})
	for _, token := range []string{clientToken, hostToken} {
		for hub, want := range map[string]int{"": 200, "one": 401, "default": 401, "*": 401, "%3F": 401} {
			if w := g.ask("192.0.2.1", "/client/"+hub+"/x", "Authorization", "Bearer "+token); w.Code != want {
				t.Errorf("hub %q: %d, want %d", hub, w.Code, want)
			}
		}
	}
}
