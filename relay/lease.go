package relay

import (
	"cmp"
	"errors"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/targets"
)

// A person takes over a page by a lease: the right of one Client within the process
// to act on one target, and on the frames in it that are targets of their own.
// Commands of others that act (scope.Acts) are refused or wait meanwhile; reading
// goes on.

// LeaseOptions says how a lease behaves. Its zero value works.
type LeaseOptions struct {
	// Key is the same for the same viewer: a viewer who comes back with it gets the lease
	// again. "" is the key of no viewer.
	Key string
	// Handoff is the id of the handoff whose guest takes the target: a person who has no
	// other right to it. The lease ends with that handoff. "" is for a viewer in their own
	// right, whose lease no handoff ends.
	Handoff string
	// Account is that of the viewer's token (ClientOptions.Account); "" is none.
	Account string
	// Quiet keeps from others what the person types: see quiet.go. A lease that begins
	// while a handoff is open is quiet, too.
	Quiet bool
	// Wait is how long an acting command of others waits for the end of the lease
	// until it is refused; 0: it is refused at once.
	Wait time.Duration
	Idle time.Duration // without an acting command of the holder, the lease ends; 10 min
	Gone time.Duration // so long after its viewer has gone, the lease ends; 30 s
	// Ended is called once, when the lease has ended, under the hub's lock: it must
	// neither block nor call the hub. It may be nil.
	Ended func(LeaseEnd)
}

// LeaseEnd says why a lease has ended.
type LeaseEnd string

// The ends of leases.
const (
	LeaseReleased   LeaseEnd = "released"              // its holder has given the target back
	LeaseViewerGone LeaseEnd = "viewer gone"           // for longer than LeaseOptions.Gone
	LeaseIdle       LeaseEnd = "idle"                  // for longer than LeaseOptions.Idle
	LeaseTargetGone LeaseEnd = "target gone"           // it has ended
	LeaseHandoff    LeaseEnd = "the handoff has ended" // whose guest had the target
	LeaseHubEnds    LeaseEnd = "the hub ends"
)

// Holding is a lease as others see it.
type Holding struct {
	Name  string
	Key   string    // LeaseOptions.Key
	Until time.Time // when it ends unless its holder acts, or comes back
	Quiet bool
	// askers are the accounts that have asked for what its person does: see Readable.
	askers []string
}

// ErrNotHeld says that a Client has no lease on the target.
var ErrNotHeld = errors.New("this Client has not taken over the target")

// lease is one that is held. Hub.mu guards it. A lease and a handoff are two states with two
// owners: the viewer has the lease, the Client that has asked has the handoff. Neither ends
// or changes the other; only the lease of a handoff's guest ends with it (enders).
type lease struct {
	LeaseOptions
	side    *side
	target  string   // the page
	name    string   // of the viewer
	owner   *Client  // the Client of the viewer; nil once it has left
	guestOf *handoff // nil for a viewer in their own right
	quiet   *quiet   // nil: others go on reading
	away    bool     // its viewer has gone
	until   time.Time
	timer   *time.Timer
	kept    waitingCommands
	room    *quota.Pool   // counts them; nil until the first
	ended   chan struct{} // closed at the end
}

// leases are those of one hub. Hub.mu guards them.
type leases struct {
	hub      *Hub                       // static
	list     []*lease                   `held:"leases"` // in the order in which they were taken: mostly one
	quiet    atomic.Bool                // one of them is quiet (quiet.go); read without the lock
	watchers map[*func(string)]struct{} `held:"lease watchers"` // called when a lease has changed
}

// maxViewerName is how long the name of a viewer may be, in bytes.
const maxViewerName = 64

// Take gives the Client the right to act on a target for a viewer, whose name others
// read. To take it again changes the options; a lease that is quiet stays so, and a lease
// becomes quiet only by what its viewer does. The error is ErrNoTarget, ErrHandoffEnded,
// ErrOwnHandoff, or what others get while somebody else has the target: an *Error. While the Client has it, a
// lease with the same Key but of another connection is refused: only when its viewer has
// gone does it pass to whoever comes back with the Key.
func (l *Local) Take(targetID, name string, o LeaseOptions) error {
	o.Idle, o.Gone = cmp.Or(o.Idle, 10*time.Minute), cmp.Or(o.Gone, 30*time.Second)
	c, h := l.client, l.client.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	t, on, known := h.sides.target(targetID)
	switch {
	case c.left:
		return errLeft
	case h.draining:
		return errDraining
	case !known || !c.sees(t), on.pageOf(targetID) == "": // nobody would hear of the end of its page
		return ErrNoTarget
	}
	page := on.pageOf(targetID)
	asked := h.handoffs[page]
	if o.Handoff != "" && (asked == nil || asked.ID != o.Handoff) {
		return ErrHandoffEnded
	}
	held := h.leases.find(on, page)
	if held != nil && (held.Key != o.Key || held.Handoff != o.Handoff || held.owner != c && (!held.away || o.Key == "")) {
		return held.pausedFor(c)
	}
	back := held != nil && held.away // it goes on as it was
	if !back && asked != nil && asked.isOf(o.Account) {
		return ErrOwnHandoff
	}
	if held == nil {
		held = h.leases.add(on, page)
		if o.Handoff != "" {
			held.guestOf = asked
		}
	}
	held.LeaseOptions, held.owner, held.name, held.away = o, c, viewerName(name), false
	if !back && (o.Quiet || asked != nil) {
		held.hushLocked(asked)
	}
	held.renew(o.Idle, LeaseIdle)
	held.begin()
	return nil
}

