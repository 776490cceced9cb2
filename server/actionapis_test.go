package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server/internal/front"
)

// withActions serves the action APIs, with tokens.
func withActions(f *Options) {
	withTokens(f)
	f.Actions.MaxSandboxes, f.Actions.SandboxIdle = 2, time.Minute
	f.Browsers = fakeBrowsers(works, front.SandboxPrefix+"*")
	f.Browsers.Max = 8
}

const (
	listSessions = `{"id":"1","action":"session.list"}`
	listTabs     = `{"jsonrpc":"2.0","id":1,"method":"browser.list_tabs"}`
)

// TestR20DialectsNeedATokenAtOnce but for the one that has a login of its own.
func TestR20DialectsNeedATokenAtOnce(t *testing.T) {
	s := start(t, withActions)
	for _, path := range []string{"/ndjson", "/ws"} {
		if got := raw(t, s.addr(false), handshake(path, "Authorization: Bearer "+wrongToken)); got.status != 401 {
			t.Errorf("%s with a wrong token: %d, want 401", path, got.status)
		}
		if got := raw(t, s.addr(false), handshake(path, "Origin: https://evil.example", "Authorization: Bearer "+clientToken)); got.status != 403 {
			t.Errorf("%s from a page: %d, want 403", path, got.status)
		}
	}
	if n := s.hubs.Len(); n != 0 {
		t.Errorf("%d hubs were made for strangers", n)
	}
}

func TestR21DialectsEchoTheSubprotocol(t *testing.T) {
	guarded, open := start(t, withActions), start(t, nil)
	guarded.holds(t, "one")
	open.holds(t, "one")
	for _, path := range []string{"/ndjson", "/cdp", "/session/one/rpc", "/session/one/cdp", "/ws"} {
		for _, s := range []started{guarded, open} { // with tokens and without
			got := raw(t, s.addr(false), handshake(path, "Sec-WebSocket-Protocol: bearer."+clientToken))
			if got.status != 101 || got.header.Get("Sec-WebSocket-Protocol") != "bearer."+clientToken {
				t.Errorf("%s: %d %v", path, got.status, got.header)
			}
		}
	}
}

func TestR22NDJSONRefusesTokensInURLs(t *testing.T) {
	s := start(t, withActions)
	s.holds(t, "one")
	for _, path := range []string{"/ndjson", "/cdp", "/session/one/rpc", "/session/one/cdp", "/hub/one/ndjson"} {
		for _, name := range []string{"token", "access_token", "accessToken"} {
			got := raw(t, s.addr(false), handshake(path+"?"+name+"="+clientToken, "Sec-WebSocket-Protocol: bearer."+clientToken))
			if got.status != 401 {
				t.Errorf("%s with %s: %d, want 401", path, name, got.status)
			}
		}
		if got := raw(t, s.addr(false), handshake(path+"?x=1", "Sec-WebSocket-Protocol: bearer."+clientToken)); got.status != 101 {
			t.Errorf("%s with another parameter: %d, want 101", path, got.status)
		}
	}
}

// holds has a hub be there until the test ends.
func (s started) holds(t *testing.T, hub string) {
	t.Helper()
	_, release, err := s.Hub(t.Context(), hub)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
}

// TestUnknownSessions has the path of a session make none: a hub must be there, or
// be named by the options.
func TestUnknownSessions(t *testing.T) {
	s := start(t, func(o *Options) { o.Browsers = fakeBrowsers(works, "named", "any-*") })
	for path, status := range map[string]int{
		"/session/nobody/rpc": 404, "/session/any-two/rpc": 404, "/session/nobody/cdp": 404, "/session/named/rpc": 101, "/session/default/rpc": 101, "/hub/any-one/ndjson": 101,
	} {
		got := raw(t, s.addr(false), handshake(path))
		if got.status != status || status == 404 && !strings.HasPrefix(got.body, "session not found: ") {
			t.Errorf("%s: %d %s, want %d", path, got.status, got.body, status)
		}
	}
	if n := s.browsers.Numbers().Running; n > 2 {
		t.Errorf("%d browsers were started", n)
	}
}

