package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

const beginning = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// TestOneTokenLeavesSessionsToOthers has a token begin all sessions that it may,
// and send requests that begin none.
func TestOneTokenLeavesSessionsToOthers(t *testing.T) {
	h := NewHandler(nil)
	defer h.Close()
	post := func(caller, body string) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		h.ServeHTTP(actions.Caller{ID: caller}, w, r)
		return w.Code
	}
	for i := range maxOfOne {
		if status := post("one", beginning); status != http.StatusOK {
			t.Fatalf("session %d: %d", i, status)
		}
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
	if n := len(h.sessions); n != maxOfOne+2 {
		t.Errorf("%d sessions are left, want %d", n, maxOfOne+2)
	}
}
