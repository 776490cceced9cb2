package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestPrecedence wants the command line before the environment before the
// config file before the default.
func TestPrecedence(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cdphub.yaml")
	if err := os.WriteFile(file, []byte("client-addr: 127.0.0.1:1\nhost-addr: 127.0.0.1:2\ndrain: 3s\nallowed-host: [a.example, b.example]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CDPHUB_CLIENT_ADDR", "127.0.0.1:3")
	t.Setenv("CDPHUB_HOST_ADDR", "127.0.0.1:4")
	var c cli
	p, err := newParser(&c, "cdphub", io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse([]string{"serve", "--config", file, "--client-addr", "127.0.0.1:5"}); err != nil {
		t.Fatal(err)
	}
	f := c.Serve.hubFlags
	if f.ClientAddr != "127.0.0.1:5" || f.HostAddr != "127.0.0.1:4" || f.Drain != 3*time.Second || c.Serve.LogLevel != "info" {
		t.Errorf("got %+v", f)
	}
	if strings.Join(f.AllowedHost, " ") != "a.example b.example" {
		t.Errorf("a list: got %q", f.AllowedHost)
	}
}

func TestCommandLine(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good.json")
	if err := os.WriteFile(good, []byte(`{"client-addr": ":0", "host-addr": "127.0.0.1:0", "client-origin": ["https://a.example"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad, wrong, empty := file("cleint-addr: x\n"), file("max-clients: none\n"), file("client-addr:\n")
	broken, without, list := file("a: [\n"), file("max-browsers: 3\n"), file("- drain: 3s\n")
	for _, tc := range []struct {
		name    string
		args    []string
		out     string
		failure string
	}{
		{"version", []string{"version"}, "cdphub ", ""},
		{"help", []string{"--help"}, "Examples:", ""},
		{"help of serve", []string{"serve", "--help"}, "--client-addr", ""},
		{"duration without a unit", []string{"serve", "--drain", "10"}, "", `"10" is not a duration of 0 or more: set a number and a unit, such as 30s, 5m or 24h (see cdphub serve --help)`},
		{"negative duration", []string{"token", "new", "--ttl=-1h"}, "", "(see cdphub token new --help)"},
		{"no URL to ask", []string{"serve", "--hook-scope", "browser:eval", "--eval-ask", "ask.example"}, "", `"ask.example" is not the URL of a server`},
		{"no public URL", []string{"serve", "--public-url", "hub.example:9222"}, "", `"hub.example:9222" is not the URL of a server`},
		{"no command", nil, "Commands:", ""},
		{"a list in a file", []string{"serve", "--config", list}, "", list + ": it has no options"},
		{"unknown option", []string{"serve", "--nonsense"}, "", "unknown flag --nonsense (see"},
		{"an option of other commands", []string{"open", "--browser-no-sandbox", "http://localhost:1"}, "", "unknown flag --browser-no-sandbox: cdphub serve, cdphub mcp and cdphub doctor have it (see cdphub open --help)"},
		{"an option of another command", []string{"health", "--insecure-cert=1"}, "", "unknown flag --insecure-cert: "},
		{"an option of one command", []string{"serve", "--append", "x"}, "", "unknown flag --append: only cdphub token new has it"},
		{"misspelt key", []string{"serve", "--config", bad}, "", bad + `: "cleint-addr" is not an option`},
		{"bad value", []string{"serve", "--config", wrong}, "", wrong + `: "none" is not a number above 0`},
		{"no value", []string{"serve", "--config", empty}, "", empty + ": it has no value"},
		{"no YAML", []string{"serve", "--config", broken}, "", "config file " + broken},
		{"without effect", []string{"serve", "--browser-headed"}, "", "--browser-headed has no effect without --browser"},
		{"without effect, in a file", []string{"serve", "--config", without}, "", "--max-browsers has no effect without --browser"},
		{"useless beside another", []string{"serve", "--browser-url", "http://127.0.0.1:1", "--browser-no-sandbox"}, "", "--browser-no-sandbox has no effect with --browser-url"},
		{"without effect, by its value", []string{"serve", "--eval-allow", "*"}, "", "--hook-scope=browser:eval"},
		{"options in JSON", []string{"serve", "--config", good}, "", ":0 can be reached from other machines"},
		{"bad level", []string{"serve", "--log-level", "loud"}, "", "log-level"},
		{"open to all", []string{"serve", "--client-addr", ":0", "--host-addr", "127.0.0.1:0"}, "", "--insecure-bind"},
	} {
		var out bytes.Buffer
		ctx, stop := context.WithTimeout(t.Context(), hubtest.Within) // for what is served although it must not be
		err := run(ctx, tc.args, &out, io.Discard)
		stop()
		if !strings.Contains(out.String(), tc.out) {
			t.Errorf("%s: printed %q, want %q", tc.name, out.String(), tc.out)
		}
		if (err == nil) != (tc.failure == "") || err != nil && !strings.Contains(err.Error(), tc.failure) {
			t.Errorf("%s: got error %v, want %q", tc.name, err, tc.failure)
		}
	}
}

func TestR22URLTokensCanBeTurnedOff(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want bool
	}{{nil, true}, {[]string{"--url-token=false"}, false}, {[]string{"--no-url-token"}, false}} {
		var c cli
		p, err := newParser(&c, "cdphub", io.Discard, io.Discard, func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Parse(append([]string{"serve"}, tt.args...)); err != nil || c.Serve.URLToken != tt.want {
			t.Errorf("%v: got %v, %v, want %v", tt.args, c.Serve.URLToken, err, tt.want)
		}
	}
}

// TestHelpShowsDefaults: the help shows a placeholder in place of the default.
func TestHelpShowsDefaults(t *testing.T) {
	p, err := newParser(&cli{}, "cdphub", io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range p.Model.Leaves(true) {
		for _, flag := range command.Flags {
			if flag.Default != "" && flag.PlaceHolder != "" {
				t.Errorf("%s --%s has a placeholder, which hides its default", command.FullPath(), flag.Name)
			}
		}
	}
}
