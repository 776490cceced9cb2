package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/link"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestR190LinkHasNoMoreThanItsToken sends requests by links of tokens of several
// kinds.
func TestR190LinkHasNoMoreThanItsToken(t *testing.T) {
	const (
		reads  = "reads-only-0123456789"
		other  = "other-hub-01234567890"
		hidden = "hidden-hub-0123456789"
	)
	change, _ := withFile(t, fmt.Sprintf(`tokens:
- {name: reads, token: %s, role: client, scope: readonly}
- {name: other, token: %s, role: client, hub: other}
- {name: host, token: %s, role: host}
`, reads, other, hidden))
	s := start(t, change)
	for _, tt := range []struct{ path, token string }{
		{"/link", ""}, {"/link", wrongToken}, {"/link", other}, {"/link", hidden}, {"/hub/other/link", reads}, {"/link?pass=none", ""},
	} {
		_, err := s.linkTo(t, tt.path, bearer(tt.token))
		if status, is := errors.AsType[wsconn.StatusError](err); !is || status != http.StatusUnauthorized {
			t.Errorf("%s with %q: %v, want 401", tt.path, tt.token, err)
		}
	}
	for _, tt := range []struct {
		link, token, first string
		lines              []string
		want               int
	}{
		{"/link", reads, "GET /json/list HTTP/1.1", nil, 200},
		{"/link", reads, "GET /hub/other/json/list HTTP/1.1", nil, 401},
		{"/link", reads, "GET /hub/other/json/list HTTP/1.1", []string{"Authorization: Bearer " + other}, 200},
		{"/link", reads, "GET /json/list HTTP/1.1", []string{"Authorization: Bearer " + wrongToken}, 401},
		{"/link", reads, "GET /json/list?token=" + wrongToken + " HTTP/1.1", nil, 401},
		{"/link", reads, "PUT /json/new?http://a/?token=x HTTP/1.1", nil, 403}, // its scope is readonly
		{"/link", reads, "GET /browser-sandboxes HTTP/1.1", nil, 401},
		{"/link?pass=none", reads, "GET /json/list HTTP/1.1", nil, 401},
		{"/link?pass=none", reads, "GET /json/list HTTP/1.1", []string{"Authorization: Bearer " + reads}, 200},
		{"/hub/other/link", other, "GET /json/list HTTP/1.1", nil, 200},
		{"/hub/other/link", other, "GET /hub/other/json/list HTTP/1.1", nil, 200},
		{"/hub/other/link", other, "GET /session/default/rpc HTTP/1.1", nil, 401},
	} {
		p := s.mustLink(t, tt.link, bearer(tt.token))
		if got := askWithin(t, p, tt.first, append([]string{"Host: 127.0.0.1:9222"}, tt.lines...)...); got.Status != tt.want {
			t.Errorf("%s with %s: %s %q: %d %s, want %d", tt.link, tt.token, tt.first, tt.lines, got.Status, got.Body, tt.want)
		}
		p.Close()
	}
}

// TestR191LinkIsItsPeers sends wrong tokens and forged headers within a link that a
// trusted proxy relays, or is the peer of: they count at the address of the link's own peer.
func TestR191LinkIsItsPeers(t *testing.T) {
	for _, own := range []string{"10.9.8.7", "127.0.0.1"} {
		t.Run(own, func(t *testing.T) { linkIsItsPeers(t, own) })
	}
}

