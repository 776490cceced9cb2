package chrome

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/urlpolicy"
)

// The time limits of the proxy. A tunnel has none: a WebSocket may be silent for hours.
const (
	dialWithin   = 10 * time.Second // to one address
	headWithin   = time.Minute      // for a request to begin
	idleLifetime = 2 * time.Minute  // of a connection without a request
)

// egressProxy is a forward proxy through which one browser sends all its requests. It dials
// nothing but the addresses that a policy has judged. The names are resolved here, once: the
// address that was judged is the one that is dialled, so that a name cannot lead elsewhere in
// between (DNS rebinding).
//
// It speaks HTTP/1.1, with CONNECT for https and WebSockets. It asks for no password: Chromium can be given none for a proxy, and another
// program of this machine gets nothing here that it could not dial itself.
type egressProxy struct {
	policy *urlpolicy.Policy
	names  *urlpolicy.Resolver
	log    *zap.Logger

	listener net.Listener
	server   *http.Server
	forward  http.Handler

	mu      sync.Mutex // guards what is below
	closed  bool
	tunnels map[io.Closer]struct{} `held:"tunnels"`
	running sync.WaitGroup
}

// listenEgress starts an egressProxy on a port of loopback. Close ends it.
func listenEgress(policy *urlpolicy.Policy, names *urlpolicy.Resolver, log *zap.Logger) (*egressProxy, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the requests of the browser: %w", err)
	}
	p := &egressProxy{policy: policy, names: names, log: log.Named("egress"), listener: ln, tunnels: make(map[io.Closer]struct{})}
	p.forward = &httputil.ReverseProxy{
		Rewrite:       rewriteRequest,
		FlushInterval: -1, // event streams come as they are sent
		ErrorLog:      zap.NewStdLog(zap.NewNop()),
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, err error) {
			p.log.Debug("a request fails", zap.String("host", r.URL.Host), zap.Error(err))
			panic(http.ErrAbortHandler) // an answer of ours would look like the server's
		},
		// It has no Proxy, so that no variable of the environment counts. With
		// DisableCompression it neither asks for gzip nor unpacks it: the browser does
		// both. 6 is Chromium's own limit of connections to a host.
		Transport: &http.Transport{DialContext: p.dial, DisableCompression: true, IdleConnTimeout: idleLifetime, MaxIdleConnsPerHost: 6},
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: headWithin, IdleTimeout: idleLifetime, ErrorLog: zap.NewStdLog(zap.NewNop())}
	p.running.Go(func() { _ = p.server.Serve(ln) }) // which ends with Close
	return p, nil
}

// Addr is where it listens.
func (p *egressProxy) Addr() string { return p.listener.Addr().String() }

// NetAddr is Addr for programs.
func (p *egressProxy) NetAddr() net.Addr { return p.listener.Addr() }

// Close ends all connections and waits for that.
func (p *egressProxy) Close() {
	p.mu.Lock()
	p.closed = true
	for c := range p.tunnels {
		c.Close()
	}
	p.mu.Unlock()
	p.server.Close()
	p.running.Wait()
}

// ServeHTTP implements http.Handler. A request has its target in absolute form (RFC 9112,
// section 3.2.2), or is a CONNECT (section 3.2.3).
func (p *egressProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		p.connect(w, r)
	case r.URL.Scheme != "http" || r.URL.Host == "":
		http.Error(w, "This is the proxy of a browser: it accepts only requests for other hosts.", http.StatusBadRequest)
	default:
		p.forward.ServeHTTP(w, r)
	}
}

// rewriteRequest leaves a request unchanged, except for hop-by-hop headers (RFC 9110, section
// 7.6.1). ReverseProxy takes headers out that a client may well have set, and what it does
// not read of a query.
func rewriteRequest(r *httputil.ProxyRequest) {
	r.Out.URL.RawQuery = r.In.URL.RawQuery
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if v, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = v
		}
	}
}

// connect makes a tunnel. RFC 9110, section 9.3.6. What goes through the tunnel is not
// looked at. Chromium shows ERR_TUNNEL_CONNECTION_FAILED for every other answer than 200.
func (p *egressProxy) connect(w http.ResponseWriter, r *http.Request) {
	there, err := p.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		p.log.Debug("a connection fails", zap.String("host", r.Host), zap.Error(err))
		status := http.StatusBadGateway
		if _, refused := errors.AsType[*urlpolicy.Refusal](err); refused {
			status = http.StatusForbidden
		}
		w.WriteHeader(status)
		return
	}
	defer there.Close()
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	if !p.enter(here, there) {
		return
	}
	defer p.leave(here, there)
	// A 2xx answer to CONNECT has neither Content-Length nor Transfer-Encoding (RFC 9110,
	// section 9.3.6).
	if _, err := io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	// The bytes that the browser has sent behind its CONNECT are in buffered.
	var up sync.WaitGroup
	up.Go(func() {
		_, _ = io.Copy(there, buffered) // either end closes when it wants, and then the other is closed
		there.Close()
	})
	_, _ = io.Copy(here, there)
	here.Close()
	up.Wait()
}

// enter notes a tunnel, which Close ends. It reports false once the proxy is closed.
func (p *egressProxy) enter(ends ...io.Closer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	// Under the lock, so that Close, which sets closed under it, waits for this tunnel or
	// keeps it out.
	p.running.Add(1)
	for _, c := range ends {
		p.tunnels[c] = struct{}{}
	}
	return true
}

// leave forgets a tunnel that has ended.
func (p *egressProxy) leave(ends ...io.Closer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range ends {
		delete(p.tunnels, c)
	}
	p.running.Done()
}

var errItself = errors.New("that is this proxy")

// dial connects to a host, at the very addresses that have been judged.
func (p *egressProxy) dial(ctx context.Context, _, hostPort string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, err
	}
	// With an IP address as the host nothing is looked up, but it is judged all the same.
	to, why := p.policy.Resolve(ctx, p.names, host, uint16(n))
	if why != nil {
		return nil, why
	}
	// A request for the proxy itself would go round without end.
	own, _ := netip.ParseAddrPort(p.Addr())
	d := net.Dialer{Timeout: dialWithin}
	var conn net.Conn
	for _, a := range to.Addrs {
		at := netip.AddrPortFrom(a.Unmap(), to.Port)
		if at.Port() == own.Port() && (at.Addr().IsLoopback() || at.Addr().IsUnspecified()) {
			return nil, errItself
		}
		if conn, err = d.DialContext(ctx, "tcp", at.String()); err == nil {
			return conn, nil
		}
	}
	return nil, err
}
