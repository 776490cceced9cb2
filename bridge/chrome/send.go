package chrome

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

var (
	// errBusy has the hub say that the Host does not respond; it is no answer itself.
	errBusy      = errors.New("the browser accepts no more commands")
	errNoSession = &wire.Error{Code: wire.CodeNoSession, Message: "Session with given id not found."}
)

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
	if err := h.dispatchLocked(s, &c, a); err != nil {
		return err
	}
	s.noteScaleLocked(&c)
	return nil
}

// dispatchLocked sends a command that is allowed, or queues it.
func (h *Host) dispatchLocked(s *session, c *bridge.Command, a onAnswer) error {
	h.lastCall = max(h.lastCall, c.Call)
	n := int32(c.Call & lowBits)
	f := h.frameLocked(n, s.tail, c.Method, c.Params)
	// The tail is not known yet: it has the browser's id of the session.
	if s.upstream == "" {
		if s.queued+f.Len() > maxQueued {
			return errBusy
		}
		f.Tail = nil
		s.queue, s.queued = append(s.queue, f.AppendTo(nil)), s.queued+f.Len()
	} else if !h.conn.Offer(f) {
		return errBusy
	}
	if s.watch != nil {
		s.watch.inFlight[c.Call] = struct{}{}
	}
	h.noteAutoAttachLocked(s, c.Method, c.Args)
	if a.attachesTo != "" {
		if s.attaching == nil {
			s.attaching = make(map[string]int)
		}
		s.attaching[a.attachesTo]++
	}
	if a.creates {
		h.creatingLocked(s.client.group)
	}
	if a.observe != nil || a.rewrite != nil {
		a.session = s
		h.onAnswers[n] = a
	}
	return nil
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

// askLocked sends a command of the root's own. A browser too slow to take it
// is given up, since it would be wrong about its sessions for ever.
func (h *Host) askLocked(method string, params []byte, note func(result, cdpErr []byte)) {
	h.sendLocked(wire.End, method, params, note)
}

// sendLocked is askLocked in some session, whose tail is given. note runs in the reader's
// goroutine, without the lock. It is called once, or never if the session of the command
// ends first.
func (h *Host) sendLocked(tail []byte, method string, params []byte, note func(result, cdpErr []byte)) {
	if h.lastOwn == math.MinInt32 {
		h.lastOwn = 0
	}
	h.lastOwn--
	if note != nil {
		h.onAnswers[h.lastOwn] = onAnswer{observe: note}
	}
	if !h.conn.Offer(h.frameLocked(h.lastOwn, tail, method, params)) {
		h.cancel(errBehind)
	}
}
