package share

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
)

// What a Client has for itself: scripts for new documents, bindings, object groups, streams and recordings. Handles begin
// with the number of their Client, so that no Client can use those of another. Isolated worlds are not among that: sessions
// that create one of the same name in a frame get the same one (Chromium 156).

// script is a script for new documents.
type script struct {
	real   string // identifier at the browser; "" until it is known
	params []byte
}

// binding is a function of Runtime.addBinding.
type binding struct{ params []byte }

var errNoObject = wire.ServerError("Invalid remote object id")

var errNoStream = &wire.Error{Code: wire.CodeInvalidParams, Message: "Invalid stream handle"}

// translateLocked writes params as the browser knows them. missing are nodes that the browser has to push first.
func (t *Tab) translateLocked(v *clientSession, method string, params []byte) (out []byte, missing []int64, err *wire.Error) {
	s := shapes()[">"+method]
	if s == nil {
		return params, nil, nil
	}
	group := false
	out = s.replace(make([]byte, 0, len(params)+64), params, func(dst []byte, k kind, value []byte) []byte {
		text, isText := wire.Text(value)
		switch k {
		case remote, stream:
			realID, own := strings.CutPrefix(text, v.client.prefix)
			switch {
			case !isText || k == stream && strings.HasPrefix(text, "blob:"): // that of a blob is unguessable
			case own:
				return wire.AppendString(dst, realID)
			case k == stream:
				err = errNoStream
			default:
				err = errNoObject
			}
		case objectGrp:
			if group = true; isText && text != console {
				if err = v.useGroup(string([]byte(text)), err); err == nil {
					return wire.AppendString(dst, v.client.prefix+text)
				}
			}
		case node, backend:
			seen, _ := wire.Int(value)
			if !v.knows(seen) && (seen != 0 || k == backend) {
				err = errNoNode
			}
			if k == backend {
				break
			}
			realID := v.r.nodes.real(seen)
			if realID == 0 && seen != 0 {
				missing = append(missing, seen)
			}
			return strconv.AppendInt(dst, realID, 10)
		default:
		}
		return append(dst, value...)
	})
	if err == nil && !group && s.has[objectGrp] && method != "Runtime.releaseObjectGroup" && !s.inheritsGroup(params) {
		if err = v.useGroup("", nil); err == nil {
			out = withMember(out, "objectGroup", quoteText(v.client.prefix))
		}
	}
	return out, missing, err
}

// inheritsGroup reports whether what a command makes is in the group of the object that it names, as in
// Runtime.callFunctionOn.
func (s *shape) inheritsGroup(params []byte) bool {
	return s.members["objectId"] != nil && valueOf(params, "objectId") != nil
}

// console is the group of objects in events. Only there is $_ the last result, so its name stays.
const console = "console"

// useGroup notes an object group, which ends with the Client.
func (v *clientSession) useGroup(name string, err *wire.Error) *wire.Error {
	if _, known := v.groups[name]; known || err != nil {
		return err
	}
	if len(v.groups) >= maxItems {
		return errFull
	}
	v.groups[name] = struct{}{}
	return nil
}

// releaseGroupLocked is Runtime.releaseObjectGroup.
func (t *Tab) releaseGroupLocked(v *clientSession, c *command) *wire.Error {
	group := string([]byte(textOf(c.params, "objectGroup")))
	if group == console && len(v.r.views) > 1 {
		t.fenceLocked(v, c, nil) // others have the same objects
		return nil
	}
	if err := t.forwardLocked(v, c, nil); err != nil {
		return err
	}
	if group != "" { // that of all objects without a group
		delete(v.groups, group)
	}
	return nil
}

// releaseObjectLocked is Runtime.releaseObject: an object of an event goes when the last of its sessions releases it.
func (t *Tab) releaseObjectLocked(v *clientSession, c *command) *wire.Error {
	realID, own := strings.CutPrefix(textOf(c.params, "objectId"), v.client.prefix)
	if n := v.r.shared[realID]; own && n > 0 {
		if n--; n > 0 {
			v.r.shared[string([]byte(realID))] = n
			t.fenceLocked(v, c, nil)
			return nil
		}
		delete(v.r.shared, realID)
	}
	return t.forwardLocked(v, c, nil)
}

// closeStreamLocked is IO.close.
func (t *Tab) closeStreamLocked(v *clientSession, c *command) *wire.Error {
	if err := t.forwardLocked(v, c, nil); err != nil {
		return err
	}
	delete(v.streams, strings.TrimPrefix(textOf(c.params, "handle"), v.client.prefix))
	return nil
}

// doneLocked answers a command with the browser's answer, after fn has learned whether the browser has not refused it. What
// was under way when the session was lost is sent to the next one, so it is no refusal.
func (t *Tab) doneLocked(v *clientSession, c *command, fn func(ok bool)) func(result, cdpErr []byte) {
	reply := t.replyLocked(v, c, nil)
	return func(result, cdpErr []byte) {
		fn(cdpErr == nil || t.away)
		reply(result, cdpErr)
	}
}

