// Package relay routes messages between the Hosts of a hub and its Clients.
//
//	hub := relay.New(relay.Options{})
//	events, err := hub.SetHost(host, bridge.Announcement{Targets: …}) // a Host joins
//	client, err := hub.JoinLocal(relay.LocalOptions{})               // a Client in the process
//	result, err := client.Call(ctx, "", "Target.getTargets", nil)
//
// It knows nothing of HTTP or WebSocket, and of no kind of Host: what a Host can
// do are the abilities of package bridge. Messages come in through Client.Receive
// and bridge.Events, and leave through session.Peer and bridge.Host.
package relay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/downloads"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// Options says how hubs behave. Its zero value works.
type Options struct {
	Log       *zap.Logger   // discarded when nil
	Product   string        // in Browser.getVersion, unless a Host names its own; "cdphub"
	UserAgent string        // in Browser.getVersion, unless a Host names its own; the Product
	NewID     func() string // mints session ids; session.NewID
	// Derive makes an id that is the same for the same parts, and that nobody can guess,
	// so that a hub can go on in another process. If it is nil, such ids come from NewID.
	Derive func(parts ...string) string
	// Upload puts the contents of files in the place of the paths in the params of
	// DOM.setFileInputFiles, for a Host that cannot read files (bridge.Uploads). If it
	// is nil, the hub refuses that method for these Hosts. It calls take before it reads a
	// file, with the bytes of the file (quota.Uploads), and fails with its error.
	Upload func(params []byte, take func(bytes int64) error) ([]byte, error)
	// Download begins the file of a download of a frame. If it is nil, no files are
	// written.
	Download func() (DownloadFile, error)
	// Keep keeps the file of a download for its Client. The error is for the Client to read. If
	// it is nil, no files are kept.
	Keep   func(DownloadItem) (KeptDownload, error)
	Limits Limits
	// Quotas share the limits out among the Payers of Clients. If it is nil, there is one
	// Payer, who may take everything.
	Quotas *quota.Ledger
	Name   string // of the hub; "" is the default hub
	// PageAddress says where a person opens a Host page of a hub, by the hub's name,
	// for refusals to name; "" where that is not known. It must not block.
	PageAddress func(hub string) string
	// HandoffURL makes the link of a handoff on a hub: a person who opens it gets
	// the page with the ticket (Control.OpenHandoff). If it is nil, or returns "", Clients
	// cannot ask for handoffs. It must not block.
	HandoffURL func(hub, ticket string) string
	// Grace is how long the hub keeps the Targets and sessions of a Host whose
	// connection was lost; 30 s.
	Grace time.Duration
	// Observe makes the Observer of a hub. It runs once for each hub, before the hub
	// has Clients. If it is nil, there is no Observer.
	Observe func(*Hub) Observer
}

// Limits bounds what one hub holds. Zero fields take the default. What goes beyond is
// refused with an error; nothing that is there ends for it.
type Limits struct {
	Clients        int // 1,024
	ClientSessions int // sessions of one Client; 8,192
	ClientCalls    int // commands of one Client without an answer; 4,096
	Calls          int // commands of all Clients without an answer; 65,536
	Sessions       int // of all Clients; 65,536, or ClientSessions if that is more
}

// withDefaults is o with the defaults of its comments.
func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	o.Product = cmp.Or(o.Product, "cdphub")
	o.UserAgent = cmp.Or(o.UserAgent, o.Product)
	if o.NewID == nil {
		o.NewID = session.NewID
	}
	if o.PageAddress == nil {
		o.PageAddress = func(string) string { return "" }
	}
	if o.HandoffURL == nil {
		o.HandoffURL = func(string, string) string { return "" }
	}
	o.Grace = cmp.Or(o.Grace, 30*time.Second)
	l := &o.Limits
	l.Clients = cmp.Or(l.Clients, int(quota.Table[quota.Clients].Total))
	l.ClientSessions = cmp.Or(l.ClientSessions, 8192)
	l.ClientCalls = cmp.Or(l.ClientCalls, 4096)
	l.Calls = cmp.Or(l.Calls, int(quota.Table[quota.Calls].Total))
	l.Sessions = cmp.Or(l.Sessions, max(int(quota.Table[quota.Sessions].Total), l.ClientSessions))
	if o.Quotas == nil {
		o.Quotas = quota.New(quota.Options{})
	}
	return o
}

// derive is Derive, or a new id.
func (o *Options) derive(parts ...string) string {
	if o.Derive == nil {
		return o.NewID()
	}
	return o.Derive(parts...)
}

