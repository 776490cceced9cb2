package wsconn

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/wire"
)

func TestR13Handshakes(t *testing.T) {
	const key = "Sec-WebSocket-Key: "
	lines := func(lines ...string) string { return strings.Join(lines, "\r\n") }
	const up, conn, v13 = "Upgrade: websocket", "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13"
	tests := []struct {
		name   string
		first  string
		lines  string
		status int // on the path for Hosts
		any    int // where any key goes
	}{
		{"good", "GET / HTTP/1.1", lines(up, conn, v13, key+goodNonce), 101, 101},
		{"other case", "GET / HTTP/1.1", lines("upgrade: WebSocket", "connection: upgrade", v13, key+goodNonce), 101, 101},
		{"compression and a subprotocol offered", "GET / HTTP/1.1", lines(up, conn, v13, key+goodNonce,
			"Sec-WebSocket-Extensions: permessage-deflate", "Sec-WebSocket-Protocol: a, b"), 101, 101},
		{"key nil", "GET / HTTP/1.1", lines(up, conn, v13, key+"nil"), 400, 101},
		{"short key", "GET / HTTP/1.1", lines(up, conn, v13, key+"dGhlIHNhbXBsZSBub25j"), 400, 101},
		{"empty key", "GET / HTTP/1.1", lines(up, conn, v13, key), 400, 400},
		{"no key", "GET / HTTP/1.1", lines(up, conn, v13), 400, 400},
		{"two keys", "GET / HTTP/1.1", lines(up, conn, v13, key+goodNonce, key+goodNonce), 400, 400},
		{"version 12", "GET / HTTP/1.1", lines(up, conn, "Sec-WebSocket-Version: 12", key+goodNonce), 426, 426},
		{"no version", "GET / HTTP/1.1", lines(up, conn, key+goodNonce), 400, 400},
		{"no upgrade", "GET / HTTP/1.1", v13, 426, 426},
		{"HTTP/1.0", "GET / HTTP/1.0", lines(up, conn, v13, key+goodNonce), 505, 505},
		{"POST", "POST / HTTP/1.1", lines(up, conn, v13, key+goodNonce, "Content-Length: 0"), 405, 405},
	}
	for _, side := range []struct {
		name string
		opts Options
	}{{"host", Options{}}, {"client", Options{AnyKey: true}}} {
		addr, _ := echo(t, side.opts, false)
		for _, tt := range tests {
			t.Run(side.name+"/"+tt.name, func(t *testing.T) {
				want := tt.status
				if side.opts.AnyKey {
					want = tt.any
				}
				nc, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				defer nc.Close()
				// The first frame comes in the same segment.
				fmt.Fprintf(nc, "%s\r\nHost: x\r\n%s\r\n\r\n%s", tt.first, tt.lines, text("early"))
				br := bufio.NewReader(nc)
				resp, err := http.ReadResponse(br, nil)
				if err != nil {
					t.Fatal(err)
				}
				if resp.StatusCode != want {
					t.Fatalf("status %d, want %d", resp.StatusCode, want)
				}
				if body, _ := io.ReadAll(resp.Body); tt.name == "no upgrade" && !strings.Contains(string(body), "a proxy on the way has not passed on the headers Upgrade and Connection") {
					t.Errorf("what is to do: %s", body)
				}
				if want == 426 && resp.Header.Get("Sec-WebSocket-Version") != "13" {
					t.Error("426 does not name version 13")
				}
				if want != 101 {
					return
				}
				if a := resp.Header.Get("Sec-WebSocket-Accept"); strings.Contains(tt.lines, goodNonce) && a != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
					t.Errorf("Sec-WebSocket-Accept is %q", a)
				}
				if resp.Header.Get("Sec-WebSocket-Extensions")+resp.Header.Get("Sec-WebSocket-Protocol") != "" {
					t.Errorf("something was accepted: %v", resp.Header)
				}
				if f, err := ws.ReadFrame(br); err != nil || string(f.Payload) != "early" {
					t.Errorf("the early frame was answered with %q, %v", f.Payload, err)
				}
			})
		}
	}
}

