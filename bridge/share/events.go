package share

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/cdphub/cdphub/internal/wire"
)

// Event brings an event of the browser, from the session of the tab ("") or from one inside it.
func (t *Tab) Event(sessionID, method string, params []byte) {
	t.mu.Lock()
	r := t.root
	if sessionID != "" {
		r = t.inside[sessionID]
	}
	if r != nil && !t.away {
		if params == nil {
			params = wire.Empty
		}
		t.realEventLocked(r, method, params)
	}
	t.mu.Unlock()
	t.tell()
}

func (t *Tab) realEventLocked(r *realSession, method string, params []byte) {
	r.cacheLocked(method, params)
	if h := eventHandlers[method]; h != nil {
		h(t, r, params)
		return
	}
	if owner := eventOwners[method]; owner != "" {
		v := t.exclusive[owner]
		if v == nil {
			v = t.exclusive[owner+r.id]
		}
		if v != nil {
			t.deliverLocked(v, method, params)
		}
		if method == "Tracing.tracingComplete" {
			delete(t.exclusive, owner)
		}
		return
	}
	key, byKey := eventSettings[method]
	domain, _ := cutMethod(method)
	for _, v := range r.views {
		wants := v.hears(domain)
		if byKey {
			_, wants = v.settings[key]
		}
		if wants {
			t.deliverLocked(v, method, params)
		}
	}
}

// alwaysOn are domains with events and without enable: all sessions get them.
var alwaysOn = map[string]bool{
	"Inspector": true, // whose events come without Inspector.enable, too (Chromium 156)
	"Target":    true, "Input": true, "Storage": true, "Emulation": true, "Browser": true, "BackgroundService": true, "Tethering": true,
}

// hears reports whether a session gets the events of a domain.
func (v *clientSession) hears(domain string) bool {
	use := v.domains[domain]
	if domain == "DOM" {
		return v.hasTree // as in Chromium: a session gets DOM events after its first DOM.getDocument
	}
	return use != nil && use.on || alwaysOn[domain]
}

// deliverLocked tells a session of an event of the browser, with ids as the session knows them.
func (t *Tab) deliverLocked(v *clientSession, method string, params []byte) {
	if domain, _ := cutMethod(method); domain == "DOM" && !v.knowsOf(method, params) {
		return
	}
	if out, ok := t.showLocked(v, "!"+method, params); ok {
		t.eventLocked(v, method, out)
	}
}

// eventHandlers are the events that not only those who have enabled the domain get.
var eventHandlers = map[string]func(t *Tab, r *realSession, params []byte){
	"Runtime.bindingCalled":            (*Tab).bindingCalledLocked,
	"Runtime.consoleAPICalled":         (*Tab).consoleLocked,
	"Runtime.exceptionThrown":          (*Tab).exceptionLocked,
	"Page.lifecycleEvent":              (*Tab).lifecycleLocked,
	"Page.screencastFrame":             (*Tab).frameLocked,
	"Page.screencastVisibilityChanged": (*Tab).castVisibilityLocked,
	"Target.attachedToTarget":          (*Tab).attachedLocked,
	"Target.detachedFromTarget":        (*Tab).detachedLocked,
	"Fetch.requestPaused":              (*Tab).requestPausedLocked,
	"Fetch.authRequired":               (*Tab).authRequiredLocked,
	"Debugger.paused":                  (*Tab).pausedLocked,
	"Debugger.resumed":                 (*Tab).resumedLocked,
	"HeapProfiler.addHeapSnapshotChunk": func(t *Tab, r *realSession, params []byte) {
		t.snapshotLocked(r, "HeapProfiler.addHeapSnapshotChunk", params)
	},
	"HeapProfiler.reportHeapSnapshotProgress": func(t *Tab, r *realSession, params []byte) {
		t.snapshotLocked(r, "HeapProfiler.reportHeapSnapshotProgress", params)
	},
	"Debugger.breakpointResolved": (*Tab).breakpointResolvedLocked,
	"DOM.setChildNodes":           (*Tab).setChildNodesLocked,
	"DOM.documentUpdated":         (*Tab).documentUpdatedLocked,
	"DOM.childNodeRemoved":        (*Tab).childNodeRemovedLocked,
}

// eventSettings are the events that those get who have set something.
var eventSettings = map[string]string{
	"Page.fileChooserOpened":             "Page.setInterceptFileChooserDialog",
	"Input.dragIntercepted":              "Input.setInterceptDrags",
	"Overlay.inspectNodeRequested":       "Overlay.setInspectMode",
	"Overlay.nodeHighlightRequested":     "Overlay.setInspectMode",
	"Overlay.screenshotRequested":        "Overlay.setInspectMode",
	"Overlay.inspectModeCanceled":        "Overlay.setInspectMode",
	"Emulation.virtualTimeBudgetExpired": "Emulation.setVirtualTimePolicy",
}

// showLocked writes ids as a session knows them. ok is false where a node is named that the session cannot know.
func (t *Tab) showLocked(v *clientSession, key string, text []byte) (out []byte, ok bool) {
	return t.showLevelsLocked(v, key, text, asIs)
}

// asIs is all levels of nodes, as the browser has described them.
const asIs = -2