// TestSessions finds hubs by the paths and the names of sessions.
func TestSessions(t *testing.T) {
	s := start(t, func(f *Options) { f.BaseDomain = "Hubs.example" })
	s.holds(t, "one")
	for path, name := range map[string]string{
		"/ndjson": "default", "/session/default/rpc": "default", "/session/one/rpc": "one", "/hub/two/ndjson": "two",
	} {
		c := dial(t, "ws://"+s.addr(false)+path, nil)
		c.send(listSessions)
		c.wants(`{"id":"1","success":true,"data":{"sessions":["` + name + `"]}}`)
		c.send(`{"id":"2","action":"session.list","session":"` + name + `"}`)
		c.wants(`{"id":"2","success":true,"data":{"sessions":["` + name + `"]}}`)
		c.send(`{"id":"3","action":"session.list","session":"three"}`)
		c.wants(`{"id":"3","success":false,"error":"session not found: three"}`)
	}
	for _, host := range []string{"four.hubs.example", "FOUR.Hubs.Example:80"} {
		c := dial(t, "ws://"+s.addr(false)+"/ndjson", http.Header{"Host": {host}})
		c.send(listSessions)
		c.wants(`{"id":"1","success":true,"data":{"sessions":["four"]}}`)
	}
	for _, path := range []string{"/cdp", "/session/one/cdp"} {
		c := dial(t, "ws://"+s.addr(false)+path, nil)
		c.send(`{"id":1,"method":"Target.getTargets"}`)
		c.wants(`{"id":1,"result":{"targetInfos":[]}}`)
	}
	for _, path := range []string{"/session/one/x", "/session/one", "/session/", "/rpc", "/session/one/rpc/"} {
		if got := raw(t, s.addr(false), handshake(path)); got.status != 404 {
			t.Errorf("%s: %d, want 404", path, got.status)
		}
	}
	off := start(t, func(o *Options) { o.Actions.Off = true })
	for _, path := range []string{"/ndjson", "/ws", "/cdp", "/session/one/rpc", "/browser-sandboxes"} {
		if got := raw(t, off.addr(false), handshake(path)); got.status != 404 {
			t.Errorf("%s with --no-actions: %d, want 404", path, got.status)
		}
	}
}

// TestR20LoginComesBeforeTheHub has a caller log in by the request connect.
func TestR20LoginComesBeforeTheHub(t *testing.T) {
	s := start(t, withActions)
	url := "ws://" + s.addr(false) + "/hub/one/ws"
	c := dial(t, url, nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"connect","params":{"auth":{"token":"` + wrongToken + `"}}}`)
	if got := c.next(); !strings.Contains(got, `"code":-32001,"message":"Authentication failed"`) {
		t.Errorf("a wrong token: %s", got)
	}
	if n := s.hubs.Len(); n != 0 {
		t.Errorf("%d hubs were made before the login", n)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"connect","params":{"auth":{"token":"` + clientToken + `"}}}`)
	if got := c.next(); !strings.Contains(got, `"permissions":["full"]`) {
		t.Errorf("the right token: %s", got)
	}
	c.send(listTabs)
	c.wants(`{"jsonrpc":"2.0","id":1,"result":{"tabs":[]}}`)

	c = dial(t, url, nil)
	c.send(listTabs)
	if got := c.next(); !strings.Contains(got, `"code":-32000,"message":"Authentication required: first request must be 'connect'"`) {
		t.Errorf("without connect: %s", got)
	}
	if r := c.reason(); r != wsconn.ReasonNoLogin {
		t.Errorf("closed with %v", r)
	}
	c = dial(t, url, http.Header{"Sec-WebSocket-Protocol": {"bearer." + clientToken}})
	c.send(listTabs)
	c.wants(`{"jsonrpc":"2.0","id":1,"result":{"tabs":[]}}`)
}

