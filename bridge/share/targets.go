package share

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// The browser attaches to frames of other processes and to workers as long as a session wants that. Each Client then has
// a session of its own on the one that the browser has minted. A target that waits goes on when all have let it who wait.

// autoAttach is what a session has asked for with Target.setAutoAttach.
type autoAttach struct {
	waits  bool
	filter targets.Filter
	raw    []byte // of the filter; nil is none
}

// errNotAllowed is Chromium's, of an extension.
var errNotAllowed = wire.ServerError("Not allowed")

// refused are methods that begin sessions beside the one, or reach beyond it.
var refused = map[string]*wire.Error{
	"Target.attachToTarget": errNotAllowed, "Target.attachToBrowserTarget": errNotAllowed, "Target.autoAttachRelated": errNotAllowed,
	"Target.exposeDevToolsProtocol": errNotAllowed, "Target.sendMessageToTarget": errNotAllowed, "Target.setRemoteLocations": errNotAllowed,
	"Target.setDiscoverTargets": errNotAllowed, "Runtime.terminateExecution": errNotAllowed,
	"Page.addScriptToEvaluateOnLoad": wire.ServerError("Page.addScriptToEvaluateOnLoad is out of date: use Page.addScriptToEvaluateOnNewDocument"),
}

func (r *realSession) anyAuto() bool {
	return slices.ContainsFunc(r.views, func(v *clientSession) bool { return v.auto != nil })
}

