package auth

import (
	"errors"
	"net/netip"
	"os"
	"testing"
	"time"
)

// A Pass that another node tells of has the same bearer, no token, and ends with it.
func TestR211VerdictsEndWithTheirToken(t *testing.T) {
	const token = "token-of-clients"
	file := write(t, "tokens.yaml", "tokens: [{name: a, token: "+token+", role: client, scope: readonly}]")
	tokens, err := NewTokens(TokenOptions{File: file})
	if err != nil {
		t.Fatal(err)
	}
	g := NewGate(tokens, GateOptions{})
	there := Pass{secret: NewSecret(token), Query: "?token=" + token}
	if there.Grant, err = tokens.Check(there.secret); err != nil {
		t.Fatal(err)
	}
	v := there.Verdict("mark")
	here := g.PassFrom(v, netip.Addr{}, Ask{})
	if here.Bearer() != there.Bearer() || here.Query != "?token=mark" || here.Grant.Scope != ScopeReadonly {
		t.Errorf("the Pass is %+v", here)
	}
	ends := make(chan error, 4)
	defer g.Hold(here, func(why error) { ends <- why })()
	signed := Pass{Grant: Grant{Role: RoleClient, ID: "j1", Expires: time.Now().Add(time.Hour)}, bearer: NewSecret("signed").Hash()}
	defer g.Hold(signed, func(why error) { ends <- why })()
	tokens.follow(true)
	if len(ends) > 0 {
		t.Fatalf("ended with %v while all is good", <-ends)
	}
	if err := os.WriteFile(file, []byte("revoked: [j1]"), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens.follow(true)
	for range 2 {
		select {
		case why := <-ends:
			if !errors.Is(why, ErrRevoked) {
				t.Errorf("ended with %v", why)
			}
		default:
			t.Error("a connection has outlived its token")
		}
	}
	g.Hold(here, func(why error) { ends <- why }) // a ticket that is used late
	old := signed
	old.Grant.ID, old.Grant.Expires = "", time.Now().Add(-time.Hour)
	g.Hold(old, func(why error) { ends <- why })
	if len(ends) != 2 {
		t.Errorf("%d of two late connections ended at once", len(ends))
	}
}
