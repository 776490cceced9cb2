package chrome

import (
	"errors"
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// All sessions are made flat, as they are with other Hosts: what goes in and
// out of one that is not, in strings, nobody could look at.
//
// Commands of three domains reach beyond the session that they are sent in.
// Sessions of pages take most of them too (Chromium 156), so all sessions are
// looked at alike.

// watched reports whether a command may reach what is not the Client's own.
func watched(method string) bool {
	switch domain, _, _ := strings.Cut(method, "."); domain {
	case "Target", "Browser", "Storage":
		return true
	}
	switch method {
	case "Page.setDownloadBehavior", "Page.crash", "Fetch.enable":
		return true
	}
	_, files := ofFiles[method]
	return files
}

// refused says why no Client may use a method.
var refused = map[string]string{
	"Browser.crash":                 "it would end the browser of every Client",
	"Browser.crashGpuProcess":       "it would hit every Client of this browser",
	"Page.crash":                    "it would hit every Client of this page, and pages that share its process",
	"Target.exposeDevToolsProtocol": "it would give the page, and so every Client of it, the whole browser",
	"Target.setRemoteLocations":     "it would hit every Client of this browser",
	"Target.sendMessageToTarget":    "sessions must be flat: attach with flatten:true and send the message with its sessionId",
}

// guardLocked decides on a watched command: it refuses it with an error, or
// changes it and what is done with its answer.
func (h *Host) guardLocked(s *session, c *bridge.Command, a *after) error {
	if why := refused[c.Method]; why != "" {
		return wire.ServerError(c.Method + " is not allowed: " + why)
	}
	if c.NoFiles {
		if err := refuseFiles(c); err != nil {
			return err
		}
	}
	names, err := readNames(c.Params)
	if err != nil {
		return err
	}
	if e := h.privateLocked(s, c.Method, names); e != nil {
		return e
	}
	client := s.client
	switch c.Method {
	case "Fetch.enable":
		if s.browser && !h.shared {
			return wire.ServerError("Fetch.enable is not allowed without a page: it would pause the requests of every Client of this browser. Send it in the session of a page.")
		}
	case "Browser.close":
		acknowledge(c, a)
	case "Target.attachToTarget", "Target.setAutoAttach":
		if !names.flat {
			c.Params = replaced(c.Params, "flatten", []byte("true"))
		}
	case "Browser.setDownloadBehavior", "Page.setDownloadBehavior":
		return h.setDownloadsLocked(s, c, a, names.contextID)
	case "Target.createBrowserContext":
		a.always = true
		a.note = func(result, _ []byte) { h.own(client, text(result, "browserContextId")) }
	case "Target.disposeBrowserContext":
		id := strings.Clone(names.contextID)
		a.note = func(result, _ []byte) {
			if result != nil {
				h.disown(id)
			}
		}
	case "Target.getTargets":
		a.edit = func(result, cdpErr []byte) ([]byte, []byte) { return h.visibleTargets(s, result), cdpErr }
	case "Target.getBrowserContexts":
		a.edit = func(result, cdpErr []byte) ([]byte, []byte) { return h.visibleContexts(s, result), cdpErr }
	}
	return nil
}

// acknowledge has a command answered with {}, in its turn among the others of
// its session, and nothing done: a harmless one takes its place.
func acknowledge(c *bridge.Command, a *after) {
	c.Method, c.Params = "Browser.getVersion", nil
	a.edit = func(_, _ []byte) ([]byte, []byte) { return wire.Empty, nil }
}

// names is what the params of a command name. They alias the params.
type names struct {
	targetID, contextID string
	flat                bool // "flatten" is there, once, and true
}

var errNamedTwice = errors.New("named twice")

// readNames reads them. A name given twice is refused: Chromium takes the
// first, others the last.
func readNames(params []byte) (n names, err error) {
	if params == nil {
		return n, nil
	}
	var target, context, flatten bool
	err = wire.ReadObject(params, func(key string, value []byte) error {
		name, seen := &n.targetID, &target
		switch key {
		case "targetId":
		case "browserContextId":
			name, seen = &n.contextID, &context
		case "flatten":
			n.flat, flatten = string(value) == "true" && !flatten, true
			return nil
		default:
			return nil
		}
		if *seen {
			return errNamedTwice
		}
		*seen = true
		*name, _ = wire.Text(value) // anything but text the browser refuses
		return nil
	})
	if err != nil {
		return n, invalid("targetId and browserContextId may each be there only once")
	}
	return n, nil
}

// invalid is Chromium's error for params that are no good.
func invalid(why string) *wire.Error {
	return &wire.Error{Code: wire.CodeInvalidParams, Message: "Invalid parameters", Data: why}
}

// privateLocked refuses a command that names what is private to another
// Client, in the words that Chromium 156 has for what it does not know.
func (h *Host) privateLocked(s *session, method string, n names) *wire.Error {
	if n.targetID != "" && h.hiddenLocked(s, n.targetID, "") {
		if method == "Browser.getWindowForTarget" {
			return wire.ServerError("No target with given id")
		}
		return &wire.Error{Code: wire.CodeInvalidParams, Message: "No target with given id found"}
	}
	if n.contextID == "" || !h.hiddenLocked(s, "", n.contextID) {
		return nil
	}
	switch method {
	case "Target.createTarget":
		return wire.ServerError("Failed to find browser context with id " + n.contextID)
	case "Target.disposeBrowserContext":
		return wire.ServerError("Failed to find context with id " + n.contextID)
	}
	return &wire.Error{Code: wire.CodeInvalidParams, Message: "Failed to find browser context for id " + n.contextID}
}
