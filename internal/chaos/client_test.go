package chaos

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// client is a fake Client: each of its commands carries a nonce that the
// answer must have, and each of its sessions knows the next event's number.
type client struct {
	b    *books
	name string // and first part of its nonces
	s    *sock
	gone chan struct{} // closed when the connection has ended
	gate sync.Mutex    // held to keep the reader from reading
	hub  int           // of the random run, as is left: the Client itself ends the connection
	left bool

	mu       sync.Mutex // guards everything below
	room     sync.Cond  // told of each change that somebody may wait for
	err      error      // why the connection ended
	seq      int        // of the last command
	waiting  int        // commands without an answer
	inFlight map[int]*sameID
	sessions map[string]*view
	past     map[string]bool // sessions that have ended
	nameless int             // answers without an id that are yet to come
}

// command is one that has no answer yet.
type command struct {
	seq     int
	session string              // "" at browser level
	target  string              // of the session
	done    func(answer []byte) // called with the answer; nil for an echo
	alien   bool                // the session is not the Client's
}

// sameID is the commands in flight under one id. A nonce tells which of them a
// Host's answer is for; an error of the hub has none, and may be for any.
type sameID struct {
	list   []*command
	failed int // errors that have come
}

// view is what a session has seen of its Target.
type view struct {
	target string
	seen   bool
	at     mark // of the next event, once one was seen
}

func openClient(b *books, at place, hub, name string, header ...string) (*client, error) {
	s, err := dial(at.clients, "/hub/"+hub+"/devtools/browser", header...)
	if err != nil {
		return nil, err
	}
	c := &client{
		b: b, name: name, s: s, gone: make(chan struct{}), inFlight: make(map[int]*sameID),
		sessions: make(map[string]*view), past: make(map[string]bool),
	}
	c.room.L = &c.mu
	go c.read()
	return c, nil
}

func startClient(t testing.TB, b *books, at place, hub, name string) *client {
	t.Helper()
	c, err := openClient(b, at, hub, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.leave)
	return c
}

func (c *client) read() {
	defer close(c.gone)
	for {
		c.gate.Lock()
		c.gate.Unlock() //nolint:staticcheck // to wait is all
		m, err := c.s.next()
		c.mu.Lock()
		if err != nil {
			c.err = err
			c.b.gone.Add(int64(c.waiting + c.nameless))
			c.room.Broadcast()
			c.mu.Unlock()
			c.s.tcp.Close()
			return
		}
		c.take(m)
		c.mu.Unlock()
	}
}

func (c *client) take(m []byte) {
	switch {
	case bytes.HasPrefix(m, []byte(`{"id":`)):
		c.answer(m)
	case bytes.HasPrefix(m, []byte(`{"method":"Chaos.event",`)):
		c.event(m)
	case bytes.HasPrefix(m, []byte(`{"error":`)):
		c.b.nameless.Add(1)
		if c.nameless--; c.nameless < 0 {
			c.b.fault(&c.b.doubled, "client %s got an error for nothing: %.200s", c.name, m)
		}
		c.room.Broadcast()
	case bytes.HasPrefix(m, []byte(`{"method":"Target.attachedToTarget",`)):
		id := text(m, `"params":{"sessionId":"`)
		if c.sessions[id] != nil || c.past[id] {
			c.b.fault(&c.b.doubled, "client %s: session %s began twice", c.name, id)
		}
		c.sessions[id] = &view{target: text(m, `"targetId":"`)}
		c.room.Broadcast()
	case bytes.HasPrefix(m, []byte(`{"method":"Target.detachedFromTarget",`)):
		id := text(m, `"params":{"sessionId":"`)
		if c.sessions[id] == nil {
			c.b.fault(&c.b.doubled, "client %s: the end of session %s, which it has not", c.name, id)
		}
		delete(c.sessions, id)
		c.past[id] = true
		c.room.Broadcast()
	case bytes.HasPrefix(m, []byte(`{"method":"Target.`)): // of what comes and goes
	default:
		c.b.fault(&c.b.crossed, "client %s got %.200s", c.name, m)
	}
}

