package speed

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/coder/websocket"
)

// client is a CDP client that reads no more of a message than it has to.
type client struct {
	conn *websocket.Conn
	last int         // the id of the last command
	came chan []byte // closed at the end of the connection
}

func dial(b *testing.B, endpoint string) *client {
	b.Helper()
	res, err := http.Get(endpoint + "/json/version")
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	var version struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(res.Body).Decode(&version); err != nil {
		b.Fatal(err)
	}
	conn, _, err := websocket.Dial(b.Context(), version.URL, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(64 << 20)
	c := &client{conn: conn, came: make(chan []byte, 1<<16)}
	go func() {
		defer close(c.came)
		for {
			_, text, err := conn.Read(context.Background())
			if err != nil {
				return
			}
			c.came <- text
		}
	}()
	return c
}

// send sends a command and waits for nothing.
func (c *client) send(b *testing.B, session, method string, params any) int {
	b.Helper()
	c.last++
	command := map[string]any{"id": c.last, "method": method}
	if params != nil {
		command["params"] = params
	}
	if session != "" {
		command["sessionId"] = session
	}
	text, err := json.Marshal(command)
	if err == nil {
		err = c.conn.Write(b.Context(), websocket.MessageText, text)
	}
	if err != nil {
		b.Fatal(err)
	}
	return c.last
}

// call returns the whole answer to a command, and drops what comes before it.
func (c *client) call(b *testing.B, session, method string, params any) []byte {
	b.Helper()
	id := c.send(b, session, method, params)
	for {
		text := c.read(b)
		if !bytes.HasPrefix(text, []byte(`{"id":`)) {
			continue
		}
		var answer struct {
			ID    int
			Error *failure
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			b.Fatal(err)
		}
		if answer.ID != id {
			continue
		}
		if answer.Error != nil {
			b.Fatalf("%s: %s", method, answer.Error.Message)
		}
		return text
	}
}

type failure struct{ Message string }

// count reads until so many events of a method have come.
func (c *client) count(b *testing.B, method string, n int) {
	b.Helper()
	wanted := []byte(`"method":"` + method + `"`)
	for n > 0 {
		if bytes.Contains(c.read(b), wanted) {
			n--
		}
	}
}

func (c *client) read(b *testing.B) []byte {
	b.Helper()
	text, open := <-c.came
	if !open {
		b.Fatal("the connection has ended")
	}
	return text
}

// page returns the id of the one page.
func (c *client) page(b *testing.B) string {
	b.Helper()
	var list struct {
		Result struct {
			TargetInfos []struct{ TargetID, Type, URL string }
		}
	}
	if err := json.Unmarshal(c.call(b, "", "Target.getTargets", nil), &list); err != nil {
		b.Fatal(err)
	}
	for _, info := range list.Result.TargetInfos {
		if info.Type == "page" {
			return info.TargetID
		}
	}
	b.Fatal("there is no page")
	return ""
}

// attach begins a session on the place's page.
func (p *place) attach(b *testing.B) string {
	b.Helper()
	var attached struct{ Result struct{ SessionID string } }
	text := p.call(b, "", "Target.attachToTarget", map[string]any{"targetId": p.target, "flatten": true})
	if err := json.Unmarshal(text, &attached); err != nil {
		b.Fatal(err)
	}
	return attached.Result.SessionID
}

// got reports whether the answer that is awaited has come, which has more than so many bytes.
func (c *client) got(b *testing.B, size int) bool {
	b.Helper()
	for {
		select {
		case text, open := <-c.came:
			switch {
			case !open:
				b.Fatal("the connection has ended")
			case len(text) > size:
				return true
			case bytes.HasPrefix(text, []byte(`{"id":`)):
				b.Fatalf("the answer is %.300s", text)
			}
		default:
			return false
		}
	}
}

// newPage opens a page and returns its id.
func (c *client) newPage(b *testing.B) string {
	b.Helper()
	var made struct{ Result struct{ TargetID string } }
	if err := json.Unmarshal(c.call(b, "", "Target.createTarget", map[string]any{"url": "about:blank"}), &made); err != nil {
		b.Fatal(err)
	}
	return made.Result.TargetID
}
