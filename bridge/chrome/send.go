package chrome

import (
	"errors"
	"math"
	"strconv"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

var (
	errBusy      = errors.New("the browser takes no more commands")
	errNoSession = &wire.Error{Code: wire.CodeNoSession, Message: "Session with given id not found."}
)

// after is what the Host does with the answer to a command.
type after struct {
	session *session // whose command it is; nil for the root's
	always  bool     // also when the session has ended before
	note    func(result, cdpErr []byte)
	edit    func(result, cdpErr []byte) (newResult, newErr []byte) // what the Client gets instead
	asks    string                                                 // the target that its session attaches to
}

// The browser takes int32 numbers for its commands. Those of the hub keep
// their low 31 bits, the root's own are negative. Chromium 156 refuses any
// number beyond without saying which.
const lowBits = math.MaxInt32

// callLocked is the hub's number for a command that the browser answers: the
// newest one with these low bits.
func (h *Host) callLocked(n int32) bridge.CallID {
	return h.lastCall - (h.lastCall-bridge.CallID(n))&lowBits
}

// Send implements bridge.Host. Commands of a session that has not attached yet
// wait for it.
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
	var a after
	method := c.Method
	if watched(&c) {
		if err := h.guardLocked(s, &c, &a); err != nil {
			return err
		}
	}
	switch c.Method {
	case "Page.enable":
		s.page = true
	case "Page.disable":
		s.page = false
	}
	h.lastCall = max(h.lastCall, c.Call)
	n := int32(c.Call & lowBits)
	f := h.frameLocked(n, s.tail, c.Method, c.Params)
	if s.upstream == "" {
		if s.queued+f.Len() > maxQueued {
			return errBusy
		}
		f.Tail = nil
		s.queue, s.queued = append(s.queue, f.AppendTo(nil)), s.queued+f.Len()
	} else if !h.conn.Offer(f) {
		return errBusy
	}
	h.waitsLocked(s, method, c.Args)
	if a.asks != "" {
		if s.asked == nil {
			s.asked = make(map[string]int)
		}
		s.asked[a.asks]++
	}
	if a.note != nil || a.edit != nil {
		a.session = s
		h.after[n] = a
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

// sendLocked is askLocked in some session, whose tail is given.
func (h *Host) sendLocked(tail []byte, method string, params []byte, note func(result, cdpErr []byte)) {
	if h.lastOwn == math.MinInt32 {
		h.lastOwn = 0
	}
	h.lastOwn--
	if note != nil {
		h.after[h.lastOwn] = after{note: note}
	}
	if !h.conn.Offer(h.frameLocked(h.lastOwn, tail, method, params)) {
		h.cancel(errBehind)
	}
}
