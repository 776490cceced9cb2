package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Resuming is an endpoint of CDP for one client that knows nothing of named sessions:
// what it sends goes to a named session of a hub, over one connection after the other.
type Resuming struct {
	URL string // for the client

	t       testing.TB
	session string // URL of the named session, with resume= to be appended

	mu       sync.Mutex // guards everything below
	up       *websocket.Conn
	stream   string
	received int      // messages of the hub, without those that tell of the stream
	before   int      // as many had come when it was connected
	sent     [][]byte // to the hub, all of them
	resumed  int
	lost     []string // what the hub could not bring any more
}

// StartResuming starts one, which ends with the test.
func StartResuming(t testing.TB, session string) *Resuming {
	t.Helper()
	r := &Resuming{t: t, session: session}
	ctx, cancel := context.WithCancel(context.Background())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.serve(ctx, w, req) }))
	t.Cleanup(func() {
		cancel()
		server.Close()
	})
	r.URL = "ws" + strings.TrimPrefix(server.URL, "http")
	return r
}

// Cut ends the connection to the hub without a word, once something has come by it: the
// client gets on, however slow the machine is.
func (r *Resuming) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.received > r.before {
		r.up.CloseNow() //nolint:errcheck // it may have ended
	}
}

// Resumed is how often the connection has been resumed, and the gaps that the hub told
// of.
func (r *Resuming) Resumed() (times int, lost []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.resumed, r.lost
}

// serve is the client's connection.
func (r *Resuming) serve(ctx context.Context, w http.ResponseWriter, req *http.Request) {
	down, err := websocket.Accept(w, req, nil)
	if err != nil {
		return
	}
	defer down.CloseNow() //nolint:errcheck // it may have ended
	down.SetReadLimit(-1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := r.connect(ctx); err != nil {
		r.t.Error(err)
		return
	}
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.up.CloseNow() //nolint:errcheck // it may have ended
	}()
	go r.read(ctx, down)
	for {
		_, m, err := down.Read(ctx)
		if err != nil {
			return
		}
		r.mu.Lock()
		r.sent = append(r.sent, m)
		r.up.Write(ctx, websocket.MessageText, m) //nolint:errcheck // it is sent again
		r.mu.Unlock()
	}
}

// read passes on what the hub sends, over all connections.
func (r *Resuming) read(ctx context.Context, down *websocket.Conn) {
	for ctx.Err() == nil {
		r.mu.Lock()
		up := r.up
		r.mu.Unlock()
		_, m, err := up.Read(ctx)
		if err != nil {
			if err := r.connect(ctx); err != nil && ctx.Err() == nil {
				r.t.Error(err)
				return
			}
			continue
		}
		r.mu.Lock()
		if strings.HasPrefix(string(m), `{"method":"CdpHub.gap"`) {
			r.lost = append(r.lost, string(m))
		} else {
			r.received++
			down.Write(ctx, websocket.MessageText, m) //nolint:errcheck // the client has left
		}
		r.mu.Unlock()
	}
}

// connect begins the stream, or goes on with it: what the hub has not received is sent
// again.
func (r *Resuming) connect(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	resume := "on"
	if r.stream != "" {
		resume = fmt.Sprintf("%s.%d.%d", r.stream, r.received, len(r.sent))
		r.resumed++
		time.Sleep(20 * time.Millisecond) // what the hub does meanwhile is to be missed
	}
	up, err := dialAgain(ctx, r.session+"&resume="+resume)
	if err != nil {
		return err
	}
	up.SetReadLimit(-1)
	_, m, err := up.Read(ctx)
	if err != nil {
		return err
	}
	var hello struct {
		Params struct {
			Stream   string
			Received int
		}
	}
	if err := json.Unmarshal(m, &hello); err != nil || hello.Params.Stream == "" {
		return fmt.Errorf("the hub does not tell of the stream: %s", m)
	}
	r.up, r.stream, r.before = up, hello.Params.Stream, r.received
	for _, again := range r.sent[hello.Params.Received:] {
		up.Write(ctx, websocket.MessageText, again) //nolint:errcheck // it is sent again
	}
	return nil
}

// dialAgain connects, and tries again while the hub is on its way to another node.
func dialAgain(ctx context.Context, url string) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, Started)
	defer cancel()
	for {
		up, answer, err := websocket.Dial(ctx, url, nil) //nolint:bodyclose // the connection has it
		if err == nil || answer != nil && answer.StatusCode != http.StatusServiceUnavailable {
			return up, err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, err
		}
	}
}