func linkIsItsPeers(t *testing.T, own string) {
	t.Helper()
	core, logs := observer.New(zap.InfoLevel)
	s := startLogged(t, zap.New(core), func(f *Options) {
		withTokens(f)
		f.Tokens.TrustedProxies = []string{"127.0.0.0/8"}
	})
	header := bearer(clientToken)
	header.Set("X-Forwarded-For", own)
	p := s.mustLink(t, "/link", header)
	for range 12 {
		got := askWithin(t, p, "GET /json/list HTTP/1.1", "Host: localhost", "X-Forwarded-For: 10.1.1.1", "Authorization: Bearer "+wrongToken)
		if got.Status != 401 && got.Status != 429 {
			t.Fatalf("a wrong token: %d %s", got.Status, got.Body)
		}
	}
	for from, want := range map[string]int{own: 429, "10.1.1.1": 401} {
		if got := raw(t, s.addr(false), asking("GET /json/list HTTP/1.1", "Host: localhost", "X-Forwarded-For: "+from, "Authorization: Bearer "+wrongToken)); got.status != want {
			t.Errorf("a wrong token from %s: %d, want %d", from, got.status, want)
		}
	}
	lines := logs.FilterMessage("login failed").All()
	for i, line := range lines {
		if from := fmt.Sprint(line.ContextMap()["peer"]); i < 12 && from != own {
			t.Errorf("a line names the peer %s", from)
		}
	}
	if len(lines) < 12 {
		t.Errorf("%d failed logins were logged", len(lines))
	}
	if got := askWithin(t, p, "GET /json/list HTTP/1.1", "Host: localhost"); got.Status != 200 {
		t.Errorf("the link's own token: %d %s", got.Status, got.Body)
	}
}

// TestR191LinkIsNotOfThisMachine wants what needs no token on loopback to need one
// within a link from loopback.
func TestR191LinkIsNotOfThisMachine(t *testing.T) {
	s := start(t, func(f *Options) { f.HostAddr = f.ClientAddr })
	if got := raw(t, s.addr(false), handshake("/icdp/host")); got.status != 101 {
		t.Errorf("a Host without an Origin on loopback: %d, want 101", got.status)
	}
	p := s.mustLink(t, "/link", nil)
	if got := askWithin(t, p, "GET /icdp/host HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
		"Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="); got.Status != 403 {
		t.Errorf("a Host without an Origin within a link: %d, want 403", got.Status)
	}
	if got := askWithin(t, s.mustLink(t, "/link", nil), "GET / HTTP/1.1", "Host: localhost", "Accept: text/html"); strings.Contains(got.Body, "/ui/app.js") {
		t.Error("the dashboard is there, as for programs of this machine")
	}
}

// TestR192ForeignPagesWithinALink sends what pages can send to a program's listener
// that a link leads to.
func TestR192ForeignPagesWithinALink(t *testing.T) {
	s := start(t, withTokens)
	for name, lines := range map[string][]string{
		"a page":                     {"Host: 127.0.0.1:9222", "Origin: https://evil.example"},
		"an image":                   {"Host: 127.0.0.1:9222", "Sec-Fetch-Site: cross-site"},
		"a name that leads here":     {"Host: evil.example:9222"},
		"an origin beside that name": {"Host: evil.example:9222", "Origin: http://evil.example:9222"},
	} {
		for _, path := range []string{"/json/list", "/json/new?http://a/", "/devtools/browser", "/ndjson", "/mcp", "/link", "/health"} {
			if name == "an image" && path == "/health" {
				continue // everybody may ask
			}
			if got := askWithin(t, s.mustLink(t, "/link", bearer(clientToken)), "GET "+path+" HTTP/1.1", lines...); got.Status != 403 {
				t.Errorf("%s asks for %s: %d %s, want 403", name, path, got.Status, got.Body)
			}
		}
	}
}

// TestR192AllowedPagesBringTheirToken lets pages of an allowed origin ask: they do not
// have the token of the link.
func TestR192AllowedPagesBringTheirToken(t *testing.T) {
	s := start(t, func(f *Options) { withTokens(f); f.ClientOrigins = []string{"https://app.example"} })
	for _, tt := range []struct {
		lines []string
		want  int
	}{
		{[]string{"Origin: https://app.example"}, 401},
		{[]string{"Origin: https://app.example", "Authorization: Bearer " + clientToken}, 200},
		{[]string{"Origin: http://127.0.0.1:9222"}, 401}, // a page that the hub serves, by the link
		{nil, 200},
		{[]string{"Sec-Fetch-Mode: cors"}, 200}, // Node's fetch
		{[]string{"Sec-Fetch-Site: none"}, 401}, // a browser is sent there, by whomever
		{[]string{"Sec-Fetch-Site: same-origin"}, 401},
		{[]string{"Sec-Fetch-Site: none", "Authorization: Bearer " + clientToken}, 200},
	} {
		if got := askWithin(t, s.mustLink(t, "/link", bearer(clientToken)), "GET /json/list HTTP/1.1", append([]string{"Host: 127.0.0.1:9222"}, tt.lines...)...); got.Status != tt.want {
			t.Errorf("%q: %d %s, want %d", tt.lines, got.Status, got.Body, tt.want)
		}
	}
}

