// Package server serves the hubs of a process over HTTP: to Clients that drive
// targets, to Hosts that offer them, to Frame Agents, and to operators.
//
//	srv, err := server.New(server.Options{ClientAddr: "127.0.0.1:9222"})
//	if err != nil {
//		return err
//	}
//	return srv.Run(ctx) // until ctx ends
//
// A program that has an HTTP server of its own sets NoListeners and serves
// Handler beside its own paths.
package server

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/bap"
	"github.com/cdphub/cdphub/actions/mcp"
	"github.com/cdphub/cdphub/bridge/extension"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/devtools"
	"github.com/cdphub/cdphub/internal/downloads"
	"github.com/cdphub/cdphub/internal/fence"
	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/internal/named"
	"github.com/cdphub/cdphub/internal/optionname"
	"github.com/cdphub/cdphub/internal/tempdir"
	"github.com/cdphub/cdphub/internal/urlpolicy"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/server/internal/dashboard"
	"github.com/cdphub/cdphub/server/internal/forward"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/handover"
	"github.com/cdphub/cdphub/server/internal/membership"
	"github.com/cdphub/cdphub/server/internal/operators"
	"github.com/cdphub/cdphub/server/internal/sandboxes"
)

// Server is one process's hubs behind its listeners.
type Server struct {
	o        Options `stays:"configuration"` // static after New, as is all down to draining
	log      *zap.Logger
	hubs     *relay.Hubs
	browsers *browsers.Pool `held:"*"`
	rules    auth.Rules     `stays:"configuration"`
	tokens   *auth.Tokens   `held:"*"`
	gate     *auth.Gate
	quotas   *quota.Ledger
	budget   *wsconn.Budget `held:"*"` // of all connections; nil: none
	poller   *wsconn.Poller `held:"*"` // where idle Clients wait
	shares   *wsconn.Shares // of the CPUs, one for each hub
	metrics  *metrics
	access   *front.AccessLog

	sandboxes  *sandboxes.Table      `held:"*"`
	dashboard  *dashboard.Dashboard  `held:"*"`
	operators  operators.Operators   `stays:"configuration"`
	named      *named.Sessions       `held:"*"`
	bap        *bap.Server           `held:"*"`
	logins     httpserver.PerAddress // connections that have yet to show a token
	mcp        *mcp.Handler          `held:"*"`
	tickets    devtools.Tickets[auth.Pass]
	consents   *actions.Consents // for scripts of browser hooks
	configs    actions.BrowserConfigs
	publicURL  *url.URL // of Options.PublicURL; nil: there is none
	urls       *urlpolicy.Policy
	names      *urlpolicy.Resolver // of hosts in URLs
	fenceTells bool                // who connects
	fence      fence.Fence         // between the browsers and the listeners of this process
	journal    *journal.Journal    // of what happens on targets; nil: nothing is kept
	kept       *downloads.Store    `held:"*"` // files that were downloaded, for their Clients
	cluster    *membership.Member  `held:"*"` // nil: this server is alone
	forward    *forward.Forwarder  // to the other nodes of a cluster, and from them
	handover   *handover.Handover  // of hubs to other nodes
	drainer    handover.Drainer

	table     []front.Entry `stays:"configuration"`
	listeners []listener    `stays:"configuration"`
	admin     *endpoint     // for operators; nil: none
	app       *app          // behind the proxy; nil: none
	files     []file        `stays:"configuration"`    // that Reload reads again
	reload    chan struct{} `stays:"holds one signal"` // Reload was called

	tokensChanged chan chan<- error `stays:"has no buffer"` // their files are to be read; gets the error

	// What one address may have: WebSockets, and those of BAP.
	connections, bapFrom *front.AddressPools `held:"*"`

	clients, hosts *front.ConnGroup
	extensions     *extension.Hosts
	links          *links        `held:"*"`
	draining       atomic.Bool   // takes no more connections
	ending         chan struct{} `stays:"closed at the end"` // closed then

	endAsked chan struct{}      `stays:"closed at the end"` // closed when Run is to drain and return
	endOnce  sync.Once          // closes it
	waits    chan time.Duration `stays:"is not buffered"` // how long the end may wait for sessions
}

// listener is one address and the kinds of peers that it serves.
type listener struct {
	net.Listener
	clients, hosts bool
}

func (ln listener) audience() front.Audience {
	return front.Audience{Clients: ln.clients, Hosts: ln.hosts, Exposed: isExposed(ln.Addr())}
}

// endpoint is a listener with what it serves.
type endpoint struct {
	net.Listener
	handler http.Handler
}

