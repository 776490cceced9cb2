package auth

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestR22SomePathsRefuseTokensInURLs asks for the paths of a dialect that wants
// none, by whatever name it goes and however right it is.
func TestR22SomePathsRefuseTokensInURLs(t *testing.T) {
	for _, tokens := range []TokenOptions{{}, {Client: clientToken}} {
		g := newGated(t, tokens, GateOptions{})
		for _, path := range []string{"/client/h/ndjson", "/client/h/cdp"} {
			for query, status := range map[string]int{
				"":                            200,
				"?other=1":                    200,
				"?token=" + clientToken:       401,
				"?access_token=x":             401,
				"?a=b&accessToken=x":          401,
				"?%74oken=" + clientToken:     401,
				"?token":                      401,
				"?x=1;token=" + clientToken:   200, // no parameter of that name
				"?tokens=1&my_access_token=2": 200,
			} {
				w := g.ask("192.0.2.1", path+query, "Authorization", "Bearer "+clientToken)
				if w.Code != status {
					t.Errorf("%s%s: %d, want %d", path, query, w.Code, status)
				}
			}
		}
	}
}

// TestR26LoginsCountAsRequestsDo has a token come later, on a path where that
// may be.
func TestR26LoginsCountAsRequestsDo(t *testing.T) {
	set, err := NewTokens(TokenOptions{Client: clientToken, Host: hostToken})
	if err != nil {
		t.Fatal(err)
	}
	var pass Pass
	gate := NewGate(set, GateOptions{})
	h := gate.RequireLogin(func(*http.Request) Ask { return Ask{Role: RoleClient, Hub: "h", Path: "/ws", Listener: "tests"} },
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { pass = PassOf(r) }))
	ask := func(token string) int {
		r := httptest.NewRequest("GET", "/ws", nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		pass = Pass{}
		h.ServeHTTP(w, r)
		return w.Code
	}
	if status := ask(clientToken); status != 200 || pass.Login != nil || pass.Grant.Scope != ScopeFull {
		t.Errorf("a token at once: %d, %+v", status, pass.Grant)
	}
	if status := ask("token-of-nobody-"); status != 401 {
		t.Errorf("a wrong token at once: %d, want 401", status)
	}
	if status := ask(""); status != 200 || pass.Login == nil || pass.Grant.Role != "" {
		t.Fatalf("no token: %d, %+v, want a login and no grant", status, pass.Grant)
	}
	login := pass.Login
	ended := false
	gate.Hold(pass, func(error) { ended = true })()
	if ended {
		t.Error("a pass without a token yet was ended")
	}
	p, err := login(clientToken)
	if err != nil || p.Grant.Scope != ScopeFull || p.Login != nil {
		t.Errorf("the right token: %+v, %v", p.Grant, err)
	}
	for range 9 { // one was wrong above
		if _, err := login("token-of-nobody-"); err == nil || errors.Is(err, ErrLockedOut) {
			t.Errorf("a wrong token: %v", err)
		}
	}
	if _, err := login("token-of-nobody-"); !errors.Is(err, ErrLockedOut) {
		t.Errorf("after ten wrong ones: %v, want a lock-out", err)
	}
	if status := ask("token-of-nobody-"); status != 429 {
		t.Errorf("another connection with a wrong one: %d, want 429", status)
	}
	if _, err := login(clientToken); err != nil {
		t.Errorf("the right one then: %v", err)
	}
	if status := ask(""); status != 200 {
		t.Errorf("another connection, whose token is to come: %d, want 200", status)
	}
}
