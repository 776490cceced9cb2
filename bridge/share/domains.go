package share

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
)

// A domain is enabled at the browser while a session wants it. Chromium 156 tells a session that enables a domain what
// there is already: contexts and messages with Runtime, scripts with Debugger, style sheets with CSS, entries with Log,
// issues with Audits. A second enable of one session brings them no more, so the events are kept for those who come later.

// domainUse is a domain that a session has enabled.
type domainUse struct {
	kept int
	on   bool // it gets the events
}

// domainState is a domain of a real session.
type domainState struct {
	users  int
	own    bool // the sharing itself needs it
	params []byte
	cached []cachedEvent
	budget *int // bytes of all that the Tab has cached
}

// cachedEvent is kept for those who enable its domain later.
type cachedEvent struct {
	method, key    string
	context, frame string // what it ends with
	params         []byte
}

func (d *domainState) inUse() bool { return d != nil && (d.users > 0 || d.own) }

func (d *domainState) forget() {
	for i := range d.cached {
		*d.budget -= d.cached[i].size()
	}
	d.cached = nil
}

func (e *cachedEvent) size() int { return len(e.params) + overhead }

// cacheRule says how an event is kept.
type cacheRule struct {
	key, context, frame []string // where its own id, and the ids of what it ends with, stand
	message             bool     // the oldest goes when there are too many
}

var cacheRules = map[string]cacheRule{
	"Runtime.executionContextCreated": {key: []string{"context", "id"}},
	"Runtime.consoleAPICalled":        {message: true, context: []string{"executionContextId"}},
	"Runtime.exceptionThrown":         {message: true},
	"Debugger.scriptParsed":           {key: []string{"scriptId"}, context: []string{"executionContextId"}},
	"CSS.styleSheetAdded":             {key: []string{"header", "styleSheetId"}, frame: []string{"header", "frameId"}},
	"Log.entryAdded":                  {message: true},
	"Console.messageAdded":            {message: true},
	"Audits.issueAdded":               {message: true},
}

// cachedDomains are those with such events.
var cachedDomains = map[string]bool{"Runtime": true, "Debugger": true, "CSS": true, "Log": true, "Console": true, "Audits": true}

// needsRuntime are domains whose events end with a context: the sharing enables Runtime with them.
var needsRuntime = map[string]bool{"Debugger": true, "CSS": true}

// needsDOM are domains that Chromium 156 enables only after DOM, and what it says otherwise.
var needsDOM = map[string]*wire.Error{
	"CSS":     wire.ServerError("DOM agent needs to be enabled first."),
	"Overlay": wire.ServerError("DOM should be enabled first"),
}

func cutMethod(method string) (domain, verb string) {
	domain, verb, _ = strings.Cut(method, ".")
	return domain, verb
}

func (r *realSession) domain(name string) *domainState {
	d := r.domains[name]
	if d == nil {
		d = &domainState{budget: r.budget}
		r.domains[name] = d
	}
	return d
}

// enableLocked is X.enable. It goes to the browser each time, but for Network: there a second one forgets the bodies that
// were loaded (Chromium 156, SetResourcesDataSizeLimits).
func (t *Tab) enableLocked(v *clientSession, c *command, name string) *wire.Error {
	r := v.r
	if why := needsDOM[name]; why != nil && v.domains["DOM"] == nil {
		return why
	}
	first, joins := !r.domains[name].inUse(), v.domains[name] == nil
	if err := t.joinDomainLocked(v, name, c.params); err != nil {
		return err
	}
	use := v.domains[name]
	done := t.replyLocked(v, c, func([]byte) {
		if !use.on && v.domains[name] == use {
			use.on = true
			t.repeatLocked(v, name)
		}
	})
	one := &call{r: r, view: v, id: c.id, method: c.method, done: func(result, cdpErr []byte) {
		if cdpErr != nil && !t.away && joins && v.domains[name] == use {
			t.leaveDomainLocked(v, name)
		}
		done(result, cdpErr)
	}}
	if name == "Network" && !first {
		one.method = "Runtime.getIsolateId"
		one.done = func(_, _ []byte) { done(wire.Empty, nil) }
		t.sendLocked(one, wire.Empty)
		return nil
	}
	t.sendLocked(one, c.params)
	return nil
}

