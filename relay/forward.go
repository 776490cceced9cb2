package relay

import (
	"errors"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wire"
)

// browserTimeout is how long a Host may take over a browser-level request.
// Chromium answers such requests itself; a Host page asks the code of its app, which may
// never answer.
const browserTimeout = 30 * time.Second

// forwardLocked sends a command for a session to the Host that the session is
// in, which answers it later. It returns nil if the command was refused and answered.
func (h *Hub) forwardLocked(r *request, s *clientSession) *call {
	noteDisable(s, r.Method)
	if listsTargets(r.Method) {
		return h.forwardListLocked(r, s)
	}
	cmd := bridge.Command{SessionID: s.ID, TargetID: s.TargetID, Method: r.Method, Params: r.Params, ArrayParams: r.ArrayParams, Args: r.members}
	if h.observer != nil && inTarget(s) && h.observer.Wants(r.Method) {
		return h.sendObservedLocked(r, s, cmd)
	}
	return h.sendLocked(r, sideOf(s), s, cmd)
}

// listsTargets reports whether the result of a method has titles and addresses of targets.
func listsTargets(method string) bool {
	return method == "Target.getTargets" || method == "Target.getTargetInfo"
}

// forwardListLocked is forwardLocked for such a method. A page may be quiet by the time of
// the answer.
func (h *Hub) forwardListLocked(r *request, s *clientSession) *call {
	c := h.sendLocked(r, sideOf(s), s, bridge.Command{SessionID: s.ID, TargetID: s.TargetID, Method: r.Method, Params: r.Params, ArrayParams: r.ArrayParams, Args: r.members})
	if asker := r.client; c != nil {
		c.finish = func(result []byte) []byte { return h.leases.hushList(asker, result) }
	}
	return c
}

// forwardBrowserLocked sends the Host a browser-level command that it
// handles. The command does not belong to the session that the Client named, and
// outlives it: Target.closeTarget may end that session before its answer comes.
func (s *side) forwardBrowserLocked(r *request) {
	h := s.hub
	c := h.sendLocked(r, s, nil, bridge.Command{Method: r.Method, Params: r.Params, ArrayParams: r.ArrayParams, Args: r.members})
	if c == nil {
		return
	}
	c.finish = s.opensLocked(r)
	n := c.number
	c.timer = time.AfterFunc(browserTimeout, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if c := h.calls.get(n); c != nil {
			why := errBrowserTimeout
			if s.hangs() {
				why = h.advised(why, advice.PageHangs)
			}
			h.calls.fail(c, why)
		}
	})
}

// sendLocked files a command and hands it to the Host of a side. It returns nil
// when the command has failed and been answered. bridge.Host.Send must not block. If it
// returns a *wire.Error, that is the Client's answer; any other error says that the Host
// takes no more at present.
func (h *Hub) sendLocked(r *request, to *side, s *clientSession, cmd bridge.Command) *call {
	refuse := func(e *wire.Error) *call {
		r.client.fail(r.session, r.ID, e)
		return nil
	}
	if to.host == nil {
		return refuse(h.advised(errNoHost, advice.PageAway))
	}
	if err := r.client.refusesCallLocked(); err != nil {
		return refuse(err)
	}
	opens := to.browser != nil && cmd.Method == "Target.createTarget"
	if opens {
		if err := r.client.refusesTabLocked(); err != nil {
			return refuse(err)
		}
	}
	if s != nil && s.pulse.silent && !s.passesSilence(cmd.Method) {
		return refuse(h.silentDocument(s))
	}
	c := h.calls.add(to, r, s)
	if c.opens = opens; opens {
		r.client.account.tabs.AddLocked(1)
	}
	cmd.Call, cmd.NoFiles = c.number, r.client.noFiles
	if err := to.host.Send(cmd); err != nil {
		h.calls.remove(c)
		if answer, ok := errors.AsType[*wire.Error](err); ok {
			return refuse(answer)
		}
		return refuse(h.silent(to))
	}
	h.feelLocked(s)
	return c
}
