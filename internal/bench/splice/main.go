// Command splice is what the hub is compared with in the benchmark: a forwarder of
// WebSocket frames that reads none of them. It has the same connections as the hub
// (package wsconn), so that what the hub needs beyond it is needed for the messages.
//
//	/host?copies=N        the one Host; each of its frames goes N times to the newest Client
//	/client               a Client; each of its frames goes to the Host
//	/client?place=K&of=M  one of M Clients, to which the frames of the Host go in turn
//	/client?answer=A,B    one whose frames are answered here, by frames of A and B bytes
//	/client?answer=A&tell=2    likewise, and every 2nd goes to the Host too
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cdphub/cdphub/internal/bench/probe"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "splice:", err)
		os.Exit(1)
	}
}

// run listens on a free port of loopback, tells which on standard error in
// the form of the hub's log, and serves until ctx ends.
func run(ctx context.Context) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	probe.Listen()
	fmt.Fprintf(os.Stderr, `{"msg":"listening","addr":%q,"clients":true,"hosts":true}`+"\n", ln.Addr())
	s := newSplice(ctx)
	hs := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { hs.Close() })
	if err := hs.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// splice has the newest connection of each side.
type splice struct {
	ctx     context.Context // ends the connections
	host    *slot
	clients [maxClients]*slot
	of      atomic.Int32 // so many of them are used
}

const maxClients = 8

func newSplice(ctx context.Context) *splice {
	s := &splice{ctx: ctx, host: newSlot()}
	for i := range s.clients {
		s.clients[i] = newSlot()
	}
	s.of.Store(1)
	return s
}

// slot is a place for a connection.
type slot struct {
	conn  atomic.Pointer[wsconn.Conn]
	once  sync.Once
	taken chan struct{} // closed by the first connection
}

func newSlot() *slot { return &slot{taken: make(chan struct{})} }

func (s *slot) put(conn *wsconn.Conn) {
	s.conn.Store(conn)
	s.once.Do(func() { close(s.taken) })
}

// get waits for the first connection, since a peer knows that it is connected before
// the slot does. It returns nil if ctx ends before.
func (s *slot) get(ctx context.Context) *wsconn.Conn {
	if conn := s.conn.Load(); conn != nil {
		return conn
	}
	select {
	case <-s.taken:
	case <-ctx.Done():
	}
	return s.conn.Load()
}

func (s *splice) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/host", s.serveHost)
	mux.HandleFunc("/client", s.serveClient)
	return mux
}

func (s *splice) serveHost(w http.ResponseWriter, r *http.Request) {
	copies, err := strconv.Atoi(r.URL.Query().Get("copies"))
	if err != nil {
		copies = 1
	}
	conn, err := wsconn.Upgrade(w, r, wsconn.Options{})
	if err != nil {
		return
	}
	s.host.put(conn)
	// turn needs no lock: a connection handles one message at a time.
	turn := int32(0)
	go conn.Serve(s.ctx, func(message []byte) {
		client := s.clients[turn%s.of.Load()].get(s.ctx)
		turn++
		if client == nil {
			return
		}
		for range copies {
			client.Deliver(wire.Frame{Body: message})
		}
	})
}

func (s *splice) serveClient(w http.ResponseWriter, r *http.Request) {
	place, of, err := places(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	handle := s.toHost
	if r.URL.Query().Has("answer") {
		if handle, err = s.answering(r.URL.Query()); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	conn, err := wsconn.Upgrade(w, r, wsconn.Options{AnyKey: true})
	if err != nil {
		return
	}
	s.clients[place].put(conn)
	s.of.Store(of)
	go conn.Serve(s.ctx, func(message []byte) { handle(conn, message) })
}

// places reads the place of a Client and how many there are: the only one, if nothing is said.
func places(q url.Values) (place, of int32, err error) {
	if !q.Has("place") {
		return 0, 1, nil
	}
	k, err := strconv.Atoi(q.Get("place"))
	m, wrong := strconv.Atoi(q.Get("of"))
	if err != nil || wrong != nil || k < 0 || k >= m || m > maxClients {
		return 0, 0, fmt.Errorf("place %q of %q", q.Get("place"), q.Get("of"))
	}
	return int32(k), int32(m), nil
}

func (s *splice) toHost(_ *wsconn.Conn, message []byte) {
	if host := s.host.get(s.ctx); host != nil {
		host.Deliver(wire.Frame{Body: message})
	}
}

// answering makes the handler of a Client that gets ready-made answers.
func (s *splice) answering(q url.Values) (func(*wsconn.Conn, []byte), error) {
	var answers [][]byte
	for size := range strings.SplitSeq(q.Get("answer"), ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return nil, fmt.Errorf("answer: %w", err)
		}
		answers = append(answers, bytes.Repeat([]byte{'x'}, n))
	}
	every, err := strconv.Atoi(q.Get("tell"))
	if err != nil {
		every = 0
	}
	seen := 0
	return func(client *wsconn.Conn, message []byte) {
		for _, a := range answers {
			client.Deliver(wire.Frame{Body: a})
		}
		if seen++; every > 0 && seen%every == 0 {
			s.toHost(client, message)
		}
	}, nil
}
