package relay

import (
	"encoding/json"
	"math"

	"github.com/cdphub/cdphub/internal/wire"
)

// params is what the hub reads of the params of the methods it answers. Its
// strings alias the message.
type params struct {
	targetID, sessionID, browserContextID, promptText     string
	discover, autoAttach, accept                          bool
	hasTargetID, hasSessionID, hasDiscover, hasAutoAttach bool
	hasAccept, hasPromptText                              bool
	filter                                                filter // nil when absent
}

// paramTypes says of what type the params of the hub's own methods are, by
// name: in these methods one name means one type (CDP, the domains Browser,
// Security and Target).
var paramTypes = map[string]string{
	"accept":                            "bool",
	"autoAttach":                        "bool",
	"background":                        "bool",
	"behavior":                          "string",
	"bounds":                            "object",
	"browserContextId":                  "string",
	"discover":                          "bool",
	"disposeOnDetach":                   "bool",
	"downloadPath":                      "string",
	"embeddedOrigin":                    "string",
	"enableBeginFrameControl":           "bool",
	"eventsEnabled":                     "bool",
	"filter":                            "array",
	"flatten":                           "bool",
	"focus":                             "bool",
	"forTab":                            "bool",
	"height":                            "int32",
	"hidden":                            "bool",
	"ignore":                            "bool",
	"left":                              "int32",
	"locations":                         "array",
	"newWindow":                         "bool",
	"origin":                            "string",
	"originsWithUniversalNetworkAccess": "array",
	"permission":                        "object",
	"permissions":                       "array",
	"promptText":                        "string",
	"proxyBypassList":                   "string",
	"proxyServer":                       "string",
	"sessionId":                         "string",
	"setting":                           "string",
	"targetId":                          "string",
	"top":                               "int32",
	"url":                               "string",
	"waitForDebuggerOnStart":            "bool",
	"width":                             "int32",
	"windowId":                          "int32",
	"windowState":                       "string",
}

// typeOfValue is the type of a scanned value in those words.
func typeOfValue(value []byte) string {
	switch value[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	if n, ok := wire.Int(value); ok && n >= math.MinInt32 && n <= math.MaxInt32 {
		return "int32"
	}
	return "number"
}

// readParams reads the members that the hub knows; others are ignored. A
// member of the wrong type, which null is too, is an error in Chromium 156's
// code and words.
func readParams(raw []byte) (params, *wire.Error) {
	var p params
	if raw == nil {
		return p, nil
	}
	var bad *wire.Error
	err := wire.ReadObject(raw, func(key string, value []byte) error {
		want := paramTypes[key]
		if want != "" && (want != typeOfValue(value) || !p.set(key, value)) {
			bad = invalid(key, want)
		}
		return nil
	})
	if err != nil {
		return p, &wire.Error{Code: wire.CodeInvalidParams, Message: "Invalid parameters", Data: err.Error()}
	}
	return p, bad
}

// set keeps one member of the right type, if it is one that is read, and
// reports whether what is inside is right too.
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
	case "discover":
		p.discover, p.hasDiscover = value[0] == 't', true
	case "autoAttach":
		p.autoAttach, p.hasAutoAttach = value[0] == 't', true
	case "accept":
		p.accept, p.hasAccept = value[0] == 't', true
	case "filter":
		p.filter = filter{}
		return json.Unmarshal(value, &p.filter) == nil
	}
	return true
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
