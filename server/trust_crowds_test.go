package server

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/httpserver"
)

// TestR136EveryListener sends half a body to paths of every listener: with a
// token and without, to what there is and what there is not.
func TestR136EveryListener(t *testing.T) {
	t.Parallel()
	quick := &rates{httpserver.BodyRate{Within: time.Second, PerSecond: 1 << 20}, httpserver.BodyRate{Within: 2 * time.Second, PerSecond: 1 << 20}}
	s, addrs := everything(t, func(o *Options) { o.rates = quick })
	var all sync.WaitGroup
	for listener, addr := range addrs {
		for _, path := range s.allPaths() {
			for _, prefix := range []string{"", "/hub/one", "/hub/No", "/__hub"} {
				path := prefix + path
				all.Go(func() {
					endsAfter(t, listener+", "+path, addr,
						asking("POST "+path+" HTTP/1.1", "Host: localhost", "Content-Type: text/plain", "Content-Length: 100")+"half")
				})
			}
		}
		for _, path := range []string{"/mcp", "/hooks/invoke", "/browser-sandboxes", "/log-level", "/json/new"} {
			all.Go(func() {
				got := raw(t, addr, asking("PUT "+path+" HTTP/1.1", "Host: localhost", "Authorization: Bearer "+clientToken, "Content-Type: application/json", "Content-Length: 100")+`{"half":`)
				post := raw(t, addr, asking("POST "+path+" HTTP/1.1", "Host: localhost", "Authorization: Bearer "+clientToken, "Content-Type: application/json", "Content-Length: 100")+`{"half":`)
				if listener == "hub" && (got.status < 400 && path != "/json/new" || post.status < 400 && path != "/browser-sandboxes") {
					t.Errorf("%s with half a body: %d %s, %d %s", path, got.status, got.body, post.status, post.body)
				}
			})
		}
	}
	all.Wait()
}

// TestR137BeforeALogin sends much before it is known who sends.
func TestR137BeforeALogin(t *testing.T) {
	s := start(t, func(f *Options) { withActions(f); withTokens(f) })
	address := "ws://" + s.addr(false) + "/ws"
	connect := func(size int) string {
		return padded(`{"jsonrpc":"2.0","id":1,"method":"connect","params":{"token":"`+clientToken+`"}}`, size)
	}
	for name, m := range map[string]string{"too much": connect(maxBeforeLogin + 1), "10 MiB": connect(actions.MaxRequest)} {
		c := dial(t, address, nil)
		c.send(m)
		if r := c.reason(); r.Code != 1009 {
			t.Errorf("%s before a login: %v", name, r)
		}
	}
	c := dial(t, address, nil)
	c.send(connect(maxBeforeLogin))
	if got := c.next(); !strings.Contains(got, `"result"`) {
		t.Errorf("a login as long as it may be: %s", got)
	}
	c.send(padded(`{"jsonrpc":"2.0","id":2,"method":"no.such"}`, actions.MaxRequest))
	if got := c.next(); !strings.Contains(got, "-32601") {
		t.Errorf("a long message after it: %.200s", got)
	}
}

// TestR137LoginsOfOneAddress has many connections that have yet to log in. What
// has logged in, or brings its token, does not count.
func TestR137LoginsOfOneAddress(t *testing.T) {
	s := start(t, func(f *Options) { withActions(f); withTokens(f) })
	silent := func() *far { return dial(t, "ws://"+s.addr(false)+"/ws", nil) }
	first := silent()
	for range maxLogins - 1 {
		silent()
	}
	if got := raw(t, s.addr(false), handshake("/ws")); got.status != 429 || !strings.Contains(got.body, "Authorization") {
		t.Errorf("one more: %d %s", got.status, got.body)
	}
	if got := raw(t, s.addr(false), handshake("/ws", "Authorization: Bearer "+clientToken)); got.status != 101 {
		t.Errorf("one with a token: %d %s", got.status, got.body)
	}
	first.send(`{"jsonrpc":"2.0","id":1,"method":"connect","params":{"token":"` + clientToken + `"}}`)
	if got := first.next(); !strings.Contains(got, `"result"`) {
		t.Fatalf("a login: %s", got)
	}
	silent()
}

