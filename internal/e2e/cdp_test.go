package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// message is whatever a CDP endpoint sends.
type message struct {
	ID        int             `json:"id"`
	Method    string          `json:"method"`
	SessionID string          `json:"sessionId"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     *cdpError       `json:"error"`
}

// cdpError is the error object of CDP.
type cdpError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *cdpError) Error() string { return fmt.Sprintf("%d %s", e.Code, e.Message) }

// cdpClient is a CDP client without any wits of its own: it keeps all that came,
// in order, for the test to look at.
type cdpClient struct {
	conn *websocket.Conn

	mu     sync.Mutex
	nextID int
	came   []message
	ended  error
}

// dialCDP connects to the endpoint as clients do that are given its port.
func dialCDP(t *testing.T, e *endpoint) *cdpClient {
	t.Helper()
	res, err := http.Get("http://127.0.0.1:" + e.port + "/json/version")
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
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, version.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(16 << 20)
	c := &cdpClient{conn: conn}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.read()
	}()
	t.Cleanup(func() {
		conn.CloseNow()
		<-done
	})
	return c
}

func (c *cdpClient) read() {
	for {
		var m message
		err := wsjson.Read(context.Background(), c.conn, &m)
		c.mu.Lock()
		if err != nil {
			c.ended = err
			c.mu.Unlock()
			return
		}
		c.came = append(c.came, m)
		c.mu.Unlock()
	}
}

// send sends a command and returns its id. An empty session means the browser.
func (c *cdpClient) send(t *testing.T, session, method string, params map[string]any) int {
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

// call sends a command and returns its result.
func (c *cdpClient) call(t *testing.T, session, method string, params map[string]any) json.RawMessage {
	t.Helper()
	id := c.send(t, session, method, params)
	answer := c.await(t, fmt.Sprintf("the answer to %s", method), func(m message) bool { return m.ID == id })
	if answer.Error != nil {
		t.Fatalf("%s: %v", method, answer.Error)
	}
	return answer.Result
}

// await waits for a message, among those that have come already as well.
func (c *cdpClient) await(t *testing.T, what string, is func(message) bool) message {
	t.Helper()
	var found message
	eventually(t, 10*time.Second, func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, m := range c.came {
			if is(m) {
				found = m
				return nil
			}
		}
		return fmt.Errorf("%s has not come; the connection's end: %w", what, c.ended)
	})
	return found
}

// all returns the messages that fit, in the order in which they came.
func (c *cdpClient) all(is func(message) bool) []message {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []message
	for _, m := range c.came {
		if is(m) {
			found = append(found, m)
		}
	}
	return found
}

// forget drops what has come so far.
func (c *cdpClient) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.came = nil
}

// page returns the id of the one page target.
func (c *cdpClient) page(t *testing.T) string {
	t.Helper()
	var list struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	if err := json.Unmarshal(c.call(t, "", "Target.getTargets", nil), &list); err != nil {
		t.Fatal(err)
	}
	var pages []string
	for _, info := range list.TargetInfos {
		if info.Type == "page" {
			pages = append(pages, info.TargetID)
		}
	}
	if len(pages) != 1 {
		t.Fatalf("there are the pages %q, want one", pages)
	}
	return pages[0]
}

// attach begins a session on a target and returns its id.
func (c *cdpClient) attach(t *testing.T, targetID string) string {
	t.Helper()
	var attached struct{ SessionID string }
	result := c.call(t, "", "Target.attachToTarget", map[string]any{"targetId": targetID, "flatten": true})
	if err := json.Unmarshal(result, &attached); err != nil {
		t.Fatal(err)
	}
	return attached.SessionID
}

// evaluate returns the value of an expression as JSON.
func (c *cdpClient) evaluate(t *testing.T, session, expression string) string {
	t.Helper()
	var evaluated struct {
		Result struct{ Value json.RawMessage }
	}
	result := c.call(t, session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
	if err := json.Unmarshal(result, &evaluated); err != nil {
		t.Fatal(err)
	}
	return string(evaluated.Result.Value)
}

// hang sends an evaluation that ends only with its document and returns its id,
// once it is known to be under way.
func (c *cdpClient) hang(t *testing.T, e *endpoint, session string) int {
	t.Helper()
	id := c.send(t, session, "Runtime.evaluate", map[string]any{
		"expression": "window.hanging = true; new Promise(() => {})", "awaitPromise": true,
	})
	e.site.expect(t, appPage, "window.hanging ?? false", "true")
	return id
}

// event matches the events of a method in a session.
func event(session, method string) func(message) bool {
	return func(m message) bool { return m.Method == method && m.SessionID == session }
}