// addScriptLocked is Page.addScriptToEvaluateOnNewDocument. Each session numbers its scripts, as in Chromium.
func (t *Tab) addScriptLocked(v *clientSession, c *command) *wire.Error {
	if err := v.client.keep(len(c.params)); err != nil {
		return err
	}
	one := &script{params: bytes.Clone(c.params)}
	id := c.id
	err := t.forwardLocked(v, c, func(result, cdpErr []byte) {
		if cdpErr != nil {
			v.client.drop(len(one.params))
			t.answerLocked(v, id, nil, cdpErr)
			return
		}
		one.real = string([]byte(textOf(result, "identifier")))
		if v.over {
			v.client.drop(len(one.params))
			t.removeScriptAtBrowserLocked(v.r, one)
			return
		}
		v.lastScript++
		name := strconv.Itoa(v.lastScript)
		v.scripts[name] = one
		t.answerLocked(v, id, withMember(result, "identifier", quoteText(name)), nil)
	})
	if err != nil {
		v.client.drop(len(one.params))
	}
	return err
}

var errNoScript = wire.ServerError("Script not found")

// removeScriptLocked is Page.removeScriptToEvaluateOnNewDocument.
func (t *Tab) removeScriptLocked(v *clientSession, c *command) *wire.Error {
	name := textOf(c.params, "identifier")
	one := v.scripts[name]
	if one == nil {
		return errNoScript
	}
	delete(v.scripts, name)
	v.client.drop(len(one.params))
	if one.real == "" { // it is being added again, and then removed
		t.fenceLocked(v, c, nil)
		return nil
	}
	return t.forwardLocked(v, &command{c.id, c.method, withMember(c.params, "identifier", quoteText(one.real))}, nil)
}

func (t *Tab) removeScriptAtBrowserLocked(r *realSession, one *script) {
	if !r.over && one.real != "" {
		t.ownLocked(r, "Page.removeScriptToEvaluateOnNewDocument", withMember(wire.Empty, "identifier", quoteText(one.real)))
	}
}

func (t *Tab) dropScriptsLocked(v *clientSession) {
	for _, name := range slices.Sorted(maps.Keys(v.scripts)) {
		one := v.scripts[name]
		delete(v.scripts, name)
		v.client.drop(len(one.params))
		t.removeScriptAtBrowserLocked(v.r, one)
	}
}

// addBindingLocked is Runtime.addBinding. A page has one function of a name; all sessions with it get its calls.
func (t *Tab) addBindingLocked(v *clientSession, c *command) *wire.Error {
	name := string([]byte(textOf(c.params, "name")))
	_, had := v.bindings[name]
	if !had && name != "" {
		if err := v.client.keep(len(c.params)); err != nil {
			return err
		}
		v.bindings[name] = binding{bytes.Clone(c.params)}
	}
	return t.forwardLocked(v, c, t.doneLocked(v, c, func(ok bool) {
		if !ok && !had {
			t.forgetBinding(v, name)
		}
	}))
}

func (t *Tab) forgetBinding(v *clientSession, name string) bool {
	b, has := v.bindings[name]
	if has {
		delete(v.bindings, name)
		v.client.drop(len(b.params))
	}
	return has
}

// removeBindingLocked is Runtime.removeBinding: the browser gets it from the last session with that binding.
func (t *Tab) removeBindingLocked(v *clientSession, c *command) *wire.Error {
	name := textOf(c.params, "name")
	t.forgetBinding(v, name)
	if v.r.bound(name) {
		t.fenceLocked(v, c, nil)
		return nil
	}
	return t.forwardLocked(v, c, nil)
}

func (t *Tab) dropBindingLocked(v *clientSession, name string) {
	if t.forgetBinding(v, name) && !v.r.bound(name) {
		t.ownLocked(v.r, "Runtime.removeBinding", withMember(wire.Empty, "name", quoteText(name)))
	}
}

// bound reports whether a session has a binding.
func (r *realSession) bound(name string) bool {
	for _, v := range r.views {
		if _, has := v.bindings[name]; has {
			return true
		}
	}
	return false
}

// bindingCalledLocked tells those who have added the binding, with or without Runtime enabled.
func (t *Tab) bindingCalledLocked(r *realSession, params []byte) {
	name := textOf(params, "name")
	for _, v := range r.views {
		if b, has := v.bindings[name]; has && r.bindingReaches(&b, params) {
			t.deliverLocked(v, "Runtime.bindingCalled", params)
		}
	}
}

