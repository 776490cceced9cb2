// Package remote is a connection to a hub or a browser elsewhere, over its CDP
// WebSocket, for package actions:
//
//	join := remote.Join("ws://127.0.0.1:9222/devtools/browser", nil)
//	b, err := actions.Open(ctx, join, actions.Options{})
package remote

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// client is an actions.Client over a WebSocket. Calls that wait are answered when the
// connection ends.
type client struct {
	conn  *wsconn.Conn
	event actions.EventFunc
	ended chan struct{}
	plain atomic.Bool // the other end is a browser, or a hub without CdpHub.mayAct

	mu      sync.Mutex // guards what is below
	left    bool
	last    int
	waiting map[int]chan answer
}

// limits of a connection, in bytes: a screenshot of a long page is one message.
var limits = wsconn.Limits{MaxMessage: 256 << 20, MaxPending: 128 << 20}

// connecting is how long a handshake may take: a hub may have to start a
// browser for it.
const connecting = time.Minute

// Join returns the function that connects to a CDP WebSocket such as
// ws://127.0.0.1:9222/devtools/browser, of a hub or of a Chromium, with these headers in the handshake. Errors
// say what to do.
func Join(url string, header http.Header) actions.Join {
	return func(event actions.EventFunc) (actions.Client, error) {
		if err := probeHealth(url, answering); err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(context.Background(), connecting)
		defer cancel()
		conn, err := wsconn.Dial(ctx, url, header, limits)
		if _, refused := errors.AsType[wsconn.StatusError](err); refused {
			// The path of a plain Chromium has a random part.
			if found := findBrowser(ctx, url, header); found != "" {
				conn, err = wsconn.Dial(ctx, found, header, limits)
			}
		}
		if err != nil {
			// No context ends the connection: Leave does.
			return nil, explainFailure(url, err)
		}
		return newClient(conn, event), nil
	}
}

func newClient(conn *wsconn.Conn, event actions.EventFunc) *client {
	c := &client{conn: conn, event: event, ended: make(chan struct{}), waiting: map[int]chan answer{}}
	go func() {
		defer close(c.ended)
		c.fail(conn.Serve(context.Background(), c.receive))
	}()
	return c
}

// message is a message of CDP: an answer if it has an id, else an event. Its raw
// members are copies of the frame.
type message struct {
	ID        int
	Method    string
	SessionID string
	Params    json.RawMessage
	Result    json.RawMessage
	Error     *struct {
		Code    int
		Message string
		Data    any
	}
}

// answer is the answer to one call: one of its fields is set.
type answer struct {
	result []byte
	err    error
}

var errClosed = wire.ServerError("Target closed")

// Send implements actions.Client. Ids begin at 1, since 0 stands for no id in
// message.
func (c *client) Send(sessionID, method string, params []byte) (wait func(context.Context) ([]byte, error)) {
	done := make(chan answer, 1)
	c.mu.Lock()
	defer c.mu.Unlock() // so that commands go in the order of their ids
	if c.left {
		return func(context.Context) ([]byte, error) { return nil, errClosed }
	}
	c.last++
	id := c.last
	c.waiting[id] = done
	b := wire.AppendString([]byte(`{"id":`+strconv.Itoa(id)+`,"method":`), method)
	if params != nil {
		b = append(append(b, `,"params":`...), params...)
	}
	tail := wire.End
	if sessionID != "" {
		tail = wire.SessionTail(sessionID)
	}
	// It does not block; a queue that is full closes the connection.
	c.conn.Deliver(wire.Frame{Head: b, Tail: tail})
	return func(ctx context.Context) ([]byte, error) {
		select {
		case a := <-done:
			return a.result, a.err
		// An answer that comes later is dropped by receive.
		case <-ctx.Done():
			c.mu.Lock()
			delete(c.waiting, id)
			c.mu.Unlock()
			return nil, ctx.Err()
		}
	}
}

// MayAct fails while another person has taken over a page of the hub at the other end.
// A hub with --takeover=wait answers only when the takeover has ended. A plain browser
// has no takeovers, and MayAct always succeeds there.
func (c *client) MayAct(ctx context.Context, targetID string) error {
	if c.plain.Load() {
		return nil
	}
	_, err := c.Send("", "CdpHub.mayAct", append(wire.AppendString([]byte(`{"targetId":`), targetID), '}'))(ctx)
	if e, is := errors.AsType[*wire.Error](err); is && e.Code == wire.CodeMethodNotFound {
		c.plain.Store(true)
		return nil
	}
	return err
}

// Leave implements actions.Client. It waits until the connection has ended.
func (c *client) Leave() {
	c.conn.Close(wsconn.ReasonNormal)
	<-c.ended
}

// fail answers all calls that wait, and those to come, with "Target closed".
func (c *client) fail(why wsconn.Reason) {
	c.event("", actions.BrowserEnded, []byte(why.Error())) // before the answers, which are by that
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = true
	for id, done := range c.waiting {
		done <- answer{err: errClosed}
		delete(c.waiting, id)
	}
}

// receive takes a message. An event goes to the function of Join, which does not
// block.
func (c *client) receive(frame []byte) {
	var m message
	if wire.Decode(frame, &m) != nil {
		return
	}
	if m.ID == 0 {
		c.event(m.SessionID, m.Method, m.Params)
		return
	}
	c.mu.Lock()
	done := c.waiting[m.ID]
	delete(c.waiting, m.ID)
	c.mu.Unlock()
	switch {
	case done == nil:
	case m.Error != nil:
		data, _ := m.Error.Data.(string)
		done <- answer{err: &wire.Error{Code: m.Error.Code, Message: m.Error.Message, Data: data}}
	default:
		done <- answer{result: m.Result}
	}
}
