package chrome

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// A browser lives while its UI thread answers the Host's own questions. What else it sends
// says nothing: a page that floods the UI thread has it send events all the time, and
// nobody gets an answer. The Host asks while the browser is in use, and after a while of
// silence; then the answer has the new titles, too, for which Chromium sends no event
// (Chromium 156).
//
// While an answer is due, the Host looks for a renderer that floods the browser (flood.go).
// Only if it finds none, or that does not help, the browser ends. While a browser is not
// used, it is asked once in a while.
const (
	tickEvery  = time.Second
	askSilent  = 10 // ticks without a message or command, after which the browser is asked
	floodAfter = 3  // ticks without an answer, after which a renderer that floods the browser ends, and again after as many
	deadAfter  = 20 // ticks without an answer, after which the browser ends: a busy machine may need 10 s for one
	drainFor   = 60 // ticks that it has when a renderer was ended: it has yet to handle what that has sent, in several times the time
)

// life is what watch knows of the browser.
type life struct {
	heard  uint64        // messages received until the last tick
	sent   bridge.CallID // the newest command at the last tick
	silent int           // ticks without either
	due    int           // ticks since an answer is due
	dead   int           // after how many of them the browser ends
	before usage         // when it became due
}

// watch checks the browser every second until ctx ends. A browser that does not answer ends
// ctx.
func (h *Host) watch(ctx context.Context) {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	l := life{dead: deadAfter}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		h.checkLife(&l)
	}
}

// checkLife is one tick of watch.
func (h *Host) checkLife(l *life) {
	heard := h.heard.Load()
	h.mu.Lock()
	sent, due := h.lastCall, h.refreshing
	h.mu.Unlock()
	used := heard > l.heard+1 || sent != l.sent // one message is the last answer
	l.silent++
	if heard != l.heard || sent != l.sent {
		l.silent = 0
	}
	l.heard, l.sent = heard, sent
	if l.due++; !due {
		l.due, l.dead = 0, deadAfter
	}
	switch {
	case l.due == l.dead:
		h.cancel(errSilent)
	case l.due > 0:
		h.searchFlood(l)
	case used, l.silent >= askSilent:
		l.silent = 0
		h.refreshTargets()
	}
}

// refreshTargets asks for the targets, unless an answer is still due.
func (h *Host) refreshTargets() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.refreshing {
		h.refreshing = true
		h.askLocked("Target.getTargets", wire.Empty, h.refresh)
	}
}

// failSilent tells the Clients of a browser that ends because it does not answer.
func (h *Host) failSilent(why error) {
	if !errors.Is(why, errSilent) {
		return
	}
	h.mu.Lock()
	var ids []string
	for id := range h.sessions {
		ids = append(ids, id)
	}
	h.mu.Unlock()
	for _, id := range ids {
		h.events.Fail(id, errSilentCommand)
	}
}

var errSilentCommand = wire.ServerError("The browser does not answer any more. The hub has ended it, and starts another one. The command may have been carried out")

// searchFlood ends a renderer that floods the browser, while an answer is due.
func (h *Host) searchFlood(l *life) {
	c, ok := h.conn.(inspectable)
	if !ok {
		return
	}
	switch l.due % floodAfter {
	case 1:
		l.before = c.usage()
	case 0:
		pid := c.usage().flooder(&l.before, (floodAfter-1)*tickEvery)
		if pid == 0 {
			return
		}
		h.log.Warn("a page floods the browser, which does not answer any more: the page's process is ended",
			zap.Int("pid", pid), zap.Int("unanswered_seconds", l.due))
		h.mu.Lock()
		h.flooded = time.Now()
		h.mu.Unlock()
		c.endRenderer(pid)
		l.dead = l.due + drainFor
	}
}
