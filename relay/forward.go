package relay

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
)

// browserTimeout is how long a Host may take over a browser-level request.
const browserTimeout = 30 * time.Second

// forwardLocked sends a command for a session to the Host that the session is
// in, which answers it later.
func (h *Hub) forwardLocked(r *request, s *session.Session) *call {
	noteDisable(s, r.Method)
	cmd := bridge.Command{SessionID: s.ID, TargetID: s.TargetID, Method: r.Method, Params: r.Params, Args: r.members}
	if h.observer != nil && inTarget(s) && h.observer.Wants(r.Method) {
		return h.sendObservedLocked(r, s, cmd)
	}
	return h.sendLocked(r, sideOf(s), s, cmd)
}

// forwardBrowserLocked sends the Host a browser-level command that it
// handles. The command does not belong to the session that the Client named, and
// outlives it: Target.closeTarget may end that session before its answer comes.
func (s *side) forwardBrowserLocked(r *request) {
	h := s.hub
	c := h.sendLocked(r, s, nil, bridge.Command{Method: r.Method, Params: r.Params, Args: r.members})
	if c == nil {
		return
	}
	c.finish = h.opensLocked(r)
	n := c.number
	c.timer = time.AfterFunc(browserTimeout, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if c := h.calls.get(n); c != nil {
			why := errBrowserTimeout
			if s.hangs() {
				why = h.advised(why, advice.PageHangs)
			}
			h.failCallLocked(c, why)
		}
	})
}

// sendLocked files a command and hands it to the Host of a side. It returns nil
// when the command has failed and been answered.
func (h *Hub) sendLocked(r *request, to *side, s *session.Session, cmd bridge.Command) *call {
	refuse := func(e *wire.Error) *call {
		r.client.fail(r.session, r.ID, e)
		return nil
	}
	switch {
	case to.host == nil:
		return refuse(h.advised(errNoHost, advice.PageAway))
	case r.client.calls >= h.opts.Limits.ClientCalls, h.calls.len() >= h.opts.Limits.Calls:
		return refuse(errTooManyCalls)
	}
	c := h.calls.add(to, r, s)
	cmd.Call, cmd.NoFiles = c.number, r.client.noFiles
	if err := to.host.Send(cmd); err != nil {
		h.calls.remove(c)
		if answer, ok := errors.AsType[*wire.Error](err); ok {
			return refuse(answer)
		}
		return refuse(h.silent(to))
	}
	return c
}

// failLocked answers every command in flight of a session with an error, the
// oldest first.
func (h *Hub) failLocked(s *session.Session, why *wire.Error) {
	c := newest(origin{s.Peer.(*Client), s})
	if c == nil {
		return
	}
	for c.next != nil {
		c = c.next
	}
	for c != nil {
		newer := c.prev
		h.failCallLocked(c, why)
		c = newer
	}
}

// failWhereLocked answers the commands in flight that fit with an error, the
// oldest first.
func (h *Hub) failWhereLocked(why *wire.Error, fits func(*call) bool) {
	for _, n := range slices.Sorted(maps.Keys(h.calls.byNumber)) {
		if c := h.calls.get(n); fits(c) {
			h.failCallLocked(c, why)
		}
	}
}

func (h *Hub) failCallLocked(c *call, why *wire.Error) {
	client := c.client
	if c.ended != nil {
		c.ended(nil, why)
	}
	client.fail(c.answerTo, c.id(), why)
	h.calls.remove(c)
	client.callEndedLocked()
}
