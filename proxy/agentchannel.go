package proxy

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

const (
	// agentPath is where agents connect to, to hear of requests and to
	// decide what becomes of them.
	agentPath = "/control"
	// maxTargets bounds the Targets that are known at a time, maxOwners the
	// addresses whose Target is known, maxHeld the requests that wait.
	maxTargets = 1000
	maxOwners  = 10000
	maxPaused  = 1000
	// maxBacklog bounds what waits for one agent.
	maxBacklog = 1000
	// pauseTimeout bounds how long a request waits for a client.
	pauseTimeout = 5 * time.Minute
	// successorTimeout bounds how long requests of a new document wait for its
	// agent, and announceWithin how long a document's for the agent that has
	// sent the frame there: its message may come behind the request.
	successorTimeout = 3 * time.Second
	announceTimeout  = 100 * time.Millisecond
)

// An order is a message of an agent.
type order struct {
	Do string `json:"do"`

	// "state" tells what its Target wants, and which documents it has.
	Target    string            `json:"target"`
	Hold      bool              `json:"hold"` // requests are to wait
	Tell      bool              `json:"tell"` // of requests, even if they do not wait
	Extra     map[string]string `json:"extra"`
	UserAgent string            `json:"userAgent"`
	NoCache   bool              `json:"noCache"`
	Offline   bool              `json:"offline"`
	Addresses []string          `json:"addresses"`

	// "navigate" announces where the main frame is going, "go", "fulfill",
	// "fail" and "body" are about the request with this id.
	ID       string      `json:"id"`
	URL      string      `json:"url"`
	Referrer string      `json:"referrer"`
	Method   string      `json:"method"`
	Headers  [][2]string `json:"headers"`
	Body     *[]byte     `json:"body"`
	See      bool        `json:"see"` // the response
	Error    string      `json:"error"`
	Status   int         `json:"status"`
	Phrase   string      `json:"phrase"`
}

// A agentRegistry knows the Targets behind the proxy by their agents' connections.
type agentRegistry struct {
	mu      sync.Mutex
	targets map[string]*agentTarget
	owners  map[string]resourceOwner // by address, of documents and what asks in their stead
	paused  map[string]*pausedRequest
	changed chan struct{} // closed at the next change
}

// resourceOwner says whose a document, stylesheet or worker is.
type resourceOwner struct {
	target string
	worker bool
}

// agentTarget is one Target.
type agentTarget struct {
	id    string
	conn  *wsconn.Conn // of the document that is there; nil while there is none
	state order
	// announced is where the main frame is going, if its agent has said so,
	// and referrer what its request is to name.
	announced, referrer string
	// next is the document that has been sent and has yet to connect.
	next  string
	until time.Time // for which it is waited
	// backlog is what its agent is to hear of then.
	backlog []agentEvent
}

func newAgentRegistry() *agentRegistry {
	return &agentRegistry{targets: map[string]*agentTarget{}, owners: map[string]resourceOwner{}, paused: map[string]*pausedRequest{}, changed: make(chan struct{})}
}

// maxAgentMessage is the longest message of an agent: one with a body that a client
// has made up, in base64.
const maxAgentMessage = 2 * maxResponseBody

// serveAgent takes the connection of an agent: from a document of the app or
// a blank one of a page that may drive it. Other origins' scripts are refused.
func (p *handler) serveAgent(w http.ResponseWriter, r *http.Request, own origin) {
	from, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || originOf(from) != own && !slices.Contains(p.Parents, originOf(from).String()) {
		http.Error(w, "This is for the app's own pages.", http.StatusForbidden)
		return
	}
	conn, err := wsconn.Upgrade(w, r, wsconn.Options{Budget: p.Budget, Limits: wsconn.Limits{MaxMessage: maxAgentMessage}})
	if err != nil {
		return // it is answered
	}
	go p.agents.serve(conn)
}