// event checks one numbered event:
//
//	{"method":"Chaos.event","params":{"target":"h1.T3","epoch":0,"n":17,"pad":""},"sessionId":"S"}
func (c *client) event(m []byte) {
	c.b.events.Add(1)
	id := sessionOf(m)
	v := c.sessions[id]
	target, now := at(m)
	switch {
	case v == nil:
		c.b.fault(&c.b.crossed, "client %s got an event of a session it has not (ended: %v): %.200s", c.name, c.past[id], m)
		return
	case target != v.target:
		c.b.fault(&c.b.crossed, "client %s got an event of %s in a session on %s", c.name, target, v.target)
	case !v.seen:
		c.b.sessionSaw(id, now)
	case now.epoch == v.at.epoch && now.n < v.at.n, now.epoch < v.at.epoch:
		c.b.fault(&c.b.doubled, "client %s got event %v of %s, after %v was due", c.name, now, target, v.at)
	case now.epoch == v.at.epoch && now.n > v.at.n, now.epoch > v.at.epoch && now.n > 0:
		c.b.fault(&c.b.lost, "client %s got event %v of %s, when %v was due", c.name, now, target, v.at)
	}
	v.seen, v.at = true, mark{now.epoch, now.n + 1}
}

// answer finds the command that m answers, and checks it.
func (c *client) answer(m []byte) {
	id := number(m, `{"id":`)
	same := c.inFlight[id]
	if same == nil {
		c.b.fault(&c.b.doubled, "client %s got an answer too many: %.200s", c.name, m)
		return
	}
	isError := bytes.Contains(m[:min(len(m), 40)], []byte(`,"error":`))
	i := max(0, slices.IndexFunc(same.list, func(cmd *command) bool { return c.mine(cmd, m) }))
	cmd := same.list[i]
	if isError {
		same.failed++
	} else {
		same.list = slices.Delete(same.list, i, i+1)
	}
	if len(same.list) == same.failed {
		delete(c.inFlight, id)
	}
	c.waiting--
	c.room.Broadcast()
	switch {
	case isError:
		c.failure(cmd, m)
	case cmd.done == nil:
		c.echo(cmd, m)
	default:
		c.b.answered.Add(1)
	}
	if cmd.done != nil {
		cmd.done(bytes.Clone(m))
	}
}

// mine reports whether m has the nonce of a command.
func (c *client) mine(cmd *command, m []byte) bool {
	nonce, ok := strings.CutPrefix(text(m, `"nonce":"`), c.name+".")
	return ok && nonce == strconv.Itoa(cmd.seq)
}

// echo checks a Host's answer:
//
//	{"id":7,"result":{"nonce":"c1.7","target":"h1.T3","epoch":0,"n":17},"sessionId":"S"}
func (c *client) echo(cmd *command, m []byte) {
	c.b.answered.Add(1)
	c.b.echoed.Add(1)
	id := sessionOf(m)
	v := c.sessions[id]
	target, now := at(m)
	switch {
	case !c.mine(cmd, m), id != cmd.session, target != cmd.target, cmd.alien:
		c.b.fault(&c.b.crossed, "client %s: command %d in session %s on %s got %.300s", c.name, cmd.seq, cmd.session, cmd.target, m)
	case v == nil:
		c.b.fault(&c.b.crossed, "client %s got an answer in a session that has ended: %.200s", c.name, m)
	case v.seen && now != v.at && (now.epoch == v.at.epoch || now.n > 0):
		c.b.fault(&c.b.lost, "client %s: an answer of %s came when event %v was due, and says that %v is", c.name, target, v.at, now)
	}
}

// failure checks an error of the hub.
func (c *client) failure(cmd *command, m []byte) {
	words := text(m, `"message":"`)
	c.b.cause(words)
	if cmd.done != nil {
		return
	}
	id := sessionOf(m)
	unknown := strings.HasPrefix(words, "Session with given id")
	switch {
	case unknown && (id != "" || !cmd.alien && !c.past[cmd.session]):
		c.b.fault(&c.b.lost, "client %s: its session %s is unknown: %.200s", c.name, cmd.session, m)
	case !unknown && (id != cmd.session || c.sessions[id] == nil):
		c.b.fault(&c.b.crossed, "client %s: command %d in session %s failed in %q: %.200s", c.name, cmd.seq, cmd.session, id, m)
	}
}
