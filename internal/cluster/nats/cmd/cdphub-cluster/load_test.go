package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// load is Clients that ask one thing after the other, and a Host that answers. All of
// them connect again by themselves: each to the addresses that it has, in turns.
type load struct {
	ctx  context.Context
	done sync.WaitGroup

	answered, failed, lost atomic.Int64 // commands: failed ones have an error, lost ones ended with their connection
	wrong                  atomic.Int64 // answers that are another command's, or come twice
}

const loadHub = "/hub/load"

func newLoad(t *testing.T) *load {
	ctx, stop := context.WithCancel(context.Background())
	l := &load{ctx: ctx}
	t.Cleanup(func() {
		stop()
		l.done.Wait()
	})
	return l
}

// keep dials the addresses in turns, and gives each connection and its messages to serve,
// until the test ends.
func (l *load) keep(path string, addrs []string, serve func(conn *wsconn.Conn, got <-chan []byte)) {
	l.done.Go(func() {
		for i := 0; l.ctx.Err() == nil; i++ {
			if i > 0 {
				select {
				case <-time.After(20 * time.Millisecond):
				case <-l.ctx.Done():
				}
			}
			conn, err := wsconn.Dial(l.ctx, "ws://"+addrs[i%len(addrs)]+loadHub+path, nil, wsconn.Limits{})
			if err != nil {
				continue
			}
			got := make(chan []byte, 1024)
			var serving sync.WaitGroup
			serving.Go(func() {
				defer close(got)
				conn.Serve(l.ctx, func(m []byte) {
					select {
					case got <- append([]byte(nil), m...):
					case <-l.ctx.Done():
					}
				})
			})
			serve(conn, got)
			conn.Close(wsconn.ReasonNormal)
			for range got {
			}
			serving.Wait()
		}
	})
}

// host answers each command with its own number.
func (l *load) host(addrs ...string) {
	l.keep("/icdp/host", addrs, func(conn *wsconn.Conn, got <-chan []byte) {
		conn.Deliver(wsconn.Frame{Head: []byte(hubtest.Ready)})
		for m := range got {
			var c struct {
				Kind, SessionID string
				ID              int
				Params          struct{ N int64 }
			}
			if json.Unmarshal(m, &c) == nil && c.Kind == "command" {
				conn.Deliver(wsconn.Frame{Head: fmt.Appendf(nil, `{"kind":"response","sessionId":%q,"id":%d,"result":{"n":%d}}`, c.SessionID, c.ID, c.Params.N)})
			}
		}
	})
}

// reply is what a Client gets for a command.
type reply struct {
	ID     int64
	Result struct {
		SessionID string
		N         int64
	}
	Error *struct{ Message string }
}

// client asks for as long as it is answered without an error.
func (l *load) client(addrs ...string) {
	l.keep("/devtools/browser", addrs, func(conn *wsconn.Conn, got <-chan []byte) {
		session := ""
		for n := int64(1); ; n++ {
			command := `{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T1","flatten":true}}`
			if n > 1 {
				command = fmt.Sprintf(`{"id":%d,"method":"A.b","params":{"n":%[1]d},"sessionId":%q}`, n, session)
			}
			conn.Deliver(wsconn.Frame{Head: []byte(command)})
			r, ok := l.await(n, got)
			switch {
			case !ok:
				l.lost.Add(1)
				return
			case r.Error != nil:
				l.failed.Add(1)
				return
			case n == 1:
				session = r.Result.SessionID
			case r.Result.N != n:
				l.wrong.Add(1)
			default:
				l.answered.Add(1)
			}
		}
	})
}

// await returns the answer to command n, and false when the connection ends before.
func (l *load) await(n int64, got <-chan []byte) (r reply, ok bool) {
	for m := range got {
		r = reply{}
		if json.Unmarshal(m, &r) != nil || r.ID == 0 { // an event
			continue
		}
		if r.ID == n {
			return r, true
		}
		l.wrong.Add(1)
	}
	return r, false
}

// goesOn waits until more commands were answered.
func (l *load) goesOn(t *testing.T) {
	t.Helper()
	before := l.answered.Load()
	eventually(t, "commands are answered", func() bool { return l.answered.Load() > before+100 })
}

// S-04: a node is killed under load, which owned the hub, or had its Clients, and led some
// records of the directory. Every command is answered once or ends with its connection,
// and Clients work on. What has nothing to do with the node is not disturbed.
func TestS04KilledUnderLoad(t *testing.T) {
	for _, victim := range []string{"owner", "entry"} {
		t.Run(victim, func(t *testing.T) {
			for range hubtest.Amount(1, 3) {
				killUnderLoad(t, victim == "owner")
			}
		})
	}
}

func killUnderLoad(t *testing.T, owner bool) {
	nodes, _ := example(t, t.TempDir())
	a, b, c := nodes[0], nodes[1], nodes[2]
	l, beside := newLoad(t), newLoad(t)
	killed := c
	if owner {
		killed = a
		l.host(a.hosts, b.hosts)
	} else {
		l.host(a.hosts)
	}
	eventually(t, "the Host is there", func() bool {
		status, body := hubtest.Get(t, a.clients, loadHub+"/json/list", nil)
		return status == 200 && len(body) > len("[]\n")
	})
	for range hubtest.Amount(8, 64) {
		if owner {
			l.client(c.clients)
		} else {
			l.client(c.clients, b.clients)
			beside.client(a.clients)
		}
	}
	l.goesOn(t)
	begun := time.Now()
	killed.Process.Signal(syscall.SIGKILL)
	killed.Wait()
	l.goesOn(t)
	t.Logf("Clients work on after %v", time.Since(begun))
	for i := range 32 { // of all buckets of the directory, whose leader may have died
		eventually(t, "a new hub is claimed", func() bool {
			status, _ := hubtest.Get(t, b.clients, fmt.Sprintf("/hub/new%d/json/version", i), nil)
			return status == 200
		})
	}
	t.Logf("new hubs of every bucket are claimed after %v", time.Since(begun))
	l.goesOn(t)
	if !owner {
		beside.goesOn(t)
		if n := beside.failed.Load() + beside.lost.Load(); n > 0 {
			t.Errorf("%d commands failed of Clients that had nothing to do with the node that died", n)
		}
	}
	if l.lost.Load() == 0 {
		t.Error("the node died without load")
	}
	if n := l.wrong.Load() + beside.wrong.Load(); n > 0 {
		t.Errorf("%d answers are another command's, or came twice", n)
	}
	t.Logf("%d commands answered, %d failed, %d ended with their connection", l.answered.Load(), l.failed.Load(), l.lost.Load())
}
