package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/proxy"
)

// proxyCmd is `cdphub proxy URL`.
type proxyCmd struct {
	hubFlags
	logFlags
	proxyFlags
}

// proxyFlags are the options of an app behind the proxy.
type proxyFlags struct {
	URL          string `arg:"" help:"Address of the app, such as http://localhost:3000/; a number is a port of this machine."`
	AppAddr      string `help:"Serve the app with the agent in it here; its cookies and storage belong to this address." default:"127.0.0.1:9224" env:"CDPHUB_APP_ADDR"`
	CSP          string `help:"What to do with the app's Content Security Policies: relax lets the agent evaluate, keep leaves them but for frame-ancestors." name:"csp" enum:"relax,keep" default:"relax" env:"CDPHUB_CSP"`
	NoSW         bool   `help:"Serve no service workers, whose documents may come without the agent." name:"no-sw" env:"CDPHUB_NO_SW"`
	InsecureCert bool   `help:"Accept any certificate of the app's server." env:"CDPHUB_INSECURE_CERT"`
}

func (c *proxyCmd) Run(ctx context.Context, s streams) error {
	log, err := c.logger(s.err)
	if err != nil {
		return err
	}
	srv, app, err := c.start(c.hubFlags, log)
	if err != nil {
		return err
	}
	defer app.server.Close()
	return srv.runWhile(ctx, func(ctx context.Context) error {
		fmt.Fprintf(s.out, "Open this in a browser, and leave it open:\n\n  %s\n\n%s", app.page, app.howTo())
		<-ctx.Done()
		return nil
	})
}

// drivable is an app behind the proxy.
type drivable struct {
	upstream string
	page     string // URL of the Host page that shows it
	endpoint string // for Clients
	server   *http.Server
}

// start opens the listeners of a hub and puts the proxy in front of the app.
func (f proxyFlags) start(hub hubFlags, log *zap.Logger) (*server, drivable, error) {
	srv, err := newServer(hub, log)
	if err != nil {
		return nil, drivable{}, err
	}
	app, err := f.serve(srv)
	if err != nil {
		srv.closeListeners()
	}
	return srv, app, err
}

// serve serves the app. Its pages may not be Hosts, neither here nor at the
// address that they come from, which they can frame: it may be anybody's.
func (f proxyFlags) serve(srv *server) (drivable, error) {
	upstream, err := appAddress(f.URL)
	if err != nil {
		return drivable{}, err
	}
	hostPage := url.URL{Scheme: "http", Host: reachable(srv.addr(true))}
	handler, err := proxy.New(proxy.Options{
		Upstream:         upstream,
		Hub:              srv.handler(false, true, true),
		Parents:          append([]string{hostPage.String()}, srv.flags.HostOrigin...),
		KeepCSP:          f.CSP == "keep",
		NoServiceWorkers: f.NoSW,
		AnyCertificate:   f.InsecureCert,
		Budget:           srv.budget,
		Log:              srv.log,
	})
	if err != nil {
		return drivable{}, err
	}
	ln, err := listen(f.AppAddr, srv.flags.InsecureBind)
	if err != nil {
		return drivable{}, err
	}
	at := *upstream
	at.Scheme, at.Host = "http", reachable(ln.Addr().String())
	srv.rules.AppPorts = append(srv.rules.AppPorts, auth.PortOf(&at), auth.PortOf(upstream))
	hs := newAppServer(srv.rules.Guard(unset(handler)), srv.log.Named("app"))
	go hs.Serve(srv.bound(ln)) //nolint:errcheck // ends with Close
	if hostPage.Hostname() != at.Hostname() {
		srv.log.Warn("the Host page and the app have different names, so that browsers withhold the app's cookies in the frame",
			zap.Stringer("page", &hostPage), zap.Stringer("app", &at))
	}
	// Colons and slashes may stand in a query, where they can be read.
	hostPage.Path = "/shell"
	readable := strings.NewReplacer("%3A", ":", "%2F", "/")
	hostPage.RawQuery = "app=" + readable.Replace(url.QueryEscape(at.String())) +
		"&upstream=" + readable.Replace(url.QueryEscape(upstream.Scheme+"://"+upstream.Host))
	hostPage.Fragment = srv.fragment()
	return drivable{upstream.String(), hostPage.String(), reachable(srv.addr(false)), hs}, nil
}

// unset takes away the headers that Guard sets: an app has its own.
func unset(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clear(w.Header())
		next.ServeHTTP(w, r)
	})
}

// appAddress reads an app's URL as people write it: without a scheme, or as a
// port.
func appAddress(text string) (*url.URL, error) {
	if _, err := strconv.ParseUint(text, 10, 16); err == nil {
		text = "localhost:" + text
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the app's address: %w", err)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}

// reachable is an address that a program on this machine can connect to.
func reachable(addr string) string {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().IsUnspecified() {
		return addr
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(int(at.Port())))
}

// howTo says how to drive the app.
func (d drivable) howTo() string {
	_, port, err := net.SplitHostPort(d.endpoint)
	if err != nil {
		port = d.endpoint
	}
	return fmt.Sprintf("Clients find %s at http://%s, for example:\n\n"+
		"  agent-browser --cdp %s snapshot -i\n"+
		"  curl http://%s/json/list\n\nCtrl+C ends it.\n", d.upstream, d.endpoint, port, d.endpoint)
}
