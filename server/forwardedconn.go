package server

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"time"
)

// joined is an answer whose connection httputil takes over for a WebSocket. From then
// on no server sets deadlines, and a peer that reads nothing would block the copy for
// ever: each write may take as long as patience says.
type joined struct {
	http.ResponseWriter
	patience time.Duration
	taken    bool
}

// Unwrap is for http.ResponseController.
func (j *joined) Unwrap() http.ResponseWriter { return j.ResponseWriter }

// Hijack implements http.Hijacker.
func (j *joined) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(j.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	j.taken = true
	p := patient{Conn: conn, in: conn, patience: j.patience}
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

// patient is a connection whose writes may take only so long.
type patient struct {
	net.Conn
	in       io.Reader // the connection, and before it what came with the request
	patience time.Duration
}

// Read implements net.Conn.
func (p patient) Read(b []byte) (int, error) { return p.in.Read(b) }

// Write implements net.Conn. An error of SetWriteDeadline shows as an error of the
// write.
func (p patient) Write(b []byte) (int, error) {
	p.SetWriteDeadline(time.Now().Add(p.patience))
	return p.Conn.Write(b)
}

// CloseWrite passes on that the other side has ended its half.
func (p patient) CloseWrite() error {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
