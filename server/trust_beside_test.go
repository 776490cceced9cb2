package server

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/internal/logging/logtest"
)

// TestR139HalfOfTLS begins handshakes of TLS that do not end, or end nowhere.
func TestR139HalfOfTLS(t *testing.T) {
	t.Parallel()
	s, admin := startTLS(t, t.TempDir(), tls.VersionTLS13, withOperators)
	hello := string([]byte{22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3})
	var all sync.WaitGroup
	for _, addr := range []string{s.addr(false), s.addr(true), admin} {
		for name, sent := range map[string]string{
			"nothing": "", "a byte": "\x16", "half a record": hello, "a whole record of nothing": string([]byte{22, 3, 1, 0, 0}), "noise": strings.Repeat("\xff\x00\x7f", 100),
			"an alert": string([]byte{21, 3, 1, 0, 2, 1, 0}), "data before a handshake": string([]byte{23, 3, 3, 0, 1, 0}), "SSL 2": "\x80\x2e\x01\x00\x02" + strings.Repeat("\x00", 44),
			"a record of 64 KiB": string([]byte{22, 3, 1, 255, 255}) + strings.Repeat("x", 1000),
		} {
			all.Go(func() {
				endsAfter(t, name, addr, sent)
			})
		}
		all.Go(func() { // a byte now and then
			nc, err := net.Dial("tcp", addr)
			if err != nil {
				t.Error(err)
				return
			}
			defer nc.Close()
			for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
				if _, err := io.WriteString(nc, "\x16"); err != nil {
					return
				}
			}
			t.Error("a handshake of single bytes is waited for")
		})
		for name, c := range map[string]*tls.Config{
			"HTTP/2 alone": {NextProtos: []string{"h2"}}, "another protocol": {NextProtos: []string{"spdy/3", "acme-tls/1"}}, "TLS 1.2": {MaxVersion: tls.VersionTLS12}, "TLS 1.0": {MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10},
		} {
			c.InsecureSkipVerify = true
			if conn, err := tls.Dial("tcp", addr, c); err == nil {
				conn.Close()
				t.Errorf("%s is spoken", name)
			}
		}
	}
	all.Wait()
}

// TestR139RulesOverTLS wants the rules for names and origins to hold there, too,
// and half a body to end.
func TestR139RulesOverTLS(t *testing.T) {
	quick := httpserver.BodyRate{Within: time.Second, PerSecond: 1 << 20}
	s, _ := startTLS(t, t.TempDir(), tls.VersionTLS13, func(o *Options) { o.rates = &rates{quick, quick} })
	addr := s.addr(false)
	ask := func(first string, lines ...string) int {
		c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, ServerName: "evil.example"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(within))
		io.WriteString(c, asking(first, lines...))
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode
	}
	for _, tt := range []struct {
		lines  []string
		status int
	}{
		{[]string{"Host: " + addr}, 200},
		{[]string{"Host: evil.example"}, 403},
		{[]string{"Host: " + addr, "Origin: https://" + addr}, 200},
		{[]string{"Host: " + addr, "Origin: http://" + addr}, 403}, // whoever reads along can write that page
		{[]string{"Host: " + addr, "Origin: https://evil.example"}, 403},
		{[]string{"Host: " + addr, "Sec-Fetch-Site: cross-site"}, 403},
	} {
		if status := ask("GET /json/version HTTP/1.1", tt.lines...); status != tt.status {
			t.Errorf("%q: %d, want %d", tt.lines, status, tt.status)
		}
	}
	if status := ask("POST /nothing HTTP/1.1", "Host: "+addr, "Content-Length: 100", "Connection: close"); status != 404 {
		t.Errorf("half a body: %d, want 404", status)
	}
}

// TestR139SpoofedProxies says that requests come from elsewhere: each wrong
// token is counted where it comes from all the same.
func TestR139SpoofedProxies(t *testing.T) {
	spoofed := func(i int) []string {
		from := fmt.Sprintf("192.0.2.%d", i+1)
		return []string{"X-Forwarded-For: " + from, "X-Real-IP: " + from, "Forwarded: for=" + from, "CF-Connecting-IP: " + from, "True-Client-IP: " + from, "X-Forwarded-For: 10.0.0.1"}
	}
	for name, tt := range map[string]struct {
		trusted []string
		relayed string // what the proxy adds
	}{
		"nobody is trusted":             {},
		"another is trusted":            {trusted: []string{"198.51.100.0/24", "::1"}},
		"the proxy says who asked it":   {[]string{"127.0.0.1"}, "X-Forwarded-For: 203.0.113.7"},
		"so does one behind another":    {[]string{"127.0.0.0/8", "10.0.0.0/8"}, "X-Forwarded-For: 203.0.113.7, 10.9.9.9"},
		"written as an IPv6 address":    {[]string{"::ffff:127.0.0.1"}, "X-Forwarded-For: 203.0.113.7"},
		"what the proxy says is no one": {[]string{"127.0.0.1"}, "X-Forwarded-For: unknown"},
	} {
		s := start(t, func(f *Options) { withTokens(f); f.Tokens.TrustedProxies = tt.trusted })
		last := 0
		for i := range 12 {
			lines := append([]string{"Host: localhost", "Authorization: Bearer " + wrongToken}, spoofed(i)...)
			if tt.relayed != "" {
				lines = append(lines, tt.relayed)
			}
			last = raw(t, s.addr(false), asking("GET /json/list HTTP/1.1", lines...)).status
		}
		if last != 429 {
			t.Errorf("%s: the twelfth wrong token is answered %d, want 429", name, last)
		}
	}
	for _, bad := range []string{"localhost", "127.0.0.1:80", "10.0.0.0/33", "*", "", "10.0.0.0/8,::1"} {
		if srv, err := makeServer(Options{ClientAddr: "127.0.0.1:0", HostAddr: "localhost:0", Tokens: Tokens{TrustedProxies: []string{bad}}}, logtest.Open(t, io.Discard).Logger); err == nil {
			srv.Close()
			t.Errorf("--trusted-proxy=%q is taken", bad)
		}
	}
}

