package relay

import (
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// params is what the hub reads of the params of the methods it answers. The texts may alias
// the frame of the message: whoever keeps one clones it.
type params struct {
	targetID, sessionID, browserContextID, promptText     string
	behavior, downloadPath, client                        string
	eventsEnabled                                         bool
	discover, autoAttach, accept                          bool
	hasTargetID, hasSessionID, hasDiscover, hasAutoAttach bool
	hasAccept, hasPromptText                              bool
	filter                                                targets.Filter // nil when absent
}

// read reads the members that the hub knows, which have their types.
func (p *params) read(members wire.Object) *wire.Error {
	for _, m := range members {
		if !p.set(m.Name, m.Value) {
			return wire.InvalidParams("Failed to deserialize params." + m.Name + " - BINDINGS: an array of at most 64 {type, exclude} expected")
		}
	}
	return nil
}

// set keeps one member, if it is one that is read, and reports whether what is
// inside is right.
func (p *params) set(key string, value []byte) bool {
	switch key {
	case "targetId":
		p.targetID, p.hasTargetID = wire.Text(value)
	case "sessionId":
		p.sessionID, p.hasSessionID = wire.Text(value)
	case "browserContextId":
		p.browserContextID, _ = wire.Text(value)
	case "promptText":
		p.promptText, p.hasPromptText = wire.Text(value)
	case "behavior":
		p.behavior, _ = wire.Text(value)
	case "downloadPath":
		p.downloadPath, _ = wire.Text(value)
	case "client":
		p.client, _ = wire.Text(value)
	case "eventsEnabled":
		p.eventsEnabled = value[0] == 't'
	case "discover":
		p.discover, p.hasDiscover = value[0] == 't', true
	case "autoAttach":
		p.autoAttach, p.hasAutoAttach = value[0] == 't', true
	case "accept":
		p.accept, p.hasAccept = value[0] == 't', true
	case "filter":
		// A filter is kept for as long as the subscription, and is read again for each
		// node.
		ok := len(value) <= maxKept
		if ok {
			p.filter, ok = targets.ReadFilter(value)
		}
		return ok
	}
	return true
}

// missingParam is Chromium's error for a param that must be there and is not.
func missingParam(key string) *wire.Error {
	return wire.InvalidParams("Failed to deserialize params." + key + " - BINDINGS: mandatory field missing")
}
