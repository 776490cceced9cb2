package auth

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const goodToken = "0123456789abcdef" // as short as may be

// Check returns what a token allows, or why it allows nothing.
func (t *Tokens) Check(s Secret) (Grant, error) {
	g, err := t.Inspect(s)
	if err != nil {
		return Grant{}, err
	}
	return g, nil
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	replace(t, path, text)
	return path
}

// replace puts a new file in place of one, as editors do.
func replace(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+"~", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
}

func TestTokensFile(t *testing.T) {
	path := write(t, "tokens.yaml", `
tokens:
  - {name: plain, token: `+goodToken+`, role: client}
  - {name: hashed, sha256: `+NewSecret("another good token").Hash()+`, role: host, hub: "*"}
  - {name: scoped, token: a-token-with-scope, role: client, hub: h1, scope: readonly, expires: 2999-01-01T00:00:00Z}
  - {name: old, token: a-token-that-is-over, role: client, expires: 2001-01-01}
`)
	tokens, err := NewTokens(TokenOptions{File: path, Client: "token-of-a-flag-1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ token, want string }{
		{goodToken, "client hub= standard plain"},
		{"another good token", "host hub=* standard hashed"},
		{"a-token-with-scope", "client hub=h1 readonly scoped"},
		{"token-of-a-flag-1", "client hub=* full --client-token"},
		{"a-token-that-is-over", "token expired"},
		{"a-token-nobody-knows", "the token is none of those listed"},
		{"", "the token is none of those listed"},
	} {
		g, err := tokens.Check(NewSecret(tt.token))
		got := fmt.Sprintf("%s hub=%s %s %s", g.Role, g.Hub, g.Scope, g.Name)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.token, got, tt.want)
		}
	}
	if !tokens.Covers(RoleHost) || tokens.Covers(RoleAdmin) {
		t.Error("Covers does not go by the roles in the file")
	}
}

func TestBadSources(t *testing.T) {
	entry := func(fields string) string { return "tokens:\n  - {name: n, " + fields + "}\n" }
	for _, tt := range []struct{ name, file, want string }{
		{"empty", "", "is empty"},
		{"no YAML", "tokens: [", "not a YAML file"},
		{"a list", "- a", "not a YAML file"},
		{"unknown key", "token: []\n", "field token not found"},
		{"short", entry("token: short, role: client"), "has 5 characters"},
		{"both", entry("token: " + goodToken + ", sha256: 00, role: client"), "either token or sha256"},
		{"neither", entry("role: client"), "either token or sha256"},
		{"bad digest", entry("sha256: 00, role: client"), "64 hexadecimal digits"},
		{"no role", entry("token: " + goodToken), `role is ""`},
		{"bad role", entry("token: " + goodToken + ", role: Client"), `role is "Client"`},
		{"bad scope", entry("token: " + goodToken + ", role: client, scope: all"), `scope is "all"`},
		{"bad hub", entry("token: " + goodToken + ", role: client, hub: A"), `hub is "A"`},
		{"bad time", entry("token: " + goodToken + ", role: client, expires: soon"), "not a YAML file"},
		{"twice", entry("token: "+goodToken+", role: client") + "  - {token: " + goodToken + ", role: host}\n", "duplicate"},
	} {
		_, err := NewTokens(TokenOptions{File: write(t, "tokens.yaml", tt.file)})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), goodToken) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	secret := "tokens:\n  - " + goodToken + "\n  - *" + goodToken + "\n"
	if _, err := NewTokens(TokenOptions{File: write(t, "tokens.yaml", secret)}); err == nil || strings.Contains(err.Error(), "0123") {
		t.Errorf("a token out of place: got %v, want an error that does not cite it", err)
	}
	for _, o := range []TokenOptions{{File: "/none"}, {Keys: []string{"/none"}}, {File: t.TempDir()}} {
		if _, err := NewTokens(o); err == nil {
			t.Errorf("%+v: taken", o)
		}
	}
}

func TestR12ShortTokensAreRefused(t *testing.T) {
	for _, o := range []TokenOptions{{Client: "0123456789"}, {Host: "0123456789"}, {Admin: "0123456789abcde"}} {
		if _, err := NewTokens(o); err == nil || !strings.Contains(err.Error(), "could be guessed") || !strings.Contains(err.Error(), "server.Tokens.") {
			t.Errorf("%+v: got %v, want a refusal that names the option", o, err)
		}
	}
	if _, err := NewTokens(TokenOptions{Client: goodToken}); err != nil {
		t.Errorf("16 characters: %v", err)
	}
}

// ended collects what connections were closed with.
type ended map[string]string

func (e ended) hold(t *testing.T, tokens *Tokens, token string) {
	t.Helper()
	g, err := tokens.Check(NewSecret(token))
	if err != nil {
		t.Fatalf("%s: %v", token, err)
	}
	tokens.Hold(NewSecret(token), g, func(why error) { e[token] += why.Error() })
}