// TestR259OddNamesOfTheLocalListener asks by addresses for which browsers send no Fetch
// Metadata.
func TestR259OddNamesOfTheLocalListener(t *testing.T) {
	s := start(t, withTokens)
	for host, want := range map[string]int{
		"0.0.0.0:9222": 401, "[::]:9222": 401, "[::ffff:127.0.0.1]:9222": 401, "[::ffff:7f00:1]": 401,
		"127.0.0.1:9222": 200, "localhost:9222": 200, "[::1]:9222": 200, "192.0.2.1:9222": 200, // with --insecure-bind
	} {
		if got := askWithin(t, s.mustLink(t, "/link", bearer(clientToken)), "GET /json/list HTTP/1.1", "Host: "+host); got.Status != want {
			t.Errorf("%s: %d %s, want %d", host, got.Status, got.Body, want)
		}
	}
}

// greeting is the handshake of a link with a key.
func greeting(path, token, key string, epoch, received int) string {
	lines := []string{
		"Sec-WebSocket-Protocol: " + link.Protocol, "Cdphub-Link-Key: " + key,
		fmt.Sprintf("Cdphub-Link-Epoch: %d", epoch), fmt.Sprintf("Cdphub-Link-Received: %d", received),
	}
	if token != "" {
		lines = append(lines, "Authorization: Bearer "+token)
	}
	return handshake(path, lines...)
}

// TestR193LinksCannotBeTakenOver goes on with a link by guessed, replayed and stolen
// handshakes.
func TestR193LinksCannotBeTakenOver(t *testing.T) {
	const other = "another-token-0123456789"
	change, _ := withFile(t, fmt.Sprintf("tokens: [{name: a, token: %s, role: client}, {name: b, token: %s, role: client}]", clientToken, other))
	s := start(t, change)
	key := strings.Repeat("k", 30)
	for i, tt := range []struct {
		what, token, key string
		epoch, received  int
		want             int
	}{
		{"a new link", clientToken, key, 1, 0, 101},
		{"the same again", clientToken, key, 1, 0, 409},
		{"a stolen key", other, key, 2, 0, 403},
		{"a stolen key without a token", "", key, 2, 0, 401},
		{"a guessed key", clientToken, strings.Repeat("g", 30), 2, 0, 410},
		{"a short key", clientToken, "k", 1, 0, 400},
		{"no epoch", clientToken, key, 0, 0, 400},
		{"the next", clientToken, key, 5, 0, 101},
		{"an older one", clientToken, key, 4, 0, 409},
	} {
		if got := raw(t, s.addr(false), greeting("/link", tt.token, tt.key, tt.epoch, tt.received)); got.status != tt.want {
			t.Errorf("%d, %s: %d %s, want %d", i, tt.what, got.status, got.body, tt.want)
		}
	}
	if got := raw(t, s.addr(false), handshake("/link", "Authorization: Bearer "+clientToken)); got.status != 400 {
		t.Errorf("a handshake of no link: %d", got.status)
	}
	// What the peer says to have received cannot be: the link ends.
	if got := raw(t, s.addr(false), greeting("/link", clientToken, key, 6, 1000)); got.status != 101 {
		t.Errorf("bytes that were never sent: %d", got.status)
	}
	hubtest.Eventually(t, "the link has ended", func() bool { return s.links.table.Len() == 0 })
}

