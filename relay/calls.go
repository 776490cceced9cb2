package relay

import (
	"maps"
	"slices"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// call is one command that the Host has and has not answered. A call's memory is used again
// once it was removed: code that runs later, such as a timer, keeps the number and looks
// the call up by it.
type call struct {
	number  bridge.CallID
	side    *side // whose Host has it
	client  *Client
	session *clientSession // nil for a browser-level command
	// answerTo is the session that the Client named, perhaps for a browser-level
	// command; nil is the connection.
	answerTo *clientSession
	timer    *time.Timer // nil for a command inside a session
	sent     time.Time   // zero for a command that is not measured
	// opens says that the command opens a tab, which is counted as its Client's.
	opens bool
	// finish makes the Client's result of the Host's; nil for most.
	finish func(result []byte) []byte
	// ended gets the Host's result or the error; nil for most.
	ended func(result []byte, err *wire.Error)

	idBytes    [11]byte // the Client's id as it was sent: an int32, so -2147483648 is the longest
	idLen      int8
	prev, next *call // others of the same place
}

// id is the Client's own id. It aliases the call.
func (c *call) id() []byte { return c.idBytes[:c.idLen] }

// internal reports whether the hub sent the command in a Client's name: the Client
// gets no answer.
func (c *call) internal() bool { return c.idLen == 0 }

// sessionID is the id that the Host must name in its answer.
func (c *call) sessionID() string {
	if c.session == nil {
		return ""
	}
	return c.session.ID
}

// origin is where the command was sent: in a session, or on a connection.
func (c *call) origin() origin { return origin{c.client, c.session} }

// calls holds the commands in flight of one hub, found by number and by where
// they were sent. The newest call of each place is in its Client or session, and the others
// are linked to it: to end a session, the hub need not search all calls.
type calls struct {
	last     bridge.CallID           `stays:"numbers the calls"`
	byNumber map[bridge.CallID]*call `held:"calls"`
	spare    *call                   `stays:"its memory serves the next call"` // a list of calls to use again, by next
}

// len is the number of commands in flight.
func (cs *calls) len() int { return len(cs.byNumber) }

// get finds a command by its number; nil for one that is not in flight.
func (cs *calls) get(n bridge.CallID) *call { return cs.byNumber[n] }

// add files a command for a side under the next number. The Host has it in the
// session s, nil at browser level. Numbers only grow, so that an answer to a call of an
// earlier connection is known by its number (dropAnswerLocked).
func (cs *calls) add(to *side, r *request, s *clientSession) *call {
	if cs.byNumber == nil {
		cs.byNumber = make(map[bridge.CallID]*call)
	}
	c := cs.spare
	if c == nil {
		c = new(call)
	} else {
		cs.spare = c.next
	}
	cs.last++
	*c = call{number: cs.last, side: to, client: r.client, session: s, answerTo: r.session}
	c.sent = c.sampled()
	// A copy: r.ID is part of the Client's message. A command of the hub itself has none.
	c.idLen = int8(copy(c.idBytes[:], r.ID))
	cs.byNumber[c.number] = c
	r.client.calls++
	r.client.account.calls.AddLocked(1)
	if c.next = newestCall(c.origin()); c.next != nil {
		c.next.prev = c
	}
	setNewest(c.origin(), c)
	return c
}

// remove forgets a command, whose memory may serve the next one.
func (cs *calls) remove(c *call) {
	delete(cs.byNumber, c.number)
	c.client.calls--
	c.client.account.calls.AddLocked(-1)
	if c.opens {
		c.client.account.tabs.AddLocked(-1)
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.next != nil {
		c.next.prev = c.prev
	}
	if c.prev != nil {
		c.prev.next = c.next
	} else {
		setNewest(c.origin(), c.next)
	}
	*c = call{next: cs.spare}
	cs.spare = c
}

// failIn answers every command in flight of a session with an error, the
// oldest first. The list begins with the newest, hence the walk to its end.
func (cs *calls) failIn(s *clientSession, why *wire.Error) {
	c := newestCall(origin{s.client, s})
	if c == nil {
		return
	}
	for c.next != nil {
		c = c.next
	}
	for c != nil {
		newer := c.prev
		cs.fail(c, why)
		c = newer
	}
}

// failWhere answers the commands in flight that fit with an error, the
// oldest first. It walks a sorted copy of the numbers: what a Client is told may end other
// commands meanwhile.
func (cs *calls) failWhere(why *wire.Error, fits func(*call) bool) {
	for _, n := range slices.Sorted(maps.Keys(cs.byNumber)) {
		if c := cs.get(n); c != nil && fits(c) {
			cs.fail(c, why)
		}
	}
}

// fail answers one command in flight with an error. The call's id and Client are
// used before remove, which clears them.
func (cs *calls) fail(c *call, why *wire.Error) {
	client := c.client
	if c.ended != nil {
		c.ended(nil, why)
	}
	client.fail(c.answerTo, c.id(), why)
	cs.remove(c)
	client.callEndedLocked()
}

// newestCall returns the newest command in flight of a place; nil when there is
// none.
func newestCall(at origin) *call {
	if at.session == nil {
		return at.client.newest
	}
	return at.session.newest
}

// setNewest notes the newest command in flight of a place; nil for none.
func setNewest(at origin, c *call) {
	if at.session == nil {
		at.client.newest = c
		return
	}
	at.session.newest = c
}
