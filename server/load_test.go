package server

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
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

// push sends as fast as the server takes it, and stops when the connection
// has ended.
func (p *far) push(n int, message func(i int) string) {
	for i := range n {
		p.send(message(i))
		if i%64 == 0 {
			p.Conn.WaitBelow(1<<20, within)
		}
	}
}

// latencies are how long round trips took.
type latencies struct {
	mu   sync.Mutex
	took []time.Duration
}

func (l *latencies) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = append(l.took, d)
}

// p99 is the time within which 99 of 100 came.
func (l *latencies) p99() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.took) == 0 {
		return 0
	}
	slices.SortFunc(l.took, cmp.Compare)
	return l.took[len(l.took)*99/100]
}

// trips sends commands one at a time until done is closed, at least least of
// them, and wants for each its own answer, next.
func (p *far) trips(tail string, least int, done <-chan struct{}) *latencies {
	p.t.Helper()
	var all latencies
	for i := 0; ; i++ {
		begun := time.Now()
		p.send(fmt.Sprintf(`{"id":%d,"method":"A.b","params":{"trip":%d}%s`, i, i, tail))
		select {
		case got := <-p.Got:
			if want := fmt.Sprintf(`{"id":%d,"result":{"trip":%d}%s`, i, i, tail); got != want {
				p.t.Fatalf("got %.300s, want %s", got, want)
			}
		case <-time.After(within):
			p.t.Fatalf("command %d is not answered", i)
		}
		all.add(time.Since(begun))
		select {
		case <-done:
			if i >= least {
				return &all
			}
		default:
		}
	}
}
