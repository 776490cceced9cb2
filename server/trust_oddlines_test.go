package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/mcp"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// oddLines are messages as no client should write them. Each has one answer at each door, but for those
// that have none there. Where a line ends with good, it is one at doors that speak JSON-RPC.
var oddLines = []struct {
	name, text string
	none       string // doors that do not answer it
	plain      bool   // not over WebSockets, whose frames refuse it
}{
	{name: "empty", text: "", none: "stdio ndjson"},
	{name: "white space", text: " \t ", none: "stdio ndjson"},
	{name: "CRLF alone", text: "\r", none: "stdio ndjson"},
	{name: "no JSON", text: "hello"},
	{name: "half an object", text: `{"jsonrpc":"2.0","id":1`},
	{name: "half a string", text: `{"jsonrpc":"2.0","id":1,"method":"pi`},
	{name: "a closing brace too many", text: `{"jsonrpc":"2.0","id":1,"method":"no/such"}}`},
	{name: "two values", text: `{"id":1}{"id":2}`},
	{name: "single quotes", text: `{'id':1}`},
	{name: "trailing comma", text: `{"id":1,}`},
	{name: "NaN", text: `{"id":NaN}`},
	{name: "raw control character", text: "{\"id\":\"a\x01b\"}"},
	{name: "NUL", text: "\x00"},
	{name: "NUL behind a message", text: "{\"id\":1}\x00"},
	{name: "invalid UTF-8", text: "{\"id\":\"\xff\"}", plain: true},
	{name: "BOM", text: "\ufeffhello"},
	{name: "null", text: "null"},
	{name: "a number", text: "5"},
	{name: "a string", text: `"initialize"`},
	{name: "true", text: "true"},
	{name: "empty array", text: "[]"},
	{name: "array of nothing", text: "[null]"},
	{name: "array in an array", text: "[[]]"},
	{name: "empty object", text: "{}", none: "bap"}, // a notification without a method
	{name: "no jsonrpc", text: `{"id":1,"method":"no/such"}`},
	{name: "wrong jsonrpc", text: `{"jsonrpc":"1.0","id":1,"method":"no/such"}`},
	{name: "jsonrpc is a number", text: `{"jsonrpc":2.0,"id":1,"method":"no/such"}`},
	{name: "no method", text: `{"jsonrpc":"2.0","id":1}`},
	{name: "method is a number", text: `{"jsonrpc":"2.0","id":1,"method":5}`},
	{name: "method is null", text: `{"jsonrpc":"2.0","id":1,"method":null}`},
	{name: "method is empty", text: `{"jsonrpc":"2.0","id":1,"method":""}`},
	{name: "unknown method", text: `{"jsonrpc":"2.0","id":1,"method":"no/such"}`},
	{name: "id is an object", text: `{"jsonrpc":"2.0","id":{},"method":"no/such"}`},
	{name: "id is a list", text: `{"jsonrpc":"2.0","id":[1],"method":"no/such"}`},
	{name: "id is true", text: `{"jsonrpc":"2.0","id":true,"method":"no/such"}`},
	{name: "long id", text: `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 70_000) + `","method":"no/such"}`},
	{name: "params are a list", text: `{"jsonrpc":"2.0","id":1,"method":"no/such","params":[1]}`},
	{name: "params are a string", text: `{"jsonrpc":"2.0","id":1,"method":"no/such","params":"x"}`},
	{name: "params are null", text: `{"jsonrpc":"2.0","id":1,"method":"no/such","params":null}`},
	{name: "unknown member", text: `{"jsonrpc":"2.0","id":1,"method":"no/such","more":{"x":[1]}}`},
	{name: "doubled members", text: `{"jsonrpc":"2.0","id":1,"id":2,"method":"no/such","method":"no/such"}`},
	{name: "deep nesting", text: `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}}`},
	{name: "deep nesting without an end", text: strings.Repeat("[", 100_000)},
	{name: "notification of an unknown method", text: `{"jsonrpc":"2.0","method":"no/such"}`, none: "stdio http ws bap"},
	{name: "notification with odd params", text: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`, none: "stdio http ws bap"},
	{name: "cancellation of nothing", text: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, none: "stdio http ws bap"},
	{name: "answer without a question", text: `{"jsonrpc":"2.0","id":5,"result":{}}`, none: "stdio http"},
	{name: "error without a question", text: `{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}`, none: "stdio http"},
	{name: "too long", text: `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"x":"` + strings.Repeat("x", actions.MaxRequest) + `"}}`, plain: true},
}

// oddDoor is a way in that takes messages one by one.
type oddDoor struct {
	name string
	good string                               // a call whose id is ID
	send func(text string, want int) []string // sends a message, and a good call behind it; the answers to the message, of which there should be so many
	call func(text, id string) (a string)     // sends a call, whose answer it returns
}

// socketDoor is the door of an action API over a WebSocket.
func (s started) socketDoor(t *testing.T, name, path, first, good string) oddDoor {
	c := dial(t, "ws://"+s.addr(false)+path, nil)
	if first != "" {
		c.send(first)
		c.next()
	}
	return queueDoor(name, good, c.send, c.next)
}

// queueDoor is a door whose answers come one after the other.
func queueDoor(name, good string, send func(string), next func() string) oddDoor {
	n := 0
	d := oddDoor{name: name, good: good}
	d.call = func(text, _ string) string { send(text); return next() }
	d.send = func(text string, want int) (answers []string) {
		n++
		id := fmt.Sprintf(`"ok-%d"`, n)
		send(text)
		send(strings.ReplaceAll(good, "ID", id))
		for good := false; !good || len(answers) < want; { // answers may overtake each other
			answer := next()
			switch good = good || strings.Contains(answer, id); {
			case !strings.Contains(answer, id):
				answers = append(answers, answer)
			case strings.Contains(answer, `"error":`):
				return append(answers, "the good call fails: "+answer)
			}
		}
		return answers
	}
	return d
}

// stdioDoor is MCP on a pair of streams.
func (s started) stdioDoor(t *testing.T) oddDoor {
	in, lines := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- mcp.Serve(t.Context(), actions.Caller{Join: s.Join(""), Version: "1"}, in, out, mcp.Options{})
		out.Close()
	}()
	t.Cleanup(func() {
		lines.Close()
		if err := <-done; err != nil {
			t.Errorf("stdio ends with %v", err)
		}
	})
	r := bufio.NewReader(answers)
	d := queueDoor("stdio", `{"jsonrpc":"2.0","id":ID,"method":"tools/list"}`, func(text string) { io.WriteString(lines, text+"\n") }, func() string {
		text, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("MCP on stdio has ended: %v, %v", err, <-done)
		}
		return text
	})
	d.call(initialize, "1")
	return d
}

// httpDoor is a path to which messages are posted.
func (s started) httpDoor(t *testing.T, name, path, good string, header http.Header) oddDoor {
	post := func(text string) string {
		_, answer := hubtest.MustPostJSON(t, "http://"+s.addr(false)+path, header, []byte(text))
		return answer
	}
	return oddDoor{
		name: name, good: good,
		call: func(text, _ string) string { return post(text) },
		send: func(text string, _ int) (answers []string) {
			if answer := post(text); answer != "" {
				answers = append(answers, answer)
			}
			if answer := post(strings.ReplaceAll(good, "ID", `"ok"`)); strings.Contains(answer, `"error":`) || answer == "" {
				answers = append(answers, "the good call fails: "+answer)
			}
			return answers
		},
	}
}

// emptyHost is a Host without pages, none of which an API waits for.
func (s started) emptyHost(t *testing.T) {
	h := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
	h.send(`{"kind":"ready","v":1,"targets":[]}`)
	s.await(t, `"hostConnected":true`)
}

// oddDoors opens every door that takes messages or lines.
func (s started) oddDoors(t *testing.T) []oddDoor {
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	beginMCP(t, "http://"+s.addr(false)+"/mcp", header)
	return []oddDoor{
		s.stdioDoor(t),
		s.httpDoor(t, "http", "/mcp", `{"jsonrpc":"2.0","id":ID,"method":"tools/list"}`, header),
		s.httpDoor(t, "invoke", "/hooks/invoke", `{"name":"browser.list"}`, http.Header{"Content-Type": {"application/json"}}),
		s.socketDoor(t, "ndjson", "/ndjson", "", `{"id":ID,"action":"tab.list"}`),
		s.socketDoor(t, "ws", "/ws", "", `{"jsonrpc":"2.0","id":ID,"method":"browser.list_tabs"}`),
		s.socketDoor(t, "bap", "/bap", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"0.8.0"}}`, `{"jsonrpc":"2.0","id":ID,"method":"page/list"}`),
		s.socketDoor(t, "hooks", "/hooks", "", `{"id":ID,"name":"browser.list"}`),
	}
}

