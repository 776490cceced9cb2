package proxy

import (
	"cmp"
	"context"
	"crypto/subtle"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

const (
	// agentPath is below prefix. Agents connect there: see agentprotocol.go.
	agentPath = "/control"
	// The limits of an agentRegistry: Targets, addresses whose Target is known,
	// and requests that are paused at a time.
	maxTargets = 1000
	maxOwners  = 10000
	maxPaused  = 1000
	// maxBacklog is how many events wait for the agent of a new document.
	maxBacklog = 1000
	// pauseTimeout is how long a request waits for a decision.
	pauseTimeout = 5 * time.Minute
	// successorTimeout is how long the requests of a new document wait for its
	// agent. announceTimeout is how long a request for a document waits for the
	// command "navigate", which may arrive after the request.
	successorTimeout = 3 * time.Second
	announceTimeout  = 100 * time.Millisecond
)

// agentRegistry knows the Targets behind the proxy by the connections of their
// agents. One mutex guards all of it: requests look up a Target by any of its
// addresses, and hold the lock only for that.
type agentRegistry struct {
	log *zap.Logger // static

	mu      sync.Mutex                // guards everything below, and every agentTarget and pausedRequest
	targets map[string]*agentTarget   `stays:"bounded by number, makes room for others"`
	owners  map[string]resourceOwner  `stays:"bounded by number, makes room for others"` // by address of a document, stylesheet or worker
	paused  map[string]*pausedRequest `held:"paused requests"`
	changed chan struct{}             `stays:"one signal for all waiters"` // closed when anything has changed
}

// resourceOwner is the Target that a document, stylesheet or worker belongs to. A
// request names it by its Referer.
type resourceOwner struct {
	target string
	worker bool
}

// agentTarget is one Target.
type agentTarget struct {
	id    string
	conn  *wsconn.Conn // of the agent of its document; nil while there is none
	state targetState
	// announced is the address that the main frame is about to ask for, and
	// referrer the Referer of that request. Both are "" otherwise.
	announced, referrer string
	// credentials are a name and a password for the app, which a Client has given in
	// an address: those of Basic (RFC 7617).
	credentials string
	// next is the address of a document that was served, and whose agent has
	// not connected yet. It is expected until then.
	next  string
	until time.Time
	// backlog are the events for that agent.
	backlog []agentEvent
}

func newAgentRegistry(log *zap.Logger) *agentRegistry {
	return &agentRegistry{
		log:     log,
		targets: map[string]*agentTarget{},
		owners:  map[string]resourceOwner{},
		paused:  map[string]*pausedRequest{},
		changed: make(chan struct{}),
	}
}

// maxAgentMessage is the longest message of an agent, in bytes: a fulfill command
// with a body in base64, which is a third longer, and headers.
const maxAgentMessage = 2 * maxResponseBody

// serveAgent accepts the connection of an agent. It must come from a document of the
// app, or from a page that may drive the app. A blank document that such a page has
// made has an opaque origin, which is "null" in a request as for any stranger. It
// sends the key, which its Host has got from the agent of the app.
func (p *handler) serveAgent(w http.ResponseWriter, r *http.Request, own origin) {
	from := r.Header.Get("Origin")
	u, err := url.Parse(from)
	// A comparison in constant time does not show how much of the key is right.
	blank := from == "null" && subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("key")), []byte(p.key)) == 1
	if !blank && (err != nil || !p.movesFor(own).owns(originOf(u)) && !slices.Contains(p.Parents, originOf(u).String())) {
		http.Error(w, "This is for the app's own pages.", http.StatusForbidden)
		return
	}
	conn, err := wsconn.Upgrade(w, r, wsconn.Options{Budget: p.Budget, Limits: wsconn.Limits{MaxMessage: maxAgentMessage}})
	if err != nil {
		return // it is answered
	}
	go p.agents.serve(conn)
}

