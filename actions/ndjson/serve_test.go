package ndjson

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// page is a Client of a hub with one page. A command of its session is answered
// with {} when hold, if it is there, is closed.
type page struct{ hold chan struct{} }

func (p page) join(event actions.EventFunc) (actions.Client, error) {
	event("", "Target.targetCreated", []byte(`{"targetInfo":{"targetId":"T1","type":"page","url":"http://app/","title":"App"}}`))
	return p, nil
}

func (p page) Send(_, method string, _ []byte) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		switch {
		case method == "Browser.getVersion":
			return []byte(`{"product":"Chrome/1"}`), nil
		case method == "Target.attachToTarget" && p.hold != nil:
			select {
			case <-p.hold:
			case <-ctx.Done():
			}
			return nil, wire.ServerError("Target closed")
		case method == "Target.activateTarget":
			panic("a fault")
		}
		return []byte("{}"), nil
	}
}

func (page) Leave() {}

// connect is the far end of a connection that is served until the test ends.
func connect(t *testing.T, c actions.Caller) *hubtest.Peer {
	t.Helper()
	near, far := wsconn.Pipe(wsconn.Limits{MaxMessage: 10 << 20}, wsconn.Limits{})
	served := make(chan struct{})
	go func() { defer close(served); serve(context.Background(), near, c) }()
	t.Cleanup(func() { <-served })
	return hubtest.Over(t, far)
}

func TestNDJSONFrames(t *testing.T) {
	c := connect(t, actions.Caller{Join: page{}.join, Hub: "box"})
	protocol := func(why string) string { return `{"id":"","success":false,"error":"bad request: ` + why + `"}` }
	failed := func(why string) string { return `{"id":"1","success":false,"error":"` + why + `"}` }
	const listed = `{"id":"1","success":true,"data":{"sessions":["box"]}}`
	for name, tt := range map[string]struct{ in, want string }{
		"method instead of action": {`{"id":"1","method":"page.snapshot"}`, protocol("missing field `action`")},
		"numeric id":               {`{"id":1,"action":"session.list"}`, protocol("invalid type: integer `1`, expected a string")},
		"fractional id":            {`{"id":1.5,"action":"session.list"}`, protocol("invalid type: floating point `1.5`, expected a string")},
		"null id":                  {`{"id":null,"action":"session.list"}`, protocol("invalid type: null, expected a string")},
		"object as id":             {`{"id":{},"action":"session.list"}`, protocol("invalid type: map, expected a string")},
		"no id":                    {`{"action":"session.list"}`, protocol("missing field `id`")},
		"empty id":                 {`{"id":"","action":"session.list"}`, protocol("field `id` is empty")},
		"nothing in it":            {`{}`, protocol("missing field `id`")},
		"no JSON":                  {`page.snapshot`, protocol("invalid character 'p' looking for beginning of value")},
		"cut off":                  {`{"id":"1"`, protocol("unexpected end of JSON input")},
		"array":                    {`[{"id":"1","action":"session.list"}]`, protocol("invalid type: sequence, expected a map")},
		"string":                   {`"x"`, protocol(`invalid type: string \"x\", expected a map`)},
		"null":                     {`null`, protocol("invalid type: null, expected a map")},
		"two objects":              {`{"id":"1","action":"session.list"}{"id":"2","action":"session.list"}`, protocol("invalid character '{' after top-level value")},
		"numeric action":           {`{"id":"1","action":7}`, protocol("invalid type: integer `7`, expected a string")},
		"numeric session":          {`{"id":"1","action":"session.list","session":7}`, protocol("invalid type: integer `7`, expected a string")},
		"params as array":          {`{"id":"1","action":"session.list","params":[]}`, protocol("invalid type: sequence, expected a map")},
		"params as string":         {`{"id":"1","action":"session.list","params":"x"}`, protocol(`invalid type: string \"x\", expected a map`)},
		"params null":              {`{"id":"1","action":"session.list","params":null}`, listed},
		"white space":              {" \t{\"id\":\"1\",\"action\":\"session.list\"}\r\n", listed},
		"both names":               {`{"id":"1","action":"session.list","method":"page.fly"}`, listed},
		"unknown fields":           {`{"id":"1","action":"session.list","jsonrpc":"2.0","x":[1]}`, listed},
		"escaped names":            {`{"\u0069d":"1","act\u0069on":"session.list"}`, listed},
		"its session":              {`{"id":"1","action":"session.list","session":"box"}`, listed},
		"null session":             {`{"id":"1","action":"session.list","session":null}`, listed},
		"another session":          {`{"id":"1","action":"session.list","session":"other"}`, failed("session not found: other")},
		"unknown action":           {`{"id":"1","action":"page.fly"}`, failed("unknown action: page.fly")},
		"misspelled action":        {`{"id":"1","action":"Page_clik"}`, failed(`unknown action: Page_clik; did you mean \"page.click\"?`)},
		"missing parameter":        {`{"id":"1","action":"page.navigate"}`, failed("bad request: missing field `url`")},
		"wrong parameter":          {`{"id":"1","action":"page.navigate","params":{"url":1}}`, failed("bad request: invalid type: integer `1`, expected a string for field `url`")},
		"wrong page_id":            {`{"id":"1","action":"page.navigate","params":{"url":"x","page_id":1}}`, failed("bad request: invalid type: integer `1`, expected a string for field `page_id`")},
		"unknown page":             {`{"id":"1","action":"page.snapshot","params":{"page_id":"page-9"}}`, failed("page not found: page-9")},
		"two ways to an element":   {`{"id":"1","action":"page.click","params":{"ref":"e1","selector":"a"}}`, failed("bad request: field `ref` cannot be used with another way to name the element: use one of ref, selector, and x with y")},
		"half a point":             {`{"id":"1","action":"page.click","params":{"x":1}}`, failed("bad request: missing field `y`")},
		"no element":               {`{"id":"1","action":"page.click"}`, failed("bad request: missing field `ref`")},
		"scheme":                   {`{"id":"1","action":"page.navigate","params":{"url":"javascript:alert(1)"}}`, failed("navigation blocked: Blocked protocol: javascript")},
		"metadata":                 {`{"id":"1","action":"page.navigate","params":{"url":"http://2852039166/latest"}}`, failed("navigation blocked: Blocked host (cloud metadata endpoint): 169.254.169.254")},
		"panic":                    {`{"id":"1","action":"tab.activate","params":{"page_id":"page-1"}}`, failed("internal error")},
		"info":                     {`{"id":"1","action":"session.info"}`, `{"id":"1","success":true,"data":{"session":"box","engine":"Chrome/1","pages":1}}`},
		"tabs":                     {`{"id":"1","action":"tab.list"}`, `{"id":"1","success":true,"data":{"tabs":[{"page_id":"page-1","url":"http://app/","title":"App","active":true}]}}`},
	} {
		c.Send(tt.in)
		if got := c.Next(); got != tt.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", name, tt.in, got, tt.want)
		}
	}
	for _, blank := range []string{"", " \n"} {
		c.Send(blank)
	}
	c.Send(`{"id":"9","action":"session.list"}`)
	if got := c.Next(); !strings.HasPrefix(got, `{"id":"9"`) {
		t.Errorf("after blank frames: %s", got)
	}
}

