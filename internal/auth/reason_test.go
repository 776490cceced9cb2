package auth

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// TestR26TokensOfOursLockNobodyOut uses tokens in the wrong place, which is no
// guess, and wants each failure to be logged and counted without the token.
func TestR26TokensOfOursLockNobodyOut(t *testing.T) {
	file := write(t, "tokens.yaml", `
tokens:
  - {name: one, token: token-of-hub-one, role: client, hub: one}
  - {name: over, token: token-that-is-over, role: client, hub: one, expires: 2001-01-01}
`)
	counted := map[string]int{}
	core, logs := observer.New(zap.InfoLevel)
	g := newGated(t, TokenOptions{File: file}, GateOptions{
		Log:    zap.New(core),
		Failed: func(listener, reason string) { counted[listener+" "+reason]++ },
	})
	for range 3 * wrongMost {
		for path, token := range map[string]string{
			"/client/two/x": "token-of-hub-one", "/host/one/x": "token-of-hub-one", "/client/one/x": "token-that-is-over",
		} {
			if w := g.ask("192.0.2.1", path, "Authorization", "Bearer "+token); w.Code != 401 {
				t.Fatalf("%s with %s: %d, want 401", path, token, w.Code)
			}
		}
	}
	g.ask("192.0.2.1", "/client/one/x")
	g.ask("192.0.2.1", "/client/one/x", "Authorization", "Bearer token-of-nobody-")
	g.ask("192.0.2.1", "/client/one/ndjson?token=token-of-hub-one")
	want := map[string]int{
		"tests other_hub": 30, "tests other_role": 30, "tests expired": 30, "tests missing": 1, "tests unknown": 1, "tests in_url": 1,
	}
	if !maps.Equal(counted, want) {
		t.Errorf("counted %v, want %v", counted, want)
	}
	if n := logs.FilterMessage("login failed").Len(); n != 92 { // that no token was given is logged at debug
		t.Errorf("%d failures were logged, want 92", n)
	}
	for _, line := range logs.All() {
		if strings.Contains(fmt.Sprint(line.ContextMap()), "token-") {
			t.Errorf("the log has a token: %v", line.ContextMap())
		}
	}
}
