package actions

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Sight is how a page is before its user.
type Sight struct {
	Visible bool // it is shown: no tab behind another one, no frame without a box
	Focused bool // it has the keyboard
}

// sight is Sight as a page says it. In a frame that is not rendered, no element
// has a box.
const sight = `({
	visible: document.visibilityState === "visible" && document.documentElement?.getClientRects().length > 0,
	focused: document.hasFocus()
})`

// sightWithin is how long a page may take to say how it is.
const sightWithin = time.Second

// Sights asks all pages at once how they are before their users, by ID. A page
// that does not answer in time counts as visible and not focused: its script
// runs on and on, or it has a dialog. Who emulates the focus in a page (wake, and
// every client of Playwright) has it say that it is visible and focused.
func (b *Browser) Sights(ctx context.Context) map[string]Sight {
	ctx, cancel := context.WithTimeout(ctx, sightWithin)
	defer cancel()
	b.mu.Lock()
	pages := slices.Clone(b.pages)
	b.mu.Unlock()
	answers := make([]Sight, len(pages))
	var asked sync.WaitGroup
	for i, p := range pages {
		asked.Go(func() { answers[i] = p.sight(ctx) })
	}
	asked.Wait()
	all := make(map[string]Sight, len(pages))
	for i, p := range pages {
		all[p.ID] = answers[i]
	}
	return all
}

// sight asks in a session of its own, so that nothing else begins to work for
// the page: dialogs that it opens stay with others.
func (p *Page) sight(ctx context.Context) Sight {
	unknown := Sight{Visible: true}
	var made struct{ SessionID string }
	if _, err := p.do(ctx, command{"", "Target.attachToTarget", obj{"targetId": p.ID, "flatten": true}, &made}); err != nil {
		return unknown
	}
	defer p.b.endSession(made.SessionID)
	var out struct{ Result struct{ Value *Sight } }
	_, err := p.do(ctx, command{made.SessionID, "Runtime.evaluate", obj{"expression": sight, "returnByValue": true}, &out})
	if err != nil || out.Result.Value == nil {
		return unknown
	}
	return *out.Result.Value
}
