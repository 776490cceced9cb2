package auth

import (
	"fmt"
	"testing"
	"time"
)

// A token is good for its own hub, the default one included, and "*" for all.
func TestR122TokensAreOfOneHub(t *testing.T) {
	hubs := []string{"", "one", "two", "default"}
	for _, role := range []Role{RoleClient, RoleHost, RoleAdmin} {
		for _, of := range append(hubs, EveryHub) {
			g := Grant{Role: role, Hub: of, Scope: ScopeFull}
			for _, hub := range hubs {
				for _, r := range []Role{RoleClient, RoleHost, RoleAdmin} {
					want := r == role && (of == hub || of == EveryHub)
					if got := g.admits(r, hub); got != want {
						t.Errorf("a %s token of hub %q as %s on %q: %v, want %v", role, of, r, hub, got, want)
					}
				}
				old := Grant{Role: role, Hub: hub, Scope: ScopeFull}
				if got, want := g.covers(old), of == hub || of == EveryHub; got != want {
					t.Errorf("a %s token of hub %q in the place of one of %q: %v, want %v", role, of, hub, got, want)
				}
			}
			if of != EveryHub && g.admits(role, EveryHub) {
				t.Errorf("a token of hub %q is good for what wants one of every hub", of)
			}
		}
	}
}

// The same through each way that a token comes into a process.
func TestR122TokensOfTheDefaultHubOpenNoOther(t *testing.T) {
	file := write(t, "tokens.yaml", "tokens: [{name: a, token: "+goodToken+", role: host}]")
	tokens, err := NewTokens(TokenOptions{File: file, Keys: []string{write(t, "secret", hmacSecret)}})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := Mint([]byte(hmacSecret), Grant{Role: RoleHost, Scope: ScopeFull}, time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"listed": goodToken, "signed": signed, "issued": tokens.Issue(RoleHost, "")} {
		g, err := tokens.Check(NewSecret(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := fmt.Sprint(g.admits(RoleHost, ""), g.admits(RoleHost, "other"), g.admits(RoleHost, EveryHub), g.admits(RoleClient, ""))
		if got != "true false false false" {
			t.Errorf("%s: on its own hub, on another, on all, as a Client: %s", name, got)
		}
	}
	g, err := tokens.Check(NewSecret(tokens.Issue(RoleHost, "one")))
	if err != nil || !g.admits(RoleHost, "one") || g.admits(RoleHost, "") || g.admits(RoleHost, "two") {
		t.Errorf("issued for hub one: %+v, %v", g, err)
	}
}
