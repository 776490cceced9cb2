package chrome

import (
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// All sessions are flat, as they are with other Hosts. In a session that is not
// flat, messages travel as strings inside of others, and could not be checked.
//
// Commands of three domains reach beyond the session that they are sent in.
// Sessions of pages take most of them too (Chromium 156), so all sessions are
// looked at alike.

// needsPolicy reports whether a command may reach what other Clients own. The
// hub has read the params of commands that name something. The others, which are most, pass
// without a look at their params.
func needsPolicy(c *bridge.Command) bool {
	_, streams := streamMethods[c.Method]
	return c.Args != nil || streams || scope.Reaches(c.Method) || refused[c.Method] != "" || strings.HasPrefix(c.Method, "Tracing.")
}

// refused says why no Client may use a method.
var refused = map[string]string{
	"Browser.crash":                 "it would end the browser of every Client",
	"Browser.crashGpuProcess":       "it would affect every Client of this browser",
	"Page.crash":                    "it would affect every Client of this page, and pages that share its process",
	"Target.exposeDevToolsProtocol": "it would give the page, and so every Client of it, the whole browser",
	"Target.setRemoteLocations":     "it would affect every Client of this browser",
	"Target.sendMessageToTarget":    "sessions must be flat: attach with flatten:true and send the message with its sessionId",
}

// applyPolicyLocked decides on a command that needs it. It refuses the command
// with an error, or changes the command and the handling of its answer.
func (h *Host) applyPolicyLocked(s *session, c *bridge.Command, a *onAnswer) error {
	if why := refused[c.Method]; why != "" {
		return wire.ServerError(c.Method + " is not allowed: " + why)
	}
	if why := refusedOwn(s, c); why != "" {
		return wire.ServerError(c.Method + " is not allowed for a Client with tabs=own: " + why)
	}
	if c.Params != nil && c.Args == nil && scope.Judged(c.Method) {
		return wire.InvalidParams("the params could not be read")
	}
	n := namesOf(c.Args)
	if e := h.refusePrivateLocked(s, c.Method, n); e != nil {
		return e
	}
	if err := h.network.refuses(c); err != nil {
		return err
	}
	if err := h.streamLocked(s, c, a); err != nil {
		return err
	}
	h.resumeBeforeDetachLocked(s, c.Method, c.Args)
	client := s.client
	switch c.Method {
	case "Fetch.enable":
		if s.browser && (!h.shared || h.network != nil) {
			return wire.ServerError("Fetch.enable is not allowed without a page: it would pause the requests of every Client of this browser. Send it in the session of a page.")
		}
	case "Browser.close":
		acknowledgeCommand(c, a)
	case "Browser.setDownloadBehavior", "Page.setDownloadBehavior":
		return h.setDownloadsLocked(s, c, a, n.contextID)
	case resumeMethod:
		if client.readOnly && h.awaitedSessionLocked(s) { // another Client lets it go on
			s.held = false
			acknowledgeCommand(c, a)
		}
	case "Target.attachToTarget":
		if n.targetID == "" { // the browser refuses it
			break
		}
		id := strings.Clone(n.targetID)
		a.attachesTo = id
		a.observe = func(_, _ []byte) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if s.attaching[id]--; s.attaching[id] == 0 {
				delete(s.attaching, id)
			}
		}
	case "Target.createTarget":
		if g := client.group; g != nil {
			a.creates, a.always = true, true
			a.observe = func(result, _ []byte) { h.opened(g, readText(result, "targetId")) }
		}
	case "Target.createBrowserContext":
		a.always = true
		passes := keepContext(client, c)
		a.observe = func(result, _ []byte) { h.registerContext(client, readText(result, "browserContextId"), passes) }
	case "Target.disposeBrowserContext":
		id := strings.Clone(n.contextID)
		a.observe = func(result, _ []byte) {
			if result != nil {
				h.unregisterContext(id)
			}
		}
	case "Browser.getWindowForTarget":
		a.observe = func(result, _ []byte) { h.registerWindow(client, result) }
	case "Target.getTargets":
		a.rewrite = func(result, cdpErr []byte) ([]byte, []byte) { return h.visibleTargets(s, result), cdpErr }
	case "Target.getBrowserContexts":
		a.rewrite = func(result, cdpErr []byte) ([]byte, []byte) { return h.visibleContexts(s, result), cdpErr }
	}
	return nil
}

// acknowledgeCommand has a command answered with {}, in its turn among the others of
// its session, and nothing done: a harmless one takes its place. The Client sees the answer
// in the order in which the browser answers its other commands.
func acknowledgeCommand(c *bridge.Command, a *onAnswer) {
	c.Method, c.Params = "Browser.getVersion", nil
	a.rewrite = func(_, _ []byte) ([]byte, []byte) { return wire.Empty, nil }
}

// names is what the params of a command name.
type names struct {
	targetID, contextID string
	windowID            []byte // nil when there is none
}

// namesOf reads those names. They alias the params.
func namesOf(args wire.Object) (n names) {
	n.targetID, _ = args.Text("targetId") // anything but text the browser refuses
	n.contextID, _ = args.Text("browserContextId")
	n.windowID = args.Get("windowId")
	return n
}

// registerWindow records a window that shows a target of the Client. Only the browser knows
// which window a target is in; the Client may name the window from then on.
func (h *Host) registerWindow(client *session, result []byte) {
	id, ok := wire.Int(readMember(result, "windowId"))
	if !ok {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if client.windows == nil {
		client.windows = make(map[int64]struct{})
	}
	client.windows[id] = struct{}{}
}

// refusePrivateLocked refuses a command that names a private context or target
// of another Client. The errors are those of Chromium 156 for unknown ids.
func (h *Host) refusePrivateLocked(s *session, method string, n names) *wire.Error {
	if n.targetID != "" && h.hiddenLocked(s, n.targetID, "") {
		if method == "Browser.getWindowForTarget" {
			return errNoWindow
		}
		return &wire.Error{Code: wire.CodeInvalidParams, Message: "No target with given id found"}
	}
	if id, ok := wire.Int(n.windowID); ok && (!h.shared || s.client.group != nil) {
		if _, known := s.client.windows[id]; !known { // it may show a private page of another Client
			return wire.ServerError("Browser window not found")
		}
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
	return noContext(n.contextID)
}

// noContext is Chromium's error for a context that it does not know. The id may be as long
// as a message.
func noContext(id string) *wire.Error {
	return &wire.Error{Code: wire.CodeInvalidParams, Message: "Failed to find browser context for id " + targets.Cut(id, targets.MaxID)}
}
