// Package httpdiscovery answers the HTTP requests by which clients find a hub's
// browser endpoint and its targets: /json/version, /json/list and their like, as
// Chromium serves them on its debugging port.
//
//	http.Handle("/", httpdiscovery.Handler(hub, httpdiscovery.Options{}))
package httpdiscovery

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/targets"
)

// Source is what is known of a hub; a relay.Hub is one.
type Source interface {
	// Refresh waits until Targets knows the titles and addresses of now.
	Refresh(context.Context)
	Targets() []targets.Info
	// Active says when a Target was last active: the number is larger for one that was so later.
	Active(id string) uint64
	HostConnected() bool
	HostHangs() bool
	Clients() int
	Version() targets.Browser
}

// Options says what a Handler serves beyond reading. Its zero value works.
type Options struct {
	// Prefix stands before each path and in the endpoint's URL: "" or
	// "/hub/NAME".
	Prefix string
	// PageSockets says whether /json/list names the page socket of each Target,
	// /devtools/page/ID, or the socket of the browser. When nil it names the page
	// socket of a browser's Target, as Chromium does, and for a frame that of the
	// browser, as icdp does.
	PageSockets *bool
	// Query ends each endpoint's URL: "" or "?token=T".
	Query string
	// FrontEnd says whether DevTools are served at Prefix/devtools/ui/: /json/list then
	// names them for each Target. /json goes on to name the ones in each Chromium:
	// chrome://inspect of Chromium 156 asks there, and opens its own whatever the host.
	FrontEnd bool
	// Ticket makes what stands in place of a token in the address of DevTools for a
	// Target. When nil, Query does.
	Ticket func(targetID string) string
	// TicketPrefix is Prefix in addresses with a ticket.
	TicketPrefix string
	// Agents is the version of the Browser Agent Protocol that is served too,
	// which /health then names; "" is none.
	Agents string
	// New, Activate and Close serve PUT /json/new?URL, /json/activate/ID and
	// /json/close/ID. Where one is nil its path is not found.
	New      func(ctx context.Context, url string) (targets.Info, error)
	Activate func(ctx context.Context, id string) error
	Close    func(ctx context.Context, id string) error
	// Refuse returns why the CDP method that an action stands for is not
	// allowed, or "". When nil all are.
	Refuse func(method string) string
}

// Handler serves /json/version, /json, /json/list, /json/protocol,
// /icdp/status and /health, each with and without a slash at the end, and the
// actions of the options; anything else is 404. Paths are compared as they
// stand, so it must not sit behind an http.ServeMux, which would redirect
// "//json/version". Who may ask has been decided before.
func Handler(s Source, o Options) http.Handler { return &handler{s, o} }

// Serves reports whether a path, below the prefix, may be one of a Handler's. For
// others the program need not have a hub ready.
func Serves(path string) bool {
	path = strings.TrimSuffix(path, "/")
	return path == "/json" || strings.HasPrefix(path, "/json/") || path == "/icdp/status" || path == "/health"
}

// handler serves one hub.
type handler struct {
	Source
	Options
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, h.Prefix)
	if !ok {
		notFound(w)
		return
	}
	switch strings.TrimSuffix(path, "/") {
	case "/icdp/status":
		if isReading(w, r) {
			replyJSON(w, h.status(r))
		}
	case "/health":
		w.Header().Set("Server", version.Current().Header())
		if isReading(w, r) {
			replyJSON(w, healthBody{"ok", h.Agents})
		}
	default:
		// Chromium 156 does not decode a path: /json/ver%73ion is no command.
		raw := cmp.Or(r.URL.RawPath, r.URL.EscapedPath())
		below, ok := strings.CutPrefix(strings.TrimPrefix(raw, h.Prefix), "/json")
		if !ok || below != "" && below[0] != '/' && below[0] != '#' {
			notFound(w)
			return
		}
		h.serveJSON(w, r, below)
	}
}

// serveJSON serves a path below /json as Chromium 156 does (content/browser/devtools,
// devtools_http_handler.cc, ParseJsonPath): first stands a command, then what it is about. Commands
// that only read are served for every verb, and whatever stands behind them.
func (h *handler) serveJSON(w http.ResponseWriter, r *http.Request, path string) {
	path, _, _ = strings.Cut(path, "#")
	command, about, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case path == "" || path == "/": // with a slash as icdp's relay; Chromium answers 404
		replyJSON(w, h.list(r, false))
	case command == "list":
		replyJSON(w, h.list(r, true))
	case command == "version":
		replyJSON(w, h.version(r))
	case command == "protocol":
		serveProtocol(w)
	case h.act(w, r, command, about):
	default:
		replyText(w, http.StatusNotFound, "Unknown command: "+command)
	}
}