// serve runs the connection of one agent until it ends. Requests that still wait for
// this agent continue.
func (c *agentRegistry) serve(conn *wsconn.Conn) {
	var t *agentTarget
	conn.Serve(context.Background(), func(message []byte) {
		id, command, err := readCommand(message)
		if err != nil {
			c.log.Warn("a message of an agent is not understood", zap.Error(err))
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		switch cmd := command.(type) {
		case targetState:
			t = c.registerLocked(conn, cmd)
			// The agent learns that its state has taken effect.
			sendEvent(conn, agentEvent{What: "state"})
		case navigateCommand:
			if t != nil {
				t.announced, t.referrer = cmd.URL, cmd.Referrer
				c.markMainLocked(t)
				c.notifyLocked()
			}
		case decision:
			if h := c.paused[id]; h != nil && h.conn == conn {
				h.decide(cmd)
			}
		}
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if t != nil && t.conn == conn {
		t.conn = nil
		// A new document of the Target may be on its way: its agent is expected for a
		// while.
		t.until = time.Now().Add(successorTimeout)
		c.notifyLocked()
	}
	for _, h := range c.paused {
		if h.conn == conn {
			h.decide(continueRequest{})
		}
	}
}

// registerLocked records the state of a Target. The connection of a new document
// takes over the requests that no agent has, and the backlog of the Target.
func (c *agentRegistry) registerLocked(conn *wsconn.Conn, s targetState) *agentTarget {
	t := c.targets[s.Target]
	if t == nil {
		c.evictLocked()
		t = &agentTarget{id: s.Target}
		c.targets[s.Target] = t
	}
	if t.conn != conn {
		t.conn, t.next, t.announced = conn, "", ""
		for _, h := range c.paused {
			if h.target == t && h.conn == nil {
				h.conn = conn
			}
		}
		for _, n := range t.backlog {
			sendEvent(conn, n)
		}
		t.backlog = nil
	}
	t.state = s
	t.credentials = cmp.Or(s.Credentials, t.credentials)
	for _, address := range s.Addresses {
		c.recordOwnerLocked(address, resourceOwner{target: t.id})
	}
	c.notifyLocked()
	return t
}

// markMainLocked marks the request that an agent has just announced, if the request
// came before the announcement.
func (c *agentRegistry) markMainLocked(t *agentTarget) {
	for _, h := range c.paused {
		if h.target == t && h.document == withoutFragment(t.announced) {
			h.main = true
		}
	}
}

// evictLocked makes room for a Target. It removes Targets without a document, and if
// that is not enough, any one.
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
		// A rare full reset is simpler than an order of use: owners are recorded
		// again with each document.
		clear(c.owners)
	}
	c.owners[withoutFragment(address)] = o
}

// notifyLocked wakes all calls of await.
func (c *agentRegistry) notifyLocked() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// await waits until a condition holds, the time is over or the request has ended.
// The condition is called under the lock.
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

// idleLocked reports whether no Target wants anything. Then requests need no Target,
// which is the usual case.
func (c *agentRegistry) idleLocked() bool {
	for _, t := range c.targets {
		if s := t.state; s.Hold || s.Tell || len(s.Extra) > 0 || s.UserAgent != "" || s.NoCache || s.Offline || t.referrer != "" || t.credentials != "" {
			return false
		}
	}
	return true
}

// findTarget returns the Target that makes a request; nil when it is unknown. main
// says that the request is for the document of the main frame. A main document is
// known by the address that its agent has announced, everything else by its Referer.
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
		// The command "navigate" goes another way than the request, and may come
		// later.
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

// isTargetDocument reports whether an address belongs to a Target.
func (c *agentRegistry) isTargetDocument(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.owners[withoutFragment(address)]
	return known
}

// hearing are the connections of the agents that get events of requests.
func (c *agentRegistry) hearing() (conns []*wsconn.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.targets {
		if t.conn != nil && t.state.Tell {
			conns = append(conns, t.conn)
		}
	}
	return conns
}

// soleTargetLocked returns the only Target that pauses requests or, when none
// does, the only one that gets events of them. A request without a known Referer is
// taken for its own.
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

// sendEvent sends an event to an agent. It does not block. A connection that has ended
// drops it.
func sendEvent(conn *wsconn.Conn, e agentEvent) {
	conn.Deliver(wire.Frame{Body: mustEncode(e)})
}

func withoutFragment(address string) string {
	address, _, _ = strings.Cut(address, "#")
	return address
}