// Hub owns the routing state of one browser endpoint.
//
// Lock order: Hub.mu, then a peer's or a Host's own lock (inside Answer,
// Event and Send). Nothing blocks under Hub.mu.
type Hub struct {
	opts      Options // static after newHub
	log       *zap.Logger
	browserID string            // targetId of the browser itself
	contextID string            // browserContextId of every Target
	tabPrefix string            // before a Target's id, that of its tab
	methods   map[string]method // those of the package; they call back what looks them up
	values    sync.Map          `stays:"one for each adapter of the hub"`
	observer  Observer          // nil: there is none
	returning hostReturn        // read without the lock

	mu           sync.Mutex // guards everything below
	sides        sides
	replacements replacements
	listing      listing
	clients      map[*Client]struct{} `held:"clients"`
	pools        pools
	tabs         tabCount                `held:"tabs of payers"`
	paces        map[string]*bridge.Pace `held:"paces of payers"` // of the Clients of a Payer, by its ID
	notified     bridge.Host             // the last that was told of a session
	policies     policies
	sessions     sessionTable
	subscribers  subscribers
	dialogs      dialogs  `held:"dialogs"`  // by targetId
	handoffs     handoffs `held:"handoffs"` // nil until the first
	calls        calls
	counters     Stats `stays:"counts what has been"`
	viewed       Stats `stays:"counts what has been"` // what of the counters is of Clients without a name
	draining     bool
	drained      chan struct{} `stays:"is closed once, when the hub ends"` // closed when it drains and no command is in flight; nil: nobody waits
	awaited      awaited
	named        int `stays:"numbers the names of clients"` // how many Clients have had a name
	downloads    frameDownloads
	owners       owners             `held:"*"`               // of tabs
	private      map[string]private `held:"private targets"` // by targetId; nil until the first
	leases       leases
	// interceptions are those at browser level, by where they were asked for.
	interceptions map[origin]*interception `held:"interceptions"`
	event         session.Event            `stays:"its memory serves the next event"` // the one on its way to Clients; its memory serves the next
	shared        uint64                   `stays:"counts what has been"`             // counts the events for several sessions
	activity      uint64                   `stays:"counts what has been"`             // of targets: see targets.Registry.Activate
}

// New makes a hub without Hosts and Clients.
func New(o Options) *Hub {
	o = o.withDefaults()
	h := &Hub{
		opts:      o,
		log:       o.Log.Named("relay"),
		browserID: o.derive("browser", o.Name),
		contextID: o.derive("context", o.Name),
		clients:   make(map[*Client]struct{}),
		dialogs:   make(dialogs),
		owners:    make(owners),
		downloads: frameDownloads{make(downloads.Table[origin]), make(map[*connection]map[string]*download)},
		listing:   listing{stale: true},
		methods:   methods,
	}
	h.leases.hub = h
	h.tabPrefix = "tab-" + h.contextID + "-"
	h.pools, h.tabs = newPools(h), make(tabCount)
	if o.Observe != nil {
		h.observer = o.Observe(h)
	}
	return h
}

// Value returns the value that the hub keeps for a key. The first call for a key
// creates it. The key should have a type of the caller's own. It lets the adapters of a hub
// share state of theirs, which this package does not know. Under a race create may run
// twice; one of the results is dropped.
func (h Control) Value(key any, create func() any) any {
	if v, ok := h.values.Load(key); ok {
		return v
	}
	v, _ := h.values.LoadOrStore(key, create())
	return v
}

// ErrTooManyClients is the error for one Client more than Limits.Clients, or than its
// Payer may have. The text says which of them.
var ErrTooManyClients = errors.New("too many clients on this hub")

// ClientOptions say who a Client is. The zero value allows everything.
type ClientOptions struct {
	Policy Policy
	// Name is for people, see Client.Name. A Client without one is no driver.
	Name string
	// Known is the Client.Name of a Client that has had it at another node; "" for others.
	Known string
	// Account is the same for all Clients with the same token: see Watcher. "" is none.
	Account string
	// Payer is for whom the Client, its sessions and its commands count.
	Payer quota.Payer
	// PrivateOf is a Target, if the Client shows it to a Watcher: the Client sees also
	// what is private to the owner of that Target.
	PrivateOf string
	// HandoffURL is Options.HandoffURL for handoffs that this Client asks for; nil: that of the
	// hub.
	HandoffURL func(hub, ticket string) string
	// Address is before the paths of the hub, as the Client reaches it: "https://host/hub/work".
	Address string
}

// Admit adds a Client before it is connected, so that a full hub can refuse the
// handshake. Connect or ConnectPage then gives the Client its connection. Leave ends
// it, connected or not. The error is ErrTooManyClients.
func (h *Hub) Admit(o ClientOptions) (*Client, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	paid, err := h.pools.openLocked(o.Payer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTooManyClients, err)
	}
	if o.Policy == nil {
		o.Policy = allowAll
	}
	own, _ := o.Policy.(OwnTabs)
	policy, of := h.owners.enter(o.Policy)
	h.policies.count(policy, 1)
	name := o.Known
	if name == "" {
		name = h.nameLocked(o.Name)
	}
	c := &Client{
		hub: h, peer: discard{}, policy: policy, owner: of, name: name, bearer: o.Account, account: paid, privateOf: o.PrivateOf, address: o.Address,
		handoffURL: o.HandoffURL,
		sessions:   make(map[*clientSession]struct{}),
	}
	c.noFiles, c.redacts = !policy.Files(), policy.Redacts()
	c.tabsOf = own.Owner
	c.pace = h.paceLocked(o.Payer.ID)
	h.clients[c] = struct{}{}
	return c, nil
}

