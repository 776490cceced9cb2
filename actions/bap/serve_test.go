package bap

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// fakeHub is a hub with one page whose commands are answered with {}, or never.
type fakeHub struct {
	hang bool // commands of the page are not answered

	mu     sync.Mutex
	joined int // connections that are there
	panics bool
	fronts int // how often a page was brought to the front
}

func (h *fakeHub) join(event actions.EventFunc) (actions.Client, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.panics {
		panic("a fault")
	}
	h.joined++
	return &fakeClient{h, event}, nil
}

func (h *fakeHub) there() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.joined
}

type fakeClient struct {
	hub   *fakeHub
	event actions.EventFunc
}

func (c *fakeClient) Send(session, method string, _ []byte) func(context.Context) ([]byte, error) {
	switch method {
	case "Target.setDiscoverTargets":
		c.event("", "Target.targetCreated", []byte(`{"targetInfo":{"targetId":"T1","type":"page","title":"One","url":"http://one/"}}`))
	case "Target.activateTarget":
		c.hub.mu.Lock()
		c.hub.fronts++
		c.hub.mu.Unlock()
	case "Target.attachToTarget":
		return func(context.Context) ([]byte, error) { return []byte(`{"sessionId":"S1"}`), nil }
	}
	return func(ctx context.Context) ([]byte, error) {
		if session != "" && c.hub.hang {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return []byte(`{}`), nil
	}
}

func (c *fakeClient) Leave() {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	c.hub.joined--
}

// peer is the far end of a connection.
type peer struct {
	t    *testing.T
	conn *wsconn.Conn
	got  chan string
	why  chan wsconn.Reason // why the connection ended, at this end
}

// hasty does not wait long for the far end when a connection is closed.
var hasty = wsconn.Limits{DrainTimeout: time.Millisecond}

// connect has a server serve a connection until the test ends.
func connect(t *testing.T, srv *Server, c actions.Caller) *peer {
	t.Helper()
	near, far := wsconn.Pipe(hasty, hasty)
	p := &peer{t, far, make(chan string, 1000), make(chan wsconn.Reason, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	var ends sync.WaitGroup
	ends.Go(func() { srv.serve(ctx, near, c) })
	ends.Go(func() { p.why <- far.Serve(context.Background(), func(m []byte) { p.got <- string(m) }) })
	t.Cleanup(func() {
		far.Close(wsconn.ReasonNormal)
		ends.Wait()
		cancel()
	})
	return p
}

func (p *peer) send(m string) { p.conn.Deliver(wire.Frame{Head: []byte(m)}) }

// next is the next message, which must come some time.
func (p *peer) next() string {
	p.t.Helper()
	select {
	case m := <-p.got:
		return m
	case <-time.After(time.Minute):
		p.t.Fatal("no message came")
		return ""
	}
}

// wants takes the next message, which must contain all of these.
func (p *peer) wants(parts ...string) {
	p.t.Helper()
	m := p.next()
	for _, part := range parts {
		if !strings.Contains(m, part) {
			p.t.Errorf("got  %s\nwant %s in it", m, part)
		}
	}
}

const initializing = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"0.8.0","clientInfo":{"name":"t","version":"1"},"capabilities":{}%s}}`

// initialized sends initialize, with an id of a session if that is not "".
func (p *peer) initialized(session string) {
	p.t.Helper()
	if session != "" {
		session = fmt.Sprintf(`,"sessionId":%q`, session)
	}
	p.send(fmt.Sprintf(initializing, session))
	p.wants(`"protocolVersion":"0.8.0"`, `"id":0}`)
}

func (h *fakeHub) caller() actions.Caller { return actions.Caller{Join: h.join, Version: "1.2.3"} }

// holding is a caller with a limit of requests in a second.
func holding(h *fakeHub, requests int) actions.Caller {
	c := h.caller()
	c.Options.Limits.Requests = requests
	return c
}

func TestEnvelope(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"not JSON":           {`{"id":1,`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Invalid JSON-RPC message","data":{"retryable":false}},"id":null}`},
		"null":               {` null `, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Invalid JSON-RPC message","data":{"retryable":false}},"id":null}`},
		"nothing":            {``, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Invalid JSON-RPC message","data":{"retryable":false}},"id":null}`},
		"a batch":            {`[{"id":1,"method":"initialize"}]`, `"code":-32600,"message":"Invalid request: batches are not served, send one object a frame","data":{"retryable":false}},"id":null}`},
		"a text":             {`"initialize"`, `"code":-32600,"message":"Invalid request: a request is an object","data":{"retryable":false}},"id":null}`},
		"no method":          {`{"id":7}`, `"code":-32600,"message":"Invalid request: method is missing","data":{"retryable":false}},"id":7}`},
		"an empty method":    {`{"id":7,"method":""}`, `"code":-32600`},
		"a number as method": {`{"id":7,"method":1}`, `"code":-32600`},
		"an object as id":    {`{"id":{},"method":"shutdown"}`, `"code":-32600,"message":"Invalid request: id must be a number or a string","data":{"retryable":false}},"id":null}`},
		"true as id":         {`{"id":true,"method":"shutdown"}`, `"id":null}`},
		"a numeric id":       {`{"id":12,"method":"shutdown"}`, `"id":12}`},
		"a large id":         {`{"id":12345678901234567890,"method":"shutdown"}`, `"id":12345678901234567890}`},
		"a text as id":       {`{"id":"a\u0062","method":"shutdown"}`, `"id":"a\u0062"}`},
		"null as id":         {`{"id":null,"method":"shutdown"}`, `"code":-32001`},
		"no jsonrpc":         {`{"id":1,"method":"initialize","params":{"protocolVersion":"0.1"}}`, `"result":{`},
		"another jsonrpc":    {`{"jsonrpc":"1.0","id":1,"method":"shutdown"}`, `"code":-32001`},
		"params no object":   {`{"id":1,"method":"shutdown","params":[1]}`, `"code":-32602,"message":"Invalid params: params: must be an object","data":{"retryable":false,"details":{"field":"params"}}},"id":1}`},
		"misspelled method":  {`{"id":1,"method":"page/navigat"}`, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Unknown method: page/navigat; did you mean \"page/navigate\"?","data":{"retryable":false}},"id":1}`},
		"unknown method":     {`{"id":1,"method":"page/fly"}`, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Unknown method: page/fly","data":{"retryable":false}},"id":1}`},
		"tracing":            {`{"id":1,"method":"trace/start"}`, `"code":-32601`},
		"too early":          {`{"id":1,"method":"page/list"}`, `"code":-32001,"message":"Server not initialized`},
		"escaped method":     {`{"id":1,"method":"page\/\u006cist"}`, `"code":-32001`},
	} {
		t.Run(name, func(t *testing.T) {
			p := connect(t, New(Options{AllPages: true}), (&fakeHub{}).caller())
			p.send(`{"method":"shutdown"}`) // a notification: no answer
			p.send(tt.in)
			p.wants(tt.want)
		})
	}
}

