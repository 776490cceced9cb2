package link

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay/quota"
)

// peer is the other end of a pipe, which speaks frames itself.
type peer struct {
	t    *testing.T
	conn *wsconn.Conn
	got  chan frame
	why  chan wsconn.Reason
}

// newPeer lets a pipe go on with a peer that has received up to a position.
func newPeer(t *testing.T, p *Pipe, epoch, has uint64) *peer {
	t.Helper()
	if _, err := p.fence(epoch); err != nil {
		t.Fatal(err)
	}
	own := Limits()
	own.MaxPending = 8 * window
	ours, theirs := wsconn.Pipe(Limits(), own)
	if err := p.attach(ours, epoch, has); err != nil {
		t.Fatal(err)
	}
	r := &peer{t, theirs, make(chan frame, 10_000), make(chan wsconn.Reason, 1)}
	theirs.HandleBinary(func(m []byte) {
		f, ok := readFrame(bytes.Clone(m))
		if !ok {
			t.Errorf("a frame of %d bytes came", len(m))
		}
		r.got <- f
	})
	go func() { p.detach(ours, ours.Serve(context.Background(), p.Text)) }()
	go func() { r.why <- theirs.Serve(context.Background(), func([]byte) {}) }()
	return r
}

func (r *peer) send(f frame) { r.conn.DeliverBinary(wsconn.Frame{Head: f.head(), Body: f.data}) }

// newTestPipe is a pipe within a bubble of synctest, where nothing may be left.
func newTestPipe(t *testing.T, grace time.Duration, b *wsconn.Budget) *Pipe {
	p := newPipe(address("a"), address("b"), grace, b, quota.Payer{}, nil)
	t.Cleanup(func() { p.End(net.ErrClosed, wsconn.ReasonGone) })
	return p
}

// TestTwice sends bytes twice, in part and as a whole, and wants them once.
func TestTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPipe(t, time.Minute, nil)
		r := newPeer(t, p, 1, 0)
		for _, f := range []frame{
			{limit: window, data: []byte("abc")},
			{limit: window, data: []byte("abc")},
			{limit: window, offset: 1, data: []byte("bcdef")},
			{limit: window, offset: 2, data: []byte("cd")},
			{limit: window, offset: 6, data: []byte("g"), end: true},
			{limit: window, offset: 6, data: []byte("g"), end: true},
			{limit: window, offset: 8},
		} {
			r.send(f)
		}
		got, err := io.ReadAll(p)
		if string(got) != "abcdefg" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		p.End(net.ErrClosed, wsconn.ReasonNormal)
		if why := <-r.why; why != wsconn.ReasonNormal {
			t.Errorf("ended with %v", why)
		}
	})
}

// TestFramesThatCannotBe ends links whose peer breaks the protocol.
func TestFramesThatCannotBe(t *testing.T) {
	for name, frames := range map[string][]frame{
		"a gap":                     {{offset: 1, data: []byte("x")}},
		"an ack of what was unsent": {{ack: 1}},
		"an ack that falls":         {{ack: 3, limit: window}, {ack: 2}},
		"bytes behind the end":      {{end: true}, {offset: 1, data: []byte("x")}},
		"more than the window":      tooMuch(),
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newTestPipe(t, time.Minute, nil)
			r := newPeer(t, p, 1, 0)
			p.Write([]byte("abc"))
			if name == "an ack of what was unsent" {
				frames[0].ack = 4
			}
			synctest.Wait() // the three bytes are sent
			for _, f := range frames {
				r.send(f)
			}
			if why := <-r.why; why != wsconn.ReasonProtocol {
				t.Errorf("%s: ended with %v", name, why)
			}
			if !errors.Is(p.Err(), ErrProtocol) {
				t.Errorf("%s: %v", name, p.Err())
			}
		})
	}
}

// tooMuch is a window and a byte.
func tooMuch() (frames []frame) {
	for at := 0; at <= window; at += chunk {
		frames = append(frames, frame{offset: uint64(at), data: make([]byte, chunk)})
	}
	return frames
}

// settle waits until nothing moves any more: a busy reader pauses now and then.
func settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

// TestFlowControl writes to a peer that reads nothing, and then to one that has gone:
// no more is sent than its window, and no more kept than the limit.
func TestFlowControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := wsconn.NewBudget(1 << 30)
		p := newTestPipe(t, time.Minute, b)
		r := newPeer(t, p, 1, 0)
		done := make(chan error, 1)
		go func() {
			_, err := p.Write(make([]byte, maxKept+window+1))
			done <- err
		}()
		settle()
		sent := 0
		for len(r.got) > 0 {
			f := <-r.got
			sent += len(f.data)
		}
		if sent != window || b.Used() < maxKept {
			t.Errorf("%d bytes were sent, and %d count against the budget", sent, b.Used())
		}
		r.send(frame{ack: window, limit: 100 * window})
		settle()
		r.conn.Close(wsconn.ReasonGone)
		settle()
		select {
		case <-done:
			t.Error("the write did not wait for a link that is lost")
		default:
		}
		r = newPeer(t, p, 2, 3*window)
		r.send(frame{ack: 3 * window, limit: 100 * window})
		if err := <-done; err != nil {
			t.Error(err)
		}
		f := <-r.got
		if f.offset != 3*window {
			t.Errorf("the first frame is at %d, want %d", f.offset, 3*window)
		}
		p.End(net.ErrClosed, wsconn.ReasonGone)
		<-r.why
		if b.Used() != 0 {
			t.Errorf("%d bytes count that nobody keeps", b.Used())
		}
	})
}

