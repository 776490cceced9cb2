package server

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/named"
	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/relay"
)

// maxUITargets is how many targets of a hub are listed.
const maxUITargets = 1000

// maxUIClosed is how many targets that have ended are listed.
const maxUIClosed = 20

func (s *Server) serveUIState(w http.ResponseWriter, r *http.Request) {
	if !onlyReads(w, r) {
		return
	}
	if err := s.sandboxes.check(routeOf(r).hub); err != nil {
		refuseHub(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	json.NewEncoder(w).Encode(s.uiState(r)) //nolint:errcheck // a peer that is gone
}

// uiState says what runs, as far as the asker may know it. It starts no browser and
// makes no hub.
func (s *Server) uiState(r *http.Request) uiwire.State {
	pass := auth.PassOf(r)
	scope := cmp.Or(pass.Grant.Scope, auth.ScopePrivileged)
	state := uiwire.State{
		Version: version.Current().Version, Now: time.Now().UnixMilli(), Closes: []uiwire.Close{},
		You: uiwire.Asker{Name: viewerName(r, pass), Scope: scope.String(), Control: !scope.ReadOnly(), DevTools: s.o.DevTools != nil},
	}
	// A guest learns nothing of other Clients, hubs or closed connections.
	if guest := guestOf(r); guest.key != "" {
		state.You.DevTools = false
		state.Hubs = append(state.Hubs, uncountedHub(s.uiHub(routeOf(r).hub, routeOf(r).prefix, "", watcherOf(r))))
		return state
	}
	names := map[string]bool{} // of hubs whose other Clients the asker may know of
	for _, hub := range s.hubsFor(r) {
		u := s.uiHub(hub.name, hub.prefix, pass.Bearer(), watcherOf(r))
		// A token that sees only its own tabs does not learn how much others do. The hub
		// counts commands and events for everybody together.
		if _, own := policyOf(pass).(relay.OwnTabs); own {
			u.Counters = uiwire.Counters{}
		} else {
			names[hub.name] = true
		}
		if handsOver(r) {
			u.OwnTabs = s.ownTabs(hub.name, u.Targets)
		}
		state.Hubs = append(state.Hubs, u)
	}
	for _, c := range s.closes.last() {
		if names[c.Hub] {
			state.Closes = append(state.Closes, c)
		}
	}
	if s.cluster != nil && s.seesAll(r) {
		state.Nodes, state.You.Drain = s.cluster.uiNodes(), s.mayDrain(r)
	}
	return state
}

// uiNodes lists the nodes of the cluster. Only the own one answers requests of this
// page.
func (m *membership) uiNodes() (list []uiwire.Node) {
	for _, n := range m.dir.Nodes() {
		u := uiwire.Node{ID: n.ID, Name: n.Name, Version: n.Version, Since: n.Since.UnixMilli(), Hubs: n.Hubs, Draining: n.Draining, Answers: n.ID == m.id}
		if b := n.Browsers; b != nil {
			u.Browsers, u.MaxBrowsers = b.Running, b.Max
		}
		list = append(list, u)
	}
	return list
}

// uiHub describes one hub to a watcher, with the named sessions of a bearer. It is called for each look of each stream,
// and so asks nobody.
func (s *Server) uiHub(name, prefix, bearer string, w relay.Watcher) uiwire.Hub {
	hub, release := s.hubs.Peek(name)
	defer release()
	stats := hub.Stats()
	clients, sessions := visible{hub, w.Policy}.counts()
	u := uiwire.Hub{
		Hub: name, Path: prefix, HostConnected: stats.Hosts > 0, HostHangs: hub.HostHangs(), Browser: s.browsers.Has(name),
		Clients: clients, Sessions: sessions, Targets: []uiwire.Target{},
		Counters: uiwire.Counters{Received: stats.Received, Answered: stats.AnsweredByHost + stats.AnsweredByHub, Pending: stats.Pending, Events: stats.Sent},
	}
	u.Named = uiNamedOf(s.namedOf(named.Owner{Hub: name, Bearer: bearer}))
	list := hub.Control().WatchedTargets(w)
	for _, t := range list[:min(len(list), maxUITargets)] {
		u.Targets = append(u.Targets, s.uiTarget(hub, name, t))
	}
	if s.journal != nil {
		u.Closed = s.journal.Closed(name, w, maxUIClosed)
	}
	return u
}

// uncountedHub is the hub for an asker who may see one target alone: without the numbers,
// the names and the commands of others.
func uncountedHub(u uiwire.Hub) uiwire.Hub {
	u.Clients, u.Sessions, u.Counters, u.Named = 0, 0, uiwire.Counters{}, []uiwire.Named{}
	for i := range u.Targets {
		t := &u.Targets[i]
		t.Client, t.Drivers, t.Last = "", []string{}, nil
	}
	return u
}

// uiTarget describes one target. A target without a type counts as a page.
func (s *Server) uiTarget(hub *relay.Hub, name string, t relay.Watched) uiwire.Target {
	u := uiwire.Target{
		TargetID: t.ID, Type: cmp.Or(t.Type, "page"), Title: t.Title, URL: t.URL, Drawn: hub.Control().Emulated(t.ID), Client: t.Client,
		Drivers: hub.Control().Drivers(t.ID), Unresponsive: t.Unresponsive,
	}
	if u.Drivers == nil {
		u.Drivers = []string{}
	}
	if s.journal != nil {
		if method, at, ok := s.journal.Last(name, t.ID); ok {
			u.Last = &uiwire.Last{Method: method, At: at.UnixMilli()}
		}
	}
	if held, ok := hub.Control().Holder(t.ID); ok {
		// Whole seconds: each renewal of a lease would be news for the stream
		// otherwise.
		u.Holder = &uiwire.Holder{Name: held.Name, Until: held.Until.Truncate(time.Second).UnixMilli()}
	}
	if h, ok := hub.Control().HandoffOf(t.ID); ok {
		u.Handoff = &uiwire.Handoff{Instructions: h.Instructions, Until: h.Until.UnixMilli()}
	}
	return u
}

// viewerName is what others call the person in front of the dashboard: the name of
// the token, or the address of the person.
func viewerName(r *http.Request, pass auth.Pass) string {
	if name := tokenName(pass); name != "" {
		return name
	}
	return "somebody at " + hostOf(r.RemoteAddr)
}

// tokenName is the name of a token; "" for one of an option, which names nobody.
func tokenName(pass auth.Pass) string {
	if strings.HasPrefix(pass.Grant.Name, "--") {
		return ""
	}
	return pass.Grant.Name
}
