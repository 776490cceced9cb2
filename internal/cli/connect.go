package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/internal/link"
	"github.com/cdphub/cdphub/internal/plain"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server"
)

// connectCmd is `cdphub connect`: a listener whose connections a hub far away serves,
// over links that may be lost and come back.
type connectCmd struct {
	URL          string `arg:"" name:"hub" help:"Address of the hub, such as wss://hub.example, or wss://hub.example/hub/NAME for the hub NAME."`
	Listen       string `help:"Address to listen on. Beyond loopback each request must have its own token for the hub, unless --insecure-bind is set." default:"127.0.0.1:9222" env:"CDPHUB_LISTEN"`
	Token        string `help:"Token for the hub, of role client." placeholder:"TOKEN" env:"CDPHUB_TOKEN"`
	InsecureBind bool   `help:"Let everybody who can reach --listen use --token, also beyond loopback." env:"CDPHUB_INSECURE_BIND"`

	logFlags
}

// The times of cdphub connect.
const (
	firstWithin = 10 * time.Second // for the first link, before the command gives up
	nextWithin  = time.Minute      // for the link of a connection
	lingering   = 10 * time.Second // for a program to close, when the hub has
	leaving     = 2 * time.Second  // for the last bytes, at the end
)

// Run carries connections until ctx ends.
func (c *connectCmd) Run(ctx context.Context, s streams) error {
	log, err := c.open(s.err)
	if err != nil {
		return err
	}
	f := &forwarder{log: log.Logger, pipes: make(map[*link.Pipe]struct{})}
	if f.dialer, err = c.dialer(); err != nil {
		return err
	}
	if _, _, err := splitAddress("--listen", c.Listen); err != nil {
		return err
	}
	ln, err := net.Listen("tcp", c.Listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is taken by another program: stop it, or choose another address with --listen", c.Listen)
	}
	if err != nil {
		return err
	}
	defer ln.Close()
	ln = httpserver.Listen(ln, httpserver.ListenerOptions{Connections: httpserver.Connections(0), Log: log.Logger})
	if err := f.try(ctx); err != nil {
		return unlessEnded(ctx, c.explain(err))
	}
	log.Info("linked", zap.Stringer("addr", ln.Addr()), zap.String("hub", c.place()))
	if plain.IsTerminal(s.out) {
		c.welcome(ln.Addr().String(), s.out)
	}
	return f.serve(ctx, ln)
}

// dialer is how to reach the hub: through the proxies of the environment, and with
// the system's certificate authorities. A listener beyond loopback gets a link
// without the token, unless --insecure-bind is set.
func (c *connectCmd) dialer() (d link.Dialer, err error) {
	u, err := url.Parse(c.URL)
	schemes := map[string]string{"http": "ws", "ws": "ws", "https": "wss", "wss": "wss"}
	if err != nil || u.Host == "" || schemes[u.Scheme] == "" {
		return d, fmt.Errorf("%q is not the address of a hub: use one such as wss://hub.example or ws://127.0.0.1:9222/hub/NAME", c.URL)
	}
	if u.RawQuery != "" || u.User != nil {
		return d, errors.New("the address of the hub has a query or a password: leave it out, and give the token with --token or CDPHUB_TOKEN")
	}
	path, _, _ := strings.Cut(u.Path, "/devtools/browser") // the address of a hub for other programs
	to := url.URL{Scheme: schemes[u.Scheme], Host: u.Host, Path: strings.TrimSuffix(path, "/") + "/link"}
	if !isLoopback(c.Listen) && !c.InsecureBind {
		to.RawQuery = "pass=none"
	}
	d = link.Dialer{URL: to.String(), Header: http.Header{}, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment}}
	if c.Token != "" {
		d.Header.Set("Authorization", "Bearer "+c.Token)
	}
	return d, nil
}

// isLoopback reports whether only programs of this machine reach an address.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip, wrong := netip.ParseAddr(host)
	return err == nil && (host == "localhost" || wrong == nil && ip.IsLoopback())
}

// place is the address of the hub without what may be secret.
func (c *connectCmd) place() string {
	u, err := url.Parse(c.URL)
	if err != nil {
		return ""
	}
	return withoutQuery(u)
}

// explain says what a failure to connect means, and what to do.
func (c *connectCmd) explain(err error) error {
	status, is := errors.AsType[wsconn.StatusError](err)
	switch {
	case !is:
		return fmt.Errorf("cannot open a link to the hub at %s: check the address, and that a hub runs there (%w)", c.place(), err)
	case status == http.StatusUnauthorized:
		return fmt.Errorf("the hub at %s refuses the token: set the right one with --token or CDPHUB_TOKEN (%w)", c.place(), err)
	case status == http.StatusForbidden && !isLoopback(c.Listen):
		return fmt.Errorf("%s can be reached from other machines, and the hub at %s needs no token, so that everybody who reaches this address could use it: listen on 127.0.0.1, or set --insecure-bind (%w)", c.Listen, c.place(), err)
	case status == http.StatusForbidden && strings.Contains(err.Error(), "Host header"):
		return fmt.Errorf("the hub at %s does not know that name: start it with --allowed-host (%w)", c.place(), err)
	case status == http.StatusOK:
		return fmt.Errorf("the server at %s is not a hub: give the address of a hub, at which it listens for Clients", c.place())
	case status == http.StatusNotFound:
		return fmt.Errorf("the server at %s does not have links: it is not a hub, has no hub of that name, or is older than this program (%w)", c.place(), err)
	}
	return fmt.Errorf("the hub at %s refuses links: %w", c.place(), err)
}