// isReading refuses what is not a request to read. HEAD is served like GET; net/http leaves
// the body out (RFC 9110, section 9.3.2). A 405 must have Allow (section 15.5.6).
func isReading(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
	return false
}

// notFound answers 404, as for every unknown path.
func notFound(w http.ResponseWriter) { http.Error(w, "Not found", http.StatusNotFound) }

// replyJSON answers with JSON.
func replyJSON(w http.ResponseWriter, body any) {
	out, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(out) //nolint:errcheck // a peer that is gone
}

// versionBody is the answer to /json/version, its keys in Chromium's order:
//
//	{"Browser":"Chrome/156.0.8078.79","File-Path-Style":"posix","Protocol-Version":"1.3","User-Agent":"…","V8-Version":"15.6.75.27",
//	 "WebKit-Version":"537.36 (@…)","webSocketDebuggerUrl":"ws://127.0.0.1:9222/devtools/browser"}
type versionBody struct {
	Browser         string `json:"Browser"`
	FilePathStyle   string `json:"File-Path-Style,omitempty"` // of a browser: "posix" or "windows"
	ProtocolVersion string `json:"Protocol-Version"`
	UserAgent       string `json:"User-Agent"`
	V8Version       string `json:"V8-Version"`
	WebKitVersion   string `json:"WebKit-Version"`
	Endpoint        string `json:"webSocketDebuggerUrl"`
}

// version is the answer to /json/version:
// {"Browser":"Chrome/156.0.…","Protocol-Version":"1.3",…}.
func (h *handler) version(r *http.Request) versionBody {
	b := h.Version()
	return versionBody{
		b.Product, pathStyle(b), cmp.Or(b.Protocol, "1.3"), b.UserAgent, cmp.Or(b.JSVersion, "synthetic"), webKit(b), h.endpoint(r, "browser"),
	}
}

// pathStyle is File-Path-Style as Chromium 156 has it; "" for the browser that a hub emulates.
func pathStyle(b targets.Browser) string {
	switch {
	case b.Revision == "":
		return ""
	case strings.Contains(b.UserAgent, "Windows NT"):
		return "windows"
	}
	return "posix"
}

// webKit is WebKit-Version as Chromium 156 writes it: the engine's version of the
// user agent and the revision, "537.36 (@a21ce95c24ce3964416f09ae1862f53f319eb4d0)".
// chromedriver connects to no browser whose revision it cannot find there.
func webKit(b targets.Browser) string {
	_, after, found := strings.Cut(b.UserAgent, "AppleWebKit/")
	if !found || b.Revision == "" {
		return "synthetic"
	}
	version, _, _ := strings.Cut(after, " ")
	return version + " (" + b.Revision + ")"
}

// targetBody is one entry of /json/list:
//
//	{"description":"","devtoolsFrontendUrl":"…","id":"T","title":"App","type":"page",
//	 "url":"https://app.example/","webSocketDebuggerUrl":"ws://127.0.0.1:9222/devtools/page/T"}
type targetBody struct {
	Description string `json:"description"`
	Frontend    string `json:"devtoolsFrontendUrl"`
	ID          string `json:"id"`
	Parent      string `json:"parentId,omitempty"` // the target around a frame or a worker
	Title       string `json:"title"`
	Type        string `json:"type"`
	URL         string `json:"url"`
	Endpoint    string `json:"webSocketDebuggerUrl"`
}

// target describes a Target; with ui, its DevTools are those that the hub serves.
func (h *handler) target(r *http.Request, t targets.Info, ui bool) targetBody {
	b := targetBody{ID: t.ID, Parent: t.ParentID, Title: t.Title, Type: t.Type, URL: t.URL, Endpoint: h.endpoint(r, "browser")}
	// A Host page names no types (targets.Info.Type).
	pageSocket := t.Type != "" // it is a browser's
	if !pageSocket {
		b.Description, b.Type = "icdp iframe target", "page"
	} else {
		b.Title = escapeHTML.Replace(t.Title)
	}
	if h.PageSockets != nil {
		pageSocket = *h.PageSockets
	}
	if pageSocket {
		b.Endpoint = h.endpoint(r, "page/"+url.PathEscape(t.ID))
	}
	switch prefix, query := h.Prefix, h.Query; {
	case ui && h.FrontEnd && h.Ticket != nil:
		b.Frontend = FrontEnd(auth.OwnAddressOf(r).HTTP(), h.TicketPrefix, t.ID, h.Ticket(t.ID))
	case pageSocket:
		if query != "" && h.Ticket != nil {
			prefix, query = h.TicketPrefix, ticketQuery(h.Ticket(t.ID))
		}
		b.Frontend = bundled + socketQuery(auth.OwnAddressOf(r).HTTP(), prefix, t.ID, query)
	}
	return b
}