// New makes a server and opens its listeners. From then on connections queue. Run
// serves them; Close ends a server that is not to run. Errors are those of wrong
// options, of files that cannot be read, and of addresses that are taken.
func New(o Options) (*Server, error) {
	o = o.withDefaults()
	s := &Server{
		o:       o,
		log:     o.Log,
		metrics: newMetrics(),
		access:  front.NewAccessLog(o.Log),
		budget:  o.Limits.budget(o.timelineMemory() + o.Limits.namedMemory()),

		named: named.New(o.Limits.named(o.Log)),
		bap:   bap.New(bap.Options{Pages: o.Actions.BAPPages, AllPages: o.Actions.BAPAllPages || o.App != nil}),
		mcp:   mcp.NewHandler(o.Log),
		names: new(urlpolicy.Resolver),

		fenceTells: fence.Tells,

		clients:  front.NewConnGroup(),
		hosts:    front.NewConnGroup(),
		ending:   make(chan struct{}),
		endAsked: make(chan struct{}),
		waits:    make(chan time.Duration),
		reload:   make(chan struct{}, 1),

		tokensChanged: make(chan chan<- error),
	}
	s.shareLimits()
	// The order matters: hubs need the policies and the journal, a cluster needs the
	// hubs, and an app needs the address of the listeners.
	for _, step := range []func() error{s.makePolicies, s.makeJournal, s.makeHubs, s.makeCluster, s.makeRooms, s.listenAll, s.makeApp} {
		if err := step(); err != nil {
			s.closeListeners()
			s.closeJournal()
			return nil, err
		}
	}
	s.poller, s.shares = wsconn.NewPoller(0), wsconn.NewShares()
	s.links = newLinks(s)
	s.extensions = extension.NewHosts(extension.Options{Log: s.log, Grace: s.o.Limits.HostGrace, Own: s.ownAddresses})
	s.table = s.routeTable()
	return s, nil
}

// makePolicies reads who may connect, and which pages and scripts are allowed. Errors
// name the options.
func (s *Server) makePolicies() (err error) {
	if s.o.BaseDomain, err = readBaseDomain(s.o.BaseDomain); err != nil {
		return err
	}
	if s.o.ClientOrigins, err = peerOrigins("server.Options.ClientOrigins", s.o.ClientOrigins); err != nil {
		return err
	}
	if s.o.HostOrigins, err = peerOrigins("server.Options.HostOrigins", s.o.HostOrigins); err != nil {
		return err
	}
	if s.o.PublicURL != "" {
		if s.publicURL, err = url.Parse(s.o.PublicURL); err != nil {
			return optionname.Errorf("{server.Options.PublicURL} %w", err)
		}
	}
	if err = cmp.Or(allowedHosts(s.o.AllowedHosts), hookScopes(s.o.Actions.HookScopes)); err != nil {
		return err
	}
	s.rules = auth.Rules{AllowedHosts: s.o.AllowedHosts, ClientOrigins: s.o.ClientOrigins, HostOrigins: s.o.HostOrigins, Own: s.fence.Sent}
	// append must not write into the array of the caller's Options.
	s.rules.AllowedHosts = slices.Clip(s.rules.AllowedHosts)
	if d := s.o.BaseDomain; d != "" {
		s.rules.AllowedHosts = append(s.rules.AllowedHosts, d, "."+d)
	}
	if s.publicURL != nil && s.publicURL.Hostname() != "" {
		s.rules.AllowedHosts = append(s.rules.AllowedHosts, s.publicURL.Hostname())
	}
	if s.urls, err = s.o.Network.policy(s.fence.Own); err != nil {
		return err
	}
	if s.consents, err = s.o.Actions.consents(); err != nil {
		return err
	}
	if s.tokens, s.gate, err = s.o.Tokens.gate(s.log, s.metrics.loginFailed); err != nil {
		return err
	}
	if s.tokens.Set() {
		s.files = append(s.files, file{"tokens", s.readTokens})
	}
	return nil
}