// add files a lease on a page.
func (ls *leases) add(on *side, page string) *lease {
	l := &lease{side: on, target: page, ended: make(chan struct{})}
	ls.list = append(ls.list, l)
	return l
}

// begin is for a lease that has begun, or is quiet from now on. Commands that others
// have in flight on a quiet page fail, as their answers could show the person's input.
func (l *lease) begin() {
	h := l.side.hub
	h.leases.countQuiet()
	if l.quiet != nil {
		h.calls.failWhere(l.pausedFor(nil), func(p *call) bool {
			return p.session != nil && l.hushesLocked(p.client) && l.hears(p.session)
		})
	}
	h.Control().ObserveLease(LeaseChange{TargetID: l.target, Name: l.name, Handoff: l.quiet != nil, Held: true})
	h.leases.changed(l.target)
}

// viewerName is a name as others may read it.
func viewerName(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, targets.Cut(name, maxViewerName))
	return cmp.Or(strings.TrimSpace(name), "somebody")
}

// Release ends the Client's lease on a target.
func (l *Local) Release(targetID string) error {
	h := l.client.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	held := h.leases.heldBy(l.client, targetID)
	if held == nil {
		return ErrNotHeld
	}
	held.end(holder{l.client})
	return nil
}

// ViewerGone says that the viewer has gone for whom the Client has a lease: it ends
// soon, unless the same viewer comes back. Leave says this of all leases of the Client.
func (l *Local) ViewerGone(targetID string) {
	h := l.client.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if held := h.leases.heldBy(l.client, targetID); held != nil {
		held.viewerLeft()
	}
}

// Holds reports whether the Client has the lease on a target, for a viewer who is
// there.
func (l *Local) Holds(targetID string) bool {
	h := l.client.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	held := h.leases.heldBy(l.client, targetID)
	return held != nil && !held.away
}

// Holder says who has taken over a target.
func (h Control) Holder(targetID string) (held Holding, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.leases.covering(targetID); l != nil {
		return l.holding(), true
	}
	return Holding{}, false
}

func (l *lease) holding() Holding {
	return Holding{l.name, l.Key, l.until, l.quiet != nil, l.askers()}
}

// WatchLeases has changed called for each target that was taken over, or handed back,
// or whose lease has changed, until stop is called. It runs under the hub's lock: it
// must neither block nor call the hub.
func (h Control) WatchLeases(changed func(targetID string)) (stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leases.watchers == nil {
		h.leases.watchers = make(map[*func(string)]struct{})
	}
	h.leases.watchers[&changed] = struct{}{}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.leases.watchers, &changed)
	}
}

// changed calls the functions of WatchLeases.
func (ls *leases) changed(targetID string) {
	for f := range ls.watchers {
		(*f)(targetID)
	}
}

// find is the lease on a page; nil when there is none.
func (ls *leases) find(on *side, page string) *lease {
	for _, l := range ls.list {
		if l.side == on && l.target == page {
			return l
		}
	}
	return nil
}

// covering is the lease on the page that a target is, or is part of.
func (ls *leases) covering(targetID string) *lease {
	if len(ls.list) == 0 {
		return nil
	}
	_, on, known := ls.hub.sides.target(targetID)
	if !known {
		return nil
	}
	return ls.find(on, on.pageOf(targetID))
}

// heldBy is the lease of this Client on a target; nil when it has none.
func (ls *leases) heldBy(c *Client, targetID string) *lease {
	if l := ls.covering(targetID); l != nil && l.owner == c {
		return l
	}
	return nil
}

// pausedFor is the answer to a command of a Client that may not be carried out meanwhile. The
// message names the viewer, and says what the Client can do: to read the page, or to wait. Nil
// is a Client that may not read a quiet page.
func (l *lease) pausedFor(c *Client) *wire.Error {
	why := advice.TakenOver
	if l.quiet != nil && (c == nil || l.hushesLocked(c)) {
		why = advice.HandedOff
	}
	return wire.ServerError(advice.PausedBy(l.name)).Advise(why.String())
}
