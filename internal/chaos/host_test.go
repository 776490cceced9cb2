package chaos

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// host is a fake Host: it answers each command with the command's nonce and
// the place where its Target is in its run of events.
type host struct {
	b    *books
	name string // of the hub, and of all that is the Host's
	id   string // the hostId; "" for a Host of version 1
	s    *sock
	gone chan struct{} // closed when the connection has ended

	ran func(nonce string) // told of each command; nil: nobody is

	left, returns bool // of the random run: the Host itself ends the connection, and comes back

	mu      sync.Mutex // guards everything below, and the order of what is sent
	err     error      // why the connection ended
	epoch   int
	targets []*target
	past    map[string]bool   // Targets that have ended
	live    map[string]string // sessions the Host was told of, and their Targets
	done    map[string]int    // sessions it was told the end of
	last    int               // number of the last command
	hold    bool              // answers wait in held
	held    []func()
}

// openHost connects a Host, of version 1 without a hostId, to the hub of that
// name, with so many new Targets.
func openHost(b *books, at place, name, id string, targets int) (*host, error) {
	h := newHost(b, name, id, targets)
	return h, h.connect(at)
}

func newHost(b *books, name, id string, targets int) *host {
	h := &host{b: b, name: name, id: id}
	for range targets {
		h.targets = append(h.targets, b.newTarget(name))
	}
	return h
}

func startHost(t testing.TB, b *books, at place, name, id string, targets int) *host {
	t.Helper()
	h, err := openHost(b, at, name, id, targets)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.leave)
	return h
}

// back is the same Host come again.
func (h *host) back(at place) (*host, error) {
	n := h.again()
	return n, n.connect(at)
}

// again is the same Host for a new connection, with its hostId and its Targets.
func (h *host) again() *host {
	h.mu.Lock()
	n := &host{b: h.b, name: h.name, id: h.id, ran: h.ran, epoch: h.epoch + 1, targets: h.targets}
	for _, t := range n.targets {
		t.at = mark{n.epoch, 0}
		h.past[t.id] = true // commands for them may be on their way here
	}
	h.targets = nil
	h.mu.Unlock()
	return n
}

func (h *host) connect(at place) (err error) {
	if h.s, err = dial(at.hosts, "/hub/"+h.name+"/icdp/host"); err != nil {
		return err
	}
	h.gone = make(chan struct{})
	h.past, h.live, h.done = make(map[string]bool), make(map[string]string), make(map[string]int)
	if err := h.s.send(h.ready()); err != nil {
		h.s.reset()
		return err
	}
	go h.read()
	return nil
}

func (h *host) ready() string {
	list := make([]string, len(h.targets))
	for i, t := range h.targets {
		list[i] = info(t)
	}
	m := `{"kind":"ready","v":1,"targets":[` + strings.Join(list, ",") + `]`
	if h.id != "" {
		m += fmt.Sprintf(`,"hostId":%q,"features":["sessions","resume"]`, h.id)
	}
	return m + "}"
}

func info(t *target) string {
	return fmt.Sprintf(`{"targetId":%q,"title":"A page","url":"https://app.example/"}`, t.id)
}

// read takes what the hub sends until the connection ends. What is answered is
// flushed when nothing more has come.
func (h *host) read() {
	defer close(h.gone)
	for {
		m, err := h.s.next()
		h.mu.Lock()
		if err != nil {
			h.err = err
			h.mu.Unlock()
			h.s.tcp.Close()
			return
		}
		h.take(m)
		h.mu.Unlock()
		if h.s.r.Buffered() == 0 {
			h.s.flush()
		}
	}
}

func (h *host) take(m []byte) {
	kind := text(m, `{"kind":"`)
	switch kind {
	case "command":
		h.command(m)
	case "attached", "detached":
		h.session(kind, text(m, `"sessionId":"`), text(m, `"targetId":"`))
	case "accepted", "resumed":
	default:
		h.b.fault(&h.b.crossed, "host %s got %.200s", h.name, m)
	}
}

// session notes the beginning or the end of a session.
func (h *host) session(kind, id, target string) {
	at, known := h.find(target)
	if kind == "detached" {
		if h.done[id]++; h.done[id] > 1 {
			h.b.fault(&h.b.doubled, "host %s was told twice that session %s ended", h.name, id)
		}
		delete(h.live, id)
		return
	}
	if _, again := h.live[id]; again || h.done[id] > 0 {
		h.b.fault(&h.b.doubled, "host %s was told twice that session %s began", h.name, id)
	}
	if !known && !h.past[target] {
		h.b.fault(&h.b.crossed, "host %s was told of session %s on a Target not its own, %s", h.name, id, target)
	}
	h.live[id] = target
	if known {
		h.b.sessionBegan(id, at.at)
	}
}

