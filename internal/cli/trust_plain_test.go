package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/logging/logtest"
	"github.com/cdphub/cdphub/internal/plain"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// hostile is a text that a terminal would obey: a title, a cleared screen, C1 as a
// character and as a byte, DEL, and turned writing. mark is how a test finds it again.
const (
	mark    = "Mallory"
	hostile = mark + "\x1b]0;title\a\x1b[2J\b\u009b31m\x9b31m\x7f\u202egnp.exe\u2066" + mark
)

// hostileJSON is hostile in a JSON string, with nothing escaped that JSON lets pass.
const hostileJSON = `"` + mark + `\u001b]0;title\u0007\u001b[2J` + "\u009b31m\x7f\u202egnp.exe\u2066" + mark + `"`

// answers are the ways in which a hostile server answers every request, by name. "socket"
// and "cdp" accept WebSockets.
var answers = map[string]string{
	"error":    "HTTP/1.1 500 " + hostile + "\r\nX-" + mark + ": " + hostile + "\r\nConnection: close\r\n\r\n" + hostile,
	"token":    "HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n" + hostile,
	"refused":  "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nHost header " + hostile,
	"none":     "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n" + hostile,
	"moved":    "HTTP/1.1 302 " + hostile + "\r\nLocation: http://" + hostile + "/?ws=" + hostile + "\r\nConnection: close\r\n\r\n" + hostile,
	"nothing":  hostile + "\r\n\r\n",
	"no list":  "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + hostile,
	"types":    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + `[{"id":{` + hostileJSON + `:1}}]`,
	"health":   "HTTP/1.1 200 OK\r\nConnection: close\r\nServer: cdphub/" + hostile + "\r\n\r\n" + `{"status":` + hostileJSON + `,` + hostileJSON + `:1}`,
	"upgraded": "HTTP/1.1 101 " + hostile + "\r\nUpgrade: " + hostile + "\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + hostile + "\r\n\r\n" + hostile,
	"socket":   "", "cdp": "", "list": "",
}

// hostileServer answers every path in one way.
func hostileServer(t *testing.T, way string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch socket := r.Header.Get("Upgrade") != ""; {
		case socket && (way == "socket" || way == "cdp"):
			hostileSocket(w, r, way)
			return
		case way == "list" && strings.HasSuffix(r.URL.Path, "/json/list"):
			io.WriteString(w, `[{"id":`+hostileJSON+`,"title":`+hostileJSON+`,"url":`+hostileJSON+`}]`)
			return
		}
		answer := answers[way]
		switch way {
		case "list":
			answer = answers["moved"]
		case "cdp":
			answer = answers["health"]
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, answer)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// hostileSocket closes a WebSocket with a hostile reason, or answers commands with
// hostile errors first.
func hostileSocket(w http.ResponseWriter, r *http.Request, way string) {
	conn, err := wsconn.Upgrade(w, r, wsconn.Options{})
	if err != nil {
		return
	}
	reason := wsconn.Reason{Code: 4000, Text: strings.ToValidUTF8(hostile, "")}
	if way == "socket" {
		conn.Close(reason)
	}
	conn.Serve(r.Context(), func(message []byte) {
		var asked struct{ ID int }
		if err := json.Unmarshal(message, &asked); err != nil {
			conn.Close(reason)
			return
		}
		conn.Deliver(wire.Frame{Head: fmt.Appendf(nil, `{"id":%d,"error":{"code":-32000,"message":%s,"data":%s}}`, asked.ID, hostileJSON, hostileJSON)})
	})
}

// wantPlain wants a stream of a command to have nothing that a terminal obeys.
func wantPlain(t *testing.T, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s has bytes that are no UTF-8: %q", what, text)
	}
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || strings.ContainsRune("\u202e\u2066", r) {
			t.Errorf("%s has U+%04X: %q", what, r, text)
			return
		}
	}
}

