package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

const (
	clientToken = hubtest.ClientToken
	hostToken   = hubtest.HostToken
	adminToken  = hubtest.AdminToken
	wrongToken  = hubtest.WrongToken
)

func withTokens(f *Options) {
	f.Tokens.Client, f.Tokens.Host, f.Tokens.Admin = clientToken, hostToken, adminToken
}

// withFile has tokens in a file, and returns how to write it anew.
func withFile(t *testing.T, text string) (change func(*Options), rewrite func(string)) {
	t.Helper()
	path, rewrite := hubtest.TokenFile(t, text)
	return func(f *Options) { f.Tokens.File = path }, rewrite
}

// paired connects a Host and returns it, by tokens.
func (s started) paired(t *testing.T, token string) *far {
	t.Helper()
	h := dial(t, "ws://"+s.addr(true)+"/icdp/host", bearer(token))
	h.send(ready)
	hub, release, err := s.hubs.Acquire("")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for end := time.Now().Add(within); len(hub.Targets(nil)) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the Host has not paired")
		}
	}
	return h
}

func TestR20EveryPathNeedsAToken(t *testing.T) {
	change, _ := withFile(t, "tokens: [{name: a, token: "+clientToken+", role: client, hub: one}]")
	s := start(t, func(f *Options) { change(f); f.Tokens.TrustedProxies = []string{"127.0.0.0/8"} })
	first := map[string]string{} // answer by line
	from := 0                    // an address for each, so that nobody is locked out
	for _, path := range []string{"/json", "/json/list", "/json/version", "/json/protocol", "/json/new", "/json/close/T1", "/icdp/status", "/sessions", "/sessions/x", "/nothing", "//", "/health/", "/metrics"} {
		for _, prefix := range []string{"", "/hub/one", "/hub/two", "/hub/No"} {
			for _, line := range []string{"", "Authorization: Bearer " + wrongToken, "Authorization: Bearer " + clientToken} {
				if prefix == "/hub/one" && strings.HasSuffix(line, clientToken) {
					continue
				}
				from++
				lines := []string{"Host: localhost", fmt.Sprintf("X-Forwarded-For: 10.0.%d.%d", from>>8, from&255)}
				if line != "" {
					lines = append(lines, line)
				}
				got := raw(t, s.addr(false), asking("GET "+prefix+path+" HTTP/1.1", lines...))
				got.header.Del("Date")
				if text := fmt.Sprint(got); first[line] == "" {
					first[line] = text
				} else if text != first[line] {
					t.Errorf("%s%s with %q: %s, want %s", prefix, path, line, text, first[line])
				}
				if got.status != 401 || got.header.Get("WWW-Authenticate") != "Bearer" {
					t.Errorf("%s%s with %q: %d %v, want 401", prefix, path, line, got.status, got.header)
				}
			}
		}
	}
	for _, path := range []string{"/devtools/browser", "/hub/one/devtools/browser/x", "/hub/two/devtools/browser", "/devtools/page/T1", "/hub/none/devtools/page/T1"} {
		if got := raw(t, s.addr(false), handshake(path)); got.status != 401 {
			t.Errorf("upgrade of %s: %d, want 401", path, got.status)
		}
	}
	for _, path := range []string{"/icdp/host", "/hub/one/icdp/host", "/nothing", "/hub/No/x"} {
		if got := raw(t, s.addr(true), handshake(path)); got.status != 401 {
			t.Errorf("upgrade of %s on the side of Hosts: %d, want 401", path, got.status)
		}
	}
	if n := s.hubs.Len(); n != 0 {
		t.Errorf("%d hubs were made for strangers", n)
	}
	for _, tt := range []struct {
		hosts  bool
		path   string
		status int
	}{
		{false, "/health", 200},
		{false, "/hub/x/health", 200},
		{true, "/agent.js", 200},
		{true, "/host.mjs", 200},
		{true, "/shell", 200},
		{true, "/hub/x/dialog", 405},
		{true, "/hub/x/eval/K.js", 404},
	} {
		if status, body := s.get(t, s.addr(tt.hosts), tt.path, nil); status != tt.status {
			t.Errorf("%s without a token: %d %s, want %d", tt.path, status, body, tt.status)
		}
	}
	if n := s.hubs.Len(); n != 0 {
		t.Errorf("%d hubs were made for paths that need no token", n)
	}
}

