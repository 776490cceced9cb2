package relay

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// A hub of a cluster may go on at another node. What it knows of a Host page that may
// come back, and of a Client that outlives its connections, is written down here and
// made again there. The page itself keeps what its sessions have set, and goes on with
// those that the hub names when the page comes back.

// HubState is a hub as another node needs to know it, without its Clients. Nodes send it to
// each other as JSON.
//
//	{"hostId":"H","version":{…},"targets":[{…}],"named":4}
type HubState struct {
	HostID  string         `json:"hostId,omitempty"` // of the Host page; "" where none may come back
	Version bridge.Version `json:"version"`
	Targets []targets.Info `json:"targets,omitempty"` // of the Host page
	Named   int            `json:"named,omitempty"`   // how many Clients have had a name
}

// ClientState is what a Client has: its sessions on the Targets of the Host page, and
// what the hub itself keeps for it.
type ClientState struct {
	Name          string              `json:"name,omitempty"`      // see Client.Name
	InBrowser     bool                `json:"inBrowser,omitempty"` // it has something in a browser, which cannot go on elsewhere
	Tabs          map[string]bool     `json:"tabs,omitempty"`      // of its own, and whether they were given; nil for a Client that sees all
	Sessions      []SessionState      `json:"sessions,omitempty"`
	Subscriptions []SubscriptionState `json:"subscriptions,omitempty"`
	Downloads     []DownloadState     `json:"downloads,omitempty"`
}

// SessionState is a session. The one that it is in stands before it.
//
//	{"id":"S","kind":0,"targetId":"T","pageEvents":true}
type SessionState struct {
	ID         string       `json:"id"`
	Kind       session.Kind `json:"kind"`
	TargetID   string       `json:"targetId"` // of a tab and the browser, too, as Clients know it
	Parent     string       `json:"parent,omitempty"`
	PageEvents bool         `json:"pageEvents,omitempty"`
}

// SubscriptionState is what was asked for by Target.setDiscoverTargets and
// Target.setAutoAttach in a session, "" for the connection. Both are params; nil is off.
//
//	{"session":"S","attach":"BASE64"}
type SubscriptionState struct {
	Session  string `json:"session,omitempty"`
	Discover []byte `json:"discover,omitempty"`
	Attach   []byte `json:"attach,omitempty"`
}

// DownloadState is what was asked for by Browser.setDownloadBehavior in a session.
type DownloadState struct {
	Session string `json:"session,omitempty"` // "" for the connection
	Events  bool   `json:"events,omitempty"`  // eventsEnabled: it hears of downloads
	ByGUID  bool   `json:"byGuid,omitempty"`  // behavior allowAndName: a file is named by its guid
	Folder  string `json:"folder,omitempty"`  // downloadPath; "" where no files are written
}

// State describes the hub for another node.
func (h Control) State() HubState {
	h.mu.Lock()
	defer h.mu.Unlock()
	st := HubState{Named: h.named}
	if s := h.sides.inSlot(""); s != nil && s.browser == nil && s.hostID != "" {
		st.HostID, st.Version = s.hostID, s.version
		for t := range s.targets.All() {
			st.Targets = append(st.Targets, t)
		}
	}
	return st
}

// Part takes the Hosts away from a hub that goes on at another node: nothing that they
// say counts any more, and commands in flight fail. What Clients have on a Host page
// that may come back stays; what they have elsewhere ends. After Part, State describes what
// has stayed.
func (h Control) Part() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range slices.Clone(h.sides.list) {
		switch {
		case s.host == nil: // it is away already
		case s.browser == nil && s.slot == "" && s.hostID != "":
			s.awaitLocked()
		default:
			s.disconnectLocked()
			s.endLocked(errHostGone)
		}
	}
}

// Restore makes what State has described at another node. A Host page that is here
// already is newer, and stays. It waits for the page as after a lost connection, for
// Options.Grace.
func (h Control) Restore(st HubState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.named = max(h.named, st.Named)
	if st.HostID == "" {
		return
	}
	if s := h.sides.inSlot(""); s != nil {
		if s.host != nil {
			return
		}
		s.endLocked(errHostGone)
	}
	s := &side{hub: h.Hub, hostID: st.HostID, version: st.Version}
	h.sides.add(s)
	for _, t := range st.Targets {
		s.createdLocked(t)
	}
	s.awaitLocked()
	h.returning.expect()
	h.log.Info("host is expected from another node", zap.Int("targets", s.targets.Len()), zap.Duration("grace", h.opts.Grace))
}

// returnPatience is how long the commands of Clients wait for a Host page that comes from
// another node.
const returnPatience = 10 * time.Second

// hostReturn is a Host page on its way from another node to this one; its zero value is none.
// Hub.mu guards the changes.
type hostReturn struct{ way atomic.Pointer[arrival] }

type arrival struct {
	done <-chan struct{} // closed when the page has come, or is no longer waited for
	end  func()
}

// expect has AwaitReturn wait until a Host page comes. Two bounds hold: the sessions
// wait for Options.Grace, but a command no longer than 10 s.
func (r *hostReturn) expect() {
	r.end()
	done := make(chan struct{})
	end := sync.OnceFunc(func() { close(done) })
	time.AfterFunc(returnPatience, end)
	r.way.Store(&arrival{done, end})
}

