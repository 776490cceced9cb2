package mcp

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/relay/quota"
)

const beginning = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// TestSessionsEndWithTheirToken has the token of a session end, which is then
// not there any more; one that its client ends waits for its token no longer.
func TestSessionsEndWithTheirToken(t *testing.T) {
	h := NewHandler(nil)
	defer h.Close()
	var end func()
	letGo := make(chan struct{}, 1)
	c := actions.Caller{ID: "one", Hold: func(f func()) func() {
		end = f
		return func() { letGo <- struct{}{} }
	}}
	send := func(method, session, body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(method, "/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set(sessionHeader, session)
		}
		h.ServeHTTP(c, w, r)
		return w
	}
	const ask = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	for name, finish := range map[string]func(session string){
		"the token":  func(string) { end() },
		"the client": func(session string) { send(http.MethodDelete, session, "") },
	} {
		session := send(http.MethodPost, "", beginning).Header().Get(sessionHeader)
		if w := send(http.MethodPost, session, ask); session == "" || w.Code != http.StatusOK {
			t.Fatalf("%s: %q, %d %s", name, session, w.Code, w.Body)
		}
		finish(session)
		select {
		case <-letGo:
		case <-time.After(30 * time.Second):
			t.Fatalf("%s has ended, and the session has not", name)
		}
		if w := send(http.MethodPost, session, ask); w.Code != http.StatusNotFound {
			t.Errorf("%s has ended: %d %s", name, w.Code, w.Body)
		}
	}
}

// TestR287TokenThatEndsAtOnce has the token of a session end while the session asks to be told
// of that (mcp.Handler.keep).
func TestR287TokenThatEndsAtOnce(t *testing.T) {
	h := NewHandler(nil)
	defer h.Close()
	letGo := 0
	c := actions.Caller{Hold: func(end func()) func() {
		end()
		for there := 1; there > 0; runtime.Gosched() {
			h.mu.Lock()
			there = len(h.sessions)
			h.mu.Unlock()
		}
		return func() { letGo++ }
	}}
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(beginning))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if h.ServeHTTP(c, w, r); letGo != 1 {
		t.Errorf("the session that has ended lets its token go %d times, want once", letGo)
	}
}

// TestR284SessionsStayWhereTheyBegan has a session of one caller at one hub be named by others, and at
// another hub: for them it is none, and they cannot end it.
func TestR284SessionsStayWhereTheyBegan(t *testing.T) {
	h := NewHandler(nil)
	defer h.Close()
	send := func(c actions.Caller, method, session, body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(method, "/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set(sessionHeader, session)
		h.ServeHTTP(c, w, r)
		return w
	}
	own := actions.Caller{ID: "one", Hub: "a"}
	session := send(own, http.MethodPost, "", beginning).Header().Get(sessionHeader)
	const ask = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	for _, c := range []actions.Caller{{ID: "one", Hub: "b"}, {ID: "two", Hub: "a"}, {ID: "", Hub: "a"}, {ID: "one", Hub: ""}} {
		for _, method := range []string{http.MethodPost, http.MethodDelete} {
			if w := send(c, method, session, ask); w.Code != http.StatusNotFound {
				t.Errorf("%s of %q at %q: %d %s", method, c.ID, c.Hub, w.Code, w.Body)
			}
		}
	}
	if w := send(own, http.MethodPost, session, ask); session == "" || w.Code != http.StatusOK {
		t.Errorf("the session's own caller: %q, %d %s", session, w.Code, w.Body)
	}
}

// TestR247MCPSessions has a token begin all sessions that it may, and send requests that
// begin none.
func TestR247MCPSessions(t *testing.T) {
	quotas := quota.New(quota.Options{Bearers: func(string) int { return 3 }, Totals: map[quota.Resource]int64{quota.MCPSessions: 40}})
	h := NewHandler(nil)
	defer h.Close()
	post := func(caller, body string) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		h.ServeHTTP(actions.Caller{ID: caller, Payer: quota.Payer{ID: caller}, Quotas: quotas}, w, r)
		return w.Code
	}
	most := 0
	for most < 40 && post("one", beginning) == http.StatusOK { // 40: an end where nothing limits
		most++
	}
	if most > 21 {
		t.Errorf("one token has %d of 40 sessions", most)
	}
	if status := post("one", beginning); status != http.StatusServiceUnavailable {
		t.Errorf("one session more: %d", status)
	}
	for caller := range map[string]bool{"another": true, "": true} {
		if status := post(caller, beginning); status != http.StatusOK {
			t.Errorf("%q: %d", caller, status)
		}
	}
	for range 10 {
		post("third", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		post("third", `[]`)
		post("third", `x`)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.sessions); n != most+2 {
		t.Errorf("%d sessions are left, want %d", n, most+2)
	}
}

// TestR354UnknownToolsAndTimes asks for a tool by nearly its name, and for sessions with times of their own.
func TestR354UnknownToolsAndTimes(t *testing.T) {
	h := NewHandler(nil)
	defer h.Close()
	post := func(query, session, body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/mcp"+query, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set(sessionHeader, session)
		h.ServeHTTP(actions.Caller{}, w, r)
		return w
	}
	for query, want := range map[string]int{
		"?timeout=90s": http.StatusOK, "?timeout=5": http.StatusBadRequest, "?timeout=-1s": http.StatusBadRequest, "?timeout=0s": http.StatusBadRequest,
	} {
		if w := post(query, "", beginning); w.Code != want {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
	session := post("?timeout=90s", "", beginning).Header().Get(sessionHeader)
	if e := h.owned(actions.Caller{}, session); e.acts != 90*time.Second || e.actTimeout() < e.acts {
		t.Errorf("a tool waits %s for its element, and has %s", e.acts, e.actTimeout())
	}
	call := post("", session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_clik","arguments":{}}}`)
	if want := `"code":-32602,"message":"unknown tool: browser_clik; did you mean \"browser_click\"?"`; !strings.Contains(call.Body.String(), want) {
		t.Errorf("%s, want %s", call.Body, want)
	}
}
