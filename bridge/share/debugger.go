package share

import (
	"bytes"
	"maps"
	"slices"

	"github.com/cdphub/cdphub/internal/wire"
)

// A breakpoint is there while a session wants it. The browser has one at a place: sessions that set the same share it.

// breakpoint is one of the browser's.
type breakpoint struct {
	id     string // at the browser
	method string
	params []byte
	result []byte
	users  map[*clientSession]bool
}

// setBreakpointLocked is Debugger.setBreakpoint and its kin.
func (t *Tab) setBreakpointLocked(v *clientSession, c *command) *wire.Error {
	r := v.r
	for _, b := range r.breaks {
		if b.method == c.method && bytes.Equal(b.params, c.params) && !b.users[v] {
			if err := v.client.keep(len(b.params)); err != nil {
				return err
			}
			b.users[v] = true
			id := c.id
			t.sendLocked(&call{r: r, view: v, id: id, method: "Runtime.getIsolateId", done: func(_, _ []byte) {
				t.answerLocked(v, id, b.result, nil)
			}}, wire.Empty)
			return nil
		}
	}
	if err := v.client.keep(len(c.params)); err != nil {
		return err
	}
	b := &breakpoint{method: c.method, params: bytes.Clone(c.params), users: map[*clientSession]bool{v: true}}
	id, n := c.id, len(c.params)
	err := t.forwardLocked(v, c, func(result, cdpErr []byte) {
		b.id, b.result = string([]byte(textOf(result, "breakpointId"))), bytes.Clone(result)
		switch {
		case cdpErr != nil:
			v.client.drop(n)
			t.answerLocked(v, id, nil, cdpErr)
			return
		case v.over || v.domains["Debugger"] == nil:
			v.client.drop(n)
			t.removeBreakpointAtBrowserLocked(r, b)
		case r.breaks[b.id] != nil: // it was set in another way
			v.client.drop(n)
		default:
			r.breaks[b.id] = b
		}
		t.answerLocked(v, id, result, nil)
	})
	if err != nil {
		v.client.drop(n)
	}
	return err
}

func (t *Tab) removeBreakpointAtBrowserLocked(r *realSession, b *breakpoint) {
	if !r.over {
		t.ownLocked(r, "Debugger.removeBreakpoint", withMember(wire.Empty, "breakpointId", quoteText(b.id)))
	}
}

// removeBreakpointLocked is Debugger.removeBreakpoint. One that the session has not set is none, for which Chromium says {}.
func (t *Tab) removeBreakpointLocked(v *clientSession, c *command) *wire.Error {
	r := v.r
	b := r.breaks[textOf(c.params, "breakpointId")]
	if b == nil || !b.users[v] {
		t.fenceLocked(v, c, nil)
		return nil
	}
	delete(b.users, v)
	v.client.drop(len(b.params))
	if len(b.users) > 0 {
		t.fenceLocked(v, c, nil)
		return nil
	}
	delete(r.breaks, b.id)
	return t.forwardLocked(v, c, nil)
}

// dropBreakpointsLocked removes those of a session that debugs no more.
func (t *Tab) dropBreakpointsLocked(v *clientSession) {
	for _, id := range slices.Sorted(maps.Keys(v.r.breaks)) {
		b := v.r.breaks[id]
		if !b.users[v] {
			continue
		}
		delete(b.users, v)
		v.client.drop(len(b.params))
		if len(b.users) == 0 {
			delete(v.r.breaks, id)
			t.removeBreakpointAtBrowserLocked(v.r, b)
		}
	}
}

// breakpointResolvedLocked tells those who have set the breakpoint.
func (t *Tab) breakpointResolvedLocked(r *realSession, params []byte) {
	b := r.breaks[textOf(params, "breakpointId")]
	for _, v := range r.views {
		if v.hears("Debugger") && (b == nil || b.users[v]) {
			t.deliverLocked(v, "Debugger.breakpointResolved", params)
		}
	}
}

// replayBreakpointLocked sets a breakpoint in a new real session, if it names no script of the one before.
func (t *Tab) replayBreakpointLocked(r *realSession, b *breakpoint) {
	if b.method == "Debugger.setBreakpointByUrl" || b.method == "Debugger.setInstrumentationBreakpoint" {
		t.ownLocked(r, b.method, b.params)
	}
}