// TestR24DialectsKeepScopes has a caller who may only look.
func TestR24DialectsKeepScopes(t *testing.T) {
	const readonly = "token-to-look-on"
	change, _ := withFile(t, "tokens:\n  - {token: "+readonly+", role: client, scope: readonly}\n  - {token: "+hostToken+", role: host}\n")
	s := start(t, func(f *Options) { change(f) })
	s.paired(t, hostToken)
	a := dial(t, "ws://"+s.addr(false)+"/ndjson", bearer(readonly))
	a.send(`{"id":"1","action":"tab.close","params":{"page_id":"page-1"}}`)
	if got := a.next(); !strings.HasPrefix(got, `{"id":"1","success":false,"error":"permission denied: tab.close needs scope standard`) {
		t.Errorf("closing a page: %s", got)
	}
	b := dial(t, "ws://"+s.addr(false)+"/ws", bearer(readonly))
	b.send(`{"jsonrpc":"2.0","id":1,"method":"browser.close_tab","params":{"tab_id":"T1"}}`)
	if got := b.next(); !strings.Contains(got, `"code":-32002,"message":"permission denied: browser.close_tab needs scope standard`) {
		t.Errorf("closing a tab: %s", got)
	}
}

// TestR26LoginsAreLockedOut guesses over several connections.
func TestR26LoginsAreLockedOut(t *testing.T) {
	s := start(t, withActions)
	guess := func(c *far, token string) string {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"connect","params":{"token":"` + token + `"}}`)
		return c.next()
	}
	url := "ws://" + s.addr(false) + "/ws"
	last := dial(t, url, nil)
	for range 2 {
		c := dial(t, url, nil)
		for i := range 5 {
			if got := guess(c, wrongToken); !strings.Contains(got, "-32001") {
				t.Errorf("guess %d: %s", i+1, got)
			}
		}
		if r := c.reason(); r != wsconn.ReasonWrongLogins {
			t.Errorf("after five guesses: %v", r)
		}
	}
	if got := guess(last, wrongToken); !strings.Contains(got, "-32003") {
		t.Errorf("a wrong token after ten others: %s, want a lock-out", got)
	}
	if got := raw(t, s.addr(false), handshake("/ws", "Authorization: Bearer "+wrongToken)); got.status != 429 {
		t.Errorf("another connection with a wrong one: %d, want 429", got.status)
	}
	if got := guess(last, clientToken); !strings.Contains(got, `"result"`) {
		t.Errorf("the right token then: %s", got)
	}
}

// TestR27RevokedTokensCloseDialects revokes a token that came by connect.
func TestR27RevokedTokensCloseDialects(t *testing.T) {
	t.Parallel()
	change, rewrite := withFile(t, "tokens: [{token: "+clientToken+", role: client}]")
	s := start(t, func(f *Options) { change(f) })
	a := dial(t, "ws://"+s.addr(false)+"/ndjson", bearer(clientToken))
	b := dial(t, "ws://"+s.addr(false)+"/ws", nil)
	b.send(`{"jsonrpc":"2.0","id":1,"method":"connect","params":{"token":"` + clientToken + `"}}`)
	if got := b.next(); !strings.Contains(got, `"permissions":["standard"]`) {
		t.Errorf("connect: %s", got)
	}
	rewrite("tokens: [{token: " + hostToken + ", role: host}]")
	for name, c := range map[string]*far{"ndjson": a, "jsonrpc": b} {
		if r := c.reason(); r != wsconn.ReasonTokenRevoked {
			t.Errorf("%s closed with %v, want %v", name, r, wsconn.ReasonTokenRevoked)
		}
	}
}

// TestR27RevokedTokensCutOffHooks revokes a token while a hook that came over
// HTTP waits: it is answered at once.
func TestR27RevokedTokensCutOffHooks(t *testing.T) {
	t.Parallel()
	others := "tokens:\n  - {token: " + hostToken + ", role: host}\n"
	change, rewrite := withFile(t, others+"  - {token: "+clientToken+", role: client}\n")
	s := start(t, func(f *Options) { change(f); f.Actions.HookScopes = []string{"browser:read"} })
	s.paired(t, hostToken) // which answers no command
	hub, release, err := s.hubs.Acquire("")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	body := fmt.Sprintf(`{"name":"browser.waitForLoad","params":{"browserId":%q,"timeoutMs":300000}}`, hub.Targets(nil)[0].ID)
	answered := make(chan string, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		status, text, err := hubtest.PostJSON(ctx, "http://"+s.addr(false)+"/hooks/invoke", bearer(clientToken), []byte(body))
		answered <- fmt.Sprint(status, text, err)
	}()
	for end := time.Now().Add(within); hub.Clients() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the hook does not wait: %d answers", len(answered))
		}
	}
	rewrite(others)
	select {
	case got := <-answered:
		if strings.Contains(got, `"ok":true`) {
			t.Errorf("the hook of a revoked token: %s", got)
		}
	case <-time.After(within):
		t.Error("the hook of a revoked token goes on")
	}
}

// TestDialectMessageLimit sends a message of 10 MiB, and one byte more.
func TestDialectMessageLimit(t *testing.T) {
	s := start(t, func(f *Options) { f.Limits.MaxClientMessage = 100 << 20 })
	for path, message := range map[string]string{"/ndjson": listSessions, "/ws": listTabs} {
		c := dial(t, "ws://"+s.addr(false)+path, nil)
		c.send(message + strings.Repeat(" ", 10<<20-len(message)))
		if got := c.next(); !json.Valid([]byte(got)) || strings.Contains(got, "error") {
			t.Errorf("%s: 10 MiB are answered with %s", path, got)
		}
		c.send(strings.Repeat(" ", 10<<20+1))
		if r := c.reason(); r != wsconn.ReasonTooBig {
			t.Errorf("%s: closed with %v, want 1009", path, r)
		}
	}
}

func TestDialectBinaryMessages(t *testing.T) {
	s := start(t, nil)
	for path, want := range map[string]string{
		"/ndjson": `{"id":"","success":false,"error":"bad request: a binary frame, expected text"}`,
		"/ws":     `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: unexpected end of JSON input","data":{"kind":"MalformedFrame","retryable":false}}}`,
	} {
		if got := rawExchange(t, s.addr(false), path, []byte{0x82, 0x80, 0, 0, 0, 0}, []byte{0x81, 0x81, 0, 0, 0, 0, ' '}); got != want {
			t.Errorf("%s: first came %s, want %s", path, got, want)
		}
	}
}

