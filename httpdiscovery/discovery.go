// Package httpdiscovery answers the HTTP requests by which clients find a hub's
// browser endpoint and its targets: /json/version, /json/list and their like, as
// Chromium serves them on its debugging port.
//
//	http.Handle("/", httpdiscovery.Handler(hub, httpdiscovery.Options{}))
package httpdiscovery

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/cdphub/cdphub/targets"
)

// Source is what is known of a hub; a relay.Hub is one.
type Source interface {
	// Refresh waits until Targets knows the titles and addresses of now.
	Refresh(context.Context)
	Targets() []targets.Info
	HostConnected() bool
	HostHangs() bool
	Clients() int
	Version() (product, userAgent string)
}

// Options says what a Handler serves beyond reading. Its zero value works.
type Options struct {
	// Prefix stands before each path and in the endpoint's URL: "" or
	// "/hub/NAME".
	Prefix string
	// PageSockets says that each Target is served at /devtools/page/ID, whose
	// URL /json/list then names.
	PageSockets bool
	// Query ends each endpoint's URL: "" or "?token=T".
	Query string
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

type handler struct {
	Source
	Options
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, h.Prefix)
	if !ok {
		notFound(w)
		return
	}
	if h.act(w, r, path) {
		return
	}
	var body any
	switch strings.TrimSuffix(path, "/") {
	case "/json/version":
		body = h.version(r)
	case "/json", "/json/list":
		body = h.list(r)
	case "/json/protocol":
		serveProtocol(w, r)
		return
	case "/icdp/status":
		body = h.status(r)
	case "/health":
		body = healthBody{"ok", h.Agents}
	default:
		notFound(w)
		return
	}
	if reading(w, r) {
		reply(w, body)
	}
}

// reading refuses what is not a request to read.
func reading(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
	return false
}

func notFound(w http.ResponseWriter) { http.Error(w, "Not found", http.StatusNotFound) }

func reply(w http.ResponseWriter, body any) {
	out, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(out) //nolint:errcheck // a peer that is gone
}

// versionBody is the answer to /json/version, its keys in Chromium's order.
type versionBody struct {
	Browser         string `json:"Browser"`
	ProtocolVersion string `json:"Protocol-Version"`
	UserAgent       string `json:"User-Agent"`
	V8Version       string `json:"V8-Version"`
	WebKitVersion   string `json:"WebKit-Version"`
	Endpoint        string `json:"webSocketDebuggerUrl"`
}

func (h *handler) version(r *http.Request) versionBody {
	product, userAgent := h.Version()
	return versionBody{product, "1.3", userAgent, "synthetic", "synthetic", h.endpoint(r, "browser")}
}

// targetBody is one entry of /json/list.
type targetBody struct {
	Description string `json:"description"`
	Frontend    string `json:"devtoolsFrontendUrl"`
	ID          string `json:"id"`
	Title       string `json:"title"`
	Type        string `json:"type"`
	URL         string `json:"url"`
	Endpoint    string `json:"webSocketDebuggerUrl"`
}

func (h *handler) target(r *http.Request, t targets.Info) targetBody {
	path := "browser"
	if h.PageSockets {
		path = "page/" + url.PathEscape(t.ID)
	}
	description, kind := "", t.Type // of a browser's target
	if kind == "" {
		description, kind = "icdp iframe target", "page"
	}
	return targetBody{description, "", t.ID, t.Title, kind, t.URL, h.endpoint(r, path)}
}

func (h *handler) list(r *http.Request) []targetBody {
	h.Refresh(r.Context())
	list := []targetBody{} // an empty list is [], not null
	for _, t := range h.Targets() {
		list = append(list, h.target(r, t))
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

// healthBody is {"status":"ok","version":"0.8.0"}; the version is a protocol's.
type healthBody struct {
	Status  string `json:"status"`
	Version string `json:"version,omitempty"`
}

type statusTarget struct {
	TargetID string `json:"targetId"`
	Title    string `json:"title"`
	URL      string `json:"url"`
}

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
	scheme, host := "ws://", r.Host
	if r.TLS != nil {
		scheme = "wss://"
	}
	if host == "" { // HTTP/1.0, or an empty header
		if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
			host = a.String()
		}
	}
	return scheme + host + h.Prefix + "/devtools/" + path + h.Query
}
