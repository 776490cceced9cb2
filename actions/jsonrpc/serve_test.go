package jsonrpc

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// tabs is a Client of a hub with one tab.
type tabs struct{ hold chan struct{} }

func (b tabs) join(event actions.EventFunc) (actions.Client, error) {
	event("", "Target.targetCreated", []byte(`{"targetInfo":{"targetId":"T1","type":"page","url":"http://app/","title":"App"}}`))
	return b, nil
}

func (b tabs) Send(_, method string, _ []byte) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		switch method {
		case "Target.closeTarget":
			panic("a fault")
		case "Target.attachToTarget":
			if b.hold != nil {
				select {
				case <-b.hold:
				case <-ctx.Done():
				}
			}
			return nil, wire.ServerError("Target closed")
		}
		return []byte("{}"), nil
	}
}

func (tabs) Leave() {}

// dial is the far end of a connection that is served until the test ends.
func dial(t *testing.T, c actions.Caller) *hubtest.Peer {
	t.Helper()
	near, far := wsconn.Pipe(wsconn.Limits{MaxMessage: 10 << 20}, wsconn.Limits{})
	served := make(chan struct{})
	go func() { defer close(served); serve(context.Background(), near, c) }()
	t.Cleanup(func() { <-served })
	return hubtest.Over(t, far)
}

