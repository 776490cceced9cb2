package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/bap"
	"github.com/cdphub/cdphub/actions/mcp"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/closelog"
	"github.com/cdphub/cdphub/internal/urlpolicy"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// serveCmd is `cdphub serve`.
type serveCmd struct {
	hubFlags
	poolFlags
	PageHost bool `help:"Take a page as a Host of hubs that have a browser, too, beside that. With a Host token it is taken in any case." env:"CDPHUB_PAGE_HOST" group:"Browsers:"`

	operationFlags
	logFlags
}

// hubFlags are the options of a hub, for every command that runs one.
type hubFlags struct {
	accessFlags
	ClientAddr   string        `help:"Listen for Clients here." default:"127.0.0.1:9222" env:"CDPHUB_CLIENT_ADDR"`
	HostAddr     string        `help:"Listen for Hosts here; may be the same address." default:"127.0.0.1:9223" env:"CDPHUB_HOST_ADDR"`
	AllowedHost  []string      `help:"A name, beside IP addresses and localhost, that a Host header may carry." env:"CDPHUB_ALLOWED_HOST"`
	ClientOrigin []string      `help:"An origin whose pages may be Clients." env:"CDPHUB_CLIENT_ORIGIN"`
	HostOrigin   []string      `help:"An origin, beside those on loopback, whose pages may be Hosts." env:"CDPHUB_HOST_ORIGIN"`
	BaseDomain   string        `help:"Serve hub NAME at NAME.BASEDOMAIN too." env:"CDPHUB_BASE_DOMAIN"`
	PageSockets  bool          `help:"Serve each target at /devtools/page/ID too, and name that in /json/list." env:"CDPHUB_PAGE_SOCKETS"`
	UploadDir    string        `help:"A directory from which clients may upload files by path; none without it." env:"CDPHUB_UPLOAD_DIR" placeholder:"DIR"`
	InsecureBind bool          `help:"Listen beyond loopback, where anybody who reaches the port may drive and be driven." env:"CDPHUB_INSECURE_BIND"`
	Drain        time.Duration `help:"How long commands in flight may take at the end." default:"10s" env:"CDPHUB_DRAIN"`

	limitFlags
	actionFlags
	sandboxFlags
}

func (c *serveCmd) Run(ctx context.Context, s streams) error {
	log, err := c.open(s.err)
	if err != nil {
		return err
	}
	srv, err := newServer(c.hubFlags, log.Logger)
	if err != nil {
		return err
	}
	srv.pool, err = c.pool(srv.hubs, srv.urls, log.Logger)
	if err == nil {
		srv.pageHosts = c.PageHost
		err = c.equip(srv, log)
	}
	if err != nil {
		srv.closeListeners()
		return err
	}
	return srv.run(ctx)
}

// server is one process's hubs behind its listeners.
type server struct {
	flags     hubFlags
	log       *zap.Logger
	hubs      *relay.Hubs
	rules     auth.Rules
	tokens    *auth.Tokens
	gate      *auth.Gate
	budget    *wsconn.Budget // of all connections; nil: none
	lot       *wsconn.Poller // where idle Clients wait; made by run
	listeners []listener
	metrics   *metrics
	closes    closelog.Ring // of connections, for operators
	pool      *pool         // of browsers; nil: there are none
	pageHosts bool          // pages may be Hosts beside them without a token
	sandboxes sandboxes
	bap       *bap.Server
	bapFrom   addresses // of its connections
	logins    addresses // of connections that have yet to show a token
	mcp       *mcp.Handler
	consents  *actions.Consents // for scripts of browser hooks
	urls      *urlpolicy.Policy
	names     *urlpolicy.Resolver // of hosts in URLs

	admin     *admin                          // nil unless asked for
	adminOnly func(http.Handler) http.Handler // lets those with an admin token pass; nil while there is none
	reloads   reloads

	clients, hosts *side
	draining       atomic.Bool   // takes no more connections
	ending         chan struct{} // closed then
}

// listener is one address and whom it serves.
type listener struct {
	net.Listener
	clients, hosts bool
}

// side is the connections of one kind of peer.
type side struct {
	ctx context.Context // ends with the reason to close them
	end context.CancelCauseFunc

	mu    sync.Mutex // guards ended, so that nothing joins conns once it is waited for
	ended bool
	conns sync.WaitGroup
}

func newSide() *side {
	ctx, end := context.WithCancelCause(context.Background())
	return &side{ctx: ctx, end: end}
}

// enter counts a connection in; the function it returns counts it out. One
// that comes too late is not waited for: it ends at once, since ctx has ended.
func (s *side) enter() (left func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return func() {}
	}
	s.conns.Add(1)
	return s.conns.Done
}

// close ends every connection and reports whether they were gone before ctx
// ended.
func (s *side) close(ctx context.Context, why wsconn.Reason) bool {
	s.end(why)
	return s.wait(ctx)
}

// wait lets no more connections in, and reports whether all were gone before
// ctx ended.
func (s *side) wait(ctx context.Context) bool {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		s.conns.Wait()
	}()
	select {
	case <-gone:
		return true
	case <-ctx.Done():
		return false
	}
}

