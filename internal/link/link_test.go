package link

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// hub serves a table of links over HTTP.
type hub struct {
	table Table
	pipes chan *Pipe
	url   string
}

func newHub(t *testing.T, grace time.Duration) *hub {
	t.Helper()
	budget := wsconn.NewBudget(1 << 30)
	h := &hub{table: Table{Grace: grace, Most: 8, Budget: budget}, pipes: make(chan *Pipe, 64)}
	s := httptest.NewServer(h)
	h.url = "ws" + strings.TrimPrefix(s.URL, "http")
	t.Cleanup(func() {
		done, cancel := context.WithCancel(context.Background())
		cancel()
		h.table.Close(done, net.ErrClosed, wsconn.ReasonShutdown)
		s.Close()
		heldtest.WaitsForNothing(t, "the table of links", heldtest.Of(&h.table))
		heldtest.WaitsForNothing(t, "the budget of links", heldtest.Of(budget))
	})
	return h
}

// ServeHTTP implements http.Handler.
func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	hello, err := ReadHello(r.Header)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	j, err := h.table.Join(hello, Peer{Owner: r.Header.Get("Authorization"), Place: "here", Local: address("hub"), Remote: address(r.RemoteAddr)})
	if err != nil {
		http.Error(w, err.Error(), map[error]int{ErrGone: 410, ErrOther: 403, ErrFull: 429, ErrStale: 409}[err])
		return
	}
	if j.Fresh {
		h.pipes <- j.Pipe
	}
	c, err := wsconn.Upgrade(w, r, wsconn.Options{Subprotocol: Protocol, Header: j.Answer, Limits: Limits()})
	if err != nil {
		return
	}
	j.Attach(c)
	j.Detach(c, c.Serve(context.Background(), j.Pipe.Text))
}

func (h *hub) addr() string { return strings.TrimPrefix(h.url, "ws://") }

// dial makes a link by way of an address.
func dial(t *testing.T, at string) *Pipe {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	p, err := Dialer{URL: "ws://" + at + "/link", first: time.Millisecond, most: 50 * time.Millisecond}.Dial(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(net.ErrClosed, wsconn.ReasonNormal) })
	return p
}

// network is a TCP proxy with faults.
type network struct {
	addr string

	mu    sync.Mutex
	conns []net.Conn
	count int
	cut   func(conn int) (up, down int) // bytes after which a connection is cut; negative: never
}

func newNetwork(t *testing.T, to string, cut func(conn int) (up, down int)) *network {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{addr: ln.Addr().String(), cut: cut}
	t.Cleanup(func() {
		ln.Close()
		n.reset()
	})
	go func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			n.mu.Lock()
			up, down := n.cut(n.count)
			n.count++
			n.conns = append(n.conns, near, far)
			n.mu.Unlock()
			go pass(far, near, up)
			go pass(near, far, down)
		}
	}()
	return n
}

// pass passes so many bytes on, and then resets both connections.
func pass(to, from net.Conn, most int) {
	if most < 0 {
		io.Copy(to, from)
	} else {
		io.CopyN(to, from, int64(most))
	}
	for _, c := range []net.Conn{to, from} {
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
}

// reset cuts all connections.
func (n *network) reset() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.conns {
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
	n.conns = nil
}

func perfect(int) (up, down int) { return -1, -1 }

// exchange sends bytes over a new link both ways, and wants each end to have what
// the other has sent, and the end of it.
func exchange(t *testing.T, near, far *Pipe, up, down []byte) {
	t.Helper()
	var all sync.WaitGroup
	for _, way := range []struct {
		from, to *Pipe
		data     []byte
	}{{near, far, up}, {far, near, down}} {
		all.Go(func() {
			for rest := way.data; len(rest) > 0; {
				n := min(len(rest), 1+rand.IntN(100_000))
				if _, err := way.from.Write(rest[:n]); err != nil {
					t.Errorf("write: %v", err)
					return
				}
				rest = rest[n:]
			}
			way.from.CloseWrite()
		})
		all.Go(func() {
			got, err := io.ReadAll(way.to)
			if err != nil || !bytes.Equal(got, way.data) {
				t.Errorf("%d bytes came of %d, equal: %v, %v", len(got), len(way.data), bytes.Equal(got, way.data), err)
			}
		})
	}
	all.Wait()
}

func noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return b
}

// TestCutAtEveryByte cuts the first three connections of a link after each number
// of bytes, in each direction: in the handshake, in frames, between them.
func TestCutAtEveryByte(t *testing.T) {
	h := newHub(t, time.Minute)
	step := hubtest.Amount(3, 1)
	up, down := noise(300), noise(200)
	for _, upwards := range []bool{true, false} {
		for n := 0; n < 900; n += step {
			lossy := newNetwork(t, h.addr(), func(conn int) (up, down int) {
				switch {
				case conn >= 3:
					return -1, -1
				case upwards:
					return n + conn, -1
				}
				return -1, n + conn
			})
			near := dial(t, lossy.addr)
			// An attempt whose answer was lost has left a link that nobody knows.
			far := h.accepted(t)
			exchange(t, near, far, up, down)
			near.End(net.ErrClosed, wsconn.ReasonNormal)
			far.End(net.ErrClosed, wsconn.ReasonNormal)
			h.drop()
			if t.Failed() {
				t.Fatalf("cut after %d bytes, upwards: %v", n, upwards)
			}
		}
	}
}

