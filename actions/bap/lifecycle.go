package bap

import (
	"context"
	"strconv"
	"strings"

	"github.com/cdphub/cdphub/actions"
)

var lifeMethods = map[string]method{
	"initialize": {life: true, run: beginSession},
	// A notification after initialize, which needs no work.
	"shutdown":                  {run: endSession},
	"notifications/initialized": {run: func(context.Context, *call) (any, error) { return none{}, nil }},
}

// initializeParams are those of initialize.
type initializeParams struct {
	ProtocolVersion string
	ClientInfo      struct{ Name, Version string }
	SessionID       string
}

// longestID is the longest id of a session, in bytes.
const longestID = 128

// check checks the params. Versions of the same major number are compatible.
func (p *initializeParams) check() *failure {
	if len(p.SessionID) > longestID {
		return invalidParam("sessionId", "is longer than %d bytes", longestID)
	}
	major, _, _ := strings.Cut(p.ProtocolVersion, ".")
	if own, _, _ := strings.Cut(Version, "."); major != own && p.ProtocolVersion != "" {
		return invalidParam("protocolVersion", "%q is not served: this is %s", p.ProtocolVersion, Version)
	}
	return nil
}

// obj is an object of a result. Its members are sorted in JSON (encoding/json).
type obj = map[string]any

// beginSession begins a session, or resumes the one whose id the client gives. Each
// connection does so once.
func beginSession(_ context.Context, k *call) (any, error) {
	s := k.c.current()
	if s != nil && !s.confirm() {
		return nil, newFailure(codeInitialized, "Server already initialized")
	}
	p, err := decodeParams[initializeParams](k.params)
	if err != nil {
		return nil, err
	}
	switch {
	case s == nil:
		var full *failure
		if s, full = k.c.srv.enter(k.c, p.SessionID); full != nil {
			return nil, full
		}
		k.c.begin(s)
	case p.SessionID != "":
		return nil, invalidParam("sessionId", "must come with the first request")
	}
	result := obj{
		"protocolVersion": Version,
		"serverInfo":      obj{"name": "cdphub", "version": k.c.caller.Version},
		"capabilities":    k.c.capabilities(),
	}
	if p.SessionID != "" {
		result["sessionId"] = p.SessionID
	}
	return result, nil
}

// capabilities are what the methods here can do for this caller. Sizes are bytes,
// times milliseconds.
func (c *connection) capabilities() obj {
	return obj{
		"browsers":     []string{"chromium"},
		"events":       []string{"page", "console", "network", "dialog", "download"},
		"observations": []string{"screenshot", "accessibility", "dom", "element", "pdf", "content", "ariaSnapshot"},
		"actions":      []string{"click", "dblclick", "type", "fill", "clear", "press", "hover", "scroll", "select", "check", "uncheck", "upload", "drag"},
		"features": obj{
			"autoWait": true, "tracing": false, "storageState": true, "networkInterception": c.caller.Scope == "" || c.caller.Scope == "privileged", "semanticSelectors": true, "multiPage": true,
		},
		"limits": obj{"maxPages": c.srv.options.Pages, "maxTimeout": actions.MaxTimeout.Milliseconds(), "maxScreenshotSize": 50 << 20},
	}
}

// endSession ends the session. The connection stays open, and answers every other
// method with "not initialized".
func endSession(ctx context.Context, k *call) (any, error) {
	p, err := decodeParams[struct{ SaveState, ClosePages bool }](k.params)
	if err != nil {
		return nil, err
	}
	if p.ClosePages {
		k.session.closePages(ctx)
	}
	k.c.end()
	k.session.end()
	return none{}, nil
}

// closePages closes the pages and contexts that the session has made. Errors do not
// matter: some may be closed already.
func (s *session) closePages(ctx context.Context) {
	s.mu.Lock()
	b := s.browser
	var pages, contexts []string
	for id := range s.created {
		pages = append(pages, id)
	}
	for _, c := range s.contexts {
		contexts = append(contexts, c.target)
	}
	s.mu.Unlock()
	if b == nil {
		return
	}
	for _, id := range pages {
		_ = b.ClosePage(ctx, id)
	}
	for _, id := range contexts {
		_, _ = b.DestroyContext(ctx, id)
	}
}

// launchParams are the params of browser/launch. Most of them are refused: the hub's
// browser runs already, and its options are its operator's.
type launchParams struct {
	Browser, Channel, DownloadsPath, UserDataDir, CdpURL string

	Headless *bool
	Args     []string
	Proxy    *struct{ Server string }
}

// check refuses options for a browser process: the hub has started its browsers
// already, and a client must not choose paths or arguments on its machine.
func (p *launchParams) check() *failure {
	if f := oneOf("browser", &p.Browser, "chromium", "firefox", "webkit"); f != nil {
		return f
	}
	for field, set := range map[string]bool{
		"downloadsPath": p.DownloadsPath != "", "userDataDir": p.UserDataDir != "", "cdpUrl": p.CdpURL != "", "args": len(p.Args) > 0, "proxy": p.Proxy != nil,
	} {
		if set {
			return invalidParam(field, "cannot be chosen by clients: the hub has started its browsers already")
		}
	}
	return nil
}

// launchBrowser starts nothing: from then on the session may open pages in the hub's
// browser.
func launchBrowser(ctx context.Context, k *call, _ launchParams) (any, error) {
	s := k.session
	s.mu.Lock()
	s.closed = false
	s.mu.Unlock()
	if _, err := s.open(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.launched {
		s.launched = true
		s.launches++
	}
	return obj{"browserId": "browser-" + strconv.Itoa(s.launches), "version": "cdphub/" + k.c.caller.Version, "defaultContext": defaultContext}, nil
}

// closeBrowser closes the session's pages and detaches from the hub's browser. Pages
// of others stay open.
func closeBrowser(ctx context.Context, k *call, _ struct{ BrowserID string }) (any, error) {
	k.session.closePages(ctx)
	k.session.detach()
	return none{}, nil
}
