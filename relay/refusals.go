package relay

import (
	"cmp"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wire"
)

// When a Host is missing or does not answer, the error says what to do. The messages begin
// as those of icdp, which Clients may compare.

var (
	errNoHost         = wire.ServerError("Host is not connected")
	errHostSilent     = wire.ServerError("Host is not responding")
	errDocumentSilent = wire.ServerError("The document does not answer: the command may still be carried out")
	errTooManyCalls   = wire.ServerError("Too many commands in flight: wait for answers before sending more")
	errBrowserTimeout = wire.ServerError("Host did not respond to the browser-level request in time: look at the page in its browser, and reload it if it hangs")
)

// noHostLocked says what to do where there is no Host at all.
func (h *Hub) noHostLocked() *wire.Error {
	switch {
	case h.awaited.expected > 0: // more commands wait than may
		return wire.ServerError(advice.Restarting.String())
	case h.awaited.ended:
		return wire.ServerError(advice.BrowserEnded.String())
	}
	return wire.ServerError(h.fill(advice.NoPage).String())
}

// Lacking says what to do where the hub has nothing that Clients could drive; "" when
// it has something, or a browser is on its way.
func (h *Hub) Lacking() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sides.list) > 0 || h.awaited.expected > 0 {
		return ""
	}
	return h.noHostLocked().Message
}

// advised is an error with what to do in its message.
func (h *Hub) advised(e *wire.Error, a advice.Entry) *wire.Error {
	return e.Advise(h.fill(a).String())
}

// fill names the page to open.
func (h *Hub) fill(a advice.Entry) advice.Entry {
	return a.With("page", cmp.Or(h.opts.PageAddress(h.opts.Name), "a page that is a Host of this hub"))
}

// silent says why a Host takes no command.
func (h *Hub) silent(s *side) *wire.Error {
	if s.hangs() {
		return h.advised(errHostSilent, advice.PageHangs)
	}
	return h.advised(errHostSilent, advice.HostBusy)
}

// hangs reports whether the page behind the Host is known not to run.
func (s *side) hangs() bool {
	l, ok := s.host.(bridge.Liveness)
	return ok && !l.Responsive()
}

// ofPage is for a Client that takes the browser's socket for that of a page.
const ofPage = "This is the browser's socket. If it is a method of a page, connect to the page's own socket, /devtools/page/TARGETID, " +
	"or call Target.attachToTarget and send the method with that sessionId."