func TestInitialize(t *testing.T) {
	for name, tt := range map[string]struct{ params, want string }{
		"another minor version": {`{"protocolVersion":"0.3.0"}`, `"protocolVersion":"0.8.0","serverInfo":{"name":"cdphub","version":"1.2.3"}}`},
		"another major version": {`{"protocolVersion":"1.0.0"}`, `"code":-32602,"message":"Invalid params: protocolVersion: \"1.0.0\" is not served: this is 0.8.0"`},
		"no version":            {`{}`, `"protocolVersion":"0.8.0","serverInfo":`},
		"a wrong type":          {`{"protocolVersion":8}`, `"code":-32602,"message":"Invalid params: invalid type: number, expected a string for field `},
		"a long session":        {`{"protocolVersion":"0.8.0","sessionId":"` + strings.Repeat("a", 129) + `"}`, `"code":-32602`},
		"what can be done":      {`{"protocolVersion":"0.8.0"}`, `"features":{"autoWait":true,"multiPage":true,"networkInterception":true,"semanticSelectors":true,"storageState":true,"tracing":false}`},
		"limits":                {`{"protocolVersion":"0.8.0"}`, `"limits":{"maxPages":10,"maxScreenshotSize":52428800,"maxTimeout":300000}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := connect(t, New(Options{AllPages: true}), (&fakeHub{}).caller())
			p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + tt.params + `}`)
			p.wants(tt.want)
		})
	}
	t.Run("twice, and after shutdown", func(t *testing.T) {
		hub := &fakeHub{}
		p := connect(t, New(Options{AllPages: true}), hub.caller())
		p.initialized("")
		p.send(fmt.Sprintf(initializing, ""))
		p.wants(`"code":-32002`)
		p.send(`{"method":"notifications/initialized"}`)
		p.send(`{"id":1,"method":"page/list"}`)
		p.wants(`"id":"page-1"`, `"activePage":""`)
		p.send(`{"id":2,"method":"shutdown"}`)
		p.wants(`"result":{},"id":2}`)
		if n := hub.there(); n != 0 {
			t.Errorf("%d connections to the hub are left", n)
		}
		p.send(`{"id":3,"method":"page/list"}`)
		p.wants(`"code":-32001`)
	})
}

func TestLimits(t *testing.T) {
	t.Run("requests a second", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := connect(t, New(Options{AllPages: true}), holding(&fakeHub{}, 3))
			p.initialized("")
			for range 3 {
				p.send(`{"id":1,"method":"notifications/initialized"}`)
				p.wants(`"result":{}`)
			}
			p.send(`{"id":1,"method":"notifications/initialized"}`)
			p.wants(`{"code":-32000,"message":"Rate limit exceeded: 3 requests a second","data":{"retryable":true,"retryAfterMs":334}}`)
			time.Sleep(334 * time.Millisecond)
			p.send(`{"id":1,"method":"notifications/initialized"}`)
			p.wants(`"result":{}`)
		})
	})
	t.Run("requests that wait", func(t *testing.T) {
		p := connect(t, New(Options{AllPages: true}), holding(&fakeHub{hang: true}, 1000))
		p.initialized("")
		p.send(`{"id":1,"method":"page/list"}`) // opens the browser
		p.wants(`"id":1}`)
		for range 64 {
			p.send(`{"id":2,"method":"action/click","params":{"timeout":300000,"selector":{"type":"css","value":"a"}}}`)
		}
		p.send(`{"id":3,"method":"action/click","params":{"selector":{"type":"css","value":"a"}}}`)
		p.wants(`"code":-32000`, `"retryable":true,"retryAfterMs":1000`, `"id":3}`)
	})
	t.Run("screenshots of all launches", func(t *testing.T) {
		c := (&fakeHub{}).caller()
		c.Options.Limits.Screenshots = 1
		p := connect(t, New(Options{AllPages: true}), c)
		p.initialized("")
		for i, want := range []string{`"id":1}`, `"code":-32000,"message":"Rate limit exceeded: 1 screenshot a minute","data":{"retryable":true,"retryAfterMs":`} {
			p.send(`{"id":7,"method":"browser/launch"}`)
			p.wants(`"browserId"`)
			p.send(fmt.Sprintf(`{"id":%d,"method":"observe/screenshot"}`, i+1))
			p.wants(want)
			p.send(`{"id":8,"method":"browser/close"}`)
			p.wants(`"result":{}`)
		}
	})
	t.Run("the time of a request", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := connect(t, New(Options{AllPages: true}), (&fakeHub{hang: true}).caller())
			p.initialized("")
			for params, limit := range map[string]time.Duration{
				`{"format":"text"}`:                                  30 * time.Second,
				`{"format":"text","timeout":1500}`:                   1500 * time.Millisecond,
				`{"format":"text","options":{"timeout":2000}}`:       2 * time.Second,
				`{"format":"text","timeout":900000}`:                 300 * time.Second,
				`{"format":"text","timeout":0}`:                      30 * time.Second,
				`{"format":"text","timeout":1000,"pageId":"page-1"}`: time.Second,
			} {
				begun := time.Now()
				p.send(`{"id":1,"method":"observe/content","params":` + params + `}`)
				m := <-p.got
				want := fmt.Sprintf(`"code":-32016,"message":"Timed out","data":{"retryable":true,"details":{"timeout":%d}}`, limit.Milliseconds())
				if took := time.Since(begun); took < limit || took > limit+time.Second || !strings.Contains(m, want) {
					t.Errorf("%s: %s after %v, want %s after %v", params, m, took, want, limit)
				}
			}
		})
	})
	t.Run("idle and old connections", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := connect(t, New(Options{AllPages: true}), (&fakeHub{}).caller())
			begun := time.Now()
			if why := <-p.why; why != reasonIdle || time.Since(begun) < 10*time.Minute {
				t.Errorf("ended after %v: %v", time.Since(begun), why)
			}
			p = connect(t, New(Options{AllPages: true}), holding(&fakeHub{}, 1e6))
			begun = time.Now()
			for range 7 {
				time.Sleep(9 * time.Minute)
				p.send(`{"method":"notifications/initialized"}`)
			}
			if why := <-p.why; why != reasonOld || time.Since(begun) < time.Hour {
				t.Errorf("ended after %v: %v", time.Since(begun), why)
			}
		})
	})
}

func TestFaultOfTheHub(t *testing.T) {
	p := connect(t, New(Options{AllPages: true}), (&fakeHub{panics: true}).caller())
	p.initialized("")
	p.send(`{"id":1,"method":"page/list"}`)
	p.wants(`"code":-32603,"message":"Internal error"`, `"id":1}`)
	p.send(`{"id":2,"method":"page/list"}`)
	p.wants(`"id":2}`)
}

func TestNoBrowser(t *testing.T) {
	c := actions.Caller{Join: func(actions.EventFunc) (actions.Client, error) { return nil, context.Canceled }}
	p := connect(t, New(Options{AllPages: true}), c)
	p.initialized("")
	p.send(`{"id":1,"method":"page/list"}`)
	p.wants(`"code":-32010,"message":"No browser: `)
}

