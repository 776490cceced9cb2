package server

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/closelog"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/journal"
	"github.com/cdphub/cdphub/named"
	"github.com/cdphub/cdphub/relay"
)

// uiEntry finds what the dashboard asks for, which docs/dashboard.md describes for
// others, too:
//
//	/ui/api/state            what runs, as JSON
//	/ui/api/events           the same as server-sent events, for each change
//	/ui/api/view?target=ID   WebSocket: the live view of a target
//	/ui/api/drain            ends a node of the cluster, see drainnode.go
//	/ui/api/grant, revoke    hands a tab over to a Client, see uitabs.go
//	/ui/api/handoff          exchanges the ticket of a handoff's link for a key, see handoff.go
//
// Pages of the own origin alone may ask, and programs.
func (s *Server) uiEntry(r *http.Request, on audience) (entry, bool) {
	if !s.hasUI(on) {
		return entry{}, false
	}
	e := entry{pages: dashboardPages, role: auth.RoleClient, hub: true}
	switch routeOf(r).path {
	case "/ui/api/handoff":
		return entry{pages: dashboardPages, hub: true, serve: s.serveHandoff}, true
	case uiDrainPath:
		drain := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serveUIDrain(w, r, on) })
		return entry{pages: dashboardPages, role: auth.RoleClient, every: true, serve: withMethods(withJSON(drain), http.MethodPost).ServeHTTP}, true
	case "/ui/api/grant", "/ui/api/revoke":
		e.serve = withMethods(http.HandlerFunc(s.serveTabs), http.MethodPost).ServeHTTP
		return e, true
	case "/ui/api/state":
		e.serve = func(w http.ResponseWriter, r *http.Request) { s.serveUIState(w, r, on) }
	case "/ui/api/events":
		e.serve = func(w http.ResponseWriter, r *http.Request) { s.serveUIEvents(w, r, on) }
	case "/ui/api/view":
		e.ws, e.serve = true, s.serveView
	default:
		return entry{}, false
	}
	return s.forGuests(r, e), true
}

// uiState is what runs, as far as the asker may know it.
type uiState struct {
	Version string           `json:"version"`
	Now     int64            `json:"now"` // ms since 1970, as all times here
	You     uiAsker          `json:"you"`
	Hubs    []uiHub          `json:"hubs"`   // first the one that was asked
	Closes  []closelog.Close `json:"closes"` // of the same hubs, the newest first

	Nodes []uiNode `json:"nodes,omitempty"` // of the cluster, for who may see every hub
}

type uiAsker struct {
	Name     string `json:"name"`
	Scope    string `json:"scope"`
	Control  bool   `json:"control"` // may take over pages
	DevTools bool   `json:"devtools,omitempty"`
	Drain    bool   `json:"drain,omitempty"` // may drain nodes of the cluster
}

type uiHub struct {
	Hub           string     `json:"hub"`
	Path          string     `json:"path"`
	HostConnected bool       `json:"hostConnected"`
	HostHangs     bool       `json:"hostHangs"`
	Browser       bool       `json:"browser"`
	Clients       int        `json:"clients"`
	Sessions      int        `json:"sessions"`
	Counters      uiCounters `json:"counters"`
	Targets       []uiTarget `json:"targets"`

	Named []uiNamed `json:"named"` // the asker's
	// OwnTabs are the Clients with tabs of their own, for who may hand tabs over.
	OwnTabs []relay.TabClient `json:"ownTabs,omitempty"`
	// Closed are the targets that have ended last and have a timeline, the newest first.
	Closed []journal.Closed `json:"closed,omitempty"`
}

// uiNode is a node of a cluster.
type uiNode struct {
	ID       string `json:"id"` // of the process: after a restart it is another
	Name     string `json:"name"`
	Version  string `json:"version"`
	Since    int64  `json:"since"`
	Hubs     int    `json:"hubs"` // that it owns
	Draining bool   `json:"draining,omitempty"`
	Answers  bool   `json:"answers,omitempty"` // it serves the hub that was asked, and so this state

	Browsers    int `json:"browsers,omitempty"`    // that it has
	MaxBrowsers int `json:"maxBrowsers,omitempty"` // that it may have
}

// uiNamed is a named session.
type uiNamed struct {
	Name      string `json:"name"`
	Client    string `json:"client"`
	AwaySince int64  `json:"awaySince,omitempty"`
	GraceMs   int64  `json:"graceMs"`
	Kept      int    `json:"kept"`
}

// uiCounters grow for ever, but for Pending.
type uiCounters struct {
	Received uint64 `json:"received"`
	Answered uint64 `json:"answered"`
	Pending  uint64 `json:"pending"`
	Events   uint64 `json:"events"`
}

type uiTarget struct {
	TargetID     string     `json:"targetId"`
	Type         string     `json:"type"`
	Title        string     `json:"title"`
	URL          string     `json:"url"`
	Drawn        bool       `json:"drawn"`
	Client       string     `json:"client,omitempty"` // whose browser context it is in; "" for a target of all
	Drivers      []string   `json:"drivers"`
	Last         *uiLast    `json:"last,omitempty"`
	Holder       *uiHolder  `json:"holder,omitempty"`
	Handoff      *uiHandoff `json:"handoff,omitempty"`
	Unresponsive bool       `json:"unresponsive,omitempty"`
}

type uiLast struct {
	Method string `json:"method"`
	At     int64  `json:"at"`
}