// TestDrainEndsDialects shuts down and does not wait for connections on which
// no request runs.
func TestDrainEndsDialects(t *testing.T) {
	s := start(t, func(o *Options) {
		withActions(o)
		o.Drain = within
	})
	all := []*far{dial(t, "ws://"+s.addr(false)+"/ws", nil)} // which has not logged in
	for _, path := range []string{"/ndjson", "/ws", "/hooks", "/bap"} {
		c := dial(t, "ws://"+s.addr(false)+path, bearer(clientToken))
		c.send(listTabs) // which is no request of the others
		c.next()
		all = append(all, c)
	}
	began := time.Now()
	s.stop()
	if took := time.Since(began); took > within/2 {
		t.Errorf("it took %v, as if all the time was needed that commands have", took)
	}
	for _, c := range all {
		if r := c.reason(); r != wsconn.ReasonShutdown {
			t.Errorf("closed with %v, want 1001 shutting down", r)
		}
	}
}

// rawExchange opens a WebSocket, sends these bytes, and returns the payload of
// the first frame that comes.
func rawExchange(t *testing.T, addr, path string, frames ...[]byte) string {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(within))
	nc.Write(append([]byte(handshake(path)), bytes.Join(frames, nil)...))
	in := bufio.NewReader(nc)
	if resp, err := http.ReadResponse(in, nil); err != nil || resp.StatusCode != 101 {
		t.Fatalf("%s: %v, %v", path, resp, err)
	}
	head := make([]byte, 2)
	if _, err := io.ReadFull(in, head); err != nil {
		t.Fatal(err)
	}
	size := int(head[1])
	if size == 126 {
		if _, err := io.ReadFull(in, head); err != nil {
			t.Fatal(err)
		}
		size = int(binary.BigEndian.Uint16(head))
	}
	payload := make([]byte, size)
	if _, err := io.ReadFull(in, payload); err != nil {
		t.Fatal(err)
	}
	return string(payload)
}
