package bench

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// stuckAfter is how long a load may make no progress.
const stuckAfter = 20 * time.Second

// side is one program under measurement with the Host and the Clients that this process
// plays for it.
type side struct {
	tb      testing.TB
	child   *child
	host    *wsconn.Conn
	clients []*wsconn.Conn
	load    atomic.Pointer[load] // under way; nil before the first
	left    atomic.Int64         // operations of the burst that have not ended
	idle    chan struct{}        // gets one when none is left
}

// load is what a side is asked to do: begin begins an operation, and ended tells whether
// a message to a Client ends one.
type load struct {
	begin func()
	ended func(client *wsconn.Conn, message []byte) bool
}

func newSide(tb testing.TB, c *child) *side {
	tb.Helper()
	return &side{tb: tb, child: c, idle: make(chan struct{}, 1)}
}

// connect dials a WebSocket and hands its messages to handle. Its limits are wide, so
// that it is never this process that gives way.
func (s *side) connect(url string, handle func(*wsconn.Conn, []byte)) *wsconn.Conn {
	s.tb.Helper()
	ctx := s.tb.Context()
	conn, err := wsconn.Dial(ctx, url, nil, wsconn.Limits{MaxMessage: 256 << 20, MaxPending: 256 << 20, MaxQueued: 1 << 20})
	if err != nil {
		s.tb.Fatal(err)
	}
	go conn.Serve(ctx, func(message []byte) { handle(conn, message) })
	return conn
}

// receive takes a message to a Client.
func (s *side) receive(client *wsconn.Conn, message []byte) {
	if l := s.load.Load(); l != nil && l.ended(client, message) && s.left.Add(-1) == 0 {
		s.idle <- struct{}{}
	}
}

// burst begins operations together, and returns when all have ended. So both programs get
// their frames in equal batches, whatever their speed and that of this process.
func (s *side) burst(l *load, operations int) {
	s.load.Store(l)
	s.left.Store(int64(operations))
	for range operations {
		l.begin()
	}
	select {
	case <-s.idle:
	case <-time.After(stuckAfter):
		s.tb.Fatalf("%d operations of a burst of %d did not end", s.left.Load(), operations)
	}
}

// ask sends a message of the first Client, and waits for the one that begins an answer.
func (s *side) ask(message []byte, ended func(m []byte) bool) {
	s.burst(&load{func() { send(s.clients[0], message) }, func(_ *wsconn.Conn, m []byte) bool { return ended(m) }}, 1)
}

func send(conn *wsconn.Conn, message []byte) { conn.Deliver(wire.Frame{Body: message}) }

// openHub connects to a hub, as a Host with Targets "T0", "T1" and so on that answers
// each command with result, and as Clients. The Host knows these extensions of the
// bridge.
func openHub(tb testing.TB, c *child, path string, clients, targets int, result []byte, features ...string) *side {
	tb.Helper()
	s := newSide(tb, c)
	for range clients {
		s.clients = append(s.clients, s.connect("ws://"+c.clients+path+"/devtools/browser", s.receive))
	}
	s.host = s.connect("ws://"+c.hosts+path+"/icdp/host", answerCommands(result))
	send(s.host, readyMessage(targets, features...))
	// The hub has the Targets once it has told the Client of each.
	announced := 0
	s.ask([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`), func(m []byte) bool {
		if bytes.Contains(m, []byte(`"Target.targetCreated"`)) {
			announced++
		}
		return announced == targets
	})
	s.ask([]byte(`{"id":2,"method":"Target.setDiscoverTargets","params":{"discover":false}}`), func(m []byte) bool {
		return bytes.HasPrefix(m, []byte(`{"id":2,`))
	})
	return s
}

// readyMessage announces Targets.
func readyMessage(targets int, features ...string) []byte {
	list := make([]string, targets)
	for i := range list {
		list[i] = fmt.Sprintf(`{"targetId":"T%d","title":"Invoice %d","url":"https://app.example/invoices/%d"}`, i, i, i)
	}
	b := fmt.Appendf(nil, `{"kind":"ready","v":1,"targets":[%s]`, strings.Join(list, ","))
	if len(features) > 0 {
		b = fmt.Appendf(b, `,"features":["%s"]`, strings.Join(features, `","`))
	}
	return append(b, '}')
}

// answerCommands is a Host that answers each command with the same result:
//
//	{"kind":"command","sessionId":"S","targetId":"T0","id":7,"method":…
//	{"kind":"response","sessionId":"S","id":7,"result":{…}}
func answerCommands(result []byte) func(*wsconn.Conn, []byte) {
	head := []byte(`{"kind":"response"`)
	return func(host *wsconn.Conn, m []byte) {
		rest, is := bytes.CutPrefix(m, []byte(`{"kind":"command"`))
		if !is {
			return
		}
		session, rest, _ := bytes.Cut(rest, []byte(`,"targetId":`))
		_, rest, _ = bytes.Cut(rest, []byte(`,"id":`))
		id, _, _ := bytes.Cut(rest, []byte(`,`))
		// head is used again: Deliver copies it, and a connection handles one message
		// at a time.
		head = append(append(head[:len(`{"kind":"response"`)], session...), `,"id":`...)
		head = append(append(head, id...), `,"result":`...)
		host.Deliver(wire.Frame{Head: head, Body: result, Tail: wire.End})
	}
}

// attach attaches a Client to Targets in turn, and returns the ids of its sessions,
// sorted.
func (s *side) attach(client *wsconn.Conn, times, targets int) []string {
	var ids []string
	for i := range times {
		s.burst(&load{func() { send(client, attachMessage(i%targets)) }, func(_ *wsconn.Conn, m []byte) bool {
			id, is := sessionOf(m)
			if is {
				ids = append(ids, id)
			}
			return is
		}}, 1)
	}
	slices.Sort(ids)
	return ids
}

func attachMessage(target int) []byte {
	return fmt.Appendf(nil, `{"id":3,"method":"Target.attachToTarget","params":{"targetId":"T%d","flatten":true}}`, target)
}

// sessionOf is the session in an answer to attachToTarget; ok is false when the message
// is something else.
func sessionOf(m []byte) (id string, ok bool) {
	_, rest, found := bytes.Cut(m, []byte(`"result":{"sessionId":"`))
	text, _, closed := bytes.Cut(rest, []byte(`"`))
	return string(text), found && closed
}

// runFlood does nothing but load a hub: a Client sends commands to Target T0 as fast as
// the hub takes them, and the Host answers them and sends events of Target T1, to which
// no Client listens. It runs until it is killed.
func runFlood(address, path string) {
	clients, hosts, _ := strings.Cut(address, ",")
	s := openHub(process{}, &child{clients: clients, hosts: hosts}, path, 1, 2, nodes(100))
	session := s.attach(s.clients[0], 1, 1)[0]
	s.load.Store(nil)
	fmt.Println("flooding")
	go push(s.host, []byte(`{"kind":"event","targetId":"T1","method":"Network.dataReceived","params":{"size":1}}`))
	push(s.clients[0], fmt.Appendf(nil, `{"id":6,"method":"A.b","params":{},"sessionId":%q}`, session))
}

// push sends a message again and again, as fast as the socket takes it.
func push(conn *wsconn.Conn, message []byte) {
	for {
		// The queue of the socket is filled in batches, so that it is never empty, and
		// never grows to its limit.
		for range 64 {
			send(conn, message)
		}
		conn.WaitBelow(64<<10, time.Second)
	}
}
