package forward

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"time"
)

// hijackedAnswer is an answer whose connection httputil takes over for a WebSocket. From then
// on no server sets deadlines, and a peer that reads nothing would block the copy for
// ever: each write may take as long as writeTimeout.
type hijackedAnswer struct {
	http.ResponseWriter
	writeTimeout time.Duration
	taken        bool
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
	p := timedConn{Conn: conn, in: conn, writeTimeout: j.writeTimeout}
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

// timedConn is a connection whose writes may take only so long.
type timedConn struct {
	net.Conn
	in           io.Reader // the connection, and before it what came with the request
	writeTimeout time.Duration
}

// Read implements net.Conn.
func (p timedConn) Read(b []byte) (int, error) { return p.in.Read(b) }

// Write implements net.Conn. An error of SetWriteDeadline shows as an error of the
// write.
func (p timedConn) Write(b []byte) (int, error) {
	p.SetWriteDeadline(time.Now().Add(p.writeTimeout))
	return p.Conn.Write(b)
}

// CloseWrite passes on that the other side has ended its half.
func (p timedConn) CloseWrite() error {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