func TestR21SubprotocolIsAnswered(t *testing.T) {
	addr, _ := echo(t, Options{Subprotocol: "bearer.x"}, false)
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	fmt.Fprintf(nc, "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: %s\r\nSec-WebSocket-Protocol: a, bearer.x\r\n\r\n", goodNonce)
	resp, err := http.ReadResponse(bufio.NewReader(nc), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.Header.Values("Sec-WebSocket-Protocol"); resp.StatusCode != 101 || len(got) != 1 || got[0] != "bearer.x" {
		t.Errorf("%s with %q, want 101 with bearer.x", resp.Status, got)
	}
}

// TestBarePeer closes on a peer that knows text frames only: it must see
// none but those.
func TestBarePeer(t *testing.T) {
	addr, ended := echo(t, Options{AnyKey: true}, false)
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	fmt.Fprintf(nc, "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: nil\r\n\r\n%s", join(raw(true, ws.OpPing, "p"), text("a"), raw(true, ws.OpClose, "\x03\xe8")))
	br := bufio.NewReader(nc)
	if _, err := http.ReadResponse(br, nil); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(br)
	if err != nil || string(rest) != "\x81\x01a" {
		t.Errorf("got %q, %v; want one text frame", rest, err)
	}
	nc.Close()
	if r := <-ended; r != ReasonNormal {
		t.Errorf("ended with %v, want %v", r, ReasonNormal)
	}
}

func TestDial(t *testing.T) {
	addr, ended := echo(t, Options{}, false)
	c, err := Dial(t.Context(), "ws://"+addr, http.Header{"X-Test": {"1"}}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"", "a", strings.Repeat("é", 100), strings.Repeat("0123456789", 20000), strings.Repeat("x", 3<<20)}
	got := make(chan string, len(want))
	done := make(chan Reason, 1)
	go func() { done <- c.Serve(t.Context(), func(m []byte) { got <- string(m) }) }()
	for _, m := range want {
		half := len(m) / 2
		c.Deliver(wire.Frame{Head: []byte(m[:half]), Tail: []byte(m[half:])})
	}
	for _, m := range want {
		if g := <-got; g != m {
			t.Errorf("%d bytes came back as %d others", len(m), len(g))
		}
	}
	c.Close(Reason{3001, "bye"})
	if r := <-done; r != (Reason{3001, "bye"}) {
		t.Errorf("our end: %v", r)
	}
	if r := <-ended; r != (Reason{3001, "bye"}) {
		t.Errorf("the far end: %v", r)
	}
}

func TestDialRefused(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	_, err := Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), nil, Limits{})
	var status StatusError
	if !errors.As(err, &status) || status != 404 || !strings.HasSuffix(err.Error(), "404: 404 page not found") {
		t.Errorf("got %v, want status 404 and the text of the answer", err)
	}
}

// TestIdleMemory measures both ends of idle connections that have been busy:
// no buffer may be left with them. Two stacks of 4 KiB are most of it, and the
// race detector adds some.
func TestIdleMemory(t *testing.T) {
	const conns = 200
	addr, _ := echo(t, Options{}, false)
	before := heap()
	for range conns {
		c, err := Dial(t.Context(), "ws://"+addr, nil, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan struct{})
		go c.Serve(t.Context(), func([]byte) { got <- struct{}{} })
		for _, size := range []int{300, 256 << 10, 300} {
			c.Deliver(wire.Frame{Body: make([]byte, size)})
			<-got
		}
	}
	each := (heap() - before) / conns / 2
	t.Logf("%d bytes a connection", each)
	if each > 15<<10 {
		t.Errorf("%d bytes a connection, want at most 15 KiB", each)
	}
}