// joinDomainLocked notes that a session has a domain enabled.
func (t *Tab) joinDomainLocked(v *clientSession, name string, params []byte) *wire.Error {
	if v.domains[name] != nil {
		return nil
	}
	if err := v.client.keep(len(params)); err != nil {
		return err
	}
	r := v.r
	d := r.domain(name)
	first := !d.inUse()
	v.domains[name] = &domainUse{kept: len(params), on: first || !cachedDomains[name]}
	d.users++
	if first {
		d.params = bytes.Clone(params)
		r.order = append(r.order, name)
		if needsRuntime[name] {
			t.needRuntimeLocked(r)
		}
	}
	return nil
}

// needRuntimeLocked enables Runtime for the sharing itself.
func (t *Tab) needRuntimeLocked(r *realSession) {
	d := r.domain("Runtime")
	if !d.inUse() {
		r.order = append(r.order, "Runtime")
		d.params = wire.Empty
		t.ownLocked(r, "Runtime.enable", wire.Empty)
	}
	d.own = true
}

// repeatLocked tells a session what there is already.
func (t *Tab) repeatLocked(v *clientSession, name string) {
	for _, e := range v.r.domain(name).cached {
		t.deliverLocked(v, e.method, e.params)
	}
	if name == "Debugger" && v.r.pausing != nil {
		t.deliverLocked(v, "Debugger.paused", v.r.pausing)
	}
}

// disableLocked is X.disable: it goes to the browser with the last session.
func (t *Tab) disableLocked(v *clientSession, c *command, name string) *wire.Error {
	r := v.r
	if v.domains[name] == nil {
		if r.domains[name].inUse() {
			t.fenceLocked(v, c, nil)
			return nil
		}
		return t.forwardLocked(v, c, nil)
	}
	// In Chromium, too, what was set in a domain ends when it is disabled.
	for _, key := range slices.Sorted(maps.Keys(v.settings)) {
		if strings.HasPrefix(key, name+".") {
			t.withdrawSettingLocked(v, key)
		}
	}
	if name == "Page" {
		t.stopCastLocked(v)
		t.dropScriptsLocked(v)
	}
	if name == "DOM" {
		v.forgetTree()
	}
	if t.leaveDomainLocked(v, name) {
		return t.forwardLocked(v, c, nil)
	}
	t.fenceLocked(v, c, nil)
	return nil
}

// leaveDomainLocked takes a domain from a session, and reports whether no other wants it.
func (t *Tab) leaveDomainLocked(v *clientSession, name string) (last bool) {
	r := v.r
	d, use := r.domains[name], v.domains[name]
	delete(v.domains, name)
	v.client.drop(use.kept)
	d.users--
	if name == "Debugger" {
		t.dropBreakpointsLocked(v)
	}
	if d.inUse() {
		return false
	}
	t.forgetDomainLocked(r, name)
	if runtime := r.domains["Runtime"]; needsRuntime[name] && runtime.own && !slices.ContainsFunc(r.order, func(o string) bool { return needsRuntime[o] }) {
		if runtime.own = false; !runtime.inUse() {
			t.forgetDomainLocked(r, "Runtime")
			t.ownLocked(r, "Runtime.disable", wire.Empty)
		}
	}
	return true
}

func (t *Tab) forgetDomainLocked(r *realSession, name string) {
	r.domains[name].forget()
	delete(r.domains, name)
	r.order = slices.DeleteFunc(r.order, func(o string) bool { return o == name })
	switch name {
	case "Debugger":
		r.pausing = nil
	case "DOM":
		r.nodes.reset()
	}
}

