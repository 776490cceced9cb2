package chrome

import (
	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// findWindowLocked carries out a Browser.getWindowForTarget that names a target, without its name: an id that no target
// has, or has any more, ends Chromium's headless shell (version 156). In a session of the target, the method means the
// session's own target. Elsewhere the root attaches to the target for a moment. It reports whether the command is done
// with.
func (h *Host) findWindowLocked(s *session, c *bridge.Command, targetID string) (done bool) {
	c.Params, c.Args = wire.Empty, nil
	if targetID == s.target {
		return false
	}
	call := c.Call
	answer := func(result, cdpErr []byte) {
		h.mu.Lock()
		over := s.over || s.barred
		h.mu.Unlock()
		if over { // the hub has answered
			return
		}
		h.registerWindow(s.client, result)
		h.events.Result(call, s.id, result, cdpErr)
	}
	h.askLocked("Target.attachToTarget", attachTo(targetID), func(result, _ []byte) {
		upstream := readText(result, "sessionId")
		if upstream == "" {
			answer(nil, wire.AppendError(nil, errNoWindow))
			return
		}
		h.mu.Lock()
		h.sendLocked(nil, wire.SessionTail(upstream), "Browser.getWindowForTarget", nil, answer)
		h.detachOwnLocked(upstream)
		h.mu.Unlock()
	})
	return true
}

// errNoWindow is the answer of Chromium 156 where it does not end.
var errNoWindow = wire.ServerError("No target with given id")
