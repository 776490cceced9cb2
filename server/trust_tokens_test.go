package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server/internal/front"
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

// openRoutes are the entries of the route table that need no token, with what they answer to a plain request.
var openRoutes = map[string]int{
	"/": 200, "/health": 200, "/home.js": 200, "/llms.txt": 200, "/favicon.ico": 200, "/rp.js": 200, // the same for everybody
	"/ws":     426,                                                       // the token may come later
	"/dialog": 405, "/eval/{key...}": 404, "/devtools/page/{id...}": 426, // have a key of their own
	"/devtools/ui/{file...}": 501, // there is no front end in this build
}

// samplePath is a path of the entry.
func samplePath(e front.Entry) string {
	folder, _, below := strings.Cut(e.Path, "{")
	if below {
		folder += "x"
	}
	return folder
}

// listenerOf is the listener that serves an entry.
func (s started) listenerOf(e front.Entry) string { return s.addr(e.On == front.ForHosts) }

// addressesOf are paths that lead to an entry, of the hub one and of others.
func addressesOf(e front.Entry) (one, others []string) {
	path := samplePath(e)
	one, others = []string{"/hub/one" + path}, []string{path, "/hub/two" + path, "/hub/No" + path}
	if e.Session != "" {
		one = append(one, "/session/one/"+e.Session)
		others = append(others, "/session/two/"+e.Session, "/session/No/"+e.Session, "/session/default/"+e.Session)
	}
	return one, others
}

// TestR20EveryPathNeedsAToken walks the route table, and paths that are not in it: all is answered alike without a
// token, with a wrong one, and with one of another hub. What needs no token is in openRoutes.
func TestR20EveryPathNeedsAToken(t *testing.T) {
	change, _ := withFile(t, "tokens: [{name: a, token: "+clientToken+", role: client, hub: one}, {name: h, token: "+hostToken+", role: host, hub: one}]")
	s := start(t, func(f *Options) { change(f); timelineOn(f); f.Tokens.TrustedProxies = []string{"127.0.0.0/8"} })
	first := map[string]string{} // answer by role and token
	from := 0                    // an address for each, so that nobody is locked out
	refused := func(e front.Entry, path, token string) {
		t.Helper()
		from++
		lines := []string{fmt.Sprintf("X-Forwarded-For: 10.0.%d.%d", from>>8, from&255)}
		if token != "" {
			lines = append(lines, "Authorization: Bearer "+token)
		}
		request := asking("GET "+path+" HTTP/1.1", append(lines, "Host: localhost")...)
		if e.WS {
			request = handshake(path, lines...)
		}
		got := raw(t, s.listenerOf(e), request)
		got.header.Del("Date")
		kind := string(e.Role) + token
		if text := fmt.Sprint(got); first[kind] == "" {
			first[kind] = text
		} else if text != first[kind] {
			t.Errorf("%s with %q: %s, want %s", path, token, text, first[kind])
		}
		if got.status != 401 || got.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s with %q: %d %v, want 401", path, token, got.status, got.header)
		}
	}
	table := s.table
	for _, path := range []string{"/nothing", "//", "/health/x", "/metrics", "/session/two/x", "/json/close/T1"} {
		table = append(table, front.Entry{Path: path, Role: auth.RoleClient}, front.Entry{Path: path, Role: auth.RoleHost, On: front.ForHosts, WS: true})
	}
	for _, e := range table {
		_, file := bundles()[e.Path]
		if (e.Login || e.Role == "") && (file || openRoutes[e.Path] != 0) {
			continue // see below
		}
		one, others := addressesOf(e)
		for _, path := range others {
			for _, token := range []string{"", wrongToken, map[auth.Role]string{auth.RoleClient: clientToken, auth.RoleHost: hostToken}[e.Role]} {
				refused(e, path, token)
			}
		}
		for _, path := range one {
			refused(e, path, "")
			refused(e, path, wrongToken)
		}
	}
	for _, e := range s.table {
		_, file := bundles()[e.Path]
		want := openRoutes[e.Path]
		if file {
			want = http.StatusOK
		}
		if e.Role != "" && !e.Login {
			continue
		}
		for _, prefix := range []string{"", "/hub/x"} {
			path := prefix + samplePath(e) + "?ticket=x"
			if status, body := s.get(t, s.listenerOf(e), path, http.Header{"Accept": {"text/html"}}); status != want {
				t.Errorf("%s without a token: %d %s, want %d", path, status, front.CutWords(body), want)
			}
		}
	}
	if n := s.hubs.Len(); n != 0 {
		t.Errorf("%d hubs were made for strangers", n)
	}
	admin, addrs := everything(t, nil)
	for _, e := range admin.operators.Rows() {
		method, path, found := strings.Cut(e.Path, " ")
		if !found {
			method, path = "GET", e.Path
		}
		if got := raw(t, addrs["admin"], asking(method+" "+path+" HTTP/1.1", "Host: localhost")); got.status != 401 {
			t.Errorf("%s for operators without a token: %d, want 401", e.Path, got.status)
		}
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