func TestPageLimits(t *testing.T) {
	p := connect(t, New(Options{Contexts: 1}), (&fakeHub{}).caller())
	p.initialized("")
	p.send(`{"id":1,"method":"page/create","params":{"url":"http://one/"}}`)
	p.wants(`"code":-32010,"message":"Browser not launched"`, `"recoveryHint":"Call browser/launch first"`)
	for _, want := range []string{`"contextId":"context-1"`, `"code":-32024`} {
		p.send(`{"id":2,"method":"context/create"}`)
		p.wants(want)
	}
	p.send(`{"id":2,"method":"context/destroy","params":{"contextId":"context-1"}}`)
	p.wants(`"pagesDestroyed":0`)
	p.send(`{"id":2,"method":"context/create"}`)
	p.wants(`"contextId":"context-1"`)
	p.send(`{"id":3,"method":"browser/close"}`)
	p.wants(`"result":{}`)
	p.send(`{"id":4,"method":"observe/content","params":{"format":"text"}}`)
	p.wants(`"code":-32010`)
	p.send(`{"id":5,"method":"page/list"}`)
	p.wants(`{"activePage":"","pages":[]}`)
}

// TestOrder has many requests in flight: those on one page are answered in
// order.
func TestOrder(t *testing.T) {
	p := connect(t, New(Options{AllPages: true}), (&fakeHub{}).caller())
	p.initialized("")
	p.send(`{"id":"open","method":"page/list"}`)
	p.wants("open")
	for i := range 20 {
		p.send(fmt.Sprintf(`{"id":%d,"method":"page/activate","params":{"pageId":"page-1"}}`, i))
	}
	for i := range 20 {
		var m struct{ ID int }
		if text := p.next(); json.Unmarshal([]byte(text), &m) != nil || m.ID != i {
			t.Errorf("answer %d is %s", i, text)
		}
	}
}

// TestR24ReadersBringNoPageToTheFront has page/activate choose, for scope
// readonly, the page of its own connection alone.
func TestR24ReadersBringNoPageToTheFront(t *testing.T) {
	hub := &fakeHub{}
	for scope, want := range map[string]int{"readonly": 0, "standard": 1} {
		hub.fronts = 0
		c := hub.caller()
		c.Scope = scope
		p := connect(t, New(Options{AllPages: true}), c)
		p.initialized("")
		p.send(`{"id":1,"method":"page/activate","params":{"pageId":"page-1"}}`)
		p.wants(`"result":{}`)
		p.send(`{"id":2,"method":"page/list"}`)
		p.wants(`"activePage":"page-1"`)
		hub.mu.Lock()
		got := hub.fronts
		hub.mu.Unlock()
		if got != want {
			t.Errorf("%s: brought to the front %d times, want %d", scope, got, want)
		}
	}
}

// serve serves a connection until it ends.
func (srv *Server) serve(ctx context.Context, conn *wsconn.Conn, c actions.Caller) wsconn.Reason {
	receive, end := srv.Begin(ctx, conn, c)
	defer end()
	return conn.Serve(ctx, receive)
}