func TestR21SubprotocolConnects(t *testing.T) {
	s := start(t, withTokens)
	for _, tt := range []struct{ addr, path, token string }{{s.addr(false), "/devtools/browser", clientToken}, {s.addr(true), "/icdp/host", hostToken}} {
		got := raw(t, tt.addr, handshake(tt.path, "Sec-WebSocket-Protocol: a, bearer."+tt.token+", b"))
		if p := got.header.Values("Sec-WebSocket-Protocol"); got.status != 101 || len(p) != 1 || p[0] != "bearer."+tt.token {
			t.Errorf("%s: %d answered with %q", tt.path, got.status, p)
		}
		if got := raw(t, tt.addr, handshake(tt.path, "Authorization: Bearer "+tt.token)); got.status != 101 || got.header.Get("Sec-WebSocket-Protocol") != "" {
			t.Errorf("%s by header: %d %v", tt.path, got.status, got.header)
		}
	}
}

// TestR22TokensInURLs does what a client does that can pass only a URL.
func TestR22TokensInURLs(t *testing.T) {
	s := start(t, withTokens)
	s.paired(t, hostToken)
	for _, path := range []string{"/json/version", "/json/list"} {
		status, body := s.get(t, s.addr(false), path+"?token="+clientToken, nil)
		_, endpoint, _ := strings.Cut(body, `"webSocketDebuggerUrl":"`)
		endpoint, _, _ = strings.Cut(endpoint, `"`)
		if status != 200 || endpoint != "ws://"+s.addr(false)+"/devtools/browser?token="+clientToken {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		c := dial(t, endpoint, nil)
		c.send(`{"id":1,"method":"Target.getTargets"}`)
		c.until(`"id":1`)
	}
	if _, body := s.get(t, s.addr(false), "/json/version", bearer(clientToken)); strings.Contains(body, "token=") {
		t.Errorf("asked by header: %s, want no token in it", body)
	}
	dial(t, "ws://"+s.addr(true)+"/icdp/host?token="+hostToken, nil)
	off := start(t, func(f *Options) { withTokens(f); f.Tokens.NoURLs = true })
	if status, _ := off.get(t, off.addr(false), "/json/version?token="+clientToken, nil); status != 401 {
		t.Errorf("with --url-token=false: %d, want 401", status)
	}
}

func TestR23RolesDoNotMixOnSockets(t *testing.T) {
	s := start(t, func(f *Options) { withTokens(f); f.HostAddr = f.ClientAddr })
	for path, want := range map[string]string{"/devtools/browser": clientToken, "/icdp/host": hostToken} {
		for _, token := range []string{clientToken, hostToken, adminToken} {
			status := 401
			if token == want {
				status = 101
			}
			if got := raw(t, s.addr(false), handshake(path, "Authorization: Bearer "+token)); got.status != status {
				t.Errorf("%s by %s: %d, want %d", path, token, got.status, status)
			}
		}
	}
	for _, token := range []string{hostToken, adminToken} {
		if status, _ := s.get(t, s.addr(false), "/json/list", bearer(token)); status != 401 {
			t.Errorf("/json/list by %s: %d, want 401", token, status)
		}
	}
}

func TestR24ScopesRefuseWrites(t *testing.T) {
	const readonly = "token-to-look-on"
	change, _ := withFile(t, "tokens:\n  - {token: "+readonly+", role: client, scope: readonly}\n  - {token: "+hostToken+", role: host}\n")
	s := start(t, change)
	host := s.paired(t, hostToken)
	c := dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(readonly))
	page := dial(t, "ws://"+s.addr(false)+"/devtools/page/T1", bearer(readonly))
	tail := `,"sessionId":"` + c.attach() + `"}`
	for i, method := range []string{"Runtime.evaluate", "Input.dispatchMouseEvent", "Page.navigate"} {
		command := fmt.Sprintf(`{"id":%d,"method":%q`, i+1, method)
		refusal := fmt.Sprintf(`{"id":%d,"error":{"code":-32000,"message":"Not allowed: %s needs scope standard"}`, i+1, method)
		c.send(command + tail)
		if got := c.next(); got != refusal+tail {
			t.Errorf("%s: got %s, want %s", method, got, refusal+tail)
		}
		page.send(command + "}")
		if got := page.next(); got != refusal+"}" {
			t.Errorf("%s on a page socket: got %s, want %s", method, got, refusal+"}")
		}
	}
	c.send(`{"id":9,"method":"Page.captureScreenshot"` + tail)
	var command struct {
		ID                int
		Method, SessionID string
	}
	if err := json.Unmarshal([]byte(host.until(`"command"`)), &command); err != nil || command.Method != "Page.captureScreenshot" {
		t.Fatalf("the Host was sent %+v first, want the screenshot", command)
	}
	host.send(fmt.Sprintf(`{"kind":"response","sessionId":%q,"id":%d,"result":{"data":"AA=="}}`, command.SessionID, command.ID))
	if got, want := c.next(), `{"id":9,"result":{"data":"AA=="}`+tail; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, tt := range []struct{ first, method string }{
		{"PUT /json/new?http://a/", "Target.createTarget"}, {"GET /json/close/T1", "Target.closeTarget"}, {"GET /json/activate/T1", "Target.activateTarget"},
	} {
		got := raw(t, s.addr(false), asking(tt.first+" HTTP/1.1", "Host: localhost", "Authorization: Bearer "+readonly))
		if got.status != 403 || !strings.HasPrefix(got.body, "Not allowed: "+tt.method) {
			t.Errorf("%s: %d %s, want 403", tt.first, got.status, got.body)
		}
	}
}