// crowded is a server to each of whose listeners an address may have so many
// connections.
func crowded(t *testing.T, most int, change func(*Options)) started {
	t.Helper()
	return start(t, func(f *Options) {
		f.Limits.MaxConnections = most
		if change != nil {
			change(f)
		}
	})
}

// TestR138ConnectionsOfOneAddress opens more than there may be, silent ones and
// WebSockets.
func TestR138ConnectionsOfOneAddress(t *testing.T) {
	const most = 8
	s := crowded(t, most, nil)
	var conns []net.Conn
	open := func(first string) net.Conn {
		t.Helper()
		nc, err := net.Dial("tcp", s.addr(false))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { nc.Close() })
		nc.SetDeadline(time.Now().Add(within))
		io.WriteString(nc, first)
		return nc
	}
	for range most {
		nc := open(handshake("/devtools/browser"))
		if resp, err := http.ReadResponse(bufio.NewReader(nc), nil); err != nil || resp.StatusCode != 101 {
			t.Fatalf("%v, %v", resp, err)
		}
		conns = append(conns, nc)
	}
	refused := func() {
		t.Helper()
		resp, err := http.ReadResponse(bufio.NewReader(open("")), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 429 || !strings.Contains(string(body), "--max-connections") {
			t.Errorf("one too many: %d %s, %v", resp.StatusCode, body, err)
		}
	}
	refused()
	if status, _ := s.get(t, s.addr(true), "/agent.js", nil); status != 200 {
		t.Errorf("another listener: %d, want 200", status)
	}
	for _, nc := range conns {
		nc.Close()
	}
	await(t, "there is room again", func() bool {
		nc := open(asking("GET /health HTTP/1.1", "Host: localhost", "Connection: close"))
		defer nc.Close()
		resp, err := http.ReadResponse(bufio.NewReader(nc), nil)
		return err == nil && resp.StatusCode == 200
	})
}

// TestR138TrustedProxies has more connections come from a proxy, whose clients
// are others.
func TestR138TrustedProxies(t *testing.T) {
	for trusted, want := range map[string]int{"127.0.0.1": 20, "::ffff:127.0.0.0/104": 20, "192.0.2.0/24": 8} {
		s := crowded(t, 8, func(f *Options) { f.Tokens.TrustedProxies = []string{trusted} })
		served := 0
		for range 20 {
			nc, err := net.Dial("tcp", s.addr(false))
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			nc.SetDeadline(time.Now().Add(within))
			io.WriteString(nc, asking("GET /health HTTP/1.1", "Host: localhost", "X-Forwarded-For: 127.0.0.1"))
			if resp, err := http.ReadResponse(bufio.NewReader(nc), nil); err == nil && resp.StatusCode == 200 {
				served++
			}
		}
		if served != want {
			t.Errorf("with --trusted-proxy=%s %d of 20 are served, want %d", trusted, served, want)
		}
	}
}

// TestR138EveryListener counts connections of the admin listener, of TLS and of
// the proxied app.
func TestR138EveryListener(t *testing.T) {
	const most = 4
	_, addrs := everything(t, func(f *Options) { f.Limits.MaxConnections = most })
	for listener, addr := range addrs {
		for i := range 2 * most {
			nc, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			nc.SetDeadline(time.Now().Add(within))
			io.WriteString(nc, asking("GET /nothing HTTP/1.1", "Host: localhost"))
			resp, err := http.ReadResponse(bufio.NewReader(nc), nil)
			if err != nil {
				t.Fatalf("%s: %v", listener, err)
			}
			if (resp.StatusCode == 429) != (i >= most) {
				t.Errorf("%s: connection %d: %d", listener, i+1, resp.StatusCode)
			}
		}
	}
	s, admin := startTLS(t, t.TempDir(), tls.VersionTLS13, withOperators)
	for _, addr := range []string{s.addr(false), admin} {
		c, _, err := shake(addr, tls.VersionTLS13)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, asking("GET /health HTTP/1.1", "Host: localhost", "Connection: close"))
		if _, err := io.ReadAll(c); err != nil {
			t.Error(err)
		}
	}
}

// padded is a message with so many bytes.
func padded(message string, size int) string {
	return message + strings.Repeat(" ", size-len(message))
}