func (c *agentRegistry) serve(conn *wsconn.Conn) {
	var t *agentTarget
	conn.Serve(context.Background(), func(message []byte) {
		var o order
		if json.Unmarshal(message, &o) != nil {
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		switch o.Do {
		case "state":
			t = c.registerLocked(conn, o)
			send(conn, agentEvent{What: "state"})
		case "navigate":
			if t != nil {
				t.announced, t.referrer = o.URL, o.Referrer
				c.notifyLocked()
			}
		default:
			if h := c.paused[o.ID]; h != nil && h.conn == conn {
				h.decide(o)
			}
		}
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if t != nil && t.conn == conn {
		t.conn = nil
		t.until = time.Now().Add(successorTimeout)
		c.notifyLocked()
	}
	for _, h := range c.paused {
		if h.conn == conn {
			h.decide(order{Do: "go"})
		}
	}
}

// registerLocked notes the state of a Target.
func (c *agentRegistry) registerLocked(conn *wsconn.Conn, o order) *agentTarget {
	t := c.targets[o.Target]
	if t == nil {
		c.evictLocked()
		t = &agentTarget{id: o.Target}
		c.targets[o.Target] = t
	}
	if t.conn != conn {
		t.conn, t.next, t.announced = conn, "", ""
		for _, h := range c.paused {
			if h.target == t && h.conn == nil {
				h.conn = conn
			}
		}
		for _, n := range t.backlog {
			send(conn, n)
		}
		t.backlog = nil
	}
	t.state = o
	for _, address := range o.Addresses {
		c.recordOwnerLocked(address, resourceOwner{target: t.id})
	}
	c.notifyLocked()
	return t
}

// evictLocked makes room for a Target: those without a document go.
func (c *agentRegistry) evictLocked() {
	for id, t := range c.targets {
		if t.conn == nil && time.Now().After(t.until) {
			delete(c.targets, id)
		}
	}
	if len(c.targets) >= maxTargets {
		for id := range c.targets {
			delete(c.targets, id)
			return
		}
	}
}

func (c *agentRegistry) recordOwnerLocked(address string, o resourceOwner) {
	if len(c.owners) >= maxOwners {
		clear(c.owners)
	}
	c.owners[withoutFragment(address)] = o
}

func (c *agentRegistry) notifyLocked() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// await waits until a condition holds, which is asked for under the lock.
func (c *agentRegistry) await(r *http.Request, within time.Duration, holds func() bool) {
	timeout := time.After(within)
	for {
		c.mu.Lock()
		if holds() {
			c.mu.Unlock()
			return
		}
		changed := c.changed
		c.mu.Unlock()
		select {
		case <-changed:
		case <-timeout:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// idleLocked reports whether no Target wants anything.
func (c *agentRegistry) idleLocked() bool {
	for _, t := range c.targets {
		if s := t.state; s.Hold || s.Tell || len(s.Extra) > 0 || s.UserAgent != "" || s.NoCache || s.Offline || t.referrer != "" {
			return false
		}
	}
	return true
}

// findTarget finds the Target that a request is of, if it is known; main says that
// it is for the main frame's document.
func (c *agentRegistry) findTarget(r *http.Request, e *exchange, fromHost bool) (t *agentTarget, main bool) {
	c.mu.Lock()
	idle := c.idleLocked()
	c.mu.Unlock()
	if idle {
		return nil, false
	}
	address := e.own.String() + e.uri
	announced := func() bool {
		for _, candidate := range c.targets {
			if withoutFragment(candidate.announced) == address {
				t = candidate
				return true
			}
		}
		return false
	}
	if e.navigates {
		var within time.Duration
		if dest := r.Header.Get("Sec-Fetch-Dest"); fromHost || dest == "document" || dest == "iframe" && !c.isTargetDocument(r.Referer()) {
			within = announceTimeout
		}
		if c.await(r, within, announced); t != nil {
			return t, true
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	referrer := withoutFragment(r.Referer())
	if o, known := c.owners[referrer]; known {
		return c.targets[o.target], false
	}
	return c.soleTargetLocked(), false
}

// isTargetDocument reports whether an address is that of a Target's document.
func (c *agentRegistry) isTargetDocument(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.owners[withoutFragment(address)]
	return known
}

// soleTargetLocked is the one Target that holds requests or, where none does, that
// hears of them: what names nobody as its referrer may well be of that one.
func (c *agentRegistry) soleTargetLocked() *agentTarget {
	var holding, hearing []*agentTarget
	for _, t := range c.targets {
		switch {
		case t.conn == nil:
		case t.state.Hold:
			holding = append(holding, t)
		case t.state.Tell:
			hearing = append(hearing, t)
		}
	}
	if len(holding) == 0 {
		holding = hearing
	}
	if len(holding) != 1 {
		return nil
	}
	return holding[0]
}

// send sends a message to an agent.
func send(conn *wsconn.Conn, message any) {
	if text, err := json.Marshal(message); err == nil && conn != nil {
		conn.Deliver(wire.Frame{Body: text})
	}
}

func withoutFragment(address string) string {
	for i, b := range []byte(address) {
		if b == '#' {
			return address[:i]
		}
	}
	return address
}