// TestR308OddLinesCloseNoDoor sends odd lines to every door that takes messages: each gets one answer, or
// none where it is a notification, and the next call is answered as if it had not been there.
func TestR308OddLinesCloseNoDoor(t *testing.T) {
	s := start(t, nil)
	s.emptyHost(t)
	for _, d := range s.oddDoors(t) {
		t.Run(d.name, func(t *testing.T) {
			for _, odd := range oddLines {
				if odd.plain && !slices.Contains([]string{"stdio", "http", "invoke"}, d.name) {
					continue
				}
				want := 1
				for _, name := range strings.Fields(odd.none) {
					if name == d.name {
						want = 0
					}
				}
				answers := d.send(odd.text, want)
				if len(answers) != want {
					t.Errorf("%s: %d answers %.300q, want %d", odd.name, len(answers), answers, want)
				} else if want == 1 && !strings.Contains(answers[0], `"error":`) && !strings.Contains(answers[0], "has at most") {
					t.Errorf("%s: %.300q is no error", odd.name, answers[0])
				}
			}
		})
	}
}

// TestR309IdsComeBackAsTheyWereSent sends calls with ids in every spelling to the doors that speak JSON-RPC.
func TestR309IdsComeBackAsTheyWereSent(t *testing.T) {
	s := start(t, nil)
	s.emptyHost(t)
	for _, d := range s.oddDoors(t) {
		if !strings.Contains(d.good, "jsonrpc") {
			continue
		}
		for _, id := range []string{
			"0", "-1", "1.0", "1e3", "1E+2", "-0", "0.1", "123456789012345678901234567890", "9007199254740993", `""`, `"a"`, `"1"`, `"\u00e9"`, `"é"`, `"\ud83d\ude00"`, `"a b"`, `" "`, `"null"`, "null",
		} {
			if id == "null" && d.name == "ws" {
				continue // JSON-RPC 2.0, section 4, discourages it; this door refuses it, with null
			}
			got := d.call(strings.ReplaceAll(d.good, "ID", id), id)
			var answer struct{ ID json.RawMessage }
			if err := json.Unmarshal([]byte(got), &answer); err != nil || string(answer.ID) != id {
				t.Errorf("%s: id %s comes back in %.200s", d.name, id, got)
			}
		}
	}
}

// TestR308CallsBesideOddLines has two calls with one id, a cancellation of the later one, and arguments that
// a tool has not.
func TestR308CallsBesideOddLines(t *testing.T) {
	s := start(t, nil)
	s.emptyHost(t)
	d := s.stdioDoor(t)
	answers := d.send(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`+"\n"+`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, 2)
	if len(answers) != 2 {
		t.Errorf("two calls with one id: %d answers %.300q", len(answers), answers)
	}
	for arguments, want := range map[string]string{
		`{"ref":"e1"}`:               `browser_click has no argument ["ref"] and needs ["target"]; its arguments are ["button" "doubleClick" "element"`,
		`{}`:                         `browser_click needs ["target"]`,
		`{"target":"e1","x":1}`:      `has no argument ["x"]; its arguments are`,
		`{"target":"e1","button":5}`: "button",
	} {
		got := d.call(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"browser_click","arguments":`+arguments+`}}`, "1")
		var answer struct {
			Result struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal([]byte(got), &answer); err != nil || len(answer.Result.Content) == 0 || !strings.Contains(answer.Result.Content[0].Text, want) {
			t.Errorf("%s: %s, want %q", arguments, got, want)
		}
	}
}
