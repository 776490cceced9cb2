package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// roamer is a Client with a named session that it resumes at whichever node, as
// docs/sessions.md has it: it sends again what the session has not received, and nothing else.
type roamer struct {
	w    *world
	name string
	hub  string
	r    *rand.Rand

	mu       sync.Mutex // guards everything below, and the order of what is sent
	room     sync.Cond  // told of each answer
	s        *sock
	stream   string
	received int      // messages of the hub
	begun    int      // messages to the hub: the last has this id
	sent     []string // the last of these, from the first one on that has no answer
	waiting  map[int]bool
	session  string
	moves    int
}

// play connects again and again, until ctx ends.
func (c *roamer) play(ctx context.Context) {
	for ctx.Err() == nil {
		err := c.w.reach(c.r, c.connect)
		if err != nil {
			if ctx.Err() == nil {
				c.w.b.fault(&c.w.b.lost, "%s cannot come back to its session: %v", c.name, err)
			}
			return
		}
		stop := context.AfterFunc(ctx, c.s.reset)
		for err == nil {
			var m []byte
			if m, err = c.s.next(); err == nil {
				c.take(m)
			}
		}
		stop()
		c.mu.Lock()
		c.s.tcp.Close()
		c.s = nil
		c.moves++
		c.mu.Unlock()
	}
}

func (c *roamer) connect(at place) error {
	c.mu.Lock()
	resume := "on"
	if c.stream != "" {
		resume = fmt.Sprintf("%s.%d.%d", c.stream, c.received, c.begun)
	}
	c.mu.Unlock()
	s, err := dial(at.clients, "/hub/"+c.hub+"/devtools/browser?session="+c.name+"&grace=10m&resume="+resume)
	if err != nil {
		return err
	}
	m, err := s.next()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	stream, has := text(m, `"stream":"`), number(m, `"received":`)
	first := c.begun - len(c.sent)
	if c.stream != "" && stream != c.stream || has > c.begun || has < first {
		c.w.b.fault(&c.w.b.lost, "%s got %.300s for stream %s and messages %d to %d", c.name, m, c.stream, first+1, c.begun)
		s.reset()
		return refused(http.StatusGone)
	}
	c.stream, c.s = stream, s
	for _, message := range c.sent[has-first:] {
		c.s.put(opText, []byte(message))
	}
	return c.s.flush()
}

// take counts a message, and checks whether it is an answer that is due.
func (c *roamer) take(m []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var answer struct {
		Method string
		ID     int
		Result struct {
			SessionID string
			Nonce     string
		}
		Error     *struct{ Message string }
		SessionID string
	}
	if err := json.Unmarshal(m, &answer); err != nil || answer.Method == "CdpHub.gap" {
		c.w.b.fault(&c.w.b.lost, "%s got %.300s", c.name, m)
		return
	}
	c.received++
	if answer.ID == 0 {
		return
	}
	if !c.waiting[answer.ID] {
		c.w.b.fault(&c.w.b.doubled, "%s got an answer too many: %.300s", c.name, m)
	}
	delete(c.waiting, answer.ID)
	for len(c.sent) > 0 && !c.waiting[c.begun-len(c.sent)+1] {
		c.sent = c.sent[1:]
	}
	switch {
	case answer.Error != nil:
		c.w.b.cause(answer.Error.Message)
	case c.session == "":
		c.session = answer.Result.SessionID
		c.w.b.answered.Add(1)
	default:
		c.w.b.answered.Add(1)
		if answer.Result.Nonce != c.nonce(answer.ID) || answer.SessionID != c.session {
			c.w.b.fault(&c.w.b.crossed, "%s: command %d got %.300s", c.name, answer.ID, m)
		}
	}
	c.room.Broadcast()
}

func (c *roamer) nonce(id int) string { return fmt.Sprintf("%s.%d", c.name, id) }

// send sends a command, and once more over later connections if it has not come.
func (c *roamer) send(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun++
	m := fmt.Sprintf(`{"id":%d,`, c.begun) + fmt.Sprintf(format, args...)
	c.sent = append(c.sent, m)
	c.waiting[c.begun] = true
	c.w.b.sent.Add(1)
	if c.s != nil {
		c.s.send(m)
	}
}