// end says that a Host page has come, or that none will.
func (r *hostReturn) end() {
	if a := r.way.Swap(nil); a != nil {
		a.end()
	}
}

// AwaitReturn waits while the Host page is on its way from another node, for 10 s at
// most, so that the commands of a Client that was quicker do not fail. It must be called
// without the hub's lock.
func (c *Client) AwaitReturn() {
	if a := c.hub.returning.way.Load(); a != nil {
		<-a.done
	}
}

// State describes the Client for another node.
func (c *Client) State() ClientState {
	h := c.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	st := ClientState{Name: c.name, InBrowser: slices.ContainsFunc(h.sides.list, func(s *side) bool { return s.roots[c] != nil })}
	if c.owner != nil {
		st.Tabs = c.owner.tabs.Entries()
	}
	byID := func(a, b *clientSession) int { return strings.Compare(a.ID, b.ID) }
	for _, s := range slices.SortedFunc(maps.Keys(c.sessions), byID) {
		if s.parent == nil {
			st.addLocked(h, s)
		}
	}
	st.addOriginLocked(h, origin{c, nil})
	return st
}

// addLocked describes a session, and then those inside it. What a Host has minted is lost
// with its connection. A parent comes before its children, so that Restore finds it.
func (st *ClientState) addLocked(h *Hub, s *clientSession) {
	on := sideOf(s)
	if s.Kind == session.Worker || s.intercepts != nil || on != nil && (on.browser != nil || on.slot != "" || on.hostID == "") {
		return
	}
	one := SessionState{ID: s.ID, Kind: s.Kind, TargetID: s.TargetID, PageEvents: s.pageEvents}
	if s.parent != nil {
		one.Parent = s.parent.ID
	}
	st.Sessions = append(st.Sessions, one)
	st.addOriginLocked(h, origin{s.client, s})
	for _, inner := range s.inside {
		st.addLocked(h, inner)
	}
}

// addOriginLocked describes what was asked for in a session, or on the connection.
func (st *ClientState) addOriginLocked(h *Hub, at origin) {
	id := ""
	if at.session != nil {
		id = at.session.ID
	}
	if l := h.subscribers.at[at]; l != nil {
		st.Subscriptions = append(st.Subscriptions, SubscriptionState{id, l.discover.params(), l.attach.params()})
	}
	st.addDownloadsLocked(h, at, id)
}

// params are what it was turned on with; nil while it is off.
func (w *subscription) params() []byte {
	if !w.on() {
		return nil
	}
	return w.asked.Params
}

// Restore gives a Client that has just been connected what State has described at another
// node, of what there still is. The Client gets no events for it. A subscription that was
// on sends no events for the Targets that there are: the Client had those before.
func (c *Client) Restore(st ClientState) {
	h := c.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.left {
		return
	}
	if c.owner != nil {
		c.owner.tabs.Put(st.Tabs)
	}
	// Only sessions that were made count, by their ids; "" is the connection.
	own := map[string]*clientSession{"": nil}
	for i := range st.Sessions {
		if s := c.restoreLocked(&st.Sessions[i], own); s != nil {
			own[s.ID] = s
		}
	}
	for _, d := range st.Downloads {
		if s, ok := own[d.Session]; ok {
			h.restoreDownloadsLocked(origin{c, s}, d)
		}
	}
	for _, w := range st.Subscriptions {
		if s, ok := own[w.Session]; ok {
			c.subscribeLocked(s, "Target.setDiscoverTargets", w.Discover)
			c.subscribeLocked(s, "Target.setAutoAttach", w.Attach)
		}
	}
}

// restoreLocked makes one session; nil where what it was on, or in, is gone.
func (c *Client) restoreLocked(st *SessionState, own map[string]*clientSession) *clientSession {
	h := c.hub
	t, known := h.find(st.TargetID)
	switch parent, ok := own[st.Parent]; {
	case !ok || st.ID == "" || len(st.ID) > maxSessionID || h.sessions.get(st.ID) != nil || c.refusesSessionLocked() != nil,
		!known || t.kind != st.Kind || t.kind != session.Browser && !c.sees(t.Info):
		return nil
	default:
		s := &clientSession{Session: session.New(strings.Clone(st.ID), h.idOf(t.kind, t.Info)), client: c, parent: parent, side: t.side}
		s.Kind = t.kind
		h.registerLocked(c, s)
		if st.PageEvents {
			h.dialogs.setPageEvents(s, true)
		}
		h.listing.stale = true
		return s
	}
}

// subscribeLocked turns a subscription on, and sends nothing of what there is.
func (c *Client) subscribeLocked(s *clientSession, method string, params []byte) {
	r := request{Envelope: wire.Envelope{Method: method, Params: params}, client: c, session: s}
	if params == nil || r.read() != nil {
		return
	}
	l := c.hub.subscriberLocked(&r)
	w := &l.discover
	if method == "Target.setAutoAttach" {
		w = &l.attach
	}
	if l.set(w, true, &r) == nil {
		c.hub.subscribers.keep(l)
	}
}