// welcome says where to connect to, and what to do next.
func (c *connectCmd) welcome(addr string, out io.Writer) {
	at := server.Reachable(addr)
	_, port, err := net.SplitHostPort(at)
	if err != nil {
		port = at
	}
	fmt.Fprintf(out, "\nThe hub at %s is reachable here:\n\n  Clients     http://%s\n\nTry it:\n\n  agent-browser --cdp %s snapshot -i\n  curl http://%s/json/list\n\nCtrl+C ends it.\n\n", c.place(), at, port, at)
}

// forwarder carries connections over links, one link for each connection.
type forwarder struct {
	dialer link.Dialer
	log    *zap.Logger

	mu    sync.Mutex              // guards everything below
	lost  int                     `held:"lost links"`
	since time.Time               // when the first of them was lost
	pipes map[*link.Pipe]struct{} `held:"links"`
}

// try makes a link and ends it, to see whether the hub accepts links with this token.
func (f *forwarder) try(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, firstWithin, errors.New("the hub does not answer"))
	defer cancel()
	p, err := f.dialer.Dial(ctx)
	if err == nil {
		p.End(net.ErrClosed, wsconn.ReasonNormal)
	}
	return err
}

// serve carries connections until ctx ends. Then it ends the links, and waits at most
// the time leaving for their last bytes.
func (f *forwarder) serve(ctx context.Context, ln net.Listener) error {
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	var all sync.WaitGroup
	for {
		nc, err := ln.Accept()
		if ctx.Err() != nil {
			f.end()
			waitFor(&all, leaving)
			return nil
		}
		if err != nil {
			return err
		}
		all.Go(func() { f.carry(ctx, nc) })
	}
}

// end ends all links.
func (f *forwarder) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for p := range f.pipes {
		p.End(net.ErrClosed, wsconn.ReasonNormal)
	}
}

// waitFor waits for a group, but not longer than a time. Its goroutine stays until
// the group is done.
func waitFor(all *sync.WaitGroup, longest time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		all.Wait()
	}()
	select {
	case <-done:
	case <-time.After(longest):
	}
}

// carry serves one connection. It copies bytes in both directions until both have
// ended.
func (f *forwarder) carry(ctx context.Context, nc net.Conn) {
	defer nc.Close()
	within, cancel := context.WithTimeoutCause(ctx, nextWithin, errors.New("the hub cannot be reached"))
	defer cancel()
	d := f.dialer
	var state watched
	d.Changed = func(lost error) { f.changed(&state, lost) }
	defer f.forget(&state)
	p, err := d.Dial(within)
	if err != nil {
		f.log.Warn("a connection could not be carried", zap.Error(err))
		refuseConn(nc, err)
		return
	}
	defer p.Close() //nolint:errcheck // it never fails
	f.keep(p, true)
	defer f.keep(p, false)
	// Each direction ends alone: a program may close its half first, as TCP allows.
	up := make(chan struct{})
	go func() {
		defer close(up)
		if _, err := io.Copy(p, nc); err == nil {
			p.CloseWrite() //nolint:errcheck // it never fails
		} else {
			p.Close() //nolint:errcheck // it never fails
		}
	}()
	if _, err = io.Copy(nc, p); err == nil {
		if half, ok := nc.(interface{ CloseWrite() error }); ok {
			half.CloseWrite() //nolint:errcheck // a program that is gone
		}
		// The hub has closed its half. The program has this time to close its own.
		nc.SetReadDeadline(time.Now().Add(lingering))
	} else {
		nc.Close()
	}
	<-up
}

func (f *forwarder) keep(p *link.Pipe, on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if on {
		f.pipes[p] = struct{}{}
	} else {
		delete(f.pipes, p)
	}
}

// watched is what is known of one link.
type watched struct{ lost bool }

// changed logs when the first link is lost, and when all are back: one line for an
// outage, however many links there are.
func (f *forwarder) changed(of *watched, lost error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case of.lost == (lost != nil):
		return
	case lost != nil:
		of.lost = true
		if f.lost++; f.lost == 1 {
			f.since = time.Now()
			f.log.Warn("the link is lost: connecting again", zap.Error(lost))
		}
		return
	}
	of.lost = false
	if f.lost--; f.lost == 0 {
		f.log.Info("the link is back", zap.Duration("after", time.Since(f.since).Round(time.Millisecond)))
	}
}

// forget takes a link that has ended out of the count.
func (f *forwarder) forget(of *watched) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if of.lost {
		of.lost = false
		f.lost--
		f.log.Warn("a connection has ended, since its link did not come back", zap.Duration("after", time.Since(f.since).Round(time.Millisecond)))
	}
}

// refuseConn answers a connection that cannot be carried with the status of the hub,
// or with 502 as a gateway does (RFC 9110, section 15.6.3).
func refuseConn(nc net.Conn, why error) {
	status := http.StatusBadGateway
	if refused, is := errors.AsType[wsconn.StatusError](why); is {
		status = cmp.Or(int(refused), status)
	}
	text := "cdphub connect has no link to the hub: " + why.Error() + "."
	nc.SetDeadline(time.Now().Add(time.Second))
	io.WriteString(nc, "HTTP/1.1 "+fmt.Sprint(status)+" "+http.StatusText(status)+"\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n"+ //nolint:errcheck // a program that is gone
		"Content-Length: "+fmt.Sprint(len(text))+"\r\n\r\n"+text)
}