func failedText(id string, code, message string, kind actions.Kind, again string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"` + message + `","data":{"kind":"` + string(kind) + `","retryable":` + again + `}}}`
}

const listed = `{"jsonrpc":"2.0","id":1,"result":{"tabs":[{"id":"T1","url":"http://app/","title":"App"}]}}`

func TestJSONRPCMessages(t *testing.T) {
	c := dial(t, actions.Caller{Join: tabs{}.join, Endpoint: "ws://127.0.0.1:9222/devtools/browser"})
	envelope := func(id, why string) string {
		return failedText(id, "-32600", "Invalid Request: "+why, actions.InvalidEnvelope, "false")
	}
	parse := func(why string) string {
		return failedText("null", "-32700", "Parse error: "+why, actions.MalformedFrame, "false")
	}
	params := func(why string) string {
		return failedText("1", "-32602", "Invalid params: "+why, actions.InvalidArgument, "false")
	}
	call := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	}
	for name, tt := range map[string]struct{ in, want string }{
		"list":             {`{"jsonrpc":"2.0","id":1,"method":"browser.list_tabs"}`, listed},
		"null params":      {call("browser.list_tabs", "null"), listed},
		"string id":        {`{"jsonrpc":"2.0","id":"a\u002fb","method":"browser.list_tabs"}`, strings.Replace(listed, `"id":1`, `"id":"a\u002fb"`, 1)},
		"large id":         {`{"jsonrpc":"2.0","id":12345678901234567890,"method":"browser.list_tabs"}`, strings.Replace(listed, `"id":1`, `"id":12345678901234567890`, 1)},
		"fractional id":    {`{"jsonrpc":"2.0","id":1.50,"method":"browser.list_tabs"}`, strings.Replace(listed, `"id":1`, `"id":1.50`, 1)},
		"null id":          {`{"jsonrpc":"2.0","id":null,"method":"browser.list_tabs"}`, envelope("null", "the id is a null, expected a string or a number")},
		"object as id":     {`{"jsonrpc":"2.0","id":{},"method":"browser.list_tabs"}`, envelope("null", "the id is a map, expected a string or a number")},
		"no version":       {`{"id":1,"method":"browser.list_tabs"}`, envelope("1", `\"jsonrpc\" must be \"2.0\"`)},
		"other version":    {`{"jsonrpc":2.0,"id":1,"method":"browser.list_tabs"}`, envelope("1", `\"jsonrpc\" must be \"2.0\"`)},
		"no method":        {`{"jsonrpc":"2.0","id":1}`, envelope("1", "the method is missing")},
		"numeric method":   {`{"jsonrpc":"2.0","id":1,"method":7}`, envelope("1", "the method is missing")},
		"string":           {`"x"`, envelope("null", "it is not an object")},
		"null":             {`null`, envelope("null", "it is not an object")},
		"empty batch":      {`[]`, envelope("null", "the batch is empty")},
		"huge batch":       {"[0" + strings.Repeat(",0", 1<<20) + "]", envelope("null", "the batch has more than 1000 calls")},
		"no JSON":          {`x`, parse("invalid character 'x' looking for beginning of value")},
		"blank":            {` `, parse("unexpected end of JSON input")},
		"two messages":     {`{} {}`, parse("invalid character '{' after top-level value")},
		"params as array":  {call("browser.list_tabs", "[]"), params("sequence, expected an object")},
		"unknown method":   {call("browser.fly", "{}"), failedText("1", "-32601", "Method not found: browser.fly", actions.UnknownVerb, "false")},
		"misspelled":       {call("navigate", "{}"), failedText("1", "-32601", `Method not found: navigate; did you mean \"browser.navigate\"?`, actions.UnknownVerb, "false")},
		"unknown tab":      {call("browser.snapshot", `{"tab_id":"T9"}`), failedText("1", "-32004", "Tab not found: T9", actions.PageNotFound, "false")},
		"wrong tab_id":     {call("browser.snapshot", `{"tab_id":9}`), params("invalid type: integer `9`, expected a string for field `tab_id`")},
		"no url":           {call("browser.navigate", `{}`), params("missing field `url`")},
		"no such state":    {call("browser.navigate", `{"url":"http://a/","wait_until":"commit"}`), params("field `wait_until` is \\\"commit\\\": use load, domcontentloaded, networkidle")},
		"no time":          {call("browser.navigate", `{"url":"http://a/","timeout_ms":-1}`), params("field `timeout_ms` is -1: it must be milliseconds above 0")},
		"scheme":           {call("browser.navigate", `{"url":"file:///etc/passwd"}`), failedText("1", "-32002", "navigation blocked: Blocked protocol: file", actions.URLBlocked, "false")},
		"metadata":         {call("browser.open_tab", `{"url":"http://169.254.169.254./"}`), failedText("1", "-32002", "navigation blocked: Blocked host (cloud metadata endpoint): 169.254.169.254", actions.URLBlocked, "false")},
		"no target":        {call("browser.click", `{}`), params("missing field `target`")},
		"target text":      {call("browser.click", `{"target":"#a"}`), params(`invalid type: string \"#a\", expected a map for field ` + "`target`")},
		"no target type":   {call("browser.click", `{"target":{"css":"#a"}}`), params("missing field `target.type`")},
		"unknown type":     {call("browser.click", `{"target":{"type":"xpath"}}`), params(`field ` + "`target.type`" + ` is \"xpath\": use ref, selector or coordinates`)},
		"no ref":           {call("browser.click", `{"target":{"type":"ref"}}`), params("missing field `target.ref_id`")},
		"no css":           {call("browser.click", `{"target":{"type":"selector"}}`), params("missing field `target.css`")},
		"no y":             {call("browser.click", `{"target":{"type":"coordinates","x":1}}`), params("missing field `target.y`")},
		"endless x":        {call("browser.click", `{"target":{"type":"coordinates","x":1e999,"y":1}}`), params("field `target.x` is 1e999, at most 10000000 is allowed")},
		"no text":          {call("browser.type", `{"target":{"type":"selector","css":"a"}}`), params("missing field `text`")},
		"no script":        {call("browser.evaluate", `{}`), params("missing field `script`")},
		"no direction":     {call("browser.scroll", `{}`), params("missing field `direction`")},
		"direction":        {call("browser.scroll", `{"direction":"north"}`), params(`field ` + "`direction`" + ` is \"north\": use up, down, left or right`)},
		"format":           {call("browser.screenshot", `{"format":"webp"}`), params(`field ` + "`format`" + ` is \"webp\": use png, jpeg`)},
		"quality":          {call("browser.screenshot", `{"format":"jpeg","quality":0}`), params("field `quality` is 0: it must be a whole number from 1 to 100")},
		"picture of point": {call("browser.screenshot", `{"target":{"type":"coordinates","x":1,"y":1}}`), params("field `target` is a point: a screenshot needs an element")},
		"close what":       {call("browser.close_tab", `{}`), params("missing field `tab_id`")},
		"panic":            {call("browser.close_tab", `{"tab_id":"T1"}`), failedText("1", "-32603", "Internal error: the hub's log says more", actions.Internal, "false")},
		"closed tab":       {call("browser.snapshot", `{}`), failedText("1", "-32603", "Internal error: page closed", actions.TargetClosed, "false")},
		"start":            {call("browser.start", `{}`), `{"jsonrpc":"2.0","id":1,"result":{"running":true}}`},
		"stop":             {call("browser.stop", `{}`), `{"jsonrpc":"2.0","id":1,"result":{"running":true}}`},
		"configuration":    {call("browser_config.get", `{}`), `{"jsonrpc":"2.0","id":1,"result":{"browser":{"cdp_port":9222,"headless":false,"mode":{"endpoint":"ws://127.0.0.1:9222/devtools/browser","type":"connect"}}}}`},
		"configure":        {call("browser_config.update", `{"browser":{"headless":false,"cdp_port":9222,"mode":{"type":"connect"}}}`), `{"jsonrpc":"2.0","id":1,"result":{"browser":{"cdp_port":9222,"headless":false,"mode":{"endpoint":"ws://127.0.0.1:9222/devtools/browser","type":"connect"}}}}`},
		"another mode":     {call("browser_config.update", `{"browser":{"headless":false,"mode":{"type":"binary"}}}`), failedText("1", "-32002", "permission denied: `browser.mode.type` is not changed from here: the options of cdphub serve set up the hub's browser", actions.PermissionDenied, "false")},
		"another setting":  {call("browser_config.update", `{"browser":{"extra_args":["--a"]}}`), failedText("1", "-32002", "permission denied: `browser.extra_args` is not changed from here: the options of cdphub serve set up the hub's browser", actions.PermissionDenied, "false")},
		"no configuration": {call("browser_config.update", `{"browser":7}`), failedText("1", "-32602", "Invalid params: invalid type: integer `7`, expected a map for field `browser`", actions.InvalidArgument, "false")},
		"needless connect": {call("connect", `{"device_id":"d1"}`), `{"jsonrpc":"2.0","id":1,"result":{"token":"","device_id":"d1","permissions":["*"],"expires_at":"9999-12-31T23:59:59Z"}}`},
	} {
		c.Send(tt.in)
		if got := c.Next(); got != tt.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", name, tt.in, got, tt.want)
		}
	}
}

