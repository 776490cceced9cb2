// Package hubtest speaks to a hub from outside, for tests: over WebSockets as a
// Client or a Host, and over HTTP byte for byte.
package hubtest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// Within is how long a test waits for what must come, on a machine that has much else to do.
const Within = 3 * time.Minute

// peerLimits are the limits of a Peer, which waits for a slow machine: the hub is what ends
// connections.
var peerLimits = wsconn.Limits{MaxMessage: 512 << 20, PingEvery: time.Hour, WriteTimeout: Within, MessageTimeout: 10 * Within}

// Ready is the first message of a Host that has one target, T1.
const Ready = `{"kind":"ready","v":1,"targets":[{"targetId":"T1","title":"One","url":"http://app/1"}]}`

// Peer is the far end of a WebSocket to the hub.
type Peer struct {
	T      testing.TB
	Conn   *wsconn.Conn
	Got    chan string // messages; nil when a function takes them
	Closed chan wsconn.Reason
}

// Dial connects until the test ends.
func Dial(t testing.TB, url string, header http.Header) *Peer {
	t.Helper()
	got := make(chan string, 1000)
	p := DialTo(t, url, header, func(m []byte) { got <- string(m) })
	p.Got = got
	return p
}

// DialTo is Dial with a function for each message.
func DialTo(t testing.TB, url string, header http.Header, handle func([]byte)) *Peer {
	t.Helper()
	conn, err := wsconn.Dial(t.Context(), url, header, peerLimits)
	if err != nil {
		t.Fatalf("dial %s: %v", url, err)
	}
	return servePeer(&Peer{T: t, Conn: conn}, handle)
}

// Over is a Peer at the end of a connection, such as of a wsconn.Pipe.
func Over(t testing.TB, conn *wsconn.Conn) *Peer {
	p := &Peer{T: t, Conn: conn, Got: make(chan string, 1000)}
	return servePeer(p, func(m []byte) { p.Got <- string(m) })
}

// servePeer has a Peer take messages until the test ends.
func servePeer(p *Peer, handle func([]byte)) *Peer {
	p.Closed = make(chan wsconn.Reason, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Closed <- p.Conn.Serve(context.Background(), handle)
	}()
	p.T.Cleanup(func() {
		p.Conn.Close(wsconn.ReasonNormal)
		for {
			select {
			case <-ended:
				return
			case <-p.Got: // of more messages than Got holds, Serve would wait with the next for ever
			}
		}
	})
	return p
}

// Send sends one message.
func (p *Peer) Send(m string) { p.Conn.Deliver(wire.Frame{Head: []byte(m)}) }

// Next is the next message, which must come some time.
func (p *Peer) Next() string {
	p.T.Helper()
	select {
	case m := <-p.Got:
		return m
	case <-time.After(Within):
		p.T.Fatal("no message came")
		return ""
	}
}

// Wants takes the next message, which must be m.
func (p *Peer) Wants(m string) {
	p.T.Helper()
	if got := p.Next(); got != m {
		p.T.Errorf("got  %s\nwant %s", got, m)
	}
}

// Until skips messages up to one that contains want.
func (p *Peer) Until(want string) string {
	p.T.Helper()
	for {
		if m := p.Next(); strings.Contains(m, want) {
			return m
		}
	}
}

// Attach attaches to a target and returns the session. Its command has the id
// 1000.
func (p *Peer) Attach(target string) (session string) {
	p.T.Helper()
	p.Send(`{"id":1000,"method":"Target.attachToTarget","params":{"targetId":"` + target + `","flatten":true}}`)
	var answer struct{ Result struct{ SessionID string } }
	text := p.Until(`"id":1000`)
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Result.SessionID == "" {
		p.T.Fatalf("%s: %v", text, err)
	}
	return answer.Result.SessionID
}

// Reason waits until the connection has ended, and is why.
func (p *Peer) Reason() wsconn.Reason {
	p.T.Helper()
	select {
	case r := <-p.Closed:
		return r
	case <-time.After(Within):
		p.T.Fatal("the connection was not closed")
		return wsconn.Reason{}
	}
}

// Bearer is the header that brings a token.
func Bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// Answer is what a listener answers to a request.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Raw sends bytes as they stand and reads one answer.
func Raw(t testing.TB, addr, request string) Answer {
	t.Helper()
	network, at := networkOf(addr)
	nc, err := net.Dial(network, at)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(Within))
	go io.WriteString(nc, request) //nolint:errcheck // a listener that refuses need not read it all
	resp, err := http.ReadResponse(bufio.NewReader(nc), nil)
	if err != nil {
		t.Fatalf("%.200q: %v", request, err)
	}
	defer resp.Body.Close()
	a := Answer{Status: resp.StatusCode, Header: resp.Header}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		a.Body = string(body)
	}
	return a
}

// Request is a request with one header a line.
func Request(first string, lines ...string) string {
	return first + "\r\n" + strings.Join(append(lines, "", ""), "\r\n")
}

// Handshake is a request for a WebSocket.
func Handshake(path string, lines ...string) string {
	return Request("GET "+path+" HTTP/1.1", append([]string{
		"Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
		"Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
	}, lines...)...)
}