// question is what a command asks a server. The server is at URL, its host and port are ADDR.
type question struct {
	args  []string
	stdin string
	until string   // what a command prints that does not end by itself
	heard []string // the answers of which the command prints a part
}

// asking are the commands that ask a server.
var asking = map[string]question{
	"health":   {args: []string{"URL"}, heard: []string{"error", "refused", "none", "nothing", "health"}},
	"devtools": {args: []string{"--url", "URL"}, heard: []string{"error", "token", "refused", "nothing", "list"}},
	"connect":  {args: []string{"URL", "--listen", "127.0.0.1:0"}, until: `"linked"`, heard: []string{"token", "refused", "none"}},
	"doctor":   {args: []string{"--browser-url", "URL", "--client-addr", "ADDR", "--host-addr", "127.0.0.1:0"}},
	"mcp": {
		args: []string{"--url", "URL", "--log-level", "debug", "--output-dir", "DIR"},
		stdin: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_tabs","arguments":{"action":"list"}}}` + "\n",
		until: `"id":2`, heard: []string{"error", "none", "nothing", "cdp"},
	},
}

// others are the commands that the test below does not start for each answer, and where
// their streams are tested.
var others = map[string]string{
	"serve": "TestR271LogsArePlain", "proxy": "TestR271LogsArePlain", "open": "as proxy", "demo": "TestR271DriveIsPlain",
	"replay": "TestR271FilesArePlain", "check": "TestR271FilesArePlain",
	"new": "reads nothing of others", "mint": "reads nothing of others", "version": "reads nothing of others", "config-reference": "reads nothing of others",
}

// TestR271ServersCommandNoTerminal lets every command that asks a server ask one that
// answers with escapes in everything.
func TestR271ServersCommandNoTerminal(t *testing.T) {
	p, err := newParser(new(cli), "cdphub", io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range p.Model.Leaves(false) {
		row, asks := asking[command.Name]
		if !asks && others[command.Name] == "" {
			t.Errorf("%s has no row: say what it asks", command.Name)
		}
		var all sync.WaitGroup // connect tries for 10 s
		for way := range answers {
			if asks {
				all.Go(func() { t.Run(command.Name+" "+way, func(t *testing.T) { row.ask(t, command.Name, way) }) })
			}
		}
		all.Wait()
	}
}

// ask has a command ask a server that answers in one way.
func (row question) ask(t *testing.T, command, way string) {
	url := hostileServer(t, way)
	args := []string{command}
	for _, a := range row.args {
		args = append(args, strings.NewReplacer("URL", url, "ADDR", strings.TrimPrefix(url, "http://"), "DIR", t.TempDir()).Replace(a))
	}
	printed := printedBy(t, row.stdin, row.until, args...)
	if slices.Contains(row.heard, way) && !strings.Contains(printed, mark) {
		t.Errorf("nothing of the answer is printed, so that this shows nothing: %s", printed)
	}
}

// printedBy is what a command prints on both streams, which must be plain. On stdout of
// mcp each line must be JSON. The command ends by itself, or is ended when it has printed
// the text until.
func printedBy(t *testing.T, stdin, until string, args ...string) string {
	t.Helper()
	var out, logs logtest.Buffer
	in, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	p := startProcess(t, func(cmd *exec.Cmd) { cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &logs }, args...)
	io.WriteString(typed, stdin)
	if until == "" {
		typed.Close()
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Wait()
	}()
	hubtest.Eventually(t, "the command ends, or prints "+until, func() bool {
		select {
		case <-ended:
			return true
		default:
			return until != "" && strings.Contains(out.String()+logs.String(), until)
		}
	})
	typed.Close()
	p.Process.Signal(syscall.SIGTERM)
	<-ended
	wantPlain(t, "stdout", out.String())
	wantPlain(t, "stderr", logs.String())
	for line := range strings.Lines(out.String()) {
		if args[0] == "mcp" && !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
	return out.String() + logs.String()
}

// TestR271LogsArePlain has a program that listens log what strangers send: a Client, and
// the server of an app.
func TestR271LogsArePlain(t *testing.T) {
	for _, command := range []string{"serve", "proxy"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			addrs := hubtest.FreeAddrs(t, 3)
			args := []string{command, "--client-addr", addrs[0], "--host-addr", addrs[1], "--log-level", "debug", "--client-token", "token-of-the-clients", "--host-token", "token-of-the-hosts"}
			ask := addrs[0]
			if command == "proxy" {
				args = append(args, "--app-addr", addrs[2], hostileServer(t, "nothing"))
				ask = addrs[2]
			}
			var out, logs logtest.Buffer
			p := startProcess(t, func(cmd *exec.Cmd) { cmd.Stdout, cmd.Stderr = &out, &logs }, args...)
			awaitListener(t, ask)
			hubtest.Raw(t, ask, "GET /devtools/browser?"+mark+"=\u009b\x7f HTTP/1.1\r\nHost: "+ask+"\r\nUser-Agent: "+strings.ToValidUTF8(hostile, "")+"\r\nOrigin: http://"+hostile+"\r\nConnection: close\r\n\r\n")
			hubtest.Raw(t, addrs[0], hubtest.Handshake("/devtools/browser", "Authorization: Bearer "+hostile, "User-Agent: "+hostile))
			client := hubtest.Dial(t, "ws://"+addrs[0]+"/devtools/browser", http.Header{"Authorization": {"Bearer token-of-the-clients"}, "User-Agent": {mark + "\u009b31m\u202e/1.0"}})
			client.Send(`{"id":1,"method":"` + mark + "\u009b\x7f\u202e" + `.x"}`)
			client.Next()
			client.Conn.Close(wsconn.Reason{Code: 4000, Text: strings.ToValidUTF8(hostile, "")})
			hubtest.Eventually(t, "the hostile text is logged", func() bool { return strings.Contains(logs.String(), mark) })
			p.Process.Signal(syscall.SIGTERM)
			if err := p.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
			wantPlain(t, "stdout", out.String())
			wantPlain(t, "stderr", logs.String())
		})
	}
}

