package forward

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/cdphub/cdphub/internal/tcpstate"
)

// lookEvery is how often a forwarded WebSocket is looked at.
const lookEvery = 10 * time.Second

// hijackedAnswer is an answer whose connection httputil takes over for a WebSocket. From then
// on no server sets deadlines. A Client may stand still for as long as it likes: the owner
// counts what waits for it.
type hijackedAnswer struct {
	http.ResponseWriter
	owner net.Conn        // set before the connection is taken
	cut   <-chan struct{} // closed when the request is to end
	done  chan struct{}   // closed when it has been answered
	taken bool
}

// Unwrap is for http.ResponseController.
func (j *hijackedAnswer) Unwrap() http.ResponseWriter { return j.ResponseWriter }

// Hijack implements http.Hijacker.
func (j *hijackedAnswer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(j.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	j.taken = true
	go j.watchEnds(conn, lookEvery)
	p := earlyConn{Conn: conn, in: conn}
	// httputil.ReverseProxy reads from the net.Conn and not from the bufio.Reader.
	if n := rw.Reader.Buffered(); n > 0 { // a Client that has not waited for the answer; httputil forgets these bytes
		early, err := rw.Peek(n)
		if err != nil {
			return nil, nil, err
		}
		p.in = io.MultiReader(bytes.NewReader(bytes.Clone(early)), conn)
	}
	return p, rw, nil
}

// watchEnds closes the Client's connection when its system acknowledges nothing any more, or
// when the owner has reset its own, or some time after the request was cut: while a
// write to the Client waits, nothing else would notice.
func (j *hijackedAnswer) watchEnds(client net.Conn, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	cut := j.cut
	var last <-chan time.Time
	for {
		select {
		case <-j.done:
			return
		case <-cut:
			cut, last = nil, time.After(ownerEnds)
			continue
		case <-last:
		case <-tick.C:
			if tcpstate.Acknowledges(client, every) && !tcpstate.Closed(j.owner) {
				continue
			}
		}
		tcpstate.Socket(client).Close()
		return
	}
}

// earlyConn is a connection of which something was read already.
type earlyConn struct {
	net.Conn
	in io.Reader // the connection, and before it what came with the request
}

// Read implements net.Conn.
func (p earlyConn) Read(b []byte) (int, error) { return p.in.Read(b) }

// CloseWrite passes on that the other side has ended its half.
func (p earlyConn) CloseWrite() error {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