// TestR139PathsBesideTheUploadFolder names files that are not in it, in all
// ways, and things in it that are no files.
func TestR139PathsBesideTheUploadFolder(t *testing.T) {
	base := t.TempDir()
	dir, other := filepath.Join(base, "up"), filepath.Join(base, "up-other")
	for _, d := range []string{dir, other, filepath.Join(dir, "in")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(dir, "a.txt"), filepath.Join(dir, "in", "b.txt"), filepath.Join(other, "secret.txt")} {
		if err := os.WriteFile(file, []byte("canary of "+filepath.Base(file)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(other, "secret.txt")
	for name, to := range map[string]string{"out": secret, "up": "..", "slash": "/", "self": "/proc/self", "in/far": "../../up-other/secret.txt", "loop": "loop", "b": "in/b.txt", "back": "../up/a.txt"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	fill, err := newUploads(dir)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(paths ...string) (string, error) {
		params, err := json.Marshal(map[string]any{"files": paths, "contents": []any{map[string]string{"name": "forged", "base64": "AAAA"}}})
		if err != nil {
			t.Fatal(err)
		}
		out, err := fill(params, plenty)
		return string(out), err
	}
	for _, path := range []string{
		secret, "/etc/passwd", "", ".", "..", "/", dir, dir + "/", dir + "/in", dir + "/pipe", dir + "/socket", dir + "/none", "a.txt", "./a.txt", "up/a.txt",
		dir + "/out", dir + "/up/up-other/secret.txt", dir + "/slash/etc/passwd", dir + "/slash" + secret, dir + "/self/environ", dir + "/in/far", dir + "/loop", dir + "/loop/a.txt",
		dir + "/../up-other/secret.txt", dir + "/in/../../up-other/secret.txt", dir + "-other/secret.txt", dir + "/./../up-other/./secret.txt", dir + "//..//up-other//secret.txt",
		dir + "/a.txt\x00.png", dir + "/\x00", secret + "\x00" + dir + "/a.txt", "file://" + secret, "file://" + dir + "/a.txt", `\\?\` + secret, dir + `\..\up-other\secret.txt`, dir + "/%2e%2e/up-other/secret.txt",
		"/proc/self/root" + secret, "/proc/self/cwd/uploads.go", "/dev/zero", "/dev/stdin", "~/x", dir + "/a.txt/", dir + "/a.txt/..", strings.Repeat("/x", 10_000), dir + "/" + strings.Repeat("x", 300),
	} {
		for _, paths := range [][]string{{path}, {dir + "/a.txt", path}} {
			if out, err := ask(paths...); err == nil || out != "" || strings.Contains(err.Error(), "canary") {
				t.Errorf("%.100q: %s, %v", paths, out, err)
			}
		}
	}
	missing, err1 := ask(dir + "/none")
	there, err2 := ask(secret)
	if missing+there != "" || strings.Replace(err1.Error(), dir+"/none", "X", 1) != strings.Replace(err2.Error(), secret, "X", 1) {
		t.Errorf("a file outside is told from none: %v and %v", err1, err2)
	}
	for path, want := range map[string]string{dir + "/a.txt": "a.txt", dir + "/in/b.txt": "b.txt", dir + "/b": "b", dir + "/back": "back", dir + "/in/../a.txt": "a.txt"} {
		if out, err := ask(path); err != nil || !strings.Contains(out, `"name":"`+want+`"`) || strings.Contains(out, "forged") {
			t.Errorf("%s: %s, %v", path, out, err)
		}
	}
	for _, params := range []string{`{}`, `{"files":null}`, `{"files":"x"}`, `{"files":[1]}`, `{"files":[["x"]]}`, `{"FILES":["x"]}`, `[]`, `{"files":{"0":"x"}}`} {
		if out, err := fill([]byte(params), plenty); err == nil {
			t.Errorf("%s: %s", params, out)
		}
	}
}

// TestR139UploadFolderThatChanges has a file become a pipe, and a link that
// leads out, while it is asked for.
func TestR139UploadFolderThatChanges(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "up")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	secret, file := filepath.Join(base, "secret"), filepath.Join(dir, "a")
	if err := os.WriteFile(secret, []byte("canary"), 0o600); err != nil {
		t.Fatal(err)
	}
	fill, err := newUploads(dir)
	if err != nil {
		t.Fatal(err)
	}
	stop, changed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(changed)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := filepath.Join(base, "next")
			switch i % 3 {
			case 0:
				os.WriteFile(next, []byte("good"), 0o600)
			case 1:
				syscall.Mkfifo(next, 0o600)
			case 2:
				os.Symlink(secret, next)
			}
			os.Rename(next, file)
		}
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20000 {
			if out, err := fill([]byte(`{"files":["`+file+`"]}`), plenty); err == nil && !strings.Contains(string(out), "Z29vZA==") {
				t.Errorf("%s", out)
				return
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(within):
		t.Error("a pipe is waited for")
		for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) { // let it go
			if f, err := os.OpenFile(file, os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
				f.Close()
			}
		}
	}
	close(stop)
	<-changed
}

// plenty is room for all uploads.
func plenty(int64) error { return nil }