// Connect gives the Client its connection: answers and events go to p. Messages of
// the Client come in through Receive.
func (c *Client) Connect(p session.Peer) {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	c.connectLocked(p)
}

// connectLocked is Connect under the lock. A Client that comes while the hub drains has no
// commands in flight, and is told at once that it may close.
func (c *Client) connectLocked(p session.Peer) {
	if c.left {
		return
	}
	c.peer = p
	if c.hub.draining {
		c.drainLocked()
	}
}

// ErrNoTarget says that a hub has no Target with the id asked for.
var ErrNoTarget = errors.New("no such target")

// ConnectPage is Connect for a Client of one Target, as on Chromium's
// /devtools/page/ID: its messages name no session. When the Target ends, the Client
// gets Inspector.detached. Then the hub calls gone, once and under its lock. The error is
// ErrNoTarget, also for a Target that the Client may not see.
func (c *Client) ConnectPage(p session.Peer, targetID string, gone func()) error {
	h := c.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	t, side, known := h.sides.target(targetID)
	if !known || !c.sees(t) {
		return ErrNoTarget
	}
	c.connectLocked(p)
	c.gone = gone
	c.page = &clientSession{Session: session.NewImplicit(h.opts.NewID(), t.ID), client: c, side: side}
	h.beginLocked(c, c.page, target{session.Page, side, t})
	return nil
}

// Join adds a Client that is connected already.
func (h *Hub) Join(p session.Peer, policy Policy) (*Client, error) {
	c, err := h.Admit(ClientOptions{Policy: policy})
	if err != nil {
		return nil, err
	}
	c.Connect(p)
	return c, nil
}

// JoinPage adds a Client that is connected already, for one Target.
func (h *Hub) JoinPage(p session.Peer, policy Policy, targetID string, gone func()) (*Client, error) {
	c, err := h.Admit(ClientOptions{Policy: policy})
	if err != nil {
		return nil, err
	}
	if err := c.ConnectPage(p, targetID, gone); err != nil {
		c.Leave()
		return nil, err
	}
	return c, nil
}

// Targets lists the Targets that a Client with this Policy may see; nil allows
// everything. It tells nobody what a quiet page shows (quiet.go). Those around which the hub emulates a browser come first, then those
// that a browser shows to every Client, each in order of appearance.
func (h *Hub) Targets(p Policy) []targets.Info {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := []targets.Info{}
	for _, s := range h.sides.list {
		list = slices.AppendSeq(slices.Grow(list, s.targets.Len()), s.targets.All())
	}
	tabs := h.owners.tabsOf(p)
	list = slices.DeleteFunc(list, func(t targets.Info) bool { return !policyShows(p, tabs, t) })
	for i := range list {
		list[i] = shownInfo(p, h.leases.shown(nil, list[i]))
	}
	return list
}

// Active says when a Target was last active: the number is larger for one that was so later.
func (h *Hub) Active(id string) (at uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sides.list {
		at = max(at, s.targets.Active(id))
	}
	return at
}

// Target finds a Target by its id, among those of Targets.
func (h *Hub) Target(p Policy, id string) (targets.Info, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t, _, known := h.sides.target(id)
	if !known || !policyShows(p, h.owners.tabsOf(p), t) {
		return targets.Info{}, false
	}
	return shownInfo(p, h.leases.shown(nil, t)), true
}

// HostConnected reports whether there is a Host.
func (h *Hub) HostConnected() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.sides.list, func(s *side) bool { return s.host != nil })
}

// BrowserConnected reports whether there is a Host that serves the browser level.
func (h *Hub) BrowserConnected() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sides.browser() != nil
}

// HostHangs reports whether there is a Host whose page is known not to run.
func (h *Hub) HostHangs() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.sides.list, (*side).hangs)
}

// Clients is the number of Clients.
func (h *Hub) Clients() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.clients)
}

// Counts are the numbers of drivers and of their sessions that somebody with a Policy may know:
// who sees only tabs of their own learns nothing of others. A Client without a name, such as one
// that shows a Target to people, is no driver.
func (h *Hub) Counts(p Policy) (clients, sessions int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	own, is := p.(OwnTabs)
	of := h.owners[own.Owner]
	for c := range h.clients {
		if c.name != "" && (!is || of != nil && c.owner == of) {
			clients++
			sessions += len(c.sessions)
		}
	}
	return clients, sessions
}

// Version names the browser behind the hub: what a Host says, first of all the
// one that serves the browser level, or the hub's own name.
func (h *Hub) Version() bridge.Version {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.versionLocked()
}

// versionLocked is Version under the lock.
func (h *Hub) versionLocked() (v bridge.Version) {
	if s := h.sides.browser(); s != nil {
		v = s.version
	} else if n := slices.IndexFunc(h.sides.list, func(s *side) bool { return s.version != bridge.Version{} }); n >= 0 {
		v = h.sides.list[n].version
	}
	v.Product, v.UserAgent = cmp.Or(v.Product, h.opts.Product), cmp.Or(v.UserAgent, h.opts.UserAgent)
	return v
}
