package chrome

import (
	"encoding/json"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// A browser context that a Client has created is private to the Client, with all
// targets in it, unless the Host is shared: then every Client may use it.

// ownerLocked returns the Client that owns a context; nil when every Client may
// use it.
func (h *Host) ownerLocked(contextID string) *session {
	if h.shared {
		return nil
	}
	return h.contexts[contextID]
}

// hiddenLocked reports whether a target, or a context, is private to another
// Client than that of the session, or is nothing that this Client may see.
// Either may be "".
func (h *Host) hiddenLocked(s *session, targetID, contextID string) bool {
	t, known := h.targets[targetID]
	owner := h.ownerLocked(contextID)
	if owner == nil {
		owner = t.owner
	}
	if s.client.group != nil && targetID == "" { // in a shared browser contexts have no owner
		owner = h.contexts[contextID]
	}
	private := owner != nil && owner != s.client && owner != h.targets[s.client.privateOf].owner
	return private || s.client.noFiles && known && !t.web || h.foreignLocked(s.client, targetID)
}

// hiddenInfoLocked is hiddenLocked for a target that the browser has just
// announced, perhaps before the root session knows it.
func (h *Host) hiddenInfoLocked(s *session, i *info) bool {
	if _, known := h.targets[i.ID]; !known && s.client.group != nil {
		h.claimLocked(i)
	}
	return h.hiddenLocked(s, i.ID, i.Context) || s.client.noFiles && !h.webLocked(i)
}

// registerContext records which Client has created a context. A Client that has
// left meanwhile no longer needs it: the context is disposed of.
func (h *Host) registerContext(client *session, contextID string, passes bool) {
	if contextID == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	// The Client may have handed its contexts on (Inherit) while the command was under way.
	for client.heir != nil {
		client = client.heir
	}
	h.contexts[contextID] = client
	if passes {
		h.passing[contextID] = struct{}{}
	}
	// Downloads in a new context are denied first, as in all.
	h.applyWantsLocked(contextID)
	if client.over && h.endsLocked(contextID) {
		h.disposeLocked(nil, contextID)
	}
}

// keepContext has the context that a lasting Client creates stay when its session ends,
// since the Client may have an heir then, and reports whether the Client has asked for
// a context that does not (disposeOnDetach, as Playwright does). The Host then disposes
// of it in the browser's place.
func keepContext(client *session, c *bridge.Command) (passes bool) {
	if !client.lasting || !c.Args.True("disposeOnDetach") {
		return false
	}
	c.Params = withMember(c.Params, "disposeOnDetach", []byte("false"))
	return true
}

// endsLocked reports whether a context ends with the Client that has it.
func (h *Host) endsLocked(contextID string) bool {
	_, passes := h.passing[contextID]
	return !h.shared || passes
}

// Inherit implements bridge.Inheritance. Of answers that are still to come, registerContext
// follows heir.
func (h *Host) Inherit(from, to string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	old, heir := h.sessions[from], h.sessions[to]
	if old == nil || heir == nil {
		return
	}
	old.heir = heir
	for id, owner := range h.contexts {
		if owner == old {
			h.contexts[id] = heir
		}
	}
	for id, t := range h.targets {
		if t.owner == old {
			t.owner = heir
			h.targets[id] = t
		}
	}
	heir.windows = old.windows
}

// unregisterContext removes a context that was disposed of. Its targets stay
// private, since some of them end later.
func (h *Host) unregisterContext(contextID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.contexts, contextID)
	delete(h.passing, contextID)
	h.downloads.forget(contextID)
}

// disposeAllLocked disposes of the private contexts of a Client that has left.
// Chromium answers with an error for those that it has disposed of by itself.
func (h *Host) disposeAllLocked(client *session) {
	for id, owner := range h.contexts {
		if owner == client && h.endsLocked(id) {
			h.disposeLocked(&client.lane, id)
		}
	}
}

// disposeLocked closes a context with its pages. The answer does not matter: the context is
// forgotten in any case. It is sent behind what is in a lane.
func (h *Host) disposeLocked(l *lane, contextID string) {
	params := append(wire.AppendString([]byte(`{"browserContextId":`), contextID), '}')
	h.sendLocked(l, wire.End, "Target.disposeBrowserContext", params, func(_, _ []byte) { h.unregisterContext(contextID) })
}

// visibleTargets removes what a session may not see from an answer to Target.getTargets. An
// entry that cannot be read is left out.
func (h *Host) visibleTargets(s *session, result []byte) []byte {
	return h.without(result, "targetInfos", func(raw json.RawMessage) bool {
		var i info
		return wire.Decode(raw, &i) != nil || h.hiddenInfoLocked(s, &i)
	})
}

// visibleContexts removes what a session may not see from an answer to
// Target.getBrowserContexts.
func (h *Host) visibleContexts(s *session, result []byte) []byte {
	return h.without(result, "browserContextIds", func(raw json.RawMessage) bool {
		id, _ := wire.Text(raw)
		return h.hiddenLocked(s, "", id)
	})
}

// without returns an object whose array of that name has none of the elements
// that are hidden. It is the same one when there are none, and nil for nil. The elements
// that stay are the browser's bytes.
func (h *Host) without(object []byte, name string, hidden func(json.RawMessage) bool) []byte {
	if object == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	list := []byte{'['}
	found := false
	err := wire.ReadObject(object, func(key string, value []byte) error {
		if key != name {
			return nil
		}
		var all []json.RawMessage
		if err := wire.Decode(value, &all); err != nil {
			return err
		}
		for _, raw := range all {
			if hidden(raw) {
				found = true
				continue
			}
			if len(list) > 1 {
				list = append(list, ',')
			}
			list = append(list, raw...)
		}
		return nil
	})
	switch {
	// Nothing is better than the targets of others.
	case err != nil:
		return wire.Empty
	case !found:
		return object
	}
	return withMember(object, name, append(list, ']'))
}

// withMember returns a copy of a JSON object in which one member has the given
// value. If the object has none of that name, it gets one, at the end.
func withMember(object []byte, name string, value []byte) []byte {
	out := []byte{'{'}
	member := func(key string, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(wire.AppendString(out, key), ':'), value...)
	}
	_ = wire.ReadObject(object, func(key string, old []byte) error { // it is part of a message that was read
		if key != name {
			member(key, old)
		}
		return nil
	})
	member(name, value)
	return append(out, '}')
}
