package relay

import (
	"encoding/json"

	"github.com/cdphub/cdphub/internal/wire"
)

// params is what the hub reads of the params of the methods it answers. Its
// strings alias the message.
type params struct {
	targetID, sessionID, promptText                       string
	discover, autoAttach, accept                          bool
	hasTargetID, hasSessionID, hasDiscover, hasAutoAttach bool
	hasAccept, hasPromptText                              bool
	filter                                                filter // nil when absent
}

// readParams reads the members that the hub knows; others are ignored. A
// member of the wrong type is an error in Chromium's code and words.
func readParams(raw []byte) (params, *wire.Error) {
	var p params
	if raw == nil {
		return p, nil
	}
	var bad *wire.Error
	text := func(key string, value []byte, to *string, has *bool) {
		if *to, *has = wire.Text(value); !*has {
			bad = invalid(key, "string")
		}
	}
	flag := func(key string, value []byte, to, has *bool) {
		*to, *has = value[0] == 't', value[0] == 't' || value[0] == 'f'
		if !*has {
			bad = invalid(key, "bool")
		}
	}
	err := wire.ReadObject(raw, func(key string, value []byte) error {
		switch key {
		case "targetId":
			text(key, value, &p.targetID, &p.hasTargetID)
		case "sessionId":
			text(key, value, &p.sessionID, &p.hasSessionID)
		case "discover":
			flag(key, value, &p.discover, &p.hasDiscover)
		case "autoAttach":
			flag(key, value, &p.autoAttach, &p.hasAutoAttach)
		case "accept":
			flag(key, value, &p.accept, &p.hasAccept)
		case "promptText":
			text(key, value, &p.promptText, &p.hasPromptText)
		case "filter":
			p.filter = filter{}
			if json.Unmarshal(value, &p.filter) != nil {
				bad = invalid(key, "array")
			}
		}
		return nil
	})
	if err != nil {
		return p, &wire.Error{Code: wire.CodeInvalidParams, Message: "Invalid parameters", Data: err.Error()}
	}
	return p, bad
}

func invalid(key, want string) *wire.Error {
	return &wire.Error{
		Code:    wire.CodeInvalidParams,
		Message: "Invalid parameters",
		Data:    "Failed to deserialize params." + key + " - BINDINGS: " + want + " value expected",
	}
}

func missing(key string) *wire.Error {
	return &wire.Error{
		Code:    wire.CodeInvalidParams,
		Message: "Invalid parameters",
		Data:    "Failed to deserialize params." + key + " - BINDINGS: mandatory field missing",
	}
}