// newServer opens the listeners: from then on connections queue.
func newServer(f hubFlags, log *zap.Logger) (*server, error) {
	upload, err := newUploads(f.UploadDir)
	if err != nil {
		return nil, err
	}
	urls, err := f.policy()
	if err != nil {
		return nil, err
	}
	consents, err := f.consents()
	if err != nil {
		return nil, err
	}
	tokens, gate, err := f.gate(log)
	if err != nil {
		return nil, err
	}
	if f.BaseDomain, err = readBaseDomain(f.BaseDomain); err != nil {
		return nil, err
	}
	s := &server{
		flags:   f,
		log:     log,
		metrics: newMetrics(),
		hubs:    relay.NewHubs(relay.Options{Log: log, Product: "cdphub/" + version(), Upload: upload, Limits: f.hubLimits(), Grace: time.Duration(f.HostGrace)}),
		rules:   auth.Rules{AllowedHosts: f.AllowedHost, ClientOrigins: f.ClientOrigin, HostOrigins: f.HostOrigin},
		tokens:  tokens,
		gate:    gate,
		budget:  f.budget(),
		ending:  make(chan struct{}),

		sandboxes: sandboxes{max: int(f.MaxSandboxes), idle: time.Duration(f.SandboxIdle)},
		bap:       bap.New(bap.Options{}),
		mcp:       mcp.NewHandler(log),
		consents:  consents,
		urls:      urls,
		names:     new(urlpolicy.Resolver),
	}
	if tokens.Covers(auth.RoleAdmin) {
		s.adminOnly = gate.Admin
	}
	s.clients, s.hosts = newSide(), newSide()
	if f.BaseDomain != "" {
		s.rules.AllowedHosts = append(s.rules.AllowedHosts, f.BaseDomain, "."+f.BaseDomain)
	}
	wanted := []struct {
		name, addr     string
		clients, hosts bool
	}{{"clients", f.ClientAddr, true, false}, {"hosts", f.HostAddr, false, true}}
	if f.ClientAddr == f.HostAddr {
		wanted[0].hosts, wanted = true, wanted[:1]
	}
	for _, w := range wanted {
		ln, err := s.listen(w.name, w.addr, f.InsecureBind || s.guarded(w.clients, w.hosts))
		if err != nil {
			s.closeListeners()
			return nil, err
		}
		s.listeners = append(s.listeners, listener{ln, w.clients, w.hosts})
	}
	return s, nil
}

// listen opens one address, and says what to do when it cannot.
func listen(addr string, insecure bool) (net.Listener, error) {
	if !insecure {
		if err := refuseExposed(addr); err != nil {
			return nil, err
		}
	}
	ln, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken by another program: stop it, or choose other ports with --client-addr, --host-addr and --app-addr", addr)
	}
	return ln, err
}

// refuseExposed refuses addresses that other machines can reach.
func refuseExposed(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listen address %q: %w", addr, err)
	}
	ip, err := netip.ParseAddr(host)
	if host == "localhost" || err == nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s can be reached from other machines, and whoever reaches it may drive every app behind it: "+
		"listen on 127.0.0.1, have tokens for all that is served there (--client-token, --host-token, --tokens, --jwt-key), or say --insecure-bind", addr)
}

// exposed reports whether other machines can reach a listener.
func exposed(at net.Addr) bool {
	tcp, ok := at.(*net.TCPAddr)
	return !ok || !tcp.IP.IsLoopback()
}

// run serves until ctx ends, then drains.
func (s *server) run(ctx context.Context) error {
	defer s.log.Sync() //nolint:errcheck // there is nowhere to tell
	s.lot = wsconn.NewPoller(0)
	defer s.lot.Close()
	defer s.watchTokens()()
	defer s.reloads.on(syscall.SIGHUP, s.log)()
	defer s.serveAdmin()()
	failed := make(chan error, len(s.listeners))
	var servers []*http.Server
	for _, ln := range s.listeners {
		hs := newHTTPServer(s.handler(ln.clients, ln.hosts, exposed(ln.Addr())), s.log)
		servers = append(servers, hs)
		s.log.Info("listening", zap.Stringer("addr", ln.Addr()), zap.Bool("clients", ln.clients), zap.Bool("hosts", ln.hosts))
		go func() { failed <- hs.Serve(ln.Listener) }()
	}
	notify(s.log, daemon.SdNotifyReady)
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	s.drain(servers)
	return err
}

// runWhile serves for as long as use takes, or lets use go on for as long as
// it serves.
func (s *server) runWhile(ctx context.Context, use func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() {
		defer stop()
		served <- s.run(ctx)
	}()
	err := use(ctx)
	stop()
	return errors.Join(err, <-served)
}

// closing is how long connections may take to close once they have to.
const closing = 1500 * time.Millisecond

// drain refuses whoever comes, closes each Client when its commands in flight
// are answered, or the time given is up, and then the Hosts, so that no Client
// sees its pages go.
func (s *server) drain(servers []*http.Server) {
	notify(s.log, daemon.SdNotifyStopping)
	s.log.Info("shutting down", zap.Duration("within", s.flags.Drain))
	s.draining.Store(true)
	close(s.ending)
	s.hubs.Drain()
	patience, cancel := context.WithTimeout(context.Background(), s.flags.Drain)
	s.clients.wait(patience)
	cancel()
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	s.mcp.Close()
	clients := s.clients.close(ctx, wsconn.ReasonShutdown)
	hosts := s.hosts.close(ctx, wsconn.ReasonShutdown)
	s.pool.close()
	if !clients || !hosts {
		s.log.Warn("some connections did not close in time")
	}
	s.closeListeners()
	for _, hs := range servers {
		if err := hs.Shutdown(ctx); err != nil {
			hs.Close()
		}
	}
}

func (s *server) closeListeners() {
	for _, ln := range s.listeners {
		ln.Close()
	}
}

// addr is where the listener for Clients, or for Hosts, is.
func (s *server) addr(hosts bool) string {
	for _, ln := range s.listeners {
		if hosts && ln.hosts || !hosts && ln.clients {
			return ln.Addr().String()
		}
	}
	return ""
}
