package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions/hooks"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestR24HooksOfTokens calls each hook with each token: it is denied unless the
// token, or where that says nothing --hook-scope, has its scope.
func TestR24HooksOfTokens(t *testing.T) {
	const read, write, eval = "browser:read", "browser:write", "browser:eval"
	tokens := map[string][]string{
		"token-that-names-nothing": {read},
		"token-that-may-evaluate":  {read, eval},
		"token-that-may-write":     {write},
		"token-that-may-nothing":   nil,
	}
	change, _ := withFile(t, `tokens:
  - {token: token-that-names-nothing, role: client}
  - {token: token-that-may-evaluate, role: client, hooks: [browser:read, browser:eval]}
  - {token: token-that-may-write, role: client, hooks: [browser:write]}
  - {token: token-that-may-nothing, role: client, hooks: []}
`)
	s := start(t, func(f *Options) { change(f); f.Actions.HookScopes = []string{read} })
	for token, allowed := range tokens {
		for name, scope := range hooks.Hooks() {
			status, text, err := hubtest.PostJSON(t.Context(), "http://"+s.addr(false)+"/hooks/invoke", bearer(token), []byte(`{"name":"`+name+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			denied := status == http.StatusForbidden && strings.Contains(text, "CapabilityDenied")
			if denied == slices.Contains(allowed, scope) {
				t.Errorf("%s with the %s: %d %s", name, token, status, text)
			}
		}
	}
}
