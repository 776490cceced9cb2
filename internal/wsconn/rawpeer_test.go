package wsconn

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/wire"
)

// patience is how long a test waits for what should come at once.
const patience = 30 * time.Second

// raw is a frame as a client sends it.
func raw(fin bool, op ws.OpCode, payload string) []byte {
	return ws.MustCompileFrame(ws.MaskFrame(ws.NewFrame(op, fin, []byte(payload))))
}

func text(payload string) []byte { return raw(true, ws.OpText, payload) }

func join(frames ...[]byte) []byte { return bytes.Join(frames, nil) }

// announce is the header of a masked frame, with a mask of zeros, whose length
// takes 8 bytes.
func announce(fin bool, op ws.OpCode, length uint64) []byte {
	h := []byte{byte(op), 0xff}
	if fin {
		h[0] |= 0x80
	}
	return append(binary.BigEndian.AppendUint64(h, length), 0, 0, 0, 0)
}

// upgradeServer upgrades every request and hands the connection over.
func upgradeServer(t *testing.T, o Options, serve func(*Conn)) (addr string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := Upgrade(w, r, o); err == nil { // else it has been answered
			serve(c)
		}
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// server lets use set connections up before they are served, by Serve and by
// Start in turn. It reports how they end.
func server(t *testing.T, o Options, use func(*Conn) (handle func([]byte))) (addr string, ended chan Reason) {
	t.Helper()
	ended = make(chan Reason, 2000)
	o.Poller = NewPoller(time.Millisecond)
	t.Cleanup(o.Poller.Close)
	var served atomic.Int32
	return upgradeServer(t, o, func(c *Conn) {
		handle := use(c)
		if served.Add(1)%2 == 0 {
			go func() { ended <- c.Serve(context.Background(), handle) }()
			return
		}
		c.Start(context.Background(), handle, func(r Reason) { ended <- r })
	}), ended
}

// echo is a server that sends every message back, binary ones too where asked.
func echo(t *testing.T, o Options, withBinary bool) (addr string, ended chan Reason) {
	t.Helper()
	return server(t, o, func(c *Conn) func([]byte) {
		if withBinary {
			c.binary = func(m []byte) {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.queueLocked(ws.OpBinary, wire.Frame{Body: m})
			}
		}
		return func(m []byte) { c.Deliver(wire.Frame{Body: m}) }
	})
}

// rawPeer is the far end of a connection, byte by byte.
type rawPeer struct {
	net.Conn
	br *bufio.Reader
	t  *testing.T
}

const goodNonce = "dGhlIHNhbXBsZSBub25jZQ==" // of RFC 6455, section 1.3

// request is a good handshake, with further header lines.
func request(lines string) string {
	return "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + goodNonce + "\r\n" + lines + "\r\n"
}

// dialRaw does a handshake; early comes in the same segment, behind it.
func dialRaw(t *testing.T, addr, lines string, early []byte) (*rawPeer, *http.Response) {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	fmt.Fprintf(nc, "%s%s", request(lines), early)
	p := &rawPeer{nc, bufio.NewReader(nc), t}
	nc.SetReadDeadline(time.Now().Add(patience))
	resp, err := http.ReadResponse(p.br, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("handshake: status %d", resp.StatusCode)
	}
	return p, resp
}

// frame reads one frame; ok is false when there is no further one.
func (p *rawPeer) frame() (f ws.Frame, ok bool) {
	p.SetReadDeadline(time.Now().Add(patience))
	f, err := ws.ReadFrame(p.br)
	return f, err == nil
}

// code is the code in a close frame, 1005 in an empty one.
func code(f ws.Frame) uint16 {
	if len(f.Payload) < 2 {
		return 1005
	}
	return binary.BigEndian.Uint16(f.Payload)
}

// untilClose reads text messages and then the code of the close frame, 0
// without one.
func (p *rawPeer) untilClose() (messages []string, closed uint16) {
	for {
		switch f, ok := p.frame(); {
		case !ok:
			return messages, 0
		case f.Header.OpCode == ws.OpText:
			messages = append(messages, string(f.Payload))
		case f.Header.OpCode == ws.OpClose:
			return messages, code(f)
		}
	}
}

// wantEcho wants a message to come back.
func (p *rawPeer) wantEcho(message string) {
	p.t.Helper()
	p.Write(text(message))
	if f, ok := p.frame(); !ok || string(f.Payload) != message {
		p.t.Errorf("the echo of %q is %q (%v)", message, f.Payload, ok)
	}
}

// wantReason wants a connection of the server to have ended for a reason.
func wantReason(t *testing.T, ended <-chan Reason, want Reason) {
	t.Helper()
	select {
	case got := <-ended:
		if got != want {
			t.Errorf("the connection ended with %v, want %v", got, want)
		}
	case <-time.After(patience):
		t.Errorf("the connection did not end, want %v", want)
	}
}

// writeIn writes in steps of some bytes, until the other end closes.
func writeIn(w io.Writer, in []byte, step int) {
	for len(in) > 0 {
		n, err := w.Write(in[:min(step, len(in))])
		if err != nil {
			return
		}
		in = in[n:]
	}
}