func (h *host) find(id string) (*target, bool) {
	for _, t := range h.targets {
		if t.id == id {
			return t, true
		}
	}
	return nil, false
}

// command answers a command:
//
//	{"kind":"command","sessionId":"S","targetId":"h1.T3","id":7,"method":"Chaos.echo","params":{"nonce":"c1.7"}}
func (h *host) command(m []byte) {
	head, params, _ := bytes.Cut(m, []byte(`,"method":`))
	session, id, call := text(head, `"sessionId":"`), text(head, `"targetId":"`), number(head, `,"id":`)
	if call <= h.last {
		h.b.fault(&h.b.doubled, "host %s got command %d after %d", h.name, call, h.last)
	}
	h.last = call
	t, known := h.find(id)
	if !known {
		if !h.past[id] {
			h.b.fault(&h.b.crossed, "host %s got a command for a Target not its own, %s", h.name, id)
		}
		return // the hub has failed it, or will when it hears of the Target's end
	}
	if h.id != "" && h.live[session] != id {
		h.b.fault(&h.b.crossed, "host %s got a command for %s in session %s, which is on %q", h.name, id, session, h.live[session])
	}
	nonce := text(params, `"nonce":"`)
	if h.ran != nil {
		h.ran(nonce)
	}
	answer := func() {
		h.s.put(opText, fmt.Appendf(nil, `{"kind":"response","sessionId":"%s","id":%d,"result":{"nonce":"%s","target":"%s","epoch":%d,"n":%d}}`,
			session, call, nonce, t.id, t.at.epoch, t.at.n))
	}
	if h.hold {
		h.held = append(h.held, answer)
		return
	}
	answer()
}

// holdAnswers makes the Host silent, or lets it say what it has held back, the
// last first.
func (h *host) holdAnswers(on bool) {
	h.mu.Lock()
	h.hold = on
	for i := len(h.held) - 1; i >= 0 && !on; i-- {
		h.held[i]()
	}
	if !on {
		h.held = nil
	}
	h.mu.Unlock()
	h.s.flush()
}

// event sends so many numbered events of one of the Targets, the i-th.
func (h *host) event(i, count int) { h.paddedEvent(i, count, "") }

// paddedEvent is event with padding in each.
func (h *host) paddedEvent(i, count int, padding string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.targets) == 0 {
		return
	}
	t := h.targets[i%len(h.targets)]
	for range count {
		m := fmt.Appendf(nil, `{"kind":"event","targetId":"%s","method":"Chaos.event","params":{"target":"%s","epoch":%d,"n":%d,"pad":"`, t.id, t.id, t.at.epoch, t.at.n)
		if h.s.put(opText, m, []byte(padding), []byte(`"}}`)) != nil {
			return
		}
		t.at.n++
		h.b.numbered.Add(1)
	}
	h.s.flush()
}

// say sends any message.
func (h *host) say(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.s.send(fmt.Sprintf(format, args...))
}

// create adds a Target.
func (h *host) create() {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.b.newTarget(h.name)
	h.targets = append(h.targets, t)
	h.s.send(`{"kind":"targetCreated","target":` + info(t) + `}`)
}

// destroy ends the i-th Target.
func (h *host) destroy(i int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.targets) == 0 {
		return
	}
	i %= len(h.targets)
	t := h.targets[i]
	h.targets = append(h.targets[:i:i], h.targets[i+1:]...)
	h.past[t.id] = true
	h.s.send(`{"kind":"targetDestroyed","targetId":"` + t.id + `"}`)
}

// reannounce starts over with new Targets.
func (h *host) reannounce(targets int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.targets {
		h.past[t.id] = true
	}
	h.targets = nil
	for range targets {
		h.targets = append(h.targets, h.b.newTarget(h.name))
	}
	h.s.send(h.ready())
}

// crash ends the connection with a reset.
func (h *host) crash() {
	h.s.reset()
	<-h.gone
}

// leave ends the connection as a page does that is closed.
func (h *host) leave() {
	h.s.close()
	<-h.gone
}

// ended is why the connection ended.
func (h *host) ended() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// target is the id of the i-th Target.
func (h *host) target(i int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.targets[i].id
}
