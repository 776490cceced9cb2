package auth

import (
	"fmt"
	"slices"
	"strings"
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
					if got := admits(g, r, hub); got != want {
						t.Errorf("a %s token of hub %q as %s on %q: %v, want %v", role, of, r, hub, got, want)
					}
				}
				old := Grant{Role: role, Hub: hub, Scope: ScopeFull}
				if got, want := g.covers(old), of == hub || of == EveryHub; got != want {
					t.Errorf("a %s token of hub %q in the place of one of %q: %v, want %v", role, of, hub, got, want)
				}
			}
			if of != EveryHub && admits(g, role, EveryHub) {
				t.Errorf("a token of hub %q is good for what wants one of every hub", of)
			}
		}
	}
}

func admits(g Grant, r Role, hub string) bool { return g.Refuses(r, hub) == nil }

// TestAdminTokensAreForEveryHub wants none that no listener would accept.
func TestAdminTokensAreForEveryHub(t *testing.T) {
	for _, hub := range []string{"", EveryHub} {
		if g, err := (FileEntry{Role: "admin", Hub: hub}).Grant(); err != nil || !admits(g, RoleAdmin, EveryHub) {
			t.Errorf("hub %q: %+v, %v; want a grant for every hub", hub, g, err)
		}
	}
	if g, err := (FileEntry{Role: "admin", Hub: "one"}).Grant(); err == nil {
		t.Errorf("hub one: %+v, want an error", g)
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
	issued, end := tokens.Issue(Grant{Role: RoleHost})
	for name, text := range map[string]string{"listed": goodToken, "signed": signed, "issued": issued} {
		g, err := tokens.Check(NewSecret(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := fmt.Sprint(admits(g, RoleHost, ""), admits(g, RoleHost, "other"), admits(g, RoleHost, EveryHub), admits(g, RoleClient, ""))
		if got != "true false false false" {
			t.Errorf("%s: on its own hub, on another, on all, as a Client: %s", name, got)
		}
	}
	end()
	if _, err := tokens.Check(NewSecret(issued)); err == nil {
		t.Error("an issued token is good after its end")
	}
	one, _ := tokens.Issue(Grant{Role: RoleHost, Hub: "one"})
	g, err := tokens.Check(NewSecret(one))
	if err != nil || !admits(g, RoleHost, "one") || admits(g, RoleHost, "") || admits(g, RoleHost, "two") {
		t.Errorf("issued for hub one: %+v, %v", g, err)
	}
}

// TestR24TokensNameTheirHooks has each way that a token comes into a process
// carry them, tells an empty list from none, and keeps to the scope.
func TestR24TokensNameTheirHooks(t *testing.T) {
	byDefault := []string{"browser:read", "browser:write"}
	for _, tt := range []struct {
		entry string // in YAML
		want  []string
	}{
		{"", byDefault},
		{", hooks: [browser:eval]", []string{"browser:eval"}},
		{", hooks: []", []string{}},
		{", scope: readonly", []string{"browser:read"}},
		{", scope: readonly, hooks: []", []string{}},
	} {
		entries, _, err := parseFile([]byte("tokens: [{token: " + goodToken + ", role: client" + tt.entry + "}]"))
		if err != nil {
			t.Errorf("%s: %v", tt.entry, err)
			continue
		}
		signed, err := Mint([]byte(hmacSecret), entries[0].grant, time.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		tokens, err := NewTokens(TokenOptions{Keys: []string{write(t, "secret", hmacSecret)}})
		if err != nil {
			t.Fatal(err)
		}
		verified, err := tokens.Check(NewSecret(signed))
		if err != nil {
			t.Errorf("%s, signed: %v", tt.entry, err)
		}
		for way, g := range map[string]Grant{"listed": entries[0].grant, "signed": verified} {
			if got := g.HooksOr(byDefault); !slices.Equal(got, tt.want) {
				t.Errorf("%s, %s: %v, want %v", tt.entry, way, got, tt.want)
			}
		}
	}
	for entry, want := range map[string]string{
		"role: host, hooks: [browser:read]":                    "leave hooks out",
		"role: client, hooks: [browser:see]":                   "browser:eval",
		"role: client, scope: readonly, hooks: [browser:eval]": "may only read",
	} {
		if _, _, err := parseFile([]byte("tokens: [{token: " + goodToken + ", " + entry + "}]")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", entry, err, want)
		}
	}
}

// TestR27LessHooksEndConnections tells more from less.
func TestR27LessHooksEndConnections(t *testing.T) {
	read, both := []string{"browser:read"}, []string{"browser:read", "browser:write"}
	for _, tt := range []struct {
		is, was []string
		want    bool
	}{{nil, nil, true}, {both, read, true}, {both, both, true}, {read, both, false}, {[]string{}, read, false}, {nil, read, false}, {both, nil, false}} {
		g, old := Grant{Role: RoleClient, Hooks: tt.is}, Grant{Role: RoleClient, Hooks: tt.was}
		if got := g.covers(old); got != tt.want {
			t.Errorf("%v in the place of %v: %v, want %v", tt.is, tt.was, got, tt.want)
		}
	}
}
