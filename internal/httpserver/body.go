package httpserver

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// BodyRate is how fast a request body must come. The server waits for Within in all,
// and one second more for each PerSecond bytes that have come. The time that the
// handler takes between two reads does not count.
type BodyRate struct {
	Within    time.Duration
	PerSecond int64 // bytes
}

// limitBodies holds every body to that rate, whether its handler reads it or not:
// net/http itself reads the rest before it answers, or before it takes the next
// request.
func limitBodies(rate BodyRate, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		a := &ownAnswer{ResponseWriter: w}
		b := &limitedBody{ReadCloser: r.Body, conn: a, rate: rate}
		b.arm()
		defer b.leave()
		with := r.WithContext(r.Context()) // net/http knows the body by its own request
		with.Body = b
		next.ServeHTTP(a, with)
	})
}

// errSlowBody is what a handler gets for a body that does not come.
var errSlowBody = errors.New("the body of the request did not come in time")

type limitedBody struct {
	io.ReadCloser
	conn *ownAnswer // static, as is rate
	rate BodyRate

	mu     sync.Mutex `stays:"goes with its request"` // guards everything below
	come   int64
	waited time.Duration
	ended  bool // the deadline is not to be touched any more
}

// arm sets the deadline by which the next bytes must come.
func (b *limitedBody) arm() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		left := b.rate.Within + time.Duration(b.come/b.rate.PerSecond)*time.Second - b.waited
		b.conn.readUntil(time.Now().Add(left))
	}
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	b.arm()
	began := time.Now()
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	b.come += int64(n)
	b.waited += time.Since(began)
	b.mu.Unlock()
	switch {
	case errors.Is(err, io.EOF):
		b.end()
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = errSlowBody
	}
	return n, err
}

// Close implements io.Closer. It may read what is left.
func (b *limitedBody) Close() error {
	b.arm()
	err := b.ReadCloser.Close()
	if err == nil {
		b.end()
	}
	return err
}

// end lifts the deadline, when all has come: net/http goes on reading, to learn
// when the peer has gone.
func (b *limitedBody) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		b.ended = true
		b.conn.readUntil(time.Time{})
	}
}

// leave has the rest of the body come at the same rate after the handler has
// returned. A transport that still reads the body does not touch the connection any
// more.
func (b *limitedBody) leave() {
	b.arm()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
}

// limitAnswers gives the peer writeWithin for each part of an answer, so that a peer
// that reads nothing does not hold the connection for ever.
func limitAnswers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &limitedAnswer{ownAnswer{ResponseWriter: w}}
		t.arm()
		defer t.arm()
		next.ServeHTTP(t, r)
	})
}

type limitedAnswer struct{ ownAnswer }

func (t *limitedAnswer) arm() { t.writeUntil(time.Now().Add(writeWithin)) }

// WriteHeader implements http.ResponseWriter.
func (t *limitedAnswer) WriteHeader(status int) {
	t.arm()
	t.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (t *limitedAnswer) Write(p []byte) (int, error) {
	t.arm()
	return t.ResponseWriter.Write(p)
}

// ownAnswer is an answer over a connection whose deadlines this package sets, until
// the connection is taken over for a WebSocket.
type ownAnswer struct {
	http.ResponseWriter
	over atomic.Bool
}

// Unwrap is for http.ResponseController.
func (a *ownAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Hijack implements http.Hijacker.
func (a *ownAnswer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	a.over.Store(true)
	return http.NewResponseController(a.ResponseWriter).Hijack()
}

func (a *ownAnswer) readUntil(at time.Time) {
	if !a.over.Load() {
		http.NewResponseController(a.ResponseWriter).SetReadDeadline(at) //nolint:errcheck // a connection without deadlines
	}
}

func (a *ownAnswer) writeUntil(at time.Time) {
	if !a.over.Load() {
		http.NewResponseController(a.ResponseWriter).SetWriteDeadline(at) //nolint:errcheck // likewise
	}
}
