package actions

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Sight is whether a person can see a page and type into it.
type Sight struct {
	Visible bool // it is shown: no tab behind another one, no frame without a box
	Focused bool // it has the keyboard
}

// sight is the expression for Sight. In a frame that is not rendered, no element has
// a box (CSSOM View, getClientRects).
const sight = `({
	visible: document.visibilityState === "visible" && document.documentElement?.getClientRects().length > 0,
	focused: document.hasFocus()
})`

// sightWithin is how long a page may take to answer. All pages have the same time
// together.
const sightWithin = time.Second

// Sights asks all pages at once whether they are visible and focused, by ID. A page
// that does not answer in time counts as visible and not focused: its script does not
// end, or it shows a dialog. A client that emulates the focus in a page (wake does,
// and every client of Playwright) makes the page answer that it is visible and
// focused. There is one keyboard: of several pages that say so, the one that was active last
// is focused, else the first.
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
	b.mu.Lock()
	b.followLocked()
	active := b.active
	b.mu.Unlock()
	focused := ""
	for i, p := range pages {
		if answers[i].Focused && (focused == "" || p == active) {
			focused = p.ID
		}
	}
	all := make(map[string]Sight, len(pages))
	for i, p := range pages {
		all[p.ID] = Sight{answers[i].Visible, p.ID == focused}
	}
	return all
}

// sight asks in a session of its own, not in the one of Page.attach: so nothing else
// begins to work for the page, and dialogs that it opens stay with others.
func (p *Page) sight(ctx context.Context) Sight {
	unknown := Sight{Visible: true}
	var made struct{ SessionID string }
	if _, err := p.sendCommands(ctx, command{"", "Target.attachToTarget", obj{"targetId": p.ID, "flatten": true}, &made}); err != nil {
		return unknown
	}
	defer p.b.endSession(made.SessionID)
	var out struct{ Result struct{ Value *Sight } }
	_, err := p.sendCommands(ctx, command{made.SessionID, "Runtime.evaluate", obj{"expression": sight, "returnByValue": true}, &out})
	if err != nil || out.Result.Value == nil {
		return unknown
	}
	return *out.Result.Value
}
