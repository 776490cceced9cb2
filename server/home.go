package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/internal/webpage"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/web"
)

// The home page and the ready-made Host page ask here what runs, with the token of
// a Client and of a Host. The JSON is theirs alone and may change with any version.
const (
	clientStatusPath = "/home.json"
	hostStatusPath   = "/host.json"
)

// serveHome answers with the home page, which needs no token: it says nothing of
// what runs.
func (s *Server) serveHome(w http.ResponseWriter, r *http.Request) {
	at := front.RouteOf(r)
	// Where the home page asks what runs, and the role of the token that it needs there.
	path, role := hostStatusPath, auth.RoleHost
	if at.On.Clients {
		path, role = clientStatusPath, auth.RoleClient
	}
	h := webpage.Home{Hub: at.Hub, Path: front.PathFor(r, at.Prefix), Status: path}
	if s.tokens.Set() {
		h.Token = string(role)
	}
	if base := s.siblingURL(r, at.On.Hosts, s.HostAddr()); base != "" {
		h.Shell = base + "/shell"
	}
	if base := s.siblingURL(r, at.On.Clients, s.ClientAddr()); base != "" {
		h.Clients = s.snippets(base)
	}
	webpage.WriteHome(w, h)
}

// isProgram reports whether a request to read comes from a program: a browser wants HTML.
func isProgram(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && !auth.IsWebSocket(r)
}

// serveRoot tells a program that the server is up, as health checks and wait-on want to know, and
// where clients connect. Chromium 156 answers an empty page. It says nothing of what runs.
func (s *Server) serveRoot(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", plainText)
	io.WriteString(w, "cdphub\n"+s.entranceAt(r, nil).list()) //nolint:errcheck // a peer that is gone
}

// homePath is the path of the home page of the hub that a request is for. Refusals
// name it to people, see webpage.ForPeople.
func (s *Server) homePath(r *http.Request) string {
	if at, ok := s.route(r); ok {
		return front.PathFor(r, at.Prefix+"/")
	}
	return front.PathFor(r, "/")
}

// serveFavicon answers with an SVG image, which a day in the cache saves from being
// asked for by each page.
func serveFavicon(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "max-age=86400")
	if front.OnlyReads(w, r) {
		io.WriteString(w, web.Favicon) //nolint:errcheck // a peer that is gone
	}
}

// homeStatus is the answer; web/src/home/home.ts and web/src/shell/ask.ts read it.
type homeStatus struct {
	Version string    `json:"version"`
	Hubs    []homeHub `json:"hubs"` // first the one that was asked
}

// homeHub is one hub, as far as the asker may know it.
type homeHub struct {
	relay.Summary
	Path      string     `json:"path"` // before each of its paths, such as "" or "/hub/NAME"
	HostHangs bool       `json:"hostHangs"`
	Browser   bool       `json:"browser"`         // it has a browser of its own, or gets one with its first Client
	Pages     []homePage `json:"pages,omitempty"` // for Clients: the first of its targets
}

type homePage struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// The numbers of hubs and of pages that the home page lists.
const (
	maxHomeHubs  = 100
	maxHomePages = 50
	// titlesWithin is how long a browser may take to tell its pages' titles.
	titlesWithin = 2 * time.Second
)

// serveHomeStatus says what runs. It starts no browser and makes no hub.
func (s *Server) serveHomeStatus(w http.ResponseWriter, r *http.Request) {
	if !front.OnlyReads(w, r) || s.sandboxes.Refuses(w, front.RouteOf(r).Hub) {
		return
	}
	status := homeStatus{Version: version.Current().Version}
	for _, hub := range s.hubsFor(r) {
		status.Hubs = append(status.Hubs, s.homeHub(r.Context(), hub.Name, hub.Path, auth.PassOf(r)))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	json.NewEncoder(w).Encode(status) //nolint:errcheck // a peer that is gone
}

// hubsFor are the hubs that an asker may know of: the one that was asked, and all
// others for a token of every hub. Sandboxes are in no list, since their names are
// the keys to them.
func (s *Server) hubsFor(r *http.Request) []front.NamedHub {
	at, pass := front.RouteOf(r), auth.PassOf(r)
	list := []front.NamedHub{{Name: at.Hub, Path: front.PathFor(r, at.Prefix)}}
	if !s.seesAll(r) {
		return list
	}
	for _, other := range s.hubs.Summaries() {
		if other.Hub != at.Hub && !front.IsSandbox(other.Hub) && s.sees(pass, other.Hub) && len(list) < maxHomeHubs {
			list = append(list, front.NamedHub{Name: other.Hub, Path: front.PathFor(r, prefixFor(other.Hub, pass))})
		}
	}
	return list
}

// seesAll reports whether an asker may know of all hubs, and of the nodes of the
// cluster that have them: with a token of every hub, or without tokens on a listener
// that only this machine reaches.
func (s *Server) seesAll(r *http.Request) bool {
	return auth.PassOf(r).Grant.Hub == auth.EveryHub || !s.tokens.Set() && !front.RouteOf(r).On.Exposed
}

// homeHub describes one hub. It asks browsers for titles and waits titlesWithin at
// most: Chromium reports a new title late, see relay.Hub.Refresh.
func (s *Server) homeHub(ctx context.Context, name, path string, pass auth.Pass) homeHub {
	hub, release := s.hubs.Peek(name)
	defer release()
	stats := hub.Stats()
	clients, sessions := hub.Counts(front.PolicyOf(pass))
	h := homeHub{
		Summary: relay.Summary{Hub: name, HostConnected: stats.Hosts > 0, Clients: clients, Targets: stats.Targets, Sessions: sessions},
		Path:    path, HostHangs: hub.HostHangs(), Browser: s.browsers.Has(name),
	}
	if pass.Grant.Role == auth.RoleHost {
		return h // it offers targets, and may not look at those of others
	}
	ctx, cancel := context.WithTimeout(ctx, titlesWithin)
	defer cancel()
	hub.Refresh(ctx)
	list := hub.Targets(front.PolicyOf(pass))
	h.Targets = len(list)
	for _, t := range list[:min(len(list), maxHomePages)] {
		h.Pages = append(h.Pages, homePage{t.Title, t.URL})
	}
	return h
}
