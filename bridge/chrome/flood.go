package chrome

import (
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/wire"
)

// A page can send its browser messages faster than the browser's UI thread handles them, by
// a loop that sets document.title, calls console.log or asks for permissions. Chromium
// limits that for navigations alone (Chromium 156). The protocol does not say which page it
// is, as nothing is answered then. The system does: the browser's thread that receives
// messages is busy, a quarter of a processor in these loops, and the renderer that sends
// them spends a quarter to a half of its time in the kernel. One that only computes spends
// 7 % there, and a browser that is busy with a large answer receives nothing.

// usage is the processor time of a browser's processes so far.
type usage struct {
	renderers map[int]processorTime // by process id
	receiving time.Duration         // of the browser's thread that receives messages
}

// processorTime is what a process has used.
type processorTime struct{ user, kernel time.Duration }

// inspectable is a conn to a browser whose processes can be looked at.
type inspectable interface {
	usage() usage
	endRenderer(pid int)
}

// flooder finds the renderer that has flooded the browser since before, in that time: the
// one that was longest in the kernel. It is 0 when none was there for a twentieth of
// the time and a fifth of its own, or the browser has received little.
func (u usage) flooder(before *usage, in time.Duration) (pid int) {
	if u.receiving-before.receiving < in/10 {
		return 0
	}
	var longest time.Duration
	for id, now := range u.renderers {
		was, known := before.renderers[id]
		if !known {
			continue
		}
		kernel := now.kernel - was.kernel
		all := kernel + now.user - was.user
		if kernel >= in/20 && kernel >= all/5 && kernel > longest {
			pid, longest = id, kernel
		}
	}
	return pid
}

// floodWithin is how long the browser may take to report the end of a renderer that was
// ended, behind all that the renderer has sent.
const floodWithin = (drainFor + deadAfter) * tickEvery

var errFlood = wire.ServerError("The page has flooded the browser, which could not answer anybody for some seconds. The hub has ended the page's process and closes the page")

// crashed handles a target whose renderer has ended. If the Host has ended it, the page is
// closed, and the commands for it fail with the reason.
func (h *Host) crashed(params []byte) {
	targetID, status := readText(params, "targetId"), readText(params, "status")
	h.mu.Lock()
	if status != "killed" || h.flooded.IsZero() || time.Since(h.flooded) > floodWithin {
		h.mu.Unlock()
		return
	}
	var ids []string
	for id, s := range h.sessions {
		if s.target == targetID {
			ids = append(ids, id)
		}
	}
	h.askLocked("Target.closeTarget", append(wire.AppendString([]byte(`{"targetId":`), targetID), '}'), nil)
	h.mu.Unlock()
	h.log.Warn("a page is closed that has flooded the browser", zap.String("target", targetID))
	for _, id := range ids {
		h.events.Fail(id, errFlood)
	}
}