// TestNDJSONProtocolErrorsOvertake has two requests in flight and a malformed
// one behind them.
func TestNDJSONProtocolErrorsOvertake(t *testing.T) {
	p := page{hold: make(chan struct{})}
	c := connect(t, actions.Caller{Join: p.join})
	c.Send(`{"id":"a","action":"page.snapshot"}`)
	c.Send(`{"id":"b","action":"page.snapshot"}`)
	c.Send(`{"id":3,"action":"page.snapshot"}`)
	if got := c.Next(); !strings.HasPrefix(got, `{"id":"",`) {
		t.Errorf("first came %s, want the protocol error", got)
	}
	close(p.hold)
	for _, id := range []string{"a", "b"} {
		if got, want := c.Next(), `{"id":"`+id+`","success":false,"error":"page closed"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestNDJSONQueueIsBounded(t *testing.T) {
	p := page{hold: make(chan struct{})}
	c := connect(t, actions.Caller{Join: p.join, Options: actions.Options{Limits: actions.Limits{Requests: 1000}}})
	for range 64 {
		c.Send(`{"id":"waits","action":"page.snapshot"}`)
	}
	c.Send(`{"id":"more","action":"page.snapshot"}`)
	if got, want := c.Next(), `{"id":"more","success":false,"error":"rate limited: this connection has 64 requests in the queue already"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	close(p.hold)
	for i := range 64 {
		if got := c.Next(); !strings.Contains(got, "waits") {
			t.Errorf("answer %d is %s", i, got)
		}
	}
}

func TestNDJSONWithoutHub(t *testing.T) {
	c := connect(t, actions.Caller{Join: func(actions.EventFunc) (actions.Client, error) { return nil, errors.New("too many clients") }})
	c.Send(`{"id":"1","action":"tab.list"}`)
	if got, want := c.Next(), `{"id":"1","success":false,"error":"no browser: too many clients"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNDJSONFrameTooBig(t *testing.T) {
	near, remote := wsconn.Pipe(wsconn.Limits{MaxMessage: 10 << 20}, wsconn.Limits{})
	served := make(chan wsconn.Reason, 1)
	go func() { served <- serve(context.Background(), near, actions.Caller{Join: page{}.join}) }()
	got := make(chan wsconn.Reason, 1)
	go func() { got <- remote.Serve(context.Background(), func([]byte) {}) }()
	remote.Deliver(wire.Frame{Head: []byte(strings.Repeat(" ", 10<<20+1))})
	if r := <-got; r.Code != 1009 {
		t.Errorf("closed with %v, want 1009", r)
	}
	<-served
}

// serve serves a connection until it ends.
func serve(ctx context.Context, conn *wsconn.Conn, c actions.Caller) wsconn.Reason {
	receive, end := Begin(ctx, conn, c)
	defer end()
	return conn.Serve(ctx, receive)
}