// bindingReaches reports whether a binding that was added for a context or a world is meant.
func (r *realSession) bindingReaches(b *binding, params []byte) bool {
	at := string(valueOf(params, "executionContextId"))
	if only := valueOf(b.params, "executionContextId"); only != nil {
		return string(only) == at
	}
	world := textOf(b.params, "executionContextName")
	if world == "" {
		return true
	}
	if d := r.domains["Runtime"]; d != nil {
		for i := range d.cached {
			if e := &d.cached[i]; e.method == "Runtime.executionContextCreated" && e.key == at {
				return textOf(e.params, "context", "name") == world
			}
		}
	}
	return true // what contexts there are is not known while nobody has Runtime enabled
}

// replayOwnLocked gives a new real session what one session has for itself.
func (t *Tab) replayOwnLocked(v *clientSession) {
	for n := 1; n <= v.lastScript; n++ {
		name := strconv.Itoa(n)
		one := v.scripts[name]
		if one == nil {
			continue
		}
		one.real = ""
		t.sendLocked(&call{r: v.r, method: "Page.addScriptToEvaluateOnNewDocument", done: func(result, _ []byte) {
			one.real = string([]byte(textOf(result, "identifier")))
			if v.over || v.scripts[name] != one {
				t.removeScriptAtBrowserLocked(v.r, one)
			}
		}}, withMember(one.params, "runImmediately", nil))
	}
	for _, name := range slices.Sorted(maps.Keys(v.bindings)) {
		b := v.bindings[name]
		if valueOf(b.params, "executionContextId") == nil {
			t.ownTranslatedLocked(v, "Runtime.addBinding", b.params)
		}
	}
}

// recording is something of which the browser has one at a time.
type recording struct {
	start string // method that begins it
	stop  string // method that ends it
	param string // params of stop, when its Client leaves
}

// recordings are the methods of a recording, by each of its methods.
var recordings = func() map[string]recording {
	all := make(map[string]recording)
	for _, r := range []recording{
		{start: "Tracing.start", stop: "Tracing.end"},
		{start: "Profiler.start", stop: "Profiler.stop"},
		{start: "Profiler.startPreciseCoverage", stop: "Profiler.stopPreciseCoverage"},
		{start: "CSS.startRuleUsageTracking", stop: "CSS.stopRuleUsageTracking"},
		{start: "CSS.trackComputedStyleUpdates", stop: "CSS.trackComputedStyleUpdates", param: `{"propertiesToTrack":[]}`},
		{start: "HeapProfiler.startSampling", stop: "HeapProfiler.stopSampling"},
		{start: "HeapProfiler.startTrackingHeapObjects", stop: "HeapProfiler.stopTrackingHeapObjects"},
		{start: "Page.startScreenRecording", stop: "Page.stopScreenRecording"},
		{start: "Memory.startSampling", stop: "Memory.stopSampling"},
	} {
		all[r.start], all[r.stop] = r, r
	}
	return all
}()

// eventOwners are the events of recordings, by the method that has begun them.
var eventOwners = map[string]string{
	"Tracing.dataCollected": "Tracing.start", "Tracing.bufferUsage": "Tracing.start", "Tracing.tracingComplete": "Tracing.start",
	"HeapProfiler.heapStatsUpdate": "HeapProfiler.startTrackingHeapObjects", "HeapProfiler.lastSeenObjectId": "HeapProfiler.startTrackingHeapObjects",
}

var errRecording = wire.ServerError("Another client of this tab has started that, and it is one for all: try again once it has stopped")

// recordLocked starts and stops a recording for one session at a time.
func (t *Tab) recordLocked(v *clientSession, c *command, rec recording) *wire.Error {
	key := rec.start + v.r.id
	if strings.HasPrefix(rec.start, "Tracing.") {
		key = rec.start // its events come to the tab
	}
	owner := t.exclusive[key]
	if owner != nil && owner != v {
		return errRecording
	}
	if c.method == rec.start && string(valueOf(c.params, "propertiesToTrack")) != "[]" {
		t.exclusive[key] = v
		return t.forwardLocked(v, c, t.doneLocked(v, c, func(ok bool) {
			if !ok && owner == nil && t.exclusive[key] == v {
				delete(t.exclusive, key)
			}
		}))
	}
	if rec.start != "Tracing.start" {
		delete(t.exclusive, key)
		return t.forwardLocked(v, c, nil)
	}
	return t.forwardLocked(v, c, nil) // its events come after the answer
}

// stopRecordingsLocked ends what a session records.
func (t *Tab) stopRecordingsLocked(v *clientSession) {
	for _, key := range slices.Sorted(maps.Keys(t.exclusive)) {
		if t.exclusive[key] != v {
			continue
		}
		delete(t.exclusive, key)
		rec := recordings[strings.TrimSuffix(key, v.r.id)]
		if rec.start == "" {
			rec = recordings[key]
		}
		params := wire.Empty
		if rec.param != "" {
			params = []byte(rec.param)
		}
		t.ownLocked(v.r, rec.stop, params)
	}
}
