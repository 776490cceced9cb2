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

// TestSessionsOfRevokedTokensDoNotGoOn restores what has lasted at another node: it ends at
// once if its token has been revoked since, and goes on if the token is still good.
func TestSessionsOfRevokedTokensDoNotGoOn(t *testing.T) {
	const token = "token-of-clients"
	file := write(t, "tokens.yaml", "tokens: [{name: a, token: "+token+", role: client}]")
	tokens, err := NewTokens(TokenOptions{File: file})
	if err != nil {
		t.Fatal(err)
	}
	g := NewGate(tokens, GateOptions{})
	listed := Pass{secret: NewSecret(token)}
	if listed.Grant, err = tokens.Check(listed.secret); err != nil {
		t.Fatal(err)
	}
	signed := Pass{secret: NewSecret("signed"), Grant: Grant{Role: RoleClient, ID: "j1", Expires: time.Now().Add(time.Hour)}}
	restored := func(v Verdict) (why error) {
		defer g.Hold(g.PassAgain(v), func(err error) { why = err })()
		return why
	}
	last := g.Lasting(listed)
	again := g.Lasting(g.PassAgain(last)) // it goes on at a third node
	for _, v := range []Verdict{last, again, g.Lasting(signed)} {
		if why := restored(v); why != nil {
			t.Errorf("%+v has ended with %v while all is good", v, why)
		}
	}
	if err := os.WriteFile(file, []byte("revoked: []"), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens.follow(true)
	for _, v := range []Verdict{last, again, g.Lasting(g.PassAgain(last))} {
		if why := restored(v); !errors.Is(why, ErrRevoked) {
			t.Errorf("the token was revoked before, and it has ended with %v", why)
		}
	}
	if why := restored(g.Lasting(signed)); why != nil {
		t.Errorf("a signed token has ended with %v", why)
	}
}