func TestDeliverAllocates(t *testing.T) {
	s, c := Pipe(Limits{}, Limits{})
	go s.Serve(t.Context(), func([]byte) {})
	go c.Serve(t.Context(), func([]byte) {})
	f := wire.Frame{Head: []byte(`{"method":"A.b","params":`), Body: []byte("{}"), Tail: []byte("}")}
	for range 1000 {
		s.Deliver(f)
	}
	if n := testing.AllocsPerRun(2000, func() { s.Deliver(f) }); n > 0 {
		t.Errorf("Deliver allocates %v times, want 0", n)
	}
}

func BenchmarkEcho(b *testing.B) {
	for _, size := range []int{100, 4 << 10, 256 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c, err := Upgrade(w, r, Options{}); err == nil {
					c.Serve(context.Background(), func(m []byte) { c.Deliver(wire.Frame{Body: m}) })
				}
			}))
			defer s.Close()
			c, err := Dial(b.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), nil, Limits{})
			if err != nil {
				b.Fatal(err)
			}
			const window = 16
			slots := make(chan struct{}, window)
			go c.Serve(b.Context(), func([]byte) { <-slots })
			f := wire.Frame{Body: make([]byte, size)}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				slots <- struct{}{}
				c.Deliver(f)
			}
		})
	}
}

func TestGoodKey(t *testing.T) {
	for key, want := range map[string]bool{
		goodNonce: true, "nil": false, "": false, base64.StdEncoding.EncodeToString(make([]byte, 17)): false,
	} {
		if got := goodKey(key); got != want {
			t.Errorf("goodKey(%q) is %v, want %v", key, got, want)
		}
	}
}

// TestDialErrors wants errors that say what to do something about, and frames
// behind the answer to be there.
func TestDialErrors(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	why := errors.New("nobody waits any more")
	over, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	soon, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer secure.Close()
	for name, tt := range map[string]struct {
		ctx       context.Context
		url, want string
	}{
		"no WebSocket":    {t.Context(), "http://h/", `dial: scheme "http" is neither ws nor wss`},
		"no URL":          {t.Context(), "ws://%", "dial: parse"},
		"nobody there":    {t.Context(), "ws://127.0.0.1:1/x?token=secret", "dial: dial tcp 127.0.0.1:1: "},
		"context over":    {over, "ws://" + silent.Addr().String(), why.Error()},
		"no answer":       {soon, "ws://" + silent.Addr().String() + "/x", "dial " + silent.Addr().String() + ": " + context.DeadlineExceeded.Error()},
		"bad certificate": {t.Context(), "wss" + strings.TrimPrefix(secure.URL, "https"), "certificate"},
	} {
		c, err := Dial(tt.ctx, tt.url, nil, Limits{})
		if c != nil || err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// TestDialHandshake looks at what is asked, and sends frames right behind the
// answer.
func TestDialHandshake(t *testing.T) {
	asked := make(chan *http.Request, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		nc, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer nc.Close()
		fmt.Fprintf(nc, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: b\r\nSec-WebSocket-Accept: %s\r\n\r\n%s",
			acceptKey(r.Header.Get("Sec-WebSocket-Key")), "\x81\x01a\x81\x01b\x88\x02\x03\xe8")
	}))
	defer s.Close()
	given := http.Header{"Host": {"app.example"}, "Origin": {"http://a"}, "sec-WebSocket-protocol": {"a, b"}}
	c, err := Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/x%2Fy?q=1#z", given, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if why := c.Serve(t.Context(), func(m []byte) { got += string(m) }); why != ReasonNormal || got != "ab" {
		t.Errorf("got %q, ended with %v", got, why)
	}
	r := <-asked
	if r.Host != "app.example" || r.RequestURI != "/x%2Fy?q=1" || r.Header.Get("Origin") != "http://a" || !hasToken(r.Header, "Sec-WebSocket-Protocol", "b") {
		t.Errorf("asked for %s of %s with %v", r.RequestURI, r.Host, r.Header)
	}
	if len(given) != 3 {
		t.Errorf("the caller's header became %v", given)
	}
}