// TestR271FilesArePlain reads what somebody else has made: a recording, and a token that is
// signed with the right key.
func TestR271FilesArePlain(t *testing.T) {
	dir := t.TempDir()
	recording, key := filepath.Join(dir, "r.ndjson.zst"), filepath.Join(dir, "key")
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := `{"cdphub":1,"url":` + hostileJSON + "}\n" + `{"seq":1,` + hostileJSON + `:` + hostileJSON + `,"at":` + hostileJSON + "}\n"
	if err := os.WriteFile(recording, z.EncodeAll([]byte(lines), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	if printed := printedBy(t, "", "", "replay", recording, "--har", filepath.Join(dir, hostileName)); !strings.Contains(printed, mark) {
		t.Errorf("replay prints nothing of others: %s", printed)
	}
	token, err := auth.Mint([]byte(strings.Repeat("k", 32)), auth.Grant{Role: auth.RoleClient, Scope: auth.ScopeFull, Name: strings.ToValidUTF8(hostile, "")}, time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if printed := printedBy(t, token, "", "token", "check", "-", "--jwt-key", key); !strings.Contains(printed, mark) {
		t.Errorf("token check prints nothing of others: %s", printed)
	}
}

// hostileName is a name of a file.
const hostileName = mark + "\x1b[2J\u009b31m\x9b\u202e.har"

// TestR271DriveIsPlain has agent-browser print what a page has sent.
func TestR271DriveIsPlain(t *testing.T) {
	program := filepath.Join(t.TempDir(), "agent-browser")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ncat <<'END'\nSign up "+hostile+"\nEND\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := driveDemo(t.Context(), program, "1", plain.NewWriter(&out))
	if err == nil || !strings.Contains(out.String(), mark) {
		t.Errorf("%v: %s", err, out.String())
	}
	wantPlain(t, "stdout", out.String())
}
