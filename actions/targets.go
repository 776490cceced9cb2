package actions

import "slices"

// targetInfo is Target.TargetInfo.
type targetInfo struct {
	TargetID, Type, Title, URL string
	OpenerID, BrowserContextID string
}

// targetChanged adds a page, or updates it. Other types of targets, such as workers,
// are no pages.
func (b *Browser) targetChanged(t targetInfo) {
	if t.Type != "page" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pageLocked(t)
}

// pageLocked adds a page, or updates it. With Options.Own it only remembers pages of
// others: one may turn out to be the caller's, when the page that opened it becomes
// known.
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
	b.shown.Store(true)
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

// hasOpened notes that the Browser has opened a page. The event of the page may have
// come before the answer that has its id.
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

// targetGone forgets a page and its alias.
func (b *Browser) targetGone(id string) {
	b.drop(id)
	b.mu.Lock()
	delete(b.opened, id)
	delete(b.others, id)
	b.mu.Unlock()
	b.shared.forget(id)
}

// drop takes a page out of the list. A page that has crashed keeps its alias, and
// comes back when somebody loads it again. If it was active, the newest page becomes
// active.
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
	// Page.mu is taken under Browser.mu, as the lock order says.
	p.close()
	b.emit(Event{Kind: PageEvents, Page: p, Body: PageChange{Type: "close"}})
}
