package auth

import (
	"testing"
	"time"
)

// TestR200TokensOfSessions reads session and grace in a file and in a signed token.
func TestR200TokensOfSessions(t *testing.T) {
	entries, _, err := parseFile([]byte("tokens:\n  - {name: a, token: 0123456789abcdef, role: client, session: work, grace: 10m}\n"))
	if err != nil || entries[0].grant.Session != "work" || entries[0].grant.Grace != 10*time.Minute {
		t.Fatalf("%+v, %v", entries, err)
	}
	for _, wrong := range []string{"role: client, session: a/b", "role: client, grace: 10", "role: client, grace: -1s", "role: host, session: work"} {
		if _, _, err := parseFile([]byte("tokens:\n  - {name: a, token: 0123456789abcdef, " + wrong + "}\n")); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
	token, err := Mint([]byte(hmacSecret), Grant{Role: RoleClient, Scope: ScopeFull, Session: "work", Grace: time.Minute}, time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := parseKeys([]byte(hmacSecret))
	if err != nil {
		t.Fatal(err)
	}
	if g, err := verifyToken(keys, NewSecret(token), time.Now()); err != nil || g.Session != "work" || g.Grace != time.Minute {
		t.Errorf("%+v, %v", g, err)
	}
	longer, shorter := Grant{Role: RoleClient}, Grant{Role: RoleClient, Grace: time.Minute}
	if shorter.covers(longer) || !longer.covers(shorter) {
		t.Error("a token whose grace time has become shorter keeps its connections, or one whose has become longer does not")
	}
}
