package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// Message is whatever a CDP endpoint sends.
type Message struct {
	ID        int             `json:"id"`
	Method    string          `json:"method"`
	SessionID string          `json:"sessionId"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     *CDPError       `json:"error"`
}

// CDPError is the error object of CDP.
type CDPError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *CDPError) Error() string { return fmt.Sprintf("%d %s", e.Code, e.Message) }

// CDP is a client without any wits of its own: it keeps all that came,
// in order, for the test to look at.
type CDP struct {
	// Patience is how long it waits for a message; Started where it is 0.
	Patience time.Duration
	conn     *websocket.Conn

	mu     sync.Mutex
	nextID int
	came   []Message
	more   chan struct{} // closed with the next message
	ended  error
}

// DialCDP connects to an endpoint, as http://127.0.0.1:9222, until the test ends.
func DialCDP(t testing.TB, endpoint string) *CDP {
	t.Helper()
	return DialCDPAs(t, endpoint, "")
}

// DialCDPAs is DialCDP with a token.
func DialCDPAs(t testing.TB, endpoint, token string) *CDP {
	t.Helper()
	header := make(http.Header)
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.JoinPath("json", "version").String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var version struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(res.Body).Decode(&version); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), Started)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, version.URL, &websocket.DialOptions{HTTPHeader: header}) //nolint:bodyclose // the connection has it
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(16 << 20)
	c := &CDP{conn: conn, more: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.read()
	}()
	t.Cleanup(func() {
		c.Close()
		<-done
	})
	return c
}

// Close leaves without a word.
func (c *CDP) Close() { c.conn.CloseNow() } //nolint:errcheck // it may have ended

func (c *CDP) read() {
	for {
		var m Message
		err := wsjson.Read(context.Background(), c.conn, &m)
		c.mu.Lock()
		if err != nil {
			c.ended = err
			c.mu.Unlock()
			return
		}
		c.came = append(c.came, m)
		close(c.more)
		c.more = make(chan struct{})
		c.mu.Unlock()
	}
}

// Send sends a command and returns its id. An empty session means the browser.
func (c *CDP) Send(t testing.TB, session, method string, params map[string]any) int {
	t.Helper()
	c.mu.Lock()
	c.nextID++
	id := c.nextID
	c.mu.Unlock()
	command := map[string]any{"id": id, "method": method}
	if params != nil {
		command["params"] = params
	}
	if session != "" {
		command["sessionId"] = session
	}
	if err := wsjson.Write(context.Background(), c.conn, command); err != nil {
		t.Fatal(err)
	}
	return id
}

// Call sends a command and returns its result.
func (c *CDP) Call(t testing.TB, session, method string, params map[string]any) json.RawMessage {
	t.Helper()
	result, err := c.Try(t, session, method, params)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return result
}

// Try sends a command and returns its result, or its error.
func (c *CDP) Try(t testing.TB, session, method string, params map[string]any) (json.RawMessage, error) {
	t.Helper()
	id := c.Send(t, session, method, params)
	answer := c.Await(t, fmt.Sprintf("the answer to %s", method), func(m Message) bool { return m.ID == id })
	if answer.Error != nil {
		return nil, answer.Error
	}
	return answer.Result, nil
}

// Await waits for a message, among those that have come already as well.
func (c *CDP) Await(t testing.TB, what string, is func(Message) bool) Message {
	t.Helper()
	late := time.After(cmp.Or(c.Patience, Started))
	for {
		c.mu.Lock()
		i, more, ended := slices.IndexFunc(c.came, is), c.more, c.ended
		var found Message
		if i >= 0 {
			found = c.came[i]
		}
		c.mu.Unlock()
		if i >= 0 {
			return found
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("%s has not come; the connection's end: %v", what, ended)
		}
	}
}

// All returns the messages that fit, in the order in which they came.
func (c *CDP) All(is func(Message) bool) []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []Message
	for _, m := range c.came {
		if is(m) {
			found = append(found, m)
		}
	}
	return found
}

// Forget drops what has come so far.
func (c *CDP) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.came = nil
}

// Pages returns the ids of the page targets.
func (c *CDP) Pages(t testing.TB) (pages []string) {
	t.Helper()
	var list struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	if err := json.Unmarshal(c.Call(t, "", "Target.getTargets", nil), &list); err != nil {
		t.Fatal(err)
	}
	for _, info := range list.TargetInfos {
		if info.Type == "page" {
			pages = append(pages, info.TargetID)
		}
	}
	return pages
}

// Attach begins a session on a target and returns its id.
func (c *CDP) Attach(t testing.TB, targetID string) string {
	t.Helper()
	var attached struct{ SessionID string }
	result := c.Call(t, "", "Target.attachToTarget", map[string]any{"targetId": targetID, "flatten": true})
	if err := json.Unmarshal(result, &attached); err != nil {
		t.Fatal(err)
	}
	return attached.SessionID
}

// Evaluate returns the value of an expression as JSON.
func (c *CDP) Evaluate(t testing.TB, session, expression string) string {
	t.Helper()
	value, err := c.TryEvaluate(t, session, expression)
	if err != nil {
		t.Fatalf("Runtime.evaluate: %v", err)
	}
	return value
}

// TryEvaluate returns the value of an expression as JSON, or the error: a page has no
// document to evaluate in while it goes from one to the next.
func (c *CDP) TryEvaluate(t testing.TB, session, expression string) (string, error) {
	t.Helper()
	var evaluated struct {
		Result struct{ Value json.RawMessage }
	}
	result, err := c.Try(t, session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
	if err != nil {
		return "", err
	}
	err = json.Unmarshal(result, &evaluated)
	return string(evaluated.Result.Value), err
}

// Event matches the events of a method in a session.
func Event(session, method string) func(Message) bool {
	return func(m Message) bool { return m.Method == method && m.SessionID == session }
}
