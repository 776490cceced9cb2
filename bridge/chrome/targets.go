package chrome

import (
	"errors"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// target is what the Host remembers of one. The zero target stands for one that is not
// known: it belongs to no Client, and is not a page of the web.
type target struct {
	info
	owner  *session // the Client that owns its context; nil when every Client may use it
	listed bool     // the hub knows it
	web    bool     // its document is one of the web
	born   int      // how many targets there had been before
	silent bool     // its page does not answer: see stuck.go
	goesOn bool     // a session has let it go on
	page   string   // of a tab, the page in it; "" until a probe has found it

	windows int // the group of windows that may have handles of it: see families.go
}

// registered is what a target is to the hub.
func (t *target) registered() targets.Info {
	i := targets.Info{ID: t.ID, Title: t.Title, URL: t.URL, Type: t.Type, OpenerID: t.Opener, NotWeb: !t.web, Unresponsive: t.silent}
	if t.Type != "page" { // the tab around a page is no target of the hub
		i.ParentID = t.ParentTarget
	}
	if t.owner != nil {
		i.Owner = t.owner.id
	}
	return i
}

// webLocked reports whether a target shows a document of the web. A blank one
// is of whoever made it: its opener, the frame around it, or the document
// before it.
func (h *Host) webLocked(i *info) bool {
	if i.Type == "browser_ui" || !scope.Web(i.URL) {
		return false
	}
	if i.URL != "" && !strings.HasPrefix(i.URL, "about:") {
		return true
	}
	if before, known := h.targets[i.ID]; known {
		return before.web
	}
	for _, id := range []string{i.Opener, i.Parent} {
		if t, known := h.targets[id]; known && !t.web {
			return false
		}
	}
	return true
}

// readText reads one member of an object that the browser has sent; "" when it is
// not there. It shares no memory with the object.
func readText(object []byte, name string) string {
	s, _ := wire.Text(readMember(object, name))
	return strings.Clone(s)
}

// readMember is the value of one member, part of the object; nil when it is not
// there.
func readMember(object []byte, name string) (found []byte) {
	if object == nil {
		return nil
	}
	_ = wire.ReadObject(object, func(key string, value []byte) error { // it is part of a message that was read
		if key == name {
			found = value
		}
		return nil
	})
	return found
}

// readVersion takes the answer to Browser.getVersion into the announcement.
func (h *Host) readVersion(result, _ []byte) {
	h.announcement.Version = bridge.Version{
		Product: readText(result, "product"), UserAgent: readText(result, "userAgent"), Revision: readText(result, "revision"),
		JSVersion: readText(result, "jsVersion"), Protocol: readText(result, "protocolVersion"),
	}
}

// readDefault takes the id of the default context from the answer to
// Target.getBrowserContexts. It stays "" if the browser does not name it.
func (h *Host) readDefault(result, _ []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.context = readText(result, "defaultBrowserContextId")
}

// rootEvent takes an event of the root's own session. Chromium sends Fetch.requestPaused
// here for the interception of the root (network.go), and Browser.download… for all
// contexts.
func (h *Host) rootEvent(method string, params []byte) {
	switch method {
	case "Target.targetCreated", "Target.targetInfoChanged", "Target.targetDestroyed":
		a, err := readAttachment(params)
		if err != nil {
			h.log.Warn("event of the browser is not valid", zap.String("method", method), zap.Error(err))
			return
		}
		switch method {
		case "Target.targetCreated":
			h.created(&a.Info)
		case "Target.targetInfoChanged":
			h.changed(&a.Info)
		default:
			h.destroyed(a.TargetID)
		}
	case "Target.detachedFromTarget":
		h.sessionDetached(readText(params, "sessionId"))
	case "Target.targetCrashed":
		h.crashed(params)
	case "Fetch.requestPaused":
		h.judgePaused(params)
	case "Browser.downloadWillBegin":
		h.downloadWillBegin(params)
	case "Browser.downloadProgress":
		h.downloadProgress(params)
	}
}

// unlisted are the types of targets that the Host does not announce: those that
// Chromium's own /json/list leaves out, and the windows of its own interface.
var unlisted = map[string]bool{"browser": true, "tab": true, "browser_ui": true}

// maxTargets is how many targets the Host remembers. Besides those that the hub knows it
// has the tabs around pages, and the frames and workers in them.
const maxTargets = 4 * targets.MaxCount

// maxSessionID is how long the id of a session may be, in bytes. Those of Chromium have 32.
const maxSessionID = 128

var errLongID = errors.New("an id in it is too long")

// readAttachment reads the params of an event of the domain Target. A page chooses its title
// and address, and a browser that the hub has not started everything.
func readAttachment(params []byte) (a attachment, err error) {
	if err = wire.Decode(params, &a); err == nil && (!a.Info.bound() || len(a.TargetID) > targets.MaxID || len(a.SessionID) > maxSessionID) {
		err = errLongID
	}
	return a, err
}

// bound cuts title and address as the hub does, and reports whether all ids can be kept.
func (i *info) bound() bool {
	if len(i.Title) > targets.MaxTitle {
		i.Title = targets.Cut(i.Title, targets.MaxTitle)
	}
	if len(i.URL) > targets.MaxURL {
		i.URL = targets.Cut(i.URL, targets.MaxURL)
	}
	return max(len(i.ID), len(i.Type), len(i.Opener), len(i.Context), len(i.Parent), len(i.ParentTarget)) <= targets.MaxID
}

// created adds a target, and announces it to the hub.
func (h *Host) created(i *info) {
	h.mu.Lock()
	if _, known := h.targets[i.ID]; !known && len(h.targets) >= maxTargets {
		h.mu.Unlock()
		h.log.Warn("target refused: the browser has too many")
		return
	}
	t := target{info: *i, owner: h.ownerLocked(i.Context), web: h.webLocked(i), born: h.born}
	h.born++
	t.listed = !unlisted[i.Type]
	h.joinWindowsLocked(&t)
	h.targets[i.ID] = t
	if !t.web {
		h.barLocked(i.ID) // sessions that began while it had no address
	}
	if h.lastDestroyed == i.ID {
		h.lastDestroyed = "" // a frame has its id again when it is a target again
	}
	h.foundLocked(i)
	h.mu.Unlock()
	switch {
	case !t.listed:
	case h.events == nil:
		h.announcement.Targets = append(h.announcement.Targets, t.registered())
	case !h.events.TargetCreated(t.registered()):
		h.log.Warn("target refused: it has no usable id, or there are too many")
	}
}

// changed updates a target, if there is anything new about it. Its type stays:
// some tabs and popups end as pages.
func (h *Host) changed(i *info) {
	h.mu.Lock()
	t := h.targets[i.ID]
	i.Type = t.Type
	known, web := t.ID != "", h.webLocked(i)
	if known && !web {
		h.barLocked(i.ID)
	}
	// Few of the answers to Target.getTargets, one each second, have any.
	news := known && (t.info != *i || t.web != web)
	if news {
		t.info, t.web = *i, web
		h.joinWindowsLocked(&t)
		h.targets[i.ID] = t
		news = t.listed
	}
	h.mu.Unlock()
	switch {
	case !news:
	case h.events == nil:
		for n := range h.announcement.Targets {
			if h.announcement.Targets[n].ID == i.ID {
				h.announcement.Targets[n] = t.registered()
			}
		}
	default:
		h.events.TargetChanged(t.registered())
	}
}

// Refresh implements bridge.Refresher. Chromium sends no event for a new title (Chromium
// 156).
func (h *Host) Refresh(done func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lookLocked(time.Now())
	h.askLocked("Target.getTargets", wire.Empty, func(result, cdpErr []byte) {
		h.refresh(result, cdpErr)
		done()
	})
}

// refresh compares the targets with what Target.getTargets answers. It adds no target and
// removes none: events do that.
func (h *Host) refresh(result, _ []byte) {
	h.mu.Lock()
	h.refreshing = false
	h.mu.Unlock()
	var all targetList
	if result == nil || wire.Decode(result, &all) != nil {
		return
	}
	for n := range all.Infos {
		if all.Infos[n].bound() {
			h.changed(&all.Infos[n])
		}
	}
}

// destroyed forgets a target only when the next one has gone. The root gets the event
// before the sessions of Clients do, and theirs must still be filtered if the target is
// hidden.
func (h *Host) destroyed(id string) {
	h.mu.Lock()
	t := h.targets[id]
	h.forgetTargetLocked(h.lastDestroyed)
	h.forgetStuckLocked(id)
	h.lastDestroyed = id
	h.mu.Unlock()
	switch {
	case !t.listed:
	case h.events == nil:
		for n := range h.announcement.Targets {
			if h.announcement.Targets[n].ID == id {
				h.announcement.Targets = append(h.announcement.Targets[:n], h.announcement.Targets[n+1:]...)
				break
			}
		}
	default:
		h.events.TargetGone(id)
	}
}

// targetEvent acts on an event of the Target domain that a session gets, and
// reports whether the Client may see it. It is also called for events that were held back
// (tabs.go), with the same rules.
func (h *Host) targetEvent(s *session, name string, params []byte) bool {
	a, err := readAttachment(params)
	if err != nil {
		return false
	}
	switch name {
	case "attachedToTarget":
		return h.childAttached(s, &a, params)
	case "detachedFromTarget":
		if h.sessionDetached(a.SessionID) {
			return true
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if g := s.client.group; g != nil {
			g.unhold(a.SessionID)
		}
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holdLocked(s, name, a.TargetID+a.Info.ID, params) {
		return false
	}
	return !h.hiddenLocked(s, a.TargetID, "") && (a.Info.ID == "" || !h.hiddenInfoLocked(s, &a.Info))
}