// TestJSONRPCNotifications sends what is not answered, then what is.
func TestJSONRPCNotifications(t *testing.T) {
	c := dial(t, actions.Caller{Join: tabs{}.join})
	for _, m := range []string{
		`{"jsonrpc":"2.0","method":"browser.list_tabs"}`, `{"jsonrpc":"2.0","method":"browser.fly"}`,
		`{"jsonrpc":"2.0","method":"browser.click"}`, `{"jsonrpc":"2.0","method":"browser.click","params":[]}`,
		`[{"jsonrpc":"2.0","method":"browser.list_tabs"},{"jsonrpc":"2.0","method":"browser.fly"}]`,
		`{"jsonrpc":"2.0","id":1,"method":"browser.list_tabs"}`,
	} {
		c.Send(m)
	}
	c.Wants(listed)
}

func TestJSONRPCBatch(t *testing.T) {
	c := dial(t, actions.Caller{Join: tabs{}.join})
	c.Send(`[{"jsonrpc":"2.0","id":1,"method":"browser.list_tabs"},{"jsonrpc":"2.0","method":"browser.list_tabs"},7,{"jsonrpc":"2.0","id":"x","method":"browser.fly"}]`)
	var answers []response
	if text := c.Next(); json.Unmarshal([]byte(text), &answers) != nil || len(answers) != 3 {
		t.Fatalf("got %s, want three answers", text)
	}
	codes := map[string]int{}
	for _, a := range answers {
		codes[string(a.ID)] = 0
		if a.Error != nil {
			codes[string(a.ID)] = a.Error.Code
		}
	}
	if codes["1"] != 0 || codes["null"] != -32600 || codes[`"x"`] != -32601 {
		t.Errorf("codes by id: %v", codes)
	}
}

// TestBatchLimit reads batches of as many calls as there may be, and of one
// more.
func TestBatchLimit(t *testing.T) {
	for n, want := range map[int]bool{1000: true, 1001: false} {
		calls, batch, err := readBatch([]byte("[0" + strings.Repeat(",0", n-1) + "]"))
		if !batch || (err == nil) != want || want && len(calls) != n {
			t.Errorf("%d calls: %d are read, %v", n, len(calls), err)
		}
	}
}

