package chrome

import "github.com/cdphub/cdphub/bridge"

var _ bridge.Families = (*Host)(nil)

// deepest is how many targets may be inside one another. The bound keeps PageOf from going
// round should a browser name targets in a circle.
const deepest = 64

// PageOf implements bridge.Families. Chromium names the target around a frame with a
// process of its own, or around a worker (parentId), and the tab around a page; older
// ones name the frame around it alone, which is a target where it has a process of its
// own, and of a page's main frame.
func (h *Host) PageOf(targetID string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pageOfLocked(targetID)
}

// pageOfLocked is PageOf with the lock held.
func (h *Host) pageOfLocked(targetID string) string {
	for range deepest {
		t, known := h.targets[targetID]
		switch {
		case !known:
			return ""
		case t.page != "": // a probe has found it: see tabs.go
			return t.page
		case t.Type == "tab":
			return h.pageInLocked(targetID)
		case t.Type == "page":
			return targetID
		case t.ParentTarget != "" && h.targets[t.ParentTarget].Type != "tab":
			targetID = t.ParentTarget
		case t.Parent != "":
			targetID = t.Parent
		case t.Type == "iframe":
			return ""
		default:
			return targetID
		}
	}
	return ""
}

// pageInLocked is the page that names a tab as what it is in; "" where none does.
// Chromium 156 has no parentId in what it says of pages.
func (h *Host) pageInLocked(tab string) string {
	for id, t := range h.targets {
		if t.Type == "page" && t.ParentTarget == tab {
			return id
		}
	}
	return ""
}

// MayServe implements bridge.Families. Chromium does not say which pages a worker serves:
// those of another browser context it cannot.
func (h *Host) MayServe(targetID, pageID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.targets[targetID]
	return (t.Type == "service_worker" || t.Type == "shared_worker") && t.Context == h.targets[pageID].Context
}

// InContext implements bridge.Families.
func (h *Host) InContext(targetID, contextID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.targets[targetID].Context == contextID
}

// SharesContext implements bridge.Families.
func (h *Host) SharesContext(targetID, pageID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	t, known := h.targets[targetID]
	return known && t.Context == h.targets[pageID].Context
}

// Related implements bridge.Families. Chromium finds windows by handles and names only among
// pages that have opened each other (HTML Standard, "browsing context group").
func (h *Host) Related(pageID, otherID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	t, known := h.targets[pageID]
	return known && t.windows == h.targets[otherID].windows
}

// joinWindowsLocked puts a target into the group of windows of the one that has opened it.
// The groups of both become one: Chromium may name the opener later than the target. A
// target that has ended leaves its group behind.
func (h *Host) joinWindowsLocked(t *target) {
	opener, known := h.targets[t.Opener]
	switch {
	case known && opener.windows == t.windows:
		return
	case t.windows == 0 && known:
		t.windows = opener.windows
		return
	case t.windows == 0:
		h.windows++
		t.windows = h.windows
		return
	case !known:
		return
	}
	for id, other := range h.targets {
		if other.windows == t.windows {
			other.windows = opener.windows
			h.targets[id] = other
		}
	}
	t.windows = opener.windows
}
