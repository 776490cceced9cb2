package hooks

import (
	"net/http"
	"strings"
	"testing"
)

// TestR24HooksReadersOnlyRead refuses to a token of scope readonly every hook
// but those of browser:read, whatever its manifest says.
func TestR24HooksReadersOnlyRead(t *testing.T) {
	c := caller(read, write, eval)
	c.Scope = "readonly"
	for name, h := range hooks {
		status, got := post(c, `{"name":"`+name+`"}`)
		want := `"CapabilityDenied","message":"permission denied: ` + name + ` needs scope standard"`
		if denied := status == http.StatusForbidden && strings.Contains(got, want); denied != (h.scope != read) {
			t.Errorf("%s, %s: %d %s", name, h.scope, status, got)
		}
	}
}
