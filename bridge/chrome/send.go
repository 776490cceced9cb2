package chrome

import (
	"math"
	"strconv"
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

var errNoSession = &wire.Error{Code: wire.CodeNoSession, Message: "Session with given id not found."}

// tailRoom is how long the end of a message may be that names its session, in bytes.
const tailRoom = 256

// onAnswer is what the Host does with the answer to a command.
type onAnswer struct {
	session    *session // sent the command; nil for the root session
	always     bool     // call observe even if the session has ended before
	observe    func(result, cdpErr []byte)
	rewrite    func(result, cdpErr []byte) (newResult, newErr []byte) // gives what the Client gets instead
	attachesTo string                                                 // the target of a Target.attachToTarget
	creates    bool                                                   // a Target.createTarget of a Client with tabs of its own
}

// lowBits are what is left of the hub's numbers for commands, as the browser takes
// int32 alone: their low 31 bits. The root's own are negative. Chromium 156 refuses any
// number beyond without saying which.
const lowBits = math.MaxInt32

// callLocked is the hub's number for a command that the browser answers: the
// newest one with these low bits. It is right as long as fewer than 2^31 commands of a hub
// are in flight, and relay allows 65,536.
func (h *Host) callLocked(n int32) bridge.CallID {
	return h.lastCall - (h.lastCall-bridge.CallID(n))&lowBits
}

// Send implements bridge.Host. Commands of a session that has not attached yet
// wait for it. Order is kept: queued commands are sent when the session attaches, before
// any that comes later. All notes are made only once the command was taken.
func (h *Host) Send(c bridge.Command) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[c.SessionID]
	if s == nil {
		return errNoSession
	}
	if s.barred {
		return errNoSession
	}
	var a onAnswer
	if needsPolicy(&c) {
		if err := h.applyPolicyLocked(s, &c, &a); err != nil {
			return err
		}
	}
	switch c.Method {
	case "Page.enable":
		s.page = true
	case "Page.disable":
		s.page = false
	case "Browser.getWindowForTarget":
		h.lastCall = max(h.lastCall, c.Call)
		if id, named := c.Args.Text("targetId"); named && h.findWindowLocked(s, &c, strings.Clone(id)) {
			return nil
		}
	case "Page.captureScreenshot":
		h.lastCall = max(h.lastCall, c.Call)
		switch asked, err := h.measureShotLocked(s, &c); {
		case err != nil:
			return err
		case asked:
			return nil
		}
	}
	scales := h.noteScaleLocked(s, &c, &a)
	err := h.dispatchLocked(s, &c, a)
	if err != nil && scales {
		s.scale.coming = s.scale.coming[:len(s.scale.coming)-1]
	}
	return err
}

// dispatchLocked sends a command that is allowed, or queues it.
func (h *Host) dispatchLocked(s *session, c *bridge.Command, a onAnswer) error {
	h.lastCall = max(h.lastCall, c.Call)
	n := int32(c.Call & lowBits)
	params := c.Params
	if c.ArrayParams {
		params = emptyArray
	}
	f := h.frameLocked(n, s.tail, c.Method, params)
	if err := h.offerLocked(s, f); err != nil {
		return err
	}
	h.noteAutoAttachLocked(s, c.Method, c.Args)
	if a.attachesTo != "" {
		if s.attaching == nil {
			s.attaching = make(map[string]int)
		}
		s.attaching[a.attachesTo]++
	}
	if a.creates {
		s.client.group.creates(h.born)
	}
	if a.observe != nil || a.rewrite != nil {
		a.session = s
		h.onAnswers[n] = a
	}
	return nil
}

// emptyArray stands for all arrays: Chromium reads nothing of them.
var emptyArray = []byte("[]")

// offerLocked sends a Client's command, or queues it until its session is attached. The tail
// is not known before: it has the browser's id of the session.
func (h *Host) offerLocked(s *session, f wire.Frame) error {
	if s.upstream == "" {
		n := f.Len() + tailRoom
		if err := h.conn.Hold(&s.client.lane, n); err != nil {
			return err
		}
		f.Tail = nil
		s.queue, s.queued = append(s.queue, f.AppendTo(nil)), s.queued+n
		return nil
	}
	if err := h.conn.Offer(&s.client.lane, f); err != nil {
		return err
	}
	h.followHeavyLocked(s, f)
	return nil
}

// followHeavyLocked has the browser answer behind a heavy message, so that the next one is
// not sent before it has handled this one.
func (h *Host) followHeavyLocked(s *session, f wire.Frame) {
	if f.Len()+1 > quantum {
		h.sendLocked(&s.client.lane, wire.End, "Browser.getVersion", wire.Empty, func(_, _ []byte) { h.conn.Handled() })
	}
}

// dropQueueLocked forgets the commands and screenshots that wait until a session is attached.
func (h *Host) dropQueueLocked(s *session) {
	h.conn.Hold(&s.client.lane, -s.queued) //nolint:errcheck // less always fits
	s.queue, s.shots, s.queued = nil, nil, 0
}

// frameLocked makes a command, which is good until the next one is made. The
// tail says in which session it is.
func (h *Host) frameLocked(n int32, tail []byte, method string, params []byte) wire.Frame {
	b := strconv.AppendInt(append(h.scratch[:0], `{"id":`...), int64(n), 10)
	b = wire.AppendString(append(b, `,"method":`...), method)
	b = append(b, `,"params":`...)
	h.scratch = b
	if params == nil {
		params = wire.Empty
	}
	return wire.Frame{Head: b, Body: params, Tail: tail}
}

// askLocked sends a command of the root's own. A browser that does not take it is given
// up, since it would be wrong about its sessions for ever. What Clients have queued is no
// reason for that: it does not count.
func (h *Host) askLocked(method string, params []byte, note func(result, cdpErr []byte)) {
	h.sendLocked(nil, wire.End, method, params, note)
}

// askInLocked sends a command of the root's own in the session of a Client, behind what
// the Client has sent.
func (h *Host) askInLocked(s *session, method string, params []byte, note func(result, cdpErr []byte)) {
	h.sendLocked(&s.client.lane, s.tail, method, params, note)
}

// sendLocked is askLocked in some session, whose tail is given, and behind what is in a
// lane. note runs in the reader's goroutine, without the lock. It is called once, or never
// if the session of the command ends first.
func (h *Host) sendLocked(l *lane, tail []byte, method string, params []byte, note func(result, cdpErr []byte)) {
	if h.lastOwn == math.MinInt32 {
		h.lastOwn = 0
	}
	h.lastOwn--
	if note != nil {
		h.onAnswers[h.lastOwn] = onAnswer{observe: note}
	}
	if err := h.conn.OfferOwn(l, h.frameLocked(h.lastOwn, tail, method, params)); err != nil {
		h.cancel(errBehind)
	}
}