// showLevelsLocked is showLocked for so many levels of nodes, as if the browser had pushed them.
func (t *Tab) showLevelsLocked(v *clientSession, key string, text []byte, levels int) (out []byte, ok bool) {
	s := shapes()[key]
	if s == nil {
		return text, true
	}
	n := &v.r.nodes
	ok = true
	var parent int64
	out = s.replace(make([]byte, 0, len(text)+len(text)/8+64), text, func(dst []byte, k kind, value []byte) []byte {
		switch k {
		case remote, stream:
			text, is := wire.Text(value)
			if !is || text == "" {
				break
			}
			if k == stream && len(v.streams) < maxItems {
				v.streams[string([]byte(text))] = struct{}{}
			}
			return wire.AppendString(dst, v.client.prefix+text)
		case node, backend:
			id, _ := wire.Int(value)
			seen, known := n.visible(id)
			ok = ok && known
			if parent == 0 {
				parent = seen
			}
			return strconv.AppendInt(dst, seen, 10)
		case tree:
			w := treeWalker{text: value, out: dst, pushed: levels != asIs, visible: n.shown, inside: v.notePushed, learn: func(realID, backendID, parent int64) {
				n.learn(realID, backendID, parent)
				v.noteKnown(backendID)
			}}
			if w.value(0, parent, levels, false) >= 0 {
				return w.out
			}
			return append(w.out[:len(dst)], value...)
		default:
		}
		return append(dst, value...)
	})
	return out, ok
}

// consoleLocked and exceptionLocked note the objects that several sessions get: one of them may release its own.
func (t *Tab) consoleLocked(r *realSession, params []byte) {
	t.shareObjectsLocked(r, "Runtime.consoleAPICalled", params)
}

func (t *Tab) exceptionLocked(r *realSession, params []byte) {
	t.shareObjectsLocked(r, "Runtime.exceptionThrown", params)
}

func (t *Tab) shareObjectsLocked(r *realSession, method string, params []byte) {
	count := 0
	for _, v := range r.views {
		if v.hears("Runtime") {
			count++
			t.deliverLocked(v, method, params)
		}
	}
	if count < 2 {
		return
	}
	shapes()["!"+method].replace(nil, params, func(dst []byte, k kind, value []byte) []byte {
		if id, is := wire.Text(value); is && k == remote && len(r.shared) < maxShared {
			r.shared[string([]byte(id))] = count
		}
		return dst
	})
}

// lifecycleLocked passes Page.lifecycleEvent on. When a session enables these events, the browser repeats the earlier ones:
// only that session gets an event that is no newer than the newest so far.
func (t *Tab) lifecycleLocked(r *realSession, params []byte) {
	at, _ := strconv.ParseFloat(string(valueOf(params, "timestamp")), 64)
	repeated := len(r.lives) > 0 && at <= r.lifetime
	r.lifetime = max(r.lifetime, at)
	for _, v := range r.views {
		_, wants := v.settings[lifecycle]
		if wants && v.hears("Page") && (!repeated || slices.Contains(r.lives, v)) {
			t.deliverLocked(v, "Page.lifecycleEvent", params)
		}
	}
}

const lifecycle = "Page.setLifecycleEventsEnabled"

// setLifecycleLocked is Page.setLifecycleEventsEnabled. Chromium repeats the events of the documents that there are each
// time.
func (t *Tab) setLifecycleLocked(v *clientSession, c *command) *wire.Error {
	r := v.r
	if !isTrue(c.params, "enabled") {
		delete(v.settings, lifecycle)
		if r.wantsLife() {
			t.fenceLocked(v, c, nil)
			return nil
		}
		return t.forwardLocked(v, c, nil)
	}
	v.settings[lifecycle] = struct{}{}
	r.lives = append(r.lives, v)
	return t.forwardLocked(v, c, t.doneLocked(v, c, func(bool) {
		if i := slices.Index(r.lives, v); i >= 0 {
			r.lives = slices.Delete(r.lives, i, i+1)
		}
	}))
}

// wantsLife reports whether a session has lifecycle events on.
func (r *realSession) wantsLife() bool {
	return slices.ContainsFunc(r.views, func(v *clientSession) bool { _, wants := v.settings[lifecycle]; return wants })
}

// pausedLocked tells all who debug that script has paused. Any of them may resume it.
func (t *Tab) pausedLocked(r *realSession, params []byte) {
	if r.domains["Debugger"].inUse() {
		r.pausing = bytes.Clone(params)
	}
	for _, v := range r.views {
		if v.hears("Debugger") {
			t.deliverLocked(v, "Debugger.paused", params)
		}
	}
}

func (t *Tab) resumedLocked(r *realSession, params []byte) {
	r.pausing = nil
	for _, v := range r.views {
		if v.hears("Debugger") {
			t.deliverLocked(v, "Debugger.resumed", params)
		}
	}
}

// snapshotLocked passes on a part of a heap snapshot, to the session that takes it.
func (t *Tab) snapshotLocked(r *realSession, method string, params []byte) {
	var taker *call
	oldest := int64(0)
	for n, c := range t.calls {
		takes := c.method == "HeapProfiler.takeHeapSnapshot" || c.method == "HeapProfiler.stopTrackingHeapObjects"
		if takes && c.r == r && (taker == nil || n < oldest) {
			taker, oldest = c, n
		}
	}
	if taker != nil && taker.view != nil {
		t.deliverLocked(taker.view, method, params)
	}
}
