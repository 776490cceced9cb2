package actions

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// HandoffState says how far a handoff is.
type HandoffState string

// The states. All but the first are the end.
const (
	HandoffOpen      HandoffState = "open"
	HandoffDone      HandoffState = "done"      // the person says that it is done
	HandoffCancelled HandoffState = "cancelled" // by the person, or by the caller
	HandoffTimeout   HandoffState = "timeout"
	HandoffClosed    HandoffState = "closed" // the page, or the connection to it, has ended
)

// Handoff is something that a person is asked to do on a page, such as to log in.
type Handoff struct {
	ID      string
	URL     string // for the person; it opens once
	Expires time.Time
	State   HandoffState
}

// MaxHandoff is the longest time that a person can be given, as the hub has it.
const MaxHandoff = time.Hour

// maxHandoffs is how many handoffs of a page are remembered; the oldest are forgotten.
const maxHandoffs = 16

// BeginHandoff asks a person to act on the page, by the hub's command CdpHub.handoff.
// The caller shows the person the URL, and learns from AwaitHandoff how the handoff
// has ended. A page has one at a time: a second one is an InvalidArgument. It ends
// after within; 0 is the hub's default of five minutes.
func (p *Page) BeginHandoff(ctx context.Context, instructions string, within time.Duration) (Handoff, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	params := obj{"instructions": instructions}
	if within > 0 {
		params["timeout"] = within.Milliseconds()
	}
	var out struct {
		HandoffID, URL string
		Expires        int64
	}
	if err := p.callMethod(ctx, "CdpHub.handoff", params, &out); err != nil {
		return Handoff{}, p.refusedHandoff(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	state := HandoffOpen
	// The session ended while the hub answered, and takes no event any more.
	if p.session == "" {
		state = HandoffClosed
	}
	return *p.handoffs.find(out.HandoffID, Handoff{URL: out.URL, Expires: time.UnixMilli(out.Expires), State: state}), nil
}

// AwaitHandoff waits until a handoff has ended, or until ctx ends: then its state is
// HandoffOpen, without an error.
func (p *Page) AwaitHandoff(ctx context.Context, id string) (Handoff, error) {
	for {
		now, changed, err := p.handoffNow(id)
		if err != nil || now.State != HandoffOpen {
			return now, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return now, nil
		}
	}
}

// handoffNow is a handoff of this caller as it is now. The channel is closed when something about
// the page has changed.
func (p *Page) handoffNow(id string) (now Handoff, changed <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A handoff without a URL was begun by another caller: only its event is known.
	at := slices.IndexFunc(p.handoffs, func(h *Handoff) bool { return h.ID == id && h.URL != "" })
	if at < 0 {
		return Handoff{}, nil, invalidArgument("handoff %q of this page does not exist: begin one first", id)
	}
	now = *p.handoffs[at]
	if p.gone && now.State == HandoffOpen {
		now.State = HandoffClosed
	}
	return now, p.changed, nil
}

// CancelHandoff takes a handoff back: its link opens nothing any more, and its guest loses the
// page. For a handoff that has ended before, it answers how.
func (p *Page) CancelHandoff(ctx context.Context, id string) (Handoff, error) {
	h, _, err := p.handoffNow(id)
	if err != nil || h.State != HandoffOpen {
		return h, err
	}
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	err = p.callMethod(ctx, "CdpHub.cancelHandoff", obj{"handoffId": id}, nil)
	if answer, ok := errors.AsType[*wire.Error](err); ok && answer.Code == wire.CodeInvalidParams {
		return p.AwaitHandoff(ctx, id) // it has just ended by itself
	}
	if err != nil {
		return Handoff{}, p.refusedHandoff(err)
	}
	h.State = HandoffCancelled // the event says so, too
	return h, nil
}

// refusedHandoff is the error for what the hub has refused. It is the caller's mistake and no
// fault of the hub. Its words are those of every API: the hub's own advice may name methods of
// CDP.
func (p *Page) refusedHandoff(err error) error {
	answer, ok := errors.AsType[*wire.Error](err)
	switch {
	case !ok || KindOf(err) != Internal:
		return err
	case answer.Code == wire.CodeInvalidParams:
		return invalidArgument("%s", strings.TrimPrefix(commandError(answer), "Invalid parameters: "))
	case !strings.HasPrefix(answer.Message, wire.HandoffOpen):
		return invalidArgument("%s", commandError(answer))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.handoffs {
		if h.State == HandoffOpen && h.URL != "" {
			return invalidArgument("a handoff of this page is already open: wait for its end, or cancel it, by its id %s", h.ID)
		}
	}
	return invalidArgument("a handoff of this page is already open, by another client: try again when it has ended")
}

// handoffs are those of a page, the newest last. Page.mu guards them.
type handoffs []*Handoff

// find finds what is known of a handoff, and adds what is not known yet: the
// event CdpHub.handoffComplete may be handled before the answer of CdpHub.handoff.
func (hs *handoffs) find(id string, more Handoff) *Handoff {
	at := slices.IndexFunc(*hs, func(h *Handoff) bool { return h.ID == id })
	if at < 0 {
		if len(*hs) >= maxHandoffs {
			*hs = (*hs)[1:]
		}
		more.ID = id
		*hs = append(*hs, &more)
		return &more
	}
	h := (*hs)[at]
	if more.URL != "" {
		h.URL, h.Expires = more.URL, more.Expires
	}
	return h
}

// handoffComplete takes the event CdpHub.handoffComplete. Its reasons are the words
// of HandoffState.
func (p *Page) handoffComplete(_ string, e struct{ HandoffID, Reason string }) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handoffs.find(e.HandoffID, Handoff{}).State = HandoffState(e.Reason)
	p.changeLocked()
}

// close ends all, since their session has ended.
func (hs handoffs) close() {
	for _, h := range hs {
		if h.State == HandoffOpen {
			h.State = HandoffClosed
		}
	}
}