// autoParams are those of Target.setAutoAttach for all sessions together. Of different filters it is all types: what
// nobody wants goes on at once.
func (r *realSession) autoParams() []byte {
	on, waits, same := false, false, true
	var filter []byte
	for _, v := range r.views {
		if v.auto == nil {
			continue
		}
		if same = same && (!on || bytes.Equal(filter, v.auto.raw)); !on {
			filter = v.auto.raw
		}
		on, waits = true, waits || v.auto.waits
	}
	params := []byte(`{"autoAttach":false,"waitForDebuggerOnStart":false,"flatten":true}`)
	if on {
		params = []byte(`{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true}`)
	}
	if waits {
		params = []byte(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`)
	}
	switch {
	case !on || same && filter == nil:
		return params
	case !same:
		filter = []byte(`[{}]`)
	}
	return withMember(params, "filter", filter)
}

// setAutoAttachLocked is Target.setAutoAttach.
func (t *Tab) setAutoAttachLocked(v *clientSession, c *command) *wire.Error {
	var auto *autoAttach
	if isTrue(c.params, "autoAttach") {
		auto = &autoAttach{waits: isTrue(c.params, "waitForDebuggerOnStart"), filter: targets.Usual}
		if raw := valueOf(c.params, "filter"); raw != nil {
			filter, ok := targets.ReadFilter(raw)
			if !ok || len(raw) > maxFilter {
				return wire.InvalidParams("filter")
			}
			auto.filter, auto.raw = filter, bytes.Clone(raw)
		}
	}
	v.auto = auto
	done := t.replyLocked(v, c, func([]byte) { t.fitChildrenLocked(v) })
	t.sendLocked(&call{r: v.r, view: v, id: c.id, method: c.method, done: done}, v.r.autoParams())
	return nil
}

// setAutoLocked changes what a session that ends wants.
func (t *Tab) setAutoLocked(v *clientSession, auto *autoAttach) {
	if v.auto == auto {
		return
	}
	// The session is among the views no more: what counts is that of the others.
	v.auto = auto
	t.ownLocked(v.r, "Target.setAutoAttach", v.r.autoParams())
}

// fitChildrenLocked gives a session those inside it that it wants now, and ends the others.
func (t *Tab) fitChildrenLocked(v *clientSession) {
	for _, child := range slices.Clone(v.children) {
		if v.auto == nil || !v.auto.filter.Takes(child.r.kind) {
			t.closeViewLocked(child)
		}
	}
	for _, r := range v.r.children {
		t.openViewLocked(v, r)
	}
}

// attachedLocked takes a session that the browser has begun inside another.
func (t *Tab) attachedLocked(parent *realSession, params []byte) {
	id := string([]byte(textOf(params, "sessionId")))
	if id == "" || t.inside[id] != nil {
		return
	}
	r := newReal(id, parent, parent.budget)
	r.targetID, r.kind = string([]byte(textOf(params, "targetInfo", "targetId"))), string([]byte(textOf(params, "targetInfo", "type")))
	r.announced, r.waiters = bytes.Clone(params), make(map[*clientSession]struct{})
	r.waiting = isTrue(params, "waitingForDebugger")
	parent.children = append(parent.children, r)
	t.inside[id] = r
	for _, v := range parent.views {
		t.openViewLocked(v, r)
	}
	t.resumeLocked(r)
}

// openViewLocked begins the session of a Client on a child session, if it wants one and has none.
func (t *Tab) openViewLocked(v *clientSession, r *realSession) {
	if v.auto == nil || !v.auto.filter.Takes(r.kind) || slices.ContainsFunc(v.children, func(o *clientSession) bool { return o.r == r }) {
		return
	}
	t.lastInside++ // Chromium, too, has no id twice
	child := t.addViewLocked(r.id+"-"+strconv.Itoa(t.lastInside), r, v, v.client)
	waits := r.waiting && v.auto.waits
	if waits {
		r.waiters[child] = struct{}{}
	}
	word := []byte("false")
	if waits {
		word = []byte("true")
	}
	nested := &bridge.Nested{Parent: v.id, SessionID: child.id, TargetID: r.targetID, Type: r.kind}
	params := withMember(withMember(r.announced, "sessionId", quoteText(child.id)), "waitingForDebugger", word)
	t.told = append(t.told, notice{view: child, opened: nested})
	t.told = append(t.told, notice{view: v, method: "Target.attachedToTarget", params: params, about: child})
}

// closeViewLocked ends the session of a Client on a child session, and tells the Client.
func (t *Tab) closeViewLocked(child *clientSession) {
	if child.over {
		return
	}
	for _, inner := range slices.Clone(child.children) {
		t.closeViewLocked(inner)
	}
	t.endViewLocked(child)
	t.told = append(t.told, notice{view: child, closed: true})
	params := withMember(withMember(wire.Empty, "sessionId", quoteText(child.id)), "targetId", quoteText(child.r.targetID))
	t.eventLocked(child.parent, "Target.detachedFromTarget", params)
}

// detachedLocked ends a child session that the browser has ended.
func (t *Tab) detachedLocked(_ *realSession, params []byte) {
	if r := t.inside[textOf(params, "sessionId")]; r != nil {
		t.endRealLocked(r)
	}
}

// endRealLocked ends a child session with all of its Clients' and those inside it.
func (t *Tab) endRealLocked(r *realSession) {
	r.over = true
	for _, child := range slices.Clone(r.children) {
		t.endRealLocked(child)
	}
	for _, v := range slices.Clone(r.views) {
		for key, owner := range t.exclusive {
			if owner == v {
				delete(t.exclusive, key)
			}
		}
		t.freeLocked(v)
		t.closeViewLocked(v)
	}
	for _, d := range r.domains {
		d.forget()
	}
	delete(t.inside, r.id)
	r.parent.children = slices.DeleteFunc(r.parent.children, func(o *realSession) bool { return o == r })
	for n, c := range t.calls {
		if c.r == r {
			t.takeCallLocked(n)
		}
	}
	t.waiting = slices.DeleteFunc(t.waiting, func(p pendingSend) bool {
		if p.r == r {
			t.waits -= len(p.params)
		}
		return p.r == r
	})
}

// freeLocked gives back what a session keeps, where the browser has ended it.
func (t *Tab) freeLocked(v *clientSession) {
	for name := range v.domains {
		v.client.drop(v.domains[name].kept)
	}
	for _, one := range v.scripts {
		v.client.drop(len(one.params))
	}
	for _, b := range v.bindings {
		v.client.drop(len(b.params))
	}
	for _, s := range v.r.settings {
		if i := s.indexOf(v); i >= 0 {
			v.client.drop(len(s.entries[i].params))
		}
	}
	for _, b := range v.r.breaks {
		if b.users[v] {
			v.client.drop(len(b.params))
		}
	}
	if v.fetch != nil {
		v.client.drop(v.fetch.kept)
	}
	if v.cast != nil {
		v.client.drop(len(v.cast.params))
	}
}

// detachLocked is Target.detachFromTarget, for a session of the Client's own.
func (t *Tab) detachLocked(v *clientSession, c *command) *wire.Error {
	child := t.views[textOf(c.params, "sessionId")]
	if child == nil || child.parent != v {
		return &wire.Error{Code: wire.CodeInvalidParams, Message: "No session with given id"}
	}
	t.browserFenceLocked(v, c, func() { t.closeViewLocked(child) })
	return nil
}

// runLocked is Runtime.runIfWaitingForDebugger: the target goes on once all have sent it who wait.
func (t *Tab) runLocked(v *clientSession, c *command) *wire.Error {
	r := v.r
	if delete(r.waiters, v); r.waiting && len(r.waiters) > 0 {
		t.browserFenceLocked(v, c, nil)
		return nil
	}
	r.waiting = false
	return t.forwardLocked(v, c, nil)
}

// releaseWaiterLocked is for a session that ends.
func (t *Tab) releaseWaiterLocked(r *realSession, v *clientSession) {
	delete(r.waiters, v)
	t.resumeLocked(r)
}

// resumeLocked lets a target go on for which nobody waits any more.
func (t *Tab) resumeLocked(r *realSession) {
	if r.waiting && len(r.waiters) == 0 {
		r.waiting = false
		t.ownLocked(r, "Runtime.runIfWaitingForDebugger", wire.Empty)
	}
}
