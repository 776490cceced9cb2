package share

import (
	"bytes"
	"maps"
	"slices"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// client is what belongs to a Client in all of its sessions.
type client struct {
	number int
	prefix string // of its handles: "3:"
	calls  int
	kept   int
	items  int
}

// clientSession is a session of a Client, on the tab or on something inside it.
type clientSession struct {
	id     string
	r      *realSession
	parent *clientSession // nil for a session on the tab
	client *client
	over   bool

	domains    map[string]*domainUse // enabled, by name
	children   []*clientSession      // sessions inside
	auto       *autoAttach           // Target.setAutoAttach; nil is off
	scripts    map[string]*script    // by the identifier that the Client knows
	lastScript int                   // numbers them
	bindings   map[string]binding    // by name
	groups     map[string]struct{}   // object groups
	streams    map[string]struct{}   // handles, as the browser knows them
	settings   map[string]struct{}   // keys of the settings that it has
	fetch      *interception         // Fetch.enable; nil is off
	cast       *cast                 // Page.startScreencast; nil is off
	known      map[int64]struct{}    // nodes that it has been told of
	pushed     map[int64]struct{}    // those whose children, too
	hasTree    bool                  // it has the document
}

// realSession is a session of the browser: the one of the tab, or a child session that the browser has minted.
type realSession struct {
	id        string
	parent    *realSession
	budget    *int // bytes of the cached events of the Tab
	over      bool
	targetID  string
	kind      string                      // type of the target
	announced []byte                      `stays:"of a child session, which the browser ends"` // params of Target.attachedToTarget
	views     []*clientSession            `held:"sessions of the tab"`
	children  []*realSession              `stays:"the browser's own child sessions"`
	waiters   map[*clientSession]struct{} `held:"sessions that have a target wait"` // whose target waits for Runtime.runIfWaitingForDebugger
	waiting   bool                        // it waits at the browser

	domains   map[string]*domainState   `stays:"see order"`
	order     []string                  `held:"domains"` // of domains, as they were enabled first
	settings  map[string]*setting       `held:"settings"`
	tops      []string                  `held:"names of settings"` // keys of settings, in the order in which they came to be
	breaks    map[string]*breakpoint    `held:"breakpoints"`
	paused    map[string]*pausedRequest `held:"paused requests"`
	fetchers  []*clientSession          `held:"interceptions"`    // those who intercept, the newest first
	pausing   []byte                    `held:"bytes of a pause"` // params of Debugger.paused, while script is paused
	shared    map[string]int            `held:"shared objects"`
	nodes     nodes
	pushing   []int64 `held:"commands that push nodes"` // commands that may push nodes, oldest first
	frames    castFrames
	castOrder []*clientSession `held:"screencasts"` // those with a screencast, the newest last
	lifetime  float64          // largest timestamp of a Page.lifecycleEvent
	lives     []*clientSession `held:"sessions that get lifecycle events again"` // those to whom lifecycle events are repeated
}

func newReal(id string, parent *realSession, budget *int) *realSession {
	r := &realSession{id: id, parent: parent, budget: budget}
	r.resetLocked()
	return r
}

// resetLocked forgets what the browser has in a session, and keeps what Clients have asked for.
func (r *realSession) resetLocked() {
	r.paused, r.shared = make(map[string]*pausedRequest), make(map[string]int)
	r.nodes.reset()
	r.pausing, r.lives, r.frames, r.lifetime = nil, nil, castFrames{}, 0
	for _, d := range r.domains {
		d.forget()
	}
	if r.domains == nil {
		r.domains, r.settings, r.breaks = make(map[string]*domainState), make(map[string]*setting), make(map[string]*breakpoint)
	}
}

// addViewLocked adds a session of a Client.
func (t *Tab) addViewLocked(id string, r *realSession, parent *clientSession, c *client) *clientSession {
	v := &clientSession{
		id: id, r: r, parent: parent, client: c, domains: make(map[string]*domainUse), scripts: make(map[string]*script),
		bindings: make(map[string]binding), groups: make(map[string]struct{}), streams: make(map[string]struct{}), settings: make(map[string]struct{}),
		known: make(map[int64]struct{}), pushed: make(map[int64]struct{}),
	}
	t.views[id] = v
	r.views = append(r.views, v)
	if parent != nil {
		parent.children = append(parent.children, v)
	}
	return v
}

// endViewLocked ends a session with those inside it, and takes back what it has asked the browser for.
func (t *Tab) endViewLocked(v *clientSession) {
	if v.over {
		return
	}
	v.over = true
	for _, child := range slices.Clone(v.children) {
		t.endViewLocked(child)
	}
	delete(t.views, v.id)
	r := v.r
	r.views = removeView(r.views, v)
	if v.parent != nil {
		v.parent.children = removeView(v.parent.children, v)
	}
	if !r.over {
		t.withdrawLocked(v)
	}
}

// withdrawLocked takes back all that a session has asked the browser for.
func (t *Tab) withdrawLocked(v *clientSession) {
	r := v.r
	t.stopCastLocked(v)
	t.stopInterceptionLocked(v)
	t.setAutoLocked(v, nil)
	t.releaseWaiterLocked(r, v)
	t.stopRecordingsLocked(v)
	t.dropScriptsLocked(v)
	for _, name := range slices.Sorted(maps.Keys(v.bindings)) {
		t.dropBindingLocked(v, name)
	}
	for _, handle := range slices.Sorted(maps.Keys(v.streams)) {
		t.ownLocked(r, "IO.close", withMember(wire.Empty, "handle", quoteText(handle)))
	}
	for _, group := range slices.Sorted(maps.Keys(v.groups)) {
		t.ownLocked(r, "Runtime.releaseObjectGroup", withMember(wire.Empty, "objectGroup", quoteText(v.client.prefix+group)))
	}
	t.dropBreakpointsLocked(v)
	for _, key := range slices.Sorted(maps.Keys(v.settings)) {
		t.withdrawSettingLocked(v, key)
	}
	for _, name := range slices.Backward(slices.Clone(r.order)) { // what was enabled last may need what came before
		if v.domains[name] != nil && t.leaveDomainLocked(v, name) {
			t.ownLocked(r, name+".disable", wire.Empty)
		}
	}
	r.lives = removeView(r.lives, v)
	if len(r.views) == 0 {
		clear(r.shared)
	}
}

// handleLocked carries a command out.
func (t *Tab) handleLocked(v *clientSession, c *command) *wire.Error {
	if why := refused[c.method]; why != nil {
		return why
	}
	if h := handlers[c.method]; h != nil {
		return h(t, v, c)
	}
	if rule, is := settingOf(c); is {
		return t.setLocked(v, c, rule)
	}
	if rec, is := recordings[c.method]; is {
		return t.recordLocked(v, c, rec)
	}
	domain, verb := cutMethod(c.method)
	switch verb {
	case "enable":
		return t.enableLocked(v, c, domain)
	case "disable":
		return t.disableLocked(v, c, domain)
	}
	return t.forwardLocked(v, c, nil)
}

// handler carries out one method.
type handler func(t *Tab, v *clientSession, c *command) *wire.Error

// forwardLocked sends a command to the browser, with ids as the browser knows them. done may be nil.
func (t *Tab) forwardLocked(v *clientSession, c *command, done func(result, cdpErr []byte)) *wire.Error {
	params, missing, err := t.translateLocked(v, c.method, c.params)
	if err != nil {
		return err
	}
	one := &call{r: v.r, view: v, id: c.id, method: c.method, done: done}
	if len(missing) > 0 {
		t.pushFirstLocked(one, bytes.Clone(c.params), missing)
		return nil
	}
	t.sendLocked(one, params)
	return nil
}

// replyLocked answers a command with what the browser has answered, and runs fn for a success, before that.
func (t *Tab) replyLocked(v *clientSession, c *command, fn func(result []byte)) func(result, cdpErr []byte) {
	id, method := c.id, c.method
	return func(result, cdpErr []byte) {
		if cdpErr != nil {
			t.answerLocked(v, id, nil, cdpErr)
			return
		}
		if fn != nil {
			fn(result)
		}
		t.resultLocked(v, id, method, result)
	}
}

var errDetached = wire.ServerError("Detached while handling command.")

// lostLocked forgets what was in the real session.
func (t *Tab) lostLocked() {
	if t.away {
		return
	}
	t.away = true
	why := wire.AppendError(nil, errDetached)
	// The oldest first: commands and their answers have an order.
	numbers := make([]int64, 0, len(t.calls))
	for n := range t.calls {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		if c := t.takeCallLocked(n); c != nil {
			t.answeredLocked(c, nil, why)
		}
	}
	for _, child := range slices.Clone(t.root.children) {
		t.endRealLocked(child)
	}
	r := t.root
	for _, v := range r.views {
		if v.domains["Runtime"] != nil {
			t.eventLocked(v, "Runtime.executionContextsCleared", wire.Empty)
		}
		if v.domains["DOM"] != nil {
			t.eventLocked(v, "DOM.documentUpdated", wire.Empty)
		}
		if v.domains["Debugger"] != nil && r.pausing != nil {
			t.eventLocked(v, "Debugger.resumed", wire.Empty)
		}
		clear(v.groups)
		clear(v.streams)
		v.forgetTree()
	}
	clear(t.exclusive)
	r.resetLocked()
}

// replayLocked sends what the Clients have asked for to a session in which nothing is set.
func (t *Tab) replayLocked() {
	r := t.root
	for _, name := range r.order {
		if d := r.domains[name]; d.inUse() {
			t.ownLocked(r, name+".enable", d.params)
		}
	}
	if r.wantsLife() {
		t.ownLocked(r, "Page.setLifecycleEventsEnabled", []byte(`{"enabled":true}`))
	}
	for _, v := range r.views {
		t.replayOwnLocked(v)
	}
	for _, key := range r.tops {
		t.applyLocked(r.settings[key])
	}
	for _, b := range r.breaks {
		t.replayBreakpointLocked(r, b)
	}
	if r.anyFetch() {
		t.ownLocked(r, "Fetch.enable", r.fetchParams())
	}
	t.replayCastLocked(r)
	if r.anyAuto() {
		t.ownLocked(r, "Target.setAutoAttach", r.autoParams())
	}
}

var _ Sessions = bridge.Events(nil)
