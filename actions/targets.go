package actions

import "slices"

// targetInfo is Target.TargetInfo.
type targetInfo struct {
	TargetID, Type, Title, URL string
	OpenerID, BrowserContextID string
}

// targetChanged adds a page, or updates one.
func (b *Browser) targetChanged(t targetInfo) {
	if t.Type != "page" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pageLocked(t)
}

// pageLocked adds a page, or updates one, unless it is somebody else's.
func (b *Browser) pageLocked(t targetInfo) {
	if p := b.pageOf(t.TargetID); p != nil {
		p.setInfo(t)
		return
	}
	if b.own && !b.opened[t.TargetID] && !b.created[t.BrowserContextID] && b.pageOf(t.OpenerID) == nil {
		b.others[t.TargetID] = t
		return
	}
	p := newPage(b, t.TargetID, b.shared.alias(t.TargetID))
	p.setInfo(t)
	b.pages = append(b.pages, p)
	b.watchLocked(p, func() {})
	b.emit(Event{Kind: PageEvents, Page: p, Body: PageChange{Type: "created", URL: t.URL}})
	for id, other := range b.others { // which the page may have opened before it was known as ours
		if other.OpenerID == t.TargetID {
			delete(b.others, id)
			b.pageLocked(other)
		}
	}
}

// pageOf finds a page by its ID; nil is none. It needs b.mu.
func (b *Browser) pageOf(id string) *Page {
	if i := slices.IndexFunc(b.pages, func(p *Page) bool { return p.ID == id }); i >= 0 {
		return b.pages[i]
	}
	return nil
}

// hasOpened makes a page that may have been announced before one of the Browser's
// own.
func (b *Browser) hasOpened(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.own {
		return
	}
	b.opened[id] = true
	if t, known := b.others[id]; known {
		delete(b.others, id)
		b.pageLocked(t)
	}
}

// targetGone forgets a page for ever.
func (b *Browser) targetGone(id string) {
	b.drop(id)
	b.mu.Lock()
	delete(b.opened, id)
	delete(b.others, id)
	b.mu.Unlock()
	b.shared.forget(id)
}

// drop forgets a page. One that has crashed keeps its alias, and comes back when
// somebody loads it again.
func (b *Browser) drop(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.pages, func(p *Page) bool { return p.ID == id })
	if i < 0 {
		return
	}
	p := b.pages[i]
	b.pages = slices.Delete(b.pages, i, i+1)
	if b.active == p {
		b.active = nil
		if n := len(b.pages); n > 0 {
			b.active = b.pages[n-1]
		}
	}
	for s, of := range b.sessions {
		if of == p {
			delete(b.sessions, s)
		}
	}
	p.close()
	b.emit(Event{Kind: PageEvents, Page: p, Body: PageChange{Type: "close"}})
}
