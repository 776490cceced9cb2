package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// command is what a Host is sent.
type command struct {
	Kind, SessionID, TargetID, Method string
	ID                                int64
	Params                            json.RawMessage
}

func readCommand(t *testing.T, message string) (c command) {
	t.Helper()
	if err := json.Unmarshal([]byte(message), &c); err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	return c
}

// result answers a command of a Host.
func (c command) result(result string) string {
	return fmt.Sprintf(`{"kind":"response","sessionId":%q,"id":%d,"result":%s}`, c.SessionID, c.ID, result)
}

// readyWith announces a Host with these Targets.
func readyWith(ids ...string) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = fmt.Sprintf(`{"targetId":%q,"title":"","url":""}`, id)
	}
	return `{"kind":"ready","v":1,"targets":[` + strings.Join(list, ",") + `]}`
}

// echo is a Host below a prefix that answers each command with its params.
func (s started) echo(t *testing.T, prefix string, targets ...string) *far {
	t.Helper()
	var p *far
	connected := make(chan struct{})
	p = dialTo(t, "ws://"+s.addr(true)+prefix+"/icdp/host", nil, func(m []byte) {
		<-connected
		var c command
		if err := json.Unmarshal(m, &c); err != nil {
			t.Errorf("the Host got %.200s: %v", m, err)
		}
		if c.Kind == "command" {
			p.send(c.result(string(c.Params)))
		}
	})
	close(connected)
	p.send(readyWith(targets...))
	s.awaitTarget(t, prefix, targets[len(targets)-1])
	return p
}

// awaitTarget waits until the hub below a prefix has a Target.
func (s started) awaitTarget(t *testing.T, prefix, id string) {
	t.Helper()
	await(t, "the Target "+id+" is there", func() bool {
		_, body := s.get(t, s.addr(false), prefix+"/icdp/status", nil)
		return strings.Contains(body, `"targetId":"`+id+`"`)
	})
}

// clientOf connects a Client to the hub below a prefix.
func (s started) clientOf(t *testing.T, prefix string) *far {
	t.Helper()
	return dial(t, "ws://"+s.addr(false)+prefix+"/devtools/browser", nil)
}

// attachTo attaches to a Target and returns the end of the session's messages.
func (p *far) attachTo(target string) string {
	p.t.Helper()
	p.send(`{"id":1000,"method":"Target.attachToTarget","params":{"targetId":"` + target + `","flatten":true}}`)
	return `,"sessionId":"` + sessionIn(p.t, p.until(`{"id":1000`)) + `"}`
}