func TestR27ChangedFilesEndTokens(t *testing.T) {
	const head = "tokens:\n"
	line := func(token, more string) string { return "  - {token: " + token + ", role: client" + more + "}\n" }
	const stays, goes, shrinks, grows = "token-that-stays", "token-that-goes-", "token-to-readonly", "token-to-full----"
	path := write(t, "tokens.yaml", head+line(stays, "")+line(goes, "")+line(shrinks, "")+line(grows, ""))
	synctest.Test(t, func(t *testing.T) {
		tokens, err := NewTokens(TokenOptions{File: path, Client: "token-of-a-flag-1"})
		if err != nil {
			t.Fatal(err)
		}
		reload := make(chan chan<- error)
		go tokens.Watch(t.Context(), reload)
		e := ended{}
		for _, token := range []string{stays, goes, shrinks, grows, "token-of-a-flag-1"} {
			e.hold(t, tokens, token)
		}
		want := func(what string, want ended) {
			t.Helper()
			synctest.Wait()
			if fmt.Sprint(e) != fmt.Sprint(want) {
				t.Errorf("%s: ended %v, want %v", what, e, want)
			}
		}

		replace(t, path, "tokens: [")
		time.Sleep(time.Second)
		want("a broken file", ended{})

		replace(t, path, head+line(stays, "")+line(shrinks, ", scope: readonly")+line(grows, ", scope: full, hub: \"*\""))
		time.Sleep(time.Second)
		want("a new file", ended{goes: "token revoked", shrinks: "token changed"})
		if _, err := tokens.Check(NewSecret(goes)); err == nil {
			t.Error("a token that is gone from the file is still good")
		}

		replace(t, path, head+line(grows, ""))
		read := make(chan error, 1)
		reload <- read
		if err := <-read; err != nil {
			t.Error(err)
		}
		want("on the signal at once", ended{goes: "token revoked", shrinks: "token changed", stays: "token revoked"})
		if _, err := tokens.Check(NewSecret("token-of-a-flag-1")); err != nil {
			t.Errorf("the flag's token: %v", err)
		}
	})
}

func TestR27TokensExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := time.Now().Add(time.Minute)
		const longer = "token-made-longer"
		until := func(later time.Time) string {
			const form = "tokens: [{token: %s, role: client, expires: %s}, {token: %s, role: client, expires: %s}]\n"
			return fmt.Sprintf(form, goodToken, over.Format(time.RFC3339), longer, later.Format(time.RFC3339))
		}
		path := write(t, "tokens.yaml", until(over))
		tokens, err := NewTokens(TokenOptions{File: path})
		if err != nil {
			t.Fatal(err)
		}
		go tokens.Watch(t.Context(), nil)
		var why error
		var at time.Time
		g, err := tokens.Check(NewSecret(goodToken))
		if err != nil {
			t.Fatal(err)
		}
		tokens.Hold(NewSecret(goodToken), g, func(err error) { why, at = err, time.Now() })
		released := false
		tokens.Hold(NewSecret(goodToken), g, func(error) { released = true })()
		later, err := tokens.Check(NewSecret(longer))
		if err != nil {
			t.Fatal(err)
		}
		var expired atomic.Bool
		tokens.Hold(NewSecret(longer), later, func(err error) { expired.Store(errors.Is(err, ErrExpired)) })
		replace(t, path, until(over.Add(time.Minute)))
		time.Sleep(110 * time.Second)
		synctest.Wait()
		if expired.Load() {
			t.Error("a token that was made longer has ended before its new time is over")
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if !expired.Load() {
			t.Error("a token that was made longer has not expired")
		}
		if !errors.Is(why, ErrExpired) || at.Before(over) || at.After(over.Add(time.Second)) {
			t.Errorf("ended at %v with %v, want within a second after %v with ErrExpired", at, why, over)
		}
		if released {
			t.Error("a hold that was released has ended")
		}
		why = nil
		tokens.Hold(NewSecret(goodToken), g, func(err error) { why = err })
		if !errors.Is(why, ErrExpired) {
			t.Errorf("held too late: %v, want ErrExpired at once", why)
		}
	})
}

// TestWatchWaitsForWriters writes a file in place, in two steps, and wants
// nothing to be read between them.
func TestWatchWaitsForWriters(t *testing.T) {
	const half = "tokens:\n  - {token: first-of-the-tokens, role: client}\n"
	const whole = half + "  - {token: second-of-the-tokens, role: client}\n"
	path := write(t, "tokens.yaml", whole)
	synctest.Test(t, func(t *testing.T) {
		tokens, err := NewTokens(TokenOptions{File: path})
		if err != nil {
			t.Fatal(err)
		}
		go tokens.Watch(t.Context(), nil)
		e := ended{}
		e.hold(t, tokens, "second-of-the-tokens")
		time.Sleep(2*pollEvery - time.Millisecond)
		if err := os.WriteFile(path, []byte(half), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(pollEvery)
		synctest.Wait()
		if err := os.WriteFile(path, []byte(whole+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(e) > 0 {
			t.Errorf("ended %v, want nothing: half a file was read", e)
		}
	})
}