// makeHubs makes the hubs, and the pool of the browsers behind them.
func (s *Server) makeHubs() error {
	upload, err := newUploads(s.o.UploadDir)
	if err != nil {
		return err
	}
	s.kept = downloads.NewStore(downloads.StoreOptions{
		Age: s.o.Limits.DownloadAge, Size: s.o.Limits.DownloadSize, Count: s.o.Limits.MaxDownloads, Quotas: s.quotas, Log: s.log,
	})
	download, err := newDownloads(s.kept, s.o.DownloadDir)
	if err != nil {
		return err
	}
	s.hubs = relay.NewHubs(relay.Options{
		Download: download, Keep: s.kept.Keep, Quotas: s.quotas,
		Log: s.log, Product: version.Current().Product("/"), Upload: upload, Limits: s.o.Limits.hub(), Grace: s.o.Limits.HostGrace,
		PageAddress: s.pageAddress, HandoffURL: s.handoffURL, Observe: s.observe(), Derive: s.o.Cluster.derive(),
	})
	if s.o.Browsers == nil {
		s.browsers = browsers.None(s.hubs)
		return nil
	}
	if err := s.checkProfile(); err != nil {
		return err
	}
	o := s.o.Browsers
	b := browsers.Options{
		Chrome: o.Chrome, Run: o.Run, Hubs: o.Hubs, Undivided: o.Undivided, Max: o.Max, Idle: o.Idle, Queue: o.Queue,
		Quotas: s.quotas, Log: s.log, Started: s.metrics.browserStarted, Queued: s.metrics.queueLeft,
	}
	b.Chrome.Network, b.Chrome.Fence, b.Chrome.MaxDownload = s.urls, &s.fence, s.kept.Size()
	b.Adjust = s.adjustBrowser
	// A closure, since makeCluster sets s.cluster later.
	if c := s.o.Cluster; c != nil && c.MaxBrowsers > 0 {
		b.Reserve = func(ctx context.Context) (func(), error) { return s.cluster.ReserveBrowser(ctx) }
	}
	s.browsers, err = browsers.New(s.hubs, b)
	return err
}

// Run serves until ctx ends, or the node is drained. Then it drains: Clients get the
// answers to their commands in flight, within Options.Drain. It must be called once
// at most. The error is that of a listener that has failed, or of a browser that
// cannot be started; nil after ctx has ended.
func (s *Server) Run(ctx context.Context) error {
	defer s.log.Sync() //nolint:errcheck // there is nowhere to tell
	defer s.poller.Close()
	s.removeLeft()
	// Browsers that could not be had are tried again, so that /readyz turns to 200 without a Client.
	defer runBeside(s.followTokens, s.browsers.Watch)()
	// Room for each server, so that none of their goroutines waits for a reader that
	// has left.
	also := 0
	if s.app != nil {
		also = len(s.app.also)
	}
	failed := make(chan error, len(s.listeners)+3+also)
	serve := func(hs *http.Server, ln net.Listener) *http.Server {
		go func() { failed <- hs.Serve(ln) }()
		return hs
		// The listeners of operators, of the app and of other nodes serve while the
		// server drains: an operator still sees how far it is.
	}
	if s.admin != nil {
		s.log.Info("listening for operators", zap.String("addr", s.AdminAddr()))
		defer serve(httpserver.New(s.admin.handler, s.o.rates.own, s.log), s.admin.Listener).Close()
	}
	if s.app != nil {
		defer serve(s.app.server, s.app.Listener).Close()
		for _, other := range s.app.also {
			defer serve(other.server, other.Listener).Close()
		}
	}
	if s.cluster != nil {
		peers, hs := s.makePeers()
		s.log.Info("listening for other nodes", zap.Stringer("addr", peers.Addr()))
		defer serve(hs, peers).Close()
		defer runBeside(s.cluster.Sweep, s.handover.Replicate, s.waitForSessions)()
	}
	if err := s.checkBrowsers(ctx); err != nil {
		s.drain(nil)
		return err
	}
	// Clients and Hosts are served last, when everything that they need runs.
	var servers []*http.Server
	for _, ln := range s.listeners {
		s.log.Info("listening", zap.Stringer("addr", ln.Addr()), zap.Bool("clients", ln.clients), zap.Bool("hosts", ln.hosts))
		servers = append(servers, serve(httpserver.New(s.handler(ln.audience()), s.o.rates.own, s.log), ln.Listener))
	}
	if url := s.DashboardURL(); url != "" {
		s.log.Info("serving the dashboard", zap.String("url", url))
	}
	s.o.OnState(Ready)
	reloaded := runBeside(s.reloadWhenAsked)
	var err error
	select {
	case <-ctx.Done():
	case <-s.endAsked:
	case err = <-failed:
	}
	reloaded()
	s.drain(servers)
	return err
}

// removeLeft removes the temporary files of hubs that were killed.
func (s *Server) removeLeft() {
	tempdir.Sweep(os.TempDir())
	if s.o.DownloadDir != "" {
		tempdir.Sweep(s.o.DownloadDir)
	}
}

// Close ends a server that Run has not been called for, and closes its listeners.
func (s *Server) Close() {
	s.drain(nil)
	s.poller.Close()
}

// Handler serves the paths of Clients and of Hosts, for a program that has
// listeners of its own. A Host that is no page needs a token: the handler
// cannot know who reaches it.
func (s *Server) Handler() http.Handler {
	return s.handler(ofProgram)
}

// ofProgram is the audience of Handler.
var ofProgram = front.Audience{Clients: true, Hosts: true, Exposed: true}