// escapeHTML escapes the title of a browser's Target as Chromium 156 does (base/strings/escape.cc,
// EscapeForHTML).
var escapeHTML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// TicketParam names a ticket in the query of a page socket.
const TicketParam = "ticket"

// bundled is the address of the DevTools that each Chromium has built in.
// chrome://inspect of Chromium 156 opens it. Chromium's own list names DevTools on
// the web, which would need the Internet and see the token.
const bundled = "devtools://devtools/bundled/inspector.html"

// FrontEnd is the address of the DevTools that a hub serves, for a Target, with a
// ticket: "http://HOST/devtools/ui/inspector.html?ws=HOST/devtools/page/ID?ticket=T",
// but for what must be escaped. base is how the asker reaches the server: "https://hub.example".
func FrontEnd(base, prefix, targetID, ticket string) string {
	return base + prefix + "/devtools/ui/inspector.html" + socketQuery(base, prefix, targetID, ticketQuery(ticket))
}

// ticketQuery is a query with a ticket.
func ticketQuery(ticket string) string { return "?" + TicketParam + "=" + url.QueryEscape(ticket) }

// socketQuery is how DevTools are told the address of a page socket: "?ws=ADDRESS"
// or "?wss=ADDRESS".
func socketQuery(base, prefix, targetID, query string) string {
	scheme, host, _ := strings.Cut(base, "://")
	scheme = "?ws" + strings.TrimPrefix(scheme, "http") + "="
	return scheme + url.QueryEscape(host+prefix+"/devtools/page/"+url.PathEscape(targetID)+query)
}

// list is the answer to /json/list, [{…},…], ordered as in Chromium: the Target that was active
// last comes first. Frames stand behind their page, and workers, which are never active, at the end.
func (h *handler) list(r *http.Request, ui bool) []targetBody {
	h.Refresh(r.Context())
	all := h.Targets()
	active := make(map[string]uint64, len(all))
	for _, t := range all {
		switch t.Type {
		case "", "page":
			active[t.ID] = h.Active(t.ID)
		case "iframe":
			active[t.ID] = h.Active(t.ParentID)
		}
	}
	slices.SortStableFunc(all, func(a, b targets.Info) int { return cmp.Compare(active[b.ID], active[a.ID]) })
	list := []targetBody{} // an empty list is [], not null
	for _, t := range all {
		list = append(list, h.target(r, t, ui))
	}
	return list
}

// statusBody is the answer to /icdp/status.
type statusBody struct {
	HostConnected bool           `json:"hostConnected"`
	Targets       []statusTarget `json:"targets"`
	Clients       int            `json:"clients"`
	HostHangs     bool           `json:"hostHangs,omitempty"` // it is connected, but the script of its page does not run
}

// healthBody is {"status":"ok","version":"0.8.0"}, as the Browser Agent Protocol has it: the
// version is that of the protocol. The header Server says which program answers.
type healthBody struct {
	Status  string `json:"status"`
	Version string `json:"version,omitempty"`
}

// statusTarget is a Target in the answer to /icdp/status.
type statusTarget struct {
	TargetID string `json:"targetId"`
	Title    string `json:"title"`
	URL      string `json:"url"`
}

// status is the answer to /icdp/status:
// {"hostConnected":true,"targets":[{"targetId":"T","title":"","url":""}],"clients":1}.
func (h *handler) status(r *http.Request) statusBody {
	h.Refresh(r.Context())
	b := statusBody{h.HostConnected(), []statusTarget{}, h.Clients(), h.HostHangs()}
	for _, t := range h.Targets() {
		b.Targets = append(b.Targets, statusTarget{t.ID, t.Title, t.URL})
	}
	return b
}

// endpoint is the URL of the browser endpoint, or of a page's, as the asking
// client can reach it, by the name it used.
func (h *handler) endpoint(r *http.Request, path string) string {
	return auth.OwnAddressOf(r).WebSocket() + h.Prefix + "/devtools/" + path + h.Query
}