type uiHolder struct {
	Name  string `json:"name"`
	Until int64  `json:"until"`
}

type uiHandoff struct {
	Instructions string `json:"instructions"`
	Until        int64  `json:"until"`
}

// maxUITargets is how many targets of a hub are listed.
const maxUITargets = 1000

// maxUIClosed is how many targets that have ended are listed.
const maxUIClosed = 20

func (s *Server) serveUIState(w http.ResponseWriter, r *http.Request, on audience) {
	if !onlyReads(w, r) {
		return
	}
	if err := s.sandboxes.check(routeOf(r).hub); err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	json.NewEncoder(w).Encode(s.uiState(r, on)) //nolint:errcheck // a peer that is gone
}

// uiState says what runs. It starts no browser and makes no hub.
func (s *Server) uiState(r *http.Request, on audience) uiState {
	pass := auth.PassOf(r)
	scope := cmp.Or(pass.Grant.Scope, auth.ScopePrivileged)
	state := uiState{
		Version: version.Current().Version, Now: time.Now().UnixMilli(), Closes: []closelog.Close{},
		You: uiAsker{Name: viewerName(r, pass), Scope: scope.String(), Control: !scope.ReadOnly(), DevTools: s.o.DevTools != nil},
	}
	if guest := guestOf(r); guest.key != "" {
		state.You.DevTools = false
		state.Hubs = append(state.Hubs, s.uiHub(routeOf(r).hub, routeOf(r).prefix, watcher(r)).uncounted())
		return state
	}
	names := map[string]bool{}
	for _, hub := range s.hubsFor(r, on) {
		names[hub.name] = true
		u := s.uiHub(hub.name, hub.prefix, watcher(r))
		if handsOver(r) {
			u.OwnTabs = s.ownTabs(hub.name, u.Targets)
		}
		state.Hubs = append(state.Hubs, u)
	}
	for _, c := range s.closes.Last() {
		if names[c.Hub] {
			state.Closes = append(state.Closes, c)
		}
	}
	if s.cluster != nil && s.seesAll(pass, on) {
		state.Nodes, state.You.Drain = s.cluster.uiNodes(), s.mayDrain(pass, on)
	}
	return state
}

func (m *membership) uiNodes() (list []uiNode) {
	for _, n := range m.dir.Nodes() {
		u := uiNode{ID: n.ID, Name: n.Name, Version: n.Version, Since: n.Since.UnixMilli(), Hubs: n.Hubs, Draining: n.Draining, Answers: n.ID == m.id}
		if b := n.Browsers; b != nil {
			u.Browsers, u.MaxBrowsers = b.Running, b.Max
		}
		list = append(list, u)
	}
	return list
}

func (s *Server) uiHub(name, prefix string, w relay.Watcher) uiHub {
	hub, release := s.hubs.Peek(name)
	defer release()
	stats := hub.Stats()
	u := uiHub{
		Hub: name, Path: prefix, HostConnected: stats.Hosts > 0, HostHangs: hub.HostHangs(), Browser: s.browsers.Has(name),
		Clients: max(0, stats.Clients-s.views(hub).Len()), Sessions: stats.Sessions, Targets: []uiTarget{},
		Counters: uiCounters{stats.Received, stats.AnsweredByHost + stats.AnsweredByHub, stats.Pending, stats.Sent},
	}
	u.Named = uiNamedOf(s.namedOf(named.Owner{Hub: name, Bearer: w.Account}))
	list := hub.WatchedTargets(w)
	for _, t := range list[:min(len(list), maxUITargets)] {
		u.Targets = append(u.Targets, s.uiTarget(hub, name, t))
	}
	if s.journal != nil {
		u.Closed = s.journal.Closed(name, w, maxUIClosed)
	}
	return u
}

// uncounted is the hub for who may see one target alone.
func (u uiHub) uncounted() uiHub {
	u.Clients, u.Sessions, u.Counters, u.Named = 0, 0, uiCounters{}, []uiNamed{}
	return u
}

func (s *Server) uiTarget(hub *relay.Hub, name string, t relay.Watched) uiTarget {
	u := uiTarget{
		TargetID: t.ID, Type: cmp.Or(t.Type, "page"), Title: t.Title, URL: t.URL, Drawn: hub.Emulated(t.ID), Client: t.Client,
		Drivers: hub.Drivers(t.ID), Unresponsive: t.Unresponsive,
	}
	if u.Drivers == nil {
		u.Drivers = []string{}
	}
	if s.journal != nil {
		if method, at, ok := s.journal.Last(name, t.ID); ok {
			u.Last = &uiLast{method, at.UnixMilli()}
		}
	}
	if held, ok := hub.Holder(t.ID); ok {
		u.Holder = &uiHolder{held.Name, held.Until.Truncate(time.Second).UnixMilli()}
	}
	if h, ok := hub.HandoffOf(t.ID); ok {
		u.Handoff = &uiHandoff{h.Instructions, h.Until.UnixMilli()}
	}
	return u
}

// viewerName is what others call the person in front of the dashboard: the name of the
// token, or where the person is.
func viewerName(r *http.Request, pass auth.Pass) string {
	if of := pass.Grant.Name; of != "" && !strings.HasPrefix(of, "--") { // an option names nobody
		return of
	}
	return "somebody at " + hostOf(r.RemoteAddr)
}
