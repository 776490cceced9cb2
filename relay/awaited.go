package relay

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
)

// A browser that has crashed is started again, which takes a second or two. Until
// then the hub keeps the commands that only a browser can carry out.

// The bounds of what waits, beside quota.Parked. A command that finds no room is refused at
// once, with the advice to try again.
const (
	browserPatience = 10 * time.Second // after it, the command is refused
	maxParkedParams = 64 << 10         // bytes of one
)

// awaited is what waits for the browser of a hub. Hub.mu guards it.
type awaited struct {
	expected int           `held:"browsers expected"` // those who see to it that there is a browser
	ended    bool          // there was one, and no other is on its way
	came     chan struct{} `stays:"one signal for all waiters"` // closed when a Host comes, or none will; nil while nobody waits
	parked   []*parked     `held:"parked commands"`             // in the order in which they came
}

// parked is a command that waits.
type parked struct {
	request
	wait
	timer *time.Timer
}

// ExpectBrowser says that somebody keeps a browser at the hub, until over is
// called: while there is none, it is being started. over must be called exactly once.
func (h *Hub) ExpectBrowser() (over func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.awaited.expected++
	h.awaited.ended = false
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.awaited.expected--; h.awaited.expected == 0 {
			h.awaited.ended = true
			h.arrivedLocked()
			h.resumeParkedLocked()
		}
	}
}

// AwaitBrowser waits for a browser that is being started, for 10 s at most. Its
// error says to callers what is the case. It returns nil, too, when no browser is expected
// any more: the next command then gets the refusal that fits. The hub's lock must not be
// held.
func (h *Hub) AwaitBrowser(ctx context.Context) error {
	patience := time.NewTimer(browserPatience)
	defer patience.Stop()
	for {
		h.mu.Lock()
		if !h.browserComesLocked() {
			h.mu.Unlock()
			return nil
		}
		if h.awaited.came == nil {
			h.awaited.came = make(chan struct{})
		}
		came := h.awaited.came
		h.mu.Unlock()
		select {
		case <-came:
		case <-patience.C:
			return advice.Restarting
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// browserComesLocked reports whether a browser is being started.
func (h *Hub) browserComesLocked() bool { return h.awaited.expected > 0 && h.browserLocked() == nil }

// arrivedLocked wakes the goroutines in AwaitBrowser, which check again. It serves the
// parked commands if there is a browser now or none will come.
func (h *Hub) arrivedLocked() {
	if h.awaited.came != nil {
		close(h.awaited.came)
		h.awaited.came = nil
	}
	if !h.browserComesLocked() {
		h.resumeParkedLocked()
	}
}

// parkLocked keeps a command that needs the browser which is being started, and
// reports whether it did. The hub serves it when the browser is there, before what the
// Client sends then. It keeps only what the emulated browser level cannot answer: a command
// inside a session on a Target has its Host, or has lost it for good.
func (h *Hub) parkLocked(r *request, m method) bool {
	w := &h.awaited
	switch {
	case !h.browserComesLocked() || !r.isMethod || h.draining,
		!m.real && m.browser != nil, // the hub can answer it
		r.session != nil && (r.session.Kind != session.Browser || r.session.side != nil),
		len(r.Params) > maxParkedParams:
		return false
	}
	// A Target of a Host page needs no browser.
	if r.args.hasTargetID {
		if _, emulated := h.find(r.args.targetID); emulated {
			return false
		}
	}
	counted, ok := waitLocked(h.pools.parked, r.client)
	if !ok {
		return false
	}
	p := &parked{request: r.keep(), wait: counted}
	h.counters.Received-- // it is counted when it is served
	// The timer may fire just as p is served. Both hold the lock: the second finds p no
	// more, and the command still gets one answer.
	p.timer = time.AfterFunc(browserPatience, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for i, other := range w.parked {
			if other == p {
				w.parked = append(w.parked[:i], w.parked[i+1:]...)
				p.endLocked()
				h.counters.Received++
				p.client.answer(h.sessionLocked(p.client, &p.Envelope), p.ID, nil, wire.ServerError(advice.Restarting.String()))
				return
			}
		}
	})
	w.parked = append(w.parked, p)
	return true
}

// resumeParkedLocked serves all commands that wait, in the order in which they came.
func (h *Hub) resumeParkedLocked() {
	list := h.awaited.parked
	h.awaited.parked = nil
	for _, p := range list {
		p.timer.Stop()
		p.endLocked()
		h.counters.Received++
		h.serveLocked(&p.request, nil)
	}
}

// keep is a copy of a request that may wait: its members and what was read of them are
// its own already (Policy.Read).
func (r *request) keep() request {
	own := *r
	own.ID, own.Params = bytes.Clone(r.ID), bytes.Clone(r.Params)
	own.Method, own.SessionID = strings.Clone(r.Method), strings.Clone(r.SessionID)
	return own
}

// dropParkedLocked forgets what a Client that leaves has waiting.
func (h *Hub) dropParkedLocked(c *Client) {
	left := h.awaited.parked[:0]
	for _, p := range h.awaited.parked {
		if p.client != c {
			left = append(left, p)
			continue
		}
		p.timer.Stop()
		p.endLocked()
		h.counters.Received++
		h.counters.ClientGone++
	}
	clear(h.awaited.parked[len(left):])
	h.awaited.parked = left
}