// await waits until fewer commands than that have no answer.
func (c *roamer) await(fewer int) bool {
	end := time.Now().Add(patience)
	alarm := time.AfterFunc(patience, c.room.Broadcast)
	defer alarm.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.waiting) >= fewer {
		if time.Now().After(end) {
			c.w.b.fault(&c.w.b.lost, "%s: %d of %d commands have no answer", c.name, len(c.waiting), c.begun)
			return false
		}
		c.room.Wait()
	}
	return true
}

// work sends echoes until ctx ends, and waits for all answers.
func (c *roamer) work(ctx context.Context, target string) {
	c.send(`"method":"Target.attachToTarget","params":{"targetId":%q,"flatten":true}}`, target)
	ok := c.await(1)
	for n := 2; ok && ctx.Err() == nil; n++ {
		c.send(`"method":"Chaos.echo","params":{"nonce":%q},"sessionId":%q}`, c.nonce(n), c.session)
		ok = c.await(16)
	}
	if ok {
		c.await(1)
	}
}

// keepHost connects a Host page again, with its id and its Targets, until ctx ends.
func (w *world) keepHost(ctx context.Context, h *host, r *rand.Rand) {
	for {
		<-h.gone
		if ctx.Err() != nil {
			return
		}
		h = h.again()
		if err := w.reach(r, h.connect); err != nil {
			w.b.fault(&w.b.lost, "host %s cannot come back: %v", h.name, err)
			return
		}
		defer context.AfterFunc(ctx, h.s.reset)()
	}
}

// ranOnce notes which commands Hosts carry out: those of a Client come in order.
type ranOnce struct {
	b    *books
	mu   sync.Mutex // guards what follows
	last map[string]int
	all  int
}

func (o *ranOnce) ran(nonce string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	name, number, _ := strings.Cut(nonce, ".")
	n, _ := strconv.Atoi(number)
	if n <= o.last[name] {
		o.b.fault(&o.b.doubled, "command %s was carried out after command %d", nonce, o.last[name])
	}
	o.last[name] = n
	o.all++
}

// TestRandomDrains drains one node after the other, and starts it again, while Clients with
// named sessions send commands: each is carried out once and answered once, in the session
// that it was sent in.
func TestRandomDrains(t *testing.T) {
	if *nodes < 2 {
		t.Skip("make chaos CLUSTER=3 runs it")
	}
	w := newWorld(t)
	t.Logf("seed %d, for %v", w.seed, *duration)
	once := &ranOnce{b: w.b, last: make(map[string]int)}
	all, end := context.WithCancel(context.Background())
	defer end()
	working, stop := context.WithTimeout(all, *duration)
	defer stop()
	var players, workers sync.WaitGroup
	var clients []*roamer
	for i := range manyHosts {
		h := newHost(w.b, fmt.Sprintf("h%d", i), fmt.Sprintf("H%d", i), manyTargets)
		h.ran = once.ran
		r := w.chance(1000 + i)
		if err := w.reach(r, h.connect); err != nil {
			t.Fatal(err)
		}
		defer context.AfterFunc(all, h.s.reset)()
		target := h.target(0)
		players.Go(func() { w.keepHost(all, h, r) })
		for j := range manyClients / manyHosts {
			c := &roamer{w: w, name: fmt.Sprintf("c%d-%d", i, j), hub: h.name, r: w.chance(10*i + j), waiting: make(map[int]bool)}
			c.room.L = &c.mu
			clients = append(clients, c)
			players.Go(func() { c.play(all) })
			workers.Go(func() { c.work(working, target) })
		}
	}
	drains := w.drainNodes(working)
	workers.Wait()
	end()
	players.Wait()
	moves := 0
	for _, c := range clients {
		moves += c.moves
	}
	b := w.b
	if rest := b.sent.Load() - b.answered.Load() - b.failed.Load(); rest != 0 {
		b.fault(&b.lost, "%d commands are unaccounted for", rest)
	}
	t.Logf("%d drains, %d commands, %d carried out, %d connections were lost; failed by: %v", drains, b.sent.Load(), once.all, moves, b.causes)
	if drains == 0 || once.all == 0 {
		t.Error("nothing was drained, or nothing was done")
	}
}

// drainNodes drains one node and starts it again, until ctx ends.
func (w *world) drainNodes(ctx context.Context) (drains int) {
	for r := w.chance(-1); rest(ctx, time.Duration(500+r.IntN(1500))*time.Millisecond); drains++ {
		n := w.all[r.IntN(len(w.all))]
		n.stop()
		if status := n.ended(); status != 0 {
			w.t.Errorf("a node that was drained ended with status %d", status)
		}
		n.run()
	}
	return drains
}