// TestR194RevokedTokenEndsLinks revokes the token of a link that is in use.
func TestR194RevokedTokenEndsLinks(t *testing.T) {
	t.Parallel()
	change, rewrite := withFile(t, "tokens: [{name: a, token: "+clientToken+", role: client, scope: full}]")
	s := start(t, change)
	idle := s.mustLink(t, "/link", bearer(clientToken))
	c := dial(t, "ws://"+s.forwarded(t, bearer(clientToken))+"/devtools/browser", nil)
	c.send(`{"id":1,"method":"Browser.getVersion"}`)
	c.until(`"id":1`)
	rewrite("tokens: []")
	if _, err := idle.Read(make([]byte, 1)); !errors.Is(err, wsconn.ReasonTokenRevoked) {
		t.Errorf("the link ended with %v", err)
	}
	if why := c.reason(); why != wsconn.ReasonTokenRevoked && why.Code != 1006 {
		t.Errorf("the Client within ended with %v", why)
	}
	hubtest.Eventually(t, "all links have ended", func() bool { return s.links.table.Len() == 0 })
	if _, err := s.linkTo(t, "/link", bearer(clientToken)); err == nil {
		t.Error("a revoked token makes a link")
	}
}

// TestR195LinksAreLimited makes more links than a token may have.
func TestR195LinksAreLimited(t *testing.T) {
	s := start(t, func(f *Options) { withTokens(f); f.Limits.MaxLinks = 3 })
	var pipes []*link.Pipe
	for range 3 {
		pipes = append(pipes, s.mustLink(t, "/link", bearer(clientToken)))
	}
	got := raw(t, s.addr(false), greeting("/link", clientToken, strings.Repeat("k", 30), 1, 0))
	if got.status != 429 || !strings.Contains(got.body, "--max-links") {
		t.Errorf("one more: %d %s", got.status, got.body)
	}
	pipes[0].Close()
	hubtest.Eventually(t, "one link has ended", func() bool { return s.links.table.Len() < 3 })
	s.mustLink(t, "/link", bearer(clientToken))
}

// TestR195LinksKeepWithinTheBudget asks for much by links whose peers read nothing.
func TestR195LinksKeepWithinTheBudget(t *testing.T) {
	s := start(t, func(f *Options) { f.Limits.MemoryBudget = 8 << 20 })
	ended := make(chan error, 20)
	for range 20 {
		p := s.mustLink(t, "/link", nil)
		go func() {
			for {
				if _, err := io.WriteString(p, asking("GET /agent.js HTTP/1.1", "Host: localhost")); err != nil {
					ended <- err
					return
				}
			}
		}()
	}
	for range 5 { // what the budget has room for is less than what they ask for
		// Who has no time to read the reason learns that the link is gone.
		if err := <-ended; !errors.Is(err, wsconn.ReasonMemory) && !errors.Is(err, wsconn.StatusError(http.StatusGone)) {
			t.Errorf("a link ended with %v", err)
		}
		if used := s.budget.Used(); used > 16<<20 {
			t.Errorf("the links keep %d bytes", used)
		}
	}
}

// TestR196NoLinkWithinALink asks for one.
func TestR196NoLinkWithinALink(t *testing.T) {
	s := start(t, withTokens)
	p := s.mustLink(t, "/link", bearer(clientToken))
	got := askWithin(t, p, strings.TrimSuffix(greeting("/link", "", strings.Repeat("k", 30), 1, 0), "\r\n\r\n"))
	if got.Status != 403 || !strings.Contains(got.Body, "through another link") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	open := start(t, nil)
	for path, want := range map[string]int{"/link?pass=none": 403, "/link?pass=x": 400} {
		if got := raw(t, open.addr(false), greeting(path, "", strings.Repeat("k", 30), 1, 0)); got.status != want {
			t.Errorf("%s of a hub without tokens: %d %s, want %d", path, got.status, got.body, want)
		}
	}
}