// cacheLocked keeps an event for later, and forgets those that it ends.
func (r *realSession) cacheLocked(method string, params []byte) {
	switch method {
	case "Runtime.executionContextsCleared":
		for _, name := range []string{"Runtime", "Debugger", "CSS"} {
			if d := r.domains[name]; d != nil {
				d.forget()
			}
		}
		clear(r.shared)
	case "Runtime.executionContextDestroyed":
		r.contextGone(string(valueOf(params, "executionContextId")))
	case "CSS.styleSheetRemoved":
		key := string(valueOf(params, "styleSheetId"))
		r.dropCached("CSS", func(e *cachedEvent) bool { return e.key == key })
	}
	rule, is := cacheRules[method]
	name, _ := cutMethod(method)
	d := r.domains[name]
	if !is || !d.inUse() || *d.budget+len(params)+overhead > maxCached && !rule.message {
		return
	}
	e := cachedEvent{method: method, params: bytes.Clone(params)}
	if method == "Runtime.consoleAPICalled" {
		e.params = withoutPreviews(e.params)
	}
	part := func(path []string) string {
		if path == nil {
			return ""
		}
		return string(valueOf(e.params, path...))
	}
	e.key, e.context, e.frame = part(rule.key), part(rule.context), part(rule.frame)
	d.cached = append(d.cached, e)
	*d.budget += e.size()
	if rule.message {
		d.shed()
	}
}

// shed drops the oldest messages, while there are too many.
func (d *domainState) shed() {
	count := 0
	for i := range d.cached {
		if cacheRules[d.cached[i].method].message {
			count++
		}
	}
	for count > maxMessages || *d.budget > maxCached && count > 0 {
		i := slices.IndexFunc(d.cached, func(e cachedEvent) bool { return cacheRules[e.method].message })
		*d.budget -= d.cached[i].size()
		d.cached = slices.Delete(d.cached, i, i+1)
		count--
	}
}

// contextGone forgets what ends with a context: its scripts, and with that of a document the style sheets of its frame.
func (r *realSession) contextGone(id string) {
	frame := ""
	r.dropCached("Runtime", func(e *cachedEvent) bool {
		if e.key != id || e.method != "Runtime.executionContextCreated" {
			return false
		}
		if aux := valueOf(e.params, "context", "auxData"); isTrue(aux, "isDefault") {
			frame = string(valueOf(aux, "frameId"))
		}
		return true
	})
	r.dropCached("Debugger", func(e *cachedEvent) bool { return e.context == id })
	r.dropCached("CSS", func(e *cachedEvent) bool { return frame != "" && e.frame == frame })
}

func (r *realSession) dropCached(name string, gone func(*cachedEvent) bool) {
	d := r.domains[name]
	if d == nil {
		return
	}
	d.cached = slices.DeleteFunc(d.cached, func(e cachedEvent) bool {
		if !gone(&e) {
			return false
		}
		*d.budget -= e.size()
		return true
	})
}

// clearMessagesLocked is Log.clear, and others that have the browser forget what it would repeat.
func (t *Tab) clearMessagesLocked(v *clientSession, c *command) *wire.Error {
	r := v.r
	name, _ := cutMethod(c.method)
	return t.forwardLocked(v, c, t.doneLocked(v, c, func(ok bool) {
		if ok {
			r.dropCached(name, func(e *cachedEvent) bool { return cacheRules[e.method].message })
		}
	}))
}

// withoutPreviews is a message as Chromium 156 repeats it: there are no previews in it.
func withoutPreviews(params []byte) []byte {
	args := []byte{'['}
	list := valueOf(params, "args")
	eachElement(list, func(from, to int) {
		if len(args) > 1 {
			args = append(args, ',')
		}
		arg := list[from:to]
		if valueOf(arg, "preview") != nil {
			arg = withMember(arg, "preview", nil)
		}
		args = append(args, arg...)
	})
	return withMember(params, "args", append(args, ']'))
}