// accepted is the far end of the link that came last.
func (h *hub) accepted(t *testing.T) *Pipe {
	t.Helper()
	var last *Pipe
	for {
		select {
		case p := <-h.pipes:
			last = p
		case <-time.After(30 * time.Second):
			t.Fatal("no link came")
		}
		if len(h.pipes) == 0 {
			if last.attached() {
				return last
			}
			h.pipes <- last // it was cut, and is about to be back
			time.Sleep(time.Millisecond)
		}
	}
}

func (p *Pipe) attached() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conn != nil || p.received > 0
}

// drop ends the links that nobody knows.
func (h *hub) drop() {
	h.table.mu.Lock()
	var all []*Pipe
	for _, l := range h.table.links {
		all = append(all, l.Pipe)
	}
	h.table.mu.Unlock()
	for _, p := range all {
		if !p.attached() {
			p.End(ErrLost, wsconn.ReasonGone)
		}
	}
}

// TestManyCuts sends much both ways while the connections are cut at random.
func TestManyCuts(t *testing.T) {
	h := newHub(t, time.Minute)
	size := hubtest.Amount(12<<20, 200<<20)
	n := newNetwork(t, h.addr(), func(conn int) (up, down int) {
		if conn == 0 {
			return 400_000, -1
		}
		return 2000 + rand.IntN(1<<20), 2000 + rand.IntN(1<<20)
	})
	near := dial(t, n.addr)
	far := <-h.pipes
	exchange(t, near, far, noise(size), noise(size/2))
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count < 10 {
		t.Errorf("the network was cut %d times only", n.count)
	}
}

// TestEcho carries messages to and fro, as clients do, while all is cut now and then.
func TestEcho(t *testing.T) {
	h := newHub(t, time.Minute)
	n := newNetwork(t, h.addr(), perfect)
	near := dial(t, n.addr)
	far := <-h.pipes
	go func() {
		io.Copy(far, far)
		far.Close()
	}()
	sum, want := sha256.New(), sha256.New()
	b := make([]byte, 5000)
	for i := range 500 {
		if i%50 == 49 {
			n.reset()
		}
		m := noise(1 + rand.IntN(len(b)))
		want.Write(m)
		if _, err := near.Write(m); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(near, b[:len(m)]); err != nil {
			t.Fatal(err)
		}
		sum.Write(b[:len(m)])
	}
	if !bytes.Equal(sum.Sum(nil), want.Sum(nil)) {
		t.Error("what came back is not what was sent")
	}
}

// TestGoneForTooLong ends both ends of a link that does not come back.
func TestGoneForTooLong(t *testing.T) {
	h := newHub(t, time.Second)
	stop := false
	var mu sync.Mutex
	n := newNetwork(t, h.addr(), func(int) (int, int) {
		mu.Lock()
		defer mu.Unlock()
		if stop {
			return 0, 0
		}
		return -1, -1
	})
	near := dial(t, n.addr)
	far := <-h.pipes
	near.Write([]byte("x"))
	if _, err := far.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	stop = true
	mu.Unlock()
	n.reset()
	for name, p := range map[string]*Pipe{"near": near, "far": far} {
		if _, err := p.Read(make([]byte, 1)); !errors.Is(err, ErrLost) {
			t.Errorf("%s: %v, want %v", name, err, ErrLost)
		}
	}
	if n := h.table.Len(); n > 0 {
		time.Sleep(10 * time.Millisecond)
		if n = h.table.Len(); n > 0 {
			t.Errorf("%d links are left", n)
		}
	}
}

// TestRefused wants a dialler to end at once where another attempt is useless.
func TestRefused(t *testing.T) {
	h := newHub(t, time.Minute)
	hello := Hello{Key: strings.Repeat("k", minKey), Epoch: 1}
	j, err := h.table.Join(hello, Peer{Owner: "one"})
	if err != nil || !j.Fresh {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		owner string
		epoch uint64
		key   string
		want  error
	}{
		{"other", 2, hello.Key, ErrOther},
		{"one", 1, hello.Key, ErrStale},
		{"one", 2, strings.Repeat("z", minKey), ErrGone},
	} {
		if _, err := h.table.Join(Hello{Key: tt.key, Epoch: tt.epoch}, Peer{Owner: tt.owner}); !errors.Is(err, tt.want) {
			t.Errorf("%s, epoch %d: %v, want %v", tt.owner, tt.epoch, err, tt.want)
		}
	}
	for i := range h.table.Most {
		_, err = h.table.Join(Hello{Key: strings.Repeat(string(rune('a'+i)), minKey), Epoch: 1}, Peer{Owner: "one"})
	}
	if !errors.Is(err, ErrFull) {
		t.Errorf("%v, want %v", err, ErrFull)
	}
	for _, status := range []int{401, 403, 404, 410} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "because", status) }))
		_, err := Dialer{URL: "ws" + strings.TrimPrefix(s.URL, "http")}.Dial(t.Context())
		if got, _ := errors.AsType[wsconn.StatusError](err); int(got) != status || !strings.Contains(err.Error(), "because") {
			t.Errorf("%v, want %d", err, status)
		}
		s.Close()
	}
}