// Hub finds a hub by its name, "" for the one at the root. It waits until the browser
// of the hub is there, if the hub is to have one. The hub and the browser stay until
// release is called. The errors are for everybody to read: details of the machine are
// only in the log.
func (s *Server) Hub(ctx context.Context, name string) (hub *relay.Hub, release func(), err error) {
	if err := s.sandboxes.Check(name); err != nil {
		return nil, nil, err
	}
	if err := s.cluster.ClaimHere(ctx, name); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// A hub that moves to another node while the browser starts ends the wait.
	stayed := s.cluster.Join(name, false, func(wsconn.Reason) { cancel(membership.ErrElsewhere) })
	hub, release, err = s.browsers.Acquire(ctx, name)
	stayed()
	// The number of browsers has changed, and other nodes place hubs by it.
	s.cluster.TellBrowsers()
	if err != nil {
		switch {
		case errors.Is(context.Cause(ctx), membership.ErrElsewhere):
			return nil, nil, membership.ErrElsewhere
		case browsers.IsFull(err):
			s.cluster.ReleaseSoon(name)
		}
		// Without tokens only programs of this machine ask, and need the details.
		if s.guarded(true, false) && !forEverybody(err) {
			s.log.Info("client refused", zap.Error(err))
			err = errors.New("no browser is available: the log of cdphub says why")
		}
		return nil, nil, err
	}
	return hub, release, nil
}

// forEverybody reports whether an error of browsers says nothing of the machine.
func forEverybody(err error) bool {
	return browsers.IsFull(err) || errors.Is(err, browsers.ErrRestarting) || errors.Is(err, browsers.ErrSwitchedOff) || errors.Is(err, browsers.ErrAsks) ||
		errors.Is(err, browsers.ErrDenied) || errors.Is(err, cluster.ErrUncertain)
}

// Join makes Clients of a hub within the process, for package actions. They may
// do everything.
func (s *Server) Join(hub string) actions.Join { return s.clientsOf(hub, relay.ClientOptions{}) }

// Stats are the counters of all hubs.
func (s *Server) Stats() relay.Stats { return s.hubs.Stats() }

// ClientAddr is the address of the listener for Clients, "" for none.
func (s *Server) ClientAddr() string { return s.addr(false) }

// HostAddr is the address of the listener for Hosts, "" for none.
func (s *Server) HostAddr() string { return s.addr(true) }

// AdminAddr is the address of the listener for operators, such as 127.0.0.1:9225 or
// unix:/run/cdphub/admin.sock; "" for none.
func (s *Server) AdminAddr() string {
	switch {
	case s.admin == nil:
		return ""
	case s.admin.Addr().Network() == "unix":
		return httpserver.UnixAddr(s.admin.Addr().String())
	}
	return s.admin.Addr().String()
}

func (s *Server) addr(hosts bool) string {
	for _, ln := range s.listeners {
		if hosts && ln.hosts || !hosts && ln.clients {
			return ln.Addr().String()
		}
	}
	return ""
}

// closing is how long connections may take to close at the end, after Options.Drain:
// a peer that does not answer a close frame must not hold the process up.
const closing = 1500 * time.Millisecond

// drain ends the server in this order: it refuses new connections, closes each Client
// when its commands in flight are answered or the time is up, hands hubs over to
// other nodes, and only then closes the Hosts, so that no Client sees its pages go.
func (s *Server) drain(servers []*http.Server) {
	s.o.OnState(Stopping)
	s.log.Info("shutting down", zap.Duration("within", s.o.Drain))
	s.draining.Store(true)
	close(s.ending)
	// Before the hubs drain, so that a message that comes now is for the next node.
	if s.cluster != nil {
		s.named.Depart()
	}
	s.hubs.Drain()
	s.cluster.Drain(nil)
	patience, cancel := context.WithTimeout(context.Background(), s.o.Drain)
	given := s.handover.All(patience)
	s.clients.Wait(patience)
	given()
	cancel()
	// After the Clients: a Host that is sent away takes the targets with it.
	s.cluster.Leave()
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	s.mcp.Close()
	if s.forward != nil {
		s.forward.Requests.Close(ctx, wsconn.ReasonShutdown)
	}
	clients := s.clients.Close(ctx, wsconn.ReasonShutdown)
	s.named.Close(wsconn.ReasonShutdown)
	hosts := s.hosts.Close(ctx, wsconn.ReasonShutdown)
	links := s.links.close(ctx)
	s.browsers.Close()
	s.kept.Close()
	s.closeJournal()
	// A connection that is late ends with the process.
	if !clients || !hosts || !links {
		s.log.Warn("some connections did not close in time")
	}
	s.closeListeners()
	for _, hs := range servers {
		if err := hs.Shutdown(ctx); err != nil {
			hs.Close()
		}
	}
}
