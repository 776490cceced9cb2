package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

// TestR441ToolListIsSmall has the list of the usual tools take at most 4,000 tokens of a model: each client pays for it
// in each conversation.
func TestR441ToolListIsSmall(t *testing.T) {
	h := NewHandler(nil)
	defer h.Close()
	send := func(session, body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set(sessionHeader, session)
		}
		h.ServeHTTP(actions.Caller{}, w, r)
		return w
	}
	session := send("", beginning).Header().Get(sessionHeader)
	text := send(session, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`).Body.String()
	if n := strings.Count(text, `"name":"browser_`); n < 25 {
		t.Errorf("%d tools are listed", n)
	}
	const perToken = 4
	if len(text) > 4000*perToken {
		t.Errorf("the list has %d characters, about %d tokens, want at most 4000", len(text), len(text)/perToken)
	}
}
