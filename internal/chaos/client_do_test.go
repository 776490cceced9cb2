package chaos

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// What a Client can be made to do.

// putLocked queues a message that wants an answer. The hub may let a writer
// wait until its answers are read: so the lock is free meanwhile.
func (c *client) putLocked(parts ...[]byte) {
	c.b.sent.Add(1)
	if c.err != nil {
		c.b.gone.Add(1)
	}
	c.mu.Unlock()
	c.s.put(opText, parts...)
	c.mu.Lock()
}

// postLocked queues a command under an id.
func (c *client) postLocked(id int, cmd *command, parts ...[]byte) {
	same := c.inFlight[id]
	if same == nil {
		same = new(sameID)
		c.inFlight[id] = same
	}
	same.list = append(same.list, cmd)
	c.waiting++
	c.putLocked(parts...)
}

// echoLocked queues a command for the Host in a session.
func (c *client) echoLocked(id int, session string, padding string) {
	c.seq++
	cmd := &command{seq: c.seq, session: session}
	if v := c.sessions[session]; v != nil {
		cmd.target = v.target
	} else {
		cmd.alien = true
	}
	c.postLocked(id, cmd, fmt.Appendf(nil, `{"id":%d,"method":"Chaos.echo","params":{"nonce":"%s.%d","pad":"`, id, c.name, cmd.seq),
		[]byte(padding), []byte(`"},"sessionId":"`+session+`"}`))
}

// echoes sends so many commands into a session at once.
func (c *client) echoes(session string, count int) {
	c.mu.Lock()
	for range count {
		c.echoLocked(c.seq+1, session, "")
	}
	c.mu.Unlock()
	c.s.flush()
}

// ask queues a browser-level command, whose answer done gets.
func (c *client) ask(method, params string, done func(answer []byte)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.askLocked(method, params, done)
}

func (c *client) askLocked(method, params string, done func(answer []byte)) {
	c.seq++
	id := c.seq
	cmd := &command{seq: id, done: done}
	if done == nil {
		cmd.done = func([]byte) {}
	}
	c.postLocked(id, cmd, fmt.Appendf(nil, `{"id":%d,"method":"%s","params":%s}`, id, method, params))
}

// call sends a browser-level command and waits for its answer.
func (c *client) call(method, params string) (answer string, err error) {
	got := make(chan string, 1)
	c.ask(method, params, func(m []byte) { got <- string(m) })
	if err := c.s.flush(); err != nil {
		return "", err
	}
	select {
	case m := <-got:
		return m, nil
	case <-c.gone:
		return "", c.ended()
	case <-time.After(patience):
		return "", fmt.Errorf("%s was not answered", method)
	}
}

// attach attaches to a Target and returns the session's id.
func (c *client) attach(target string) (string, error) {
	m, err := c.call("Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
	if err != nil {
		return "", err
	}
	var a struct {
		Result struct{ SessionID string }
	}
	if err := json.Unmarshal([]byte(m), &a); err != nil || a.Result.SessionID == "" {
		return "", fmt.Errorf("attach to %s: %s", target, m)
	}
	return a.Result.SessionID, nil
}

func (c *client) mustAttach(t testing.TB, target string) string {
	t.Helper()
	var id string
	var err error
	eventually(t, "that "+target+" can be attached to", func() bool {
		id, err = c.attach(target)
		return err == nil || c.ended() != nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// quiet waits until everything is answered; what is not is lost.
func (c *client) quiet(t testing.TB) {
	t.Helper()
	c.s.flush()
	if !c.wait(patience, func() bool { return c.waiting == 0 && c.nameless == 0 }) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.b.fault(&c.b.lost, "client %s: %d commands are without an answer, %d errors have not come (its end: %v)", c.name, c.waiting, c.nameless, c.err)
		t.FailNow()
	}
}

// wait waits until ok, which is asked under the lock, and reports false when
// the connection has ended or the time is up.
func (c *client) wait(longest time.Duration, ok func() bool) bool {
	end := time.Now().Add(longest)
	alarm := time.AfterFunc(longest, c.room.Broadcast)
	defer alarm.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !ok() {
		if c.err != nil || !time.Now().Before(end) {
			return false
		}
		c.room.Wait()
	}
	return true
}

// inAir is how many commands have no answer yet.
func (c *client) inAir() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting
}

// malformed queues what gets an error without an id.
func (c *client) malformed(m string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.malformedLocked(m)
}

func (c *client) malformedLocked(m string) {
	c.nameless++
	c.putLocked([]byte(m))
}

// sawAll waits until each of the Client's sessions has seen what the Host has
// sent of its Target.
func (c *client) sawAll(t testing.TB, h *host) {
	t.Helper()
	eventually(t, "that "+c.name+" has seen every event", func() bool { return c.behind(h) == 0 })
}

// behind is how many of the sessions on a Host's Targets have not seen all.
func (c *client) behind(h *host) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range c.sessions {
		if t, known := h.find(v.target); known && (!v.seen || v.at != t.at) {
			n++
		}
	}
	return n
}

// has reports whether a session is open.
func (c *client) has(session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[session] != nil
}

// ended is why the connection ended; nil while it has not.
func (c *client) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// leave ends the connection in good order.
func (c *client) leave() {
	c.s.close()
	<-c.gone
}

// crash ends it with a reset.
func (c *client) crash() {
	c.s.reset()
	<-c.gone
}
