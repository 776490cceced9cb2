package auth

import (
	"strings"
	"testing"
	"time"
)

// TestR147TokensOfOwnTabs reads tabs in a file and in a signed token.
func TestR147TokensOfOwnTabs(t *testing.T) {
	for _, tt := range []struct{ role, tabs, want string }{
		{"client", "", ""},
		{"client", "own", "own"},
		{"client", "all", `tabs is "all": set own`},
		{"host", "own", "tabs are for a token of role client"},
	} {
		g, err := FileEntry{Name: "x", Role: tt.role, Tabs: tt.tabs}.Grant()
		got := g.Tabs()
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%+v: %q", tt, got)
		}
	}
	token, err := Mint([]byte(hmacSecret), Grant{Role: RoleClient, Scope: ScopeFull, OwnTabs: true}, time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := parseKeys([]byte(hmacSecret))
	if err != nil {
		t.Fatal(err)
	}
	if g, err := verifyToken(keys, NewSecret(token), time.Now()); err != nil || !g.OwnTabs {
		t.Errorf("the signed token allows %+v, %v", g, err)
	}
	all, own := Grant{Role: RoleClient}, Grant{Role: RoleClient, OwnTabs: true}
	if own.covers(all) || !all.covers(own) || !own.covers(own) {
		t.Error("a connection that sees all tabs must end when its token no longer does")
	}
}