func TestF13R26GuessersAreLockedOutOfAHub(t *testing.T) {
	s := start(t, func(f *Options) { withTokens(f); f.Tokens.TrustedProxies = []string{"127.0.0.1"} })
	ask := func(from, token string) said {
		return raw(t, s.addr(false), handshake("/devtools/browser", "X-Forwarded-For: "+from, "Authorization: Bearer "+token))
	}
	for i := range 30 {
		want := 401
		if i >= 10 {
			want = 429
		}
		if got := ask("192.0.2.1", wrongToken); got.status != want || want == 429 && got.header.Get("Retry-After") == "" {
			t.Fatalf("wrong token %d: %d %v, want %d", i+1, got.status, got.header, want)
		}
	}
	if got := ask("192.0.2.1", clientToken); got.status != 101 {
		t.Errorf("the right token: %d, want 101", got.status)
	}
	if got := ask("192.0.2.1", wrongToken); got.status != 429 {
		t.Errorf("a wrong token after it: %d, want 429", got.status)
	}
	if got := ask("192.0.2.2", clientToken); got.status != 101 {
		t.Errorf("the right token from another address: %d, want 101", got.status)
	}
}

func TestR27RevokedTokensCloseConnections(t *testing.T) {
	t.Parallel()
	line := func(token, role string) string { return "  - {token: " + token + ", role: " + role + "}\n" }
	const stays, goes = "token-that-stays", "token-that-goes-"
	all := "tokens:\n" + line(stays, "client") + line(goes, "client") + line(hostToken, "host")
	change, rewrite := withFile(t, all)
	s := start(t, change)
	host := s.paired(t, hostToken)
	endpoint := "ws://" + s.addr(false) + "/devtools/browser"
	keeps, loses := dial(t, endpoint, bearer(stays)), dial(t, endpoint, bearer(goes))
	tail := `,"sessionId":"` + loses.attach() + `"}`
	rewrite("tokens:\n" + line(stays, "client") + line(hostToken, "host"))
	s.Reload()
	if r := loses.reason(); r != wsconn.ReasonTokenRevoked {
		t.Errorf("closed with %v, want %v", r, wsconn.ReasonTokenRevoked)
	}
	if got := host.until("detached"); !strings.Contains(got, strings.Trim(tail, `,"sionId:}`)) {
		t.Errorf("the Host was told %s", got)
	}
	if got := raw(t, s.addr(false), handshake("/devtools/browser", "Authorization: Bearer "+goes)); got.status != 401 {
		t.Errorf("coming back: %d, want 401", got.status)
	}
	keeps.send(`{"id":1,"method":"Target.getTargets"}`)
	keeps.until(`"id":1`)

	rewrite("tokens:\n" + line(stays, "client"))                         // without a signal
	if r := host.reason(); r.Code != 1008 || r.Text != "token revoked" { // it is of version 1
		t.Errorf("the Host was closed with %v, want 1008 token revoked", r)
	}
	keeps.send(`{"id":2,"method":"Target.getTargets"}`)
	keeps.until(`"id":2`)

	rewrite(fmt.Sprintf("tokens: [{token: %s, role: client, expires: %s}]", stays, time.Now().Add(time.Second).UTC().Format(time.RFC3339)))
	if r := keeps.reason(); r != wsconn.ReasonTokenExpired {
		t.Errorf("closed with %v, want %v", r, wsconn.ReasonTokenExpired)
	}
}
