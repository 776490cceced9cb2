package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
)

// cdphub runs one command line and returns what it printed.
func cdphub(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, &out, io.Discard)
	return out.String(), err
}

// TestToken makes tokens by both ways and has them checked, and used.
func TestToken(t *testing.T) {
	dir := t.TempDir()
	file, key := filepath.Join(dir, "tokens.yaml"), filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	entry, err := cdphub(t, "token", "new", "--name", "ci", "--hub", "h1", "--scope", "full", "--hooks", "browser:read,browser:eval", "--ttl", "1h")
	if err != nil {
		t.Fatal(err)
	}
	random := regexp.MustCompile(`#   ([A-Z2-7]{26})\n`).FindStringSubmatch(entry)
	if random == nil || strings.Count(entry, random[1]) != 1 {
		t.Fatalf("printed %s, want the token once", entry)
	}
	if err := os.WriteFile(file, []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	signed, err := cdphub(t, "token", "mint", "--key", key, "--role", "host", "--hub", "*", "--name", "page", "--id", "j1")
	if err != nil {
		t.Fatal(err)
	}
	signed = strings.TrimSpace(signed)
	for _, tt := range []struct{ name, token, want string }{
		{"random", random[1], "role:    client\nfor:     hub h1\nscope:   full\nhooks:   browser:read, browser:eval\nshare:   its own\nname:    ci\nexpires: 20"},
		{"signed", signed, "role:    host\nfor:     every hub\nname:    page\nid:      j1\nexpires: 20"},
	} {
		got, err := cdphub(t, "token", "check", tt.token, "--tokens", file, "--jwt-key", key)
		if err != nil || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: got %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	s := start(t, server.Options{Tokens: server.Tokens{File: file, JWTKeys: []string{key}}})
	hubtest.Dial(t, "ws://"+s.ClientAddr()+"/hub/h1/devtools/browser", hubtest.Bearer(random[1]))
	hubtest.Dial(t, "ws://"+s.HostAddr()+"/icdp/host", hubtest.Bearer(signed))

	appended, err := cdphub(t, "token", "new", "--name", "more", "--append", file)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // each has a name of its own
		if _, err := cdphub(t, "token", "new", "--append", file); err != nil {
			t.Error(err)
		}
	}
	team, err := cdphub(t, "token", "mint", "--key", key, "--share", "team", "--limit", "tabs=20", "--limit", "browsers=1")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := cdphub(t, "token", "check", strings.TrimSpace(team), "--jwt-key", key); err != nil || !strings.Contains(got, "\nshare:   team\nlimits:  browsers=1 tabs=20\n") {
		t.Errorf("got %s, %v; want the share and the limits", got, err)
	}
	admin, err := cdphub(t, "token", "new", "--name", "ops", "--role", "admin", "--append", file)
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string][]string{
		appended: {"accepted  as Client of the default hub\n", "refused   as Client of another hub: ", "refused   as Host of the default hub: "},
		admin:    {"accepted  at the listener for operators", "refused   as Client of the default hub: the token has another role"},
	} {
		got, err := cdphub(t, "token", "check", strings.TrimSpace(token), "--tokens", file)
		for _, line := range want {
			if err != nil || !strings.Contains(got, line) {
				t.Errorf("got %s, %v; want %q", got, err, line)
			}
		}
	}
	for _, tt := range []struct {
		want string
		args []string
	}{
		{`share is "token-x"`, []string{"new", "--share", "token-x"}},
		{"role client or host", []string{"mint", "--key", key, "--role", "admin", "--share", "team"}},
		{`limits has "tab": use only clients, calls,`, []string{"new", "--limit", "tab=1"}},
		{"the limit of tabs is -1", []string{"new", "--limit", "tabs=-1"}},
		{"limits are for a token of role client or host", []string{"mint", "--key", key, "--role", "admin", "--limit", "tabs=1"}},
		{"already", []string{"new", "--name", "ops", "--append", file}},
		{"every hub", []string{"new", "--role", "admin", "--hub", "one"}},
		{"no effect", []string{"new", "--role", "host", "--scope", "full"}},
		{"no effect", []string{"mint", "--key", key, "--role", "host", "--hooks", "browser:read"}},
		{`hooks has "browser:rite": use only browser:read, browser:write, browser:eval`, []string{"new", "--hooks", "browser:rite"}},
		{"none of those listed", []string{"check", "nonsense", "--tokens", file}},
		{"signature", []string{"check", signed[:len(signed)-4] + "AAAA", "--jwt-key", key}},
		{"nothing to check", []string{"check", signed}},
		{"no such file", []string{"mint", "--key", dir + "/none"}},
		{"valid for some time", []string{"mint", "--key", key, "--ttl", "0s"}},
		{"hub is", []string{"new", "--hub", "No"}},
		{"role", []string{"new", "--role", "user"}},
	} {
		if out, err := cdphub(t, append([]string{"token"}, tt.args...)...); err == nil || !strings.Contains(err.Error(), tt.want) || out != "" {
			t.Errorf("%v: got %q, %v, want %q", tt.args, out, err, tt.want)
		}
	}
}

// TestR122OwnPagesHaveTokens wants the Host pages of this program to have a
// token that works on their own hub alone, which is gone from what is logged.
func TestR122OwnPagesHaveTokens(t *testing.T) {
	s := start(t, server.Options{Tokens: server.Tokens{Client: "token-of-clients"}})
	page, closeAll, err := servePages(s, auth.Rules{}, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	_, token, _ := strings.Cut(page, "#token=")
	hubtest.Dial(t, "ws://"+s.HostAddr()+"/icdp/host", hubtest.Bearer(token))
	for _, elsewhere := range []string{"/hub/other/icdp/host", "/hub/a/icdp/host"} {
		if got := hubtest.Raw(t, s.HostAddr(), hubtest.Handshake(elsewhere, "Authorization: Bearer "+token)); got.Status != 401 {
			t.Errorf("the token of the default hub's page on %s: %d, want 401", elsewhere, got.Status)
		}
	}
	if shown := withoutToken(page); strings.Contains(shown, "token") || !strings.HasPrefix(page, shown) {
		t.Errorf("%s is logged as %s", page, shown)
	}
	if open := start(t, server.Options{}); open.HostToken() != "" || open.ClientToken() != "" {
		t.Error("a hub without tokens issues some")
	}
}

// start runs a server on free ports until the test ends.
func start(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	o.ClientAddr, o.HostAddr, o.Drain = "127.0.0.1:0", "localhost:0", 5*time.Second
	s, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	hubtest.Run(t, s.Run)
	return s
}
