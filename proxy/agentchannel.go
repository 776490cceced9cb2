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
	// controlPath is where agents connect to, to hear of requests and to
	// decide what becomes of them.
	controlPath = "/control"
	// maxTargets bounds the Targets that are known at a time, maxOwners the
	// addresses whose Target is known, maxHeld the requests that wait.
	maxTargets = 1000
	maxOwners  = 10000
	maxHeld    = 1000
	// maxBacklog bounds what waits for one agent.
	maxBacklog = 1000
	// holdFor bounds how long a request waits for a client.
	holdFor = 5 * time.Minute
	// successorWithin bounds how long requests of a new document wait for its
	// agent, and announceWithin how long a document's for the agent that has
	// sent the frame there: its message may come behind the request.
	successorWithin = 3 * time.Second
	announceWithin  = 100 * time.Millisecond
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

// A control knows the Targets behind the proxy by their agents' connections.
type control struct {
	mu      sync.Mutex
	targets map[string]*watched
	owners  map[string]owner // by address, of documents and what asks in their stead
	held    map[string]*held
	changed chan struct{} // closed at the next change
}

// owner says whose a document, stylesheet or worker is.
type owner struct {
	target string
	worker bool
}

// watched is one Target.
type watched struct {
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
	backlog []news
}

func newControl() *control {
	return &control{targets: map[string]*watched{}, owners: map[string]owner{}, held: map[string]*held{}, changed: make(chan struct{})}
}

// maxOrder is the longest message of an agent: one with a body that a client
// has made up, in base64.
const maxOrder = 2 * maxSeenBody

// serveControl takes the connection of an agent: from a document of the app or
// a blank one of a page that may drive it. Other origins' scripts are refused.
func (p *injecting) serveControl(w http.ResponseWriter, r *http.Request, own origin) {
	from, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || originOf(from) != own && !slices.Contains(p.Parents, originOf(from).String()) {
		http.Error(w, "This is for the app's own pages.", http.StatusForbidden)
		return
	}
	conn, err := wsconn.Upgrade(w, r, wsconn.Options{Budget: p.Budget, Limits: wsconn.Limits{MaxMessage: maxOrder}})
	if err != nil {
		return // it is answered
	}
	go p.control.serve(conn)
}

func (c *control) serve(conn *wsconn.Conn) {
	var t *watched
	conn.Serve(context.Background(), func(message []byte) {
		var o order
		if json.Unmarshal(message, &o) != nil {
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		switch o.Do {
		case "state":
			t = c.enterLocked(conn, o)
			post(conn, news{What: "state"})
		case "navigate":
			if t != nil {
				t.announced, t.referrer = o.URL, o.Referrer
				c.changeLocked()
			}
		default:
			if h := c.held[o.ID]; h != nil && h.conn == conn {
				h.order(o)
			}
		}
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if t != nil && t.conn == conn {
		t.conn = nil
		t.until = time.Now().Add(successorWithin)
		c.changeLocked()
	}
	for _, h := range c.held {
		if h.conn == conn {
			h.order(order{Do: "go"})
		}
	}
}

// enterLocked notes the state of a Target.
func (c *control) enterLocked(conn *wsconn.Conn, o order) *watched {
	t := c.targets[o.Target]
	if t == nil {
		c.forgetLocked()
		t = &watched{id: o.Target}
		c.targets[o.Target] = t
	}
	if t.conn != conn {
		t.conn, t.next, t.announced = conn, "", ""
		for _, h := range c.held {
			if h.target == t && h.conn == nil {
				h.conn = conn
			}
		}
		for _, n := range t.backlog {
			post(conn, n)
		}
		t.backlog = nil
	}
	t.state = o
	for _, address := range o.Addresses {
		c.ownLocked(address, owner{target: t.id})
	}
	c.changeLocked()
	return t
}

// forgetLocked makes room for a Target: those without a document go.
func (c *control) forgetLocked() {
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

func (c *control) ownLocked(address string, o owner) {
	if len(c.owners) >= maxOwners {
		clear(c.owners)
	}
	c.owners[withoutFragment(address)] = o
}

func (c *control) changeLocked() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// await waits until a condition holds, which is asked for under the lock.
func (c *control) await(r *http.Request, within time.Duration, holds func() bool) {
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
func (c *control) idleLocked() bool {
	for _, t := range c.targets {
		if s := t.state; s.Hold || s.Tell || len(s.Extra) > 0 || s.UserAgent != "" || s.NoCache || s.Offline || t.referrer != "" {
			return false
		}
	}
	return true
}

// asks finds the Target that a request is of, if it is known; main says that
// it is for the main frame's document.
func (c *control) asks(r *http.Request, e *exchange, fromHost bool) (t *watched, main bool) {
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
		if dest := r.Header.Get("Sec-Fetch-Dest"); fromHost || dest == "document" || dest == "iframe" && !c.knows(r.Referer()) {
			within = announceWithin
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
	return c.onlyLocked(), false
}

// knows reports whether an address is that of a Target's document.
func (c *control) knows(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.owners[withoutFragment(address)]
	return known
}

// onlyLocked is the one Target that holds requests or, where none does, that
// hears of them: what names nobody as its referrer may well be of that one.
func (c *control) onlyLocked() *watched {
	var holding, hearing []*watched
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

// post sends a message to an agent.
func post(conn *wsconn.Conn, message any) {
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
