package auth

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// TestR230SharesOfTokens reads share in a file and in a signed token.
func TestR230SharesOfTokens(t *testing.T) {
	for _, tt := range []struct{ role, share, want string }{
		{"client", "", ""},
		{"client", "team", "team"},
		{"host", "team-2", "team-2"},
		{"admin", "team", "share is for a token of role client or host"},
		{"client", "Team", `share is "Team": set a name`},
		{"client", "a_b", `share is "a_b"`},
		{"client", strings.Repeat("a", 64), "share is "},
		{"client", "token-", `share is "token-"`},
		{"client", "token-" + NewSecret("of another").Hash()[:shareDigits], `does not begin with "token-"`},
	} {
		g, err := FileEntry{Name: "x", Role: tt.role, Share: tt.share}.Grant()
		got := g.Share
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%+v: %q", tt, got)
		}
	}
	token, err := Mint([]byte(hmacSecret), Grant{Role: RoleClient, Scope: ScopeFull, Share: "team"}, time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := parseKeys([]byte(hmacSecret))
	if err != nil {
		t.Fatal(err)
	}
	if g, err := verifyToken(keys, NewSecret(token), time.Now()); err != nil || g.Share != "team" {
		t.Errorf("the signed token allows %+v, %v", g, err)
	}
	none, team := Grant{Role: RoleClient}, Grant{Role: RoleClient, Share: "team"}
	if none.covers(team) || team.covers(none) || !team.covers(team) {
		t.Error("a connection must end when its token comes to belong to another share")
	}
}

// TestR230SharesOfPasses wants each token to be in one share: that of nobody else, unless
// the operator says so.
func TestR230SharesOfPasses(t *testing.T) {
	file := write(t, "tokens.yaml", `tokens:
  - {name: a, token: token-of-a-012345, role: client}
  - {name: b, token: token-of-b-012345, role: client}
  - {name: c, token: token-of-c-012345, role: client, share: team}
`)
	key := write(t, "key", hmacSecret)
	tokens, err := NewTokens(TokenOptions{Client: "token-of-an-option", File: file, Keys: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	mint := func() string {
		text, err := Mint([]byte(hmacSecret), Grant{Role: RoleClient, Scope: ScopeFull, Name: "same"}, time.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	issued, _ := tokens.Issue(Grant{Role: RoleClient, Scope: ScopeFull})
	shares := map[string]string{} // by share, the token
	for _, text := range []string{"token-of-a-012345", "token-of-b-012345", "token-of-c-012345", mint(), mint(), "token-of-an-option"} {
		g, err := tokens.Check(NewSecret(text))
		if err != nil {
			t.Fatal(err)
		}
		here := Pass{Grant: g, secret: NewSecret(text)}
		elsewhere := NewGate(tokens, GateOptions{}).PassFrom(here.Verdict(""), netip.Addr{}, Ask{})
		share := here.Share()
		if shares[share] != "" || elsewhere.Share() != share {
			t.Errorf("%s is in the share %q, as %s is; at another node in %q", text, share, shares[share], elsewhere.Share())
		}
		shares[share] = text
	}
	if shares["team"] != "token-of-c-012345" || shares[""] != "token-of-an-option" {
		t.Errorf("the shares are %q", shares)
	}
	g, err := tokens.Check(NewSecret(issued))
	if err != nil || (Pass{Grant: g}).Share() != "" || (Pass{}).Share() != "" {
		t.Errorf("a token of the process, or none, is in a share: %+v, %v", g, err)
	}
}

// TestR232WhoEntersAShare asks the gate for the hub of a share.
func TestR232WhoEntersAShare(t *testing.T) {
	tokens, err := NewTokens(TokenOptions{Client: "token-of-an-option", File: write(t, "tokens.yaml", `tokens:
  - {name: lone, token: token-that-is-alone, role: client, scope: privileged}
  - {name: team, token: token-of-the-team, role: client, share: team, scope: readonly}
  - {name: every, token: token-of-every-hub, role: client, hub: "*", scope: full}
  - {name: root, token: token-of-root-0123, role: client, hub: "*", scope: privileged}
  - {name: host, token: token-of-the-host, role: host, hub: "*", scope: privileged}
`)})
	if err != nil {
		t.Fatal(err)
	}
	gate := NewGate(tokens, GateOptions{})
	for _, tt := range []struct {
		token string
		role  Role
		want  int
	}{
		{"token-that-is-alone", RoleClient, 401},
		{"token-of-the-team", RoleClient, 200},
		{"token-of-every-hub", RoleClient, 401},
		{"token-of-root-0123", RoleClient, 200},
		{"token-of-an-option", RoleClient, 401},
		{"token-of-the-host", RoleHost, 401},
	} {
		r := httptest.NewRequest(http.MethodGet, "/json/list", nil)
		r.Header.Set("Authorization", "Bearer "+tt.token)
		w := httptest.NewRecorder()
		ask := func(*http.Request) Ask { return Ask{Role: tt.role, Share: "team", Path: "/json/list"} }
		gate.Require(ask, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("%s: %d %s, want %d", tt.token, w.Code, w.Body, tt.want)
		}
	}
}