// TestNewerWins lets two WebSockets fight for a link.
func TestNewerWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPipe(t, time.Minute, nil)
		old := newPeer(t, p, 3, 0)
		newer := newPeer(t, p, 5, 0)
		if why := <-old.why; why != wsconn.ReasonLinkMoved {
			t.Errorf("the older one ended with %v", why)
		}
		old.send(frame{limit: window, data: []byte("old")})
		newer.send(frame{limit: window, data: []byte("new"), end: true})
		if got, err := io.ReadAll(p); string(got) != "new" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		for _, epoch := range []uint64{1, 3, 5} {
			if _, err := p.fence(epoch); !errors.Is(err, ErrStale) {
				t.Errorf("epoch %d: %v", epoch, err)
			}
		}
	})
}

// TestDeadlinesStand loses the link for longer than a deadline.
func TestDeadlinesStand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPipe(t, time.Hour, nil)
		r := newPeer(t, p, 1, 0)
		begun := time.Now()
		p.SetReadDeadline(begun.Add(10 * time.Second))
		time.AfterFunc(4*time.Second, func() { r.conn.Close(wsconn.ReasonGone) })
		time.AfterFunc(64*time.Second, func() { newPeer(t, p, 2, 0) })
		_, err := p.Read(make([]byte, 1))
		if took := time.Since(begun); !errors.Is(err, os.ErrDeadlineExceeded) || took != 70*time.Second {
			t.Errorf("%v after %v, want a minute and 10 s", err, took)
		}
		p.SetWriteDeadline(time.Now().Add(-time.Second))
		if _, err := p.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a deadline in the past: %v", err)
		}
		p.End(net.ErrClosed, wsconn.ReasonGone)
	})
}

// TestCloseDelivers closes a pipe while it is lost: what was written still arrives.
func TestCloseDelivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPipe(t, time.Minute, nil)
		p.Write([]byte("last words"))
		p.Close()
		if _, err := p.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a write after Close: %v", err)
		}
		r := newPeer(t, p, 1, 0)
		f := <-r.got
		if string(f.data) != "last words" || !f.end {
			t.Errorf("%q, end %v", f.data, f.end)
		}
		r.send(frame{limit: window, data: []byte("nobody reads it")})
		r.send(frame{limit: window, offset: 15, ack: 11})
		if why := <-r.why; why != wsconn.ReasonNormal {
			t.Errorf("ended with %v", why)
		}
	})
}

// FuzzReceive sends messages to a pipe that has sent three bytes: it must neither
// panic nor take more than its window.
func FuzzReceive(f *testing.F) {
	f.Add(append(frame{limit: window, data: []byte("x")}.head(), 'x'), []byte("y"))
	f.Add(frame{ack: 3, limit: 1 << 63, end: true}.head(), frame{offset: 1, ack: 2}.head())
	f.Fuzz(func(t *testing.T, first, second []byte) {
		p := newPipe(address("a"), address("b"), time.Hour, nil, quota.Payer{}, nil)
		defer p.End(net.ErrClosed, wsconn.ReasonGone)
		c, _ := wsconn.Pipe(Limits(), Limits())
		p.fence(1)
		p.attach(c, 1, 0)
		p.Write([]byte("abc"))
		for _, m := range [][]byte{first, second, first} {
			p.receive(c, m)
			p.mu.Lock()
			if p.unread.len() > window || p.acked > p.end() || p.received > p.read+window+1 {
				t.Errorf("%d unread, acked %d, received %d, read %d", p.unread.len(), p.acked, p.received, p.read)
			}
			p.mu.Unlock()
		}
	})
}

// FuzzHello reads handshakes.
func FuzzHello(f *testing.F) {
	f.Add(Protocol, strings.Repeat("k", 26), "1", "0")
	f.Add("x", "", "-1", "18446744073709551616")
	f.Fuzz(func(t *testing.T, protocol, key, epoch, received string) {
		in := http.Header{headerProtocol: {protocol}, headerKey: {key}, headerEpoch: {epoch}, headerReceived: {received}}
		hello, err := ReadHello(in)
		if err != nil {
			return
		}
		out := http.Header{}
		hello.set(out)
		if again, err := ReadHello(out); err != nil || again != hello {
			t.Errorf("%v became %v, %v", hello, again, err)
		}
	})
}
