package dashboard

import (
	"cmp"
	"encoding/json"
	"net/http"
	"time"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/named"
	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// MaxTargets is how many targets of a hub are listed.
const MaxTargets = 1000

// maxClosed is how many targets that have ended are listed.
const maxClosed = 20

func (d *Dashboard) serveState(w http.ResponseWriter, r *http.Request) {
	if !front.OnlyReads(w, r) || d.o.Sandboxes.Refuses(w, front.RouteOf(r).Hub) {
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	json.NewEncoder(w).Encode(d.state(r)) //nolint:errcheck // a peer that is gone
}

// state says what runs, as far as the asker may know it. It starts no browser and
// makes no hub.
func (d *Dashboard) state(r *http.Request) uiwire.State {
	pass := auth.PassOf(r)
	scope := cmp.Or(pass.Grant.Scope, auth.ScopePrivileged)
	state := uiwire.State{
		Version: version.Current().Version, Now: time.Now().UnixMilli(), Closes: []uiwire.Close{},
		You: uiwire.Asker{Name: front.ViewerName(r, pass), Scope: scope.String(), Control: !scope.ReadOnly(), DevTools: d.o.DevTools},
	}
	// A guest learns nothing of other Clients, hubs or closed connections.
	if guest := front.GuestOf(r); guest.Key != "" {
		state.You.DevTools = false
		at := front.RouteOf(r)
		own := front.NamedHub{Name: at.Hub, Path: front.PathFor(r, at.Prefix)}
		state.Hubs = append(state.Hubs, uncountedHub(d.describeHub(own, r)))
		return state
	}
	names := map[string]bool{} // of hubs whose other Clients the asker may know of
	for _, hub := range d.o.HubsFor(r) {
		u := d.describeHub(hub, r)
		// A token that sees only its own tabs does not learn how much others do. The hub
		// counts commands and events for everybody together.
		if _, own := front.PolicyOf(pass).(relay.OwnTabs); own {
			u.Counters = uiwire.Counters{}
		} else {
			names[hub.Name] = true
		}
		if handsOver(r) {
			u.OwnTabs = d.ownTabs(hub.Name, u.Targets)
		}
		state.Hubs = append(state.Hubs, u)
	}
	for _, c := range d.o.Access.Closes.Last() {
		if names[c.Hub] {
			state.Closes = append(state.Closes, c)
		}
	}
	if d.o.Drainer.Member != nil && d.o.Drainer.SeesAll(r) {
		state.Nodes, state.You.Drain = d.listNodes(), d.o.Drainer.MayDrain(r)
	}
	return state
}

// listNodes lists the nodes of the cluster. Only the own one answers requests of this
// page.
func (d *Dashboard) listNodes() (list []uiwire.Node) {
	for _, n := range d.o.Drainer.Member.Directory.Nodes() {
		u := uiwire.Node{ID: n.ID, Name: n.Name, Version: n.Version, Since: n.Since.UnixMilli(), Hubs: n.Hubs, Draining: n.Draining, Answers: n.ID == d.o.Drainer.Member.ID}
		if b := n.Browsers; b != nil {
			u.Browsers, u.MaxBrowsers = b.Running, b.Max
		}
		list = append(list, u)
	}
	return list
}

// describeHub describes one hub to the asker of a request, with the asker's named sessions. It is
// called for each look of each stream, and so sends nothing to browsers.
func (d *Dashboard) describeHub(h front.NamedHub, r *http.Request) uiwire.Hub {
	name, w, bearer := h.Name, front.WatcherOf(r), auth.PassOf(r).Bearer()
	hub, release := d.o.Hubs.Peek(name)
	defer release()
	stats := hub.Stats()
	received, answered, pending, events := hub.Control().Driven()
	clients, sessions := hub.Counts(w.Policy)
	u := uiwire.Hub{
		Hub: name, Path: h.Path, HostConnected: stats.Hosts > 0, HostHangs: hub.HostHangs(), Browser: d.o.Browsers.Has(name),
		Clients: clients, Sessions: sessions, Targets: []uiwire.Target{},
		Counters: uiwire.Counters{Received: received, Answered: answered, Pending: pending, Events: events},
	}
	u.Named = describeNamed(d.o.Named.List(func(o named.Owner) bool { return o == named.Owner{Hub: name, Bearer: bearer} }))
	list, asker := hub.Control().WatchedTargets(w), personOf(r)
	for _, t := range list[:min(len(list), MaxTargets)] {
		u.Targets = append(u.Targets, d.describeTarget(hub, name, t, asker))
	}
	if d.o.Journal != nil {
		u.Closed = d.o.Journal.Closed(name, w, maxClosed)
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

// describeTarget describes one target to a person. A target without a type counts as a page.
func (d *Dashboard) describeTarget(hub *relay.Hub, name string, t relay.Watched, asker person) uiwire.Target {
	u := uiwire.Target{
		TargetID: t.ID, Type: cmp.Or(t.Type, "page"), Title: t.Title, URL: t.URL, Drawn: hub.Control().Emulated(t.ID), Client: t.Client,
		Drivers: hub.Control().Drivers(t.ID), Unresponsive: t.Unresponsive,
	}
	if u.Drivers == nil {
		u.Drivers = []string{}
	}
	if d.o.Journal != nil {
		if method, at, ok := d.o.Journal.Last(name, t.ID); ok {
			u.Last = &uiwire.Last{Method: method, At: at.UnixMilli()}
		}
	}
	if held, ok := hub.Control().Holder(t.ID); ok {
		// Whole seconds: each renewal of a lease would be news for the stream
		// otherwise.
		u.Holder = &uiwire.Holder{Name: held.Name, Until: held.Until.Truncate(time.Second).UnixMilli(), You: asker.has(held)}
	}
	if h, ok := hub.Control().HandoffOf(t.ID); ok {
		u.Handoff = &uiwire.Handoff{Instructions: h.Instructions, Until: h.Until.UnixMilli()}
	}
	return u
}

// describeNamed translates the sessions for the dashboard. It never returns nil: the page
// wants a list.
func describeNamed(list []named.Info) []uiwire.Named {
	of := []uiwire.Named{}
	for _, i := range list {
		u := uiwire.Named{Name: i.Name, Client: i.Client, GraceMs: i.GraceMs, Kept: i.Kept}
		if i.AwaySince != nil {
			u.AwaySince = i.AwaySince.UnixMilli()
		}
		of = append(of, u)
	}
	return of
}