func TestJSONRPCQueueIsBounded(t *testing.T) {
	b := tabs{hold: make(chan struct{})}
	c := dial(t, actions.Caller{Join: b.join, Options: actions.Options{Limits: actions.Limits{Requests: 1000}}})
	one := `{"jsonrpc":"2.0","id":1,"method":"browser.snapshot"}`
	c.Send("[" + strings.Repeat(one+",", 63) + one + "]")
	c.Send(strings.Replace(one, `"id":1`, `"id":2`, 1))
	c.Wants(failedText("2", "-32003", "rate limited: this connection has 64 requests in the queue already", actions.RateLimited, "true"))
	close(b.hold)
	if got := strings.Count(c.Next(), `"id":1`); got != 64 {
		t.Errorf("%d answers in the batch, want 64", got)
	}
}

// needs is a caller who needs the token "right".
func needs(hub actions.Join) actions.Caller {
	return actions.Caller{Login: func(token string) (actions.Caller, error) {
		switch token {
		case "right":
			return actions.Caller{Join: hub, Scope: "standard", Expires: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}, nil
		case "late":
			return actions.Caller{}, newFailure(actions.RateLimited, "rate limited: try again later")
		}
		return actions.Caller{}, newFailure(actions.Unauthenticated, "Authentication failed")
	}}
}

func TestJSONRPCConnect(t *testing.T) {
	for name, params := range map[string]string{
		"as documented":    `{"minProtocol":1,"maxProtocol":1,"client":{"id":"d1","version":"1","platform":"x"},"role":"operator","auth":{"token":"right"}}`,
		"as implemented":   `{"token":"right","device_name":"n","device_id":"d1"}`,
		"shared token":     `{"shared_token":"right","device_id":"d1"}`,
		"invitation token": `{"invitation_token":"right","client":{"id":"d1"}}`,
	} {
		c := dial(t, needs(tabs{}.join))
		c.Send(`{"jsonrpc":"2.0","id":"c","method":"connect","params":` + params + `}`)
		if got, want := c.Next(), `{"jsonrpc":"2.0","id":"c","result":{"token":"right","device_id":"d1","permissions":["standard"],"expires_at":"2030-01-02T03:04:05Z"}}`; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		c.Send(`{"jsonrpc":"2.0","id":1,"method":"browser.list_tabs"}`)
		c.Wants(listed)
	}
}

func TestJSONRPCNeedsConnectFirst(t *testing.T) {
	for name, first := range map[string]struct{ message, id string }{
		"another method": {`{"jsonrpc":"2.0","id":1,"method":"browser.list_tabs"}`, "1"},
		"notification":   {`{"jsonrpc":"2.0","method":"connect","params":{"token":"right"}}`, "null"},
		"batch":          {`[{"jsonrpc":"2.0","id":1,"method":"connect","params":{"token":"right"}}]`, "1"},
		"no request":     {`{}`, "null"},
	} {
		c := dial(t, needs(tabs{}.join))
		c.Send(first.message)
		if got, want := c.Next(), failedText(first.id, "-32000", "Authentication required: first request must be 'connect'", actions.NotInitialized, "false"); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if r := <-c.Closed; r != wsconn.ReasonNoLogin {
			t.Errorf("%s: closed with %v", name, r)
		}
	}
}

func TestJSONRPCFiveWrongTokensClose(t *testing.T) {
	c := dial(t, needs(tabs{}.join))
	c.Send(`no JSON`)
	c.Next()
	for i := range 5 {
		token, want := "wrong", failedText("1", "-32001", "Authentication failed", actions.Unauthenticated, "false")
		if i == 3 {
			token, want = "late", failedText("1", "-32003", "rate limited: try again later", actions.RateLimited, "true")
		}
		c.Send(`{"jsonrpc":"2.0","id":1,"method":"connect","params":{"token":"` + token + `"}}`)
		c.Wants(want)
	}
	if r := <-c.Closed; r != wsconn.ReasonWrongLogins {
		t.Errorf("closed with %v", r)
	}
}

func TestJSONRPCLoginHasATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, needs(tabs{}.join))
		began := time.Now()
		r := <-c.Closed
		if took := time.Since(began); r != wsconn.ReasonNoLogin || took < loginWithin || took > loginWithin+time.Second {
			t.Errorf("closed with %v after %v", r, took)
		}
	})
}

// serve serves a connection until it ends.
func serve(ctx context.Context, conn *wsconn.Conn, c actions.Caller) wsconn.Reason {
	receive, end := Begin(ctx, conn, c)
	defer end()
	return conn.Serve(ctx, receive)
}
