package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/internal/optionname"
	"github.com/cdphub/cdphub/internal/proxy"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// App is an app that the server shows with the Frame Agent in it, so that
// nobody has to edit it.
type App struct {
	URL string // of the app: http://localhost:3000/, localhost:3000, or a port of this machine
	// Also are origins of other sites that the app sends its users to, such as an identity
	// provider. Each is served at the host of Addr, at the first free port after it.
	Also             []string
	Addr             string // where it is served with the agent in it; its cookies and storage belong to this address
	KeepCSP          bool   // leave its Content Security Policies, but for frame-ancestors
	NoServiceWorkers bool   // let no service worker of the app run
	AnyCertificate   bool   // accept any certificate of its server
}

// app is an App that is served.
type app struct {
	net.Listener
	server   *http.Server
	also     []site
	upstream string
	page     string            // URL of the Host page that shows it
	origins  map[string]string // of the app, by those at which the proxy serves it
}

// appOrigins are the origins of Options.App, by those at which the proxy serves it.
func (s *Server) appOrigins() map[string]string {
	if s.app == nil {
		return nil
	}
	return s.app.origins
}

// site is an origin of App.Also.
type site struct {
	net.Listener
	server   *http.Server
	upstream *url.URL
}

// AppPage is the URL of the Host page that shows Options.App, and the address
// of the app itself; empty without one.
func (s *Server) AppPage() (page, upstream string) {
	if s.app == nil {
		return "", ""
	}
	return s.app.page, s.app.upstream
}

// pageAddress is where a person opens a Host page of a hub, as refusals name it:
// without its token, which is not for Clients to know. The default hub is the one
// that Options.App is shown for.
func (s *Server) pageAddress(hub string) string {
	if s.app != nil && hub == relay.DefaultHub {
		page, _, _ := strings.Cut(s.app.page, "#")
		return page + s.tokenPlace()
	}
	base := s.listenerURL(s.HostAddr())
	if s.publicURL != nil && (s.o.NoListeners || s.HostAddr() == s.ClientAddr()) {
		base = strings.TrimSuffix(s.o.PublicURL, "/")
	}
	if base == "" {
		return ""
	}
	hub, _ = relay.CutShare(hub) // the token of the page leads to the share
	return base + front.HubPrefix(hub) + "/shell?app=URL" + s.tokenPlace() + " (URL is your app's address)"
}

// tokenPlace shows in an address of a Host page where its token belongs.
func (s *Server) tokenPlace() string {
	if !s.tokens.Set() {
		return ""
	}
	return "#token=HOST_TOKEN"
}

// makeApp opens the listener of the app and puts the proxy in front of it. Pages of
// the app may not be Hosts, since the app may be anybody's: neither pages of the
// address of the proxy, nor those of the app's own address, which it can show in a
// frame.
func (s *Server) makeApp() error {
	o := s.o.App
	if o == nil {
		return nil
	}
	upstream, err := appAddress(o.URL)
	if err != nil {
		return err
	}
	// Browsers block addresses with a name and a password in frames, and people read those
	// of the Host page.
	user := upstream.User
	upstream.User = nil
	ln, err := s.listen(optionApp, o.Addr, nil, s.o.InsecureBind)
	if err != nil {
		return err
	}
	s.app = &app{Listener: s.limit(ln, false), upstream: upstream.String()}
	// Each request would make another one, without end.
	if s.isOwn(net.JoinHostPort(upstream.Hostname(), auth.PortOf(upstream))) {
		return fmt.Errorf("the app's address %s is one that cdphub itself listens on: give the address of the app's own server", upstream)
	}
	// The path and query of the app's URL stay, so that the Host page opens the page
	// that was named.
	at := *upstream
	// The listener of an app has no TLS, whatever Options.TLS says.
	at.Scheme, at.Host = "http", Reachable(ln.Addr().String())
	if err := s.listenAlso(o.Also, upstream); err != nil {
		return err
	}
	// The rules compare ports alone: localhost, 127.0.0.1 and [::1] can lead to the
	// same app.
	s.rules.AppPorts = []string{auth.PortOf(&at), auth.PortOf(upstream)}
	s.app.origins = map[string]string{originOf(&at): originOf(upstream)}
	for _, other := range s.app.also {
		s.rules.AppPorts = append(s.rules.AppPorts, other.port(), auth.PortOf(other.upstream))
		s.app.origins[other.originBeside(at)] = originOf(other.upstream)
	}
	hostPage := url.URL{Scheme: "http", Host: Reachable(s.HostAddr())}
	s.app.page = s.appPage(hostPage, at, upstream)
	for _, host := range s.o.HostOrigins {
		if u, err := url.Parse(host); err == nil && (proxy.SameOrigin(u, upstream) || proxy.SameOrigin(u, &at)) {
			return optionname.Errorf("{server.Options.HostOrigins} %s is the app's own address, and a page of the app cannot be a Host: leave it out", host)
		}
	}
	if err := s.serveApp(hostPage, at, upstream, user); err != nil {
		return err
	}
	// Cookies with SameSite=Lax, which is the default of Chromium, go only to frames
	// of the same site as the top page. "localhost" and "127.0.0.1" are two sites.
	if hostPage.Hostname() != at.Hostname() {
		s.log.Warn("the Host page and the app have different names, so that browsers withhold the app's cookies in the frame",
			zap.Stringer("page", &hostPage), zap.Stringer("app", &at))
	}
	return nil
}

// listenAlso opens a listener for each origin of App.Also: at the first port after that of
// the app that is free, so that it is the same each time.
func (s *Server) listenAlso(origins []string, app *url.URL) error {
	own, ok := s.app.Addr().(*net.TCPAddr)
	seen := []*url.URL{app}
	for _, text := range origins {
		u, err := appAddress(text)
		switch {
		case err != nil:
			return err
		case !ok, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", strings.Trim(u.Path, "/") != "", u.RawQuery != "":
			return fmt.Errorf("%s %q is not an origin: give scheme, host and port, such as https://login.example.com", optionname.Of(optionAlso), text)
		case slices.ContainsFunc(seen, func(other *url.URL) bool { return proxy.SameOrigin(u, other) }):
			return fmt.Errorf("%s %s is served already: leave it out", optionname.Of(optionAlso), text)
		case s.isOwn(net.JoinHostPort(u.Hostname(), auth.PortOf(u))):
			return fmt.Errorf("%s %s is an address that cdphub itself listens on: give the address of the site's own server", optionname.Of(optionAlso), text)
		}
		seen = append(seen, u)
		ln, err := s.listenAfter(own, len(s.app.also))
		if err != nil {
			return err
		}
		s.app.also = append(s.app.also, site{Listener: s.limit(ln, false), upstream: u})
	}
	return nil
}

// portsAfter is how many ports after that of the app are tried for a site.
const portsAfter = 20

// listenAfter opens a listener at a port after that of the app, which has one for n sites
// already. Where the app's port was chosen by the system, so is this one.
func (s *Server) listenAfter(app *net.TCPAddr, n int) (net.Listener, error) {
	at := func(port int) string { return net.JoinHostPort(app.IP.String(), strconv.Itoa(port)) }
	if _, port, err := net.SplitHostPort(s.o.App.Addr); err != nil || port == "0" {
		return s.listen(optionApp, at(0), nil, s.o.InsecureBind)
	}
	var last error
	for port := app.Port + 1 + n; port <= min(app.Port+portsAfter, 1<<16-1); port++ {
		ln, err := s.listen(optionApp, at(port), nil, s.o.InsecureBind)
		if err == nil {
			return ln, nil
		}
		last = err
	}
	return nil, fmt.Errorf("no port after that of the app is free for %s: set another %s: %w", optionname.Of(optionAlso), optionname.Of(optionApp), last)
}

func (o site) port() string {
	_, port, _ := net.SplitHostPort(o.Addr().String())
	return port
}

// originBeside is the origin at which the site is served beside an app that is served at an address.
func (o site) originBeside(app url.URL) string {
	app.Host = net.JoinHostPort(app.Hostname(), o.port())
	return originOf(&app)
}

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// serveApp makes the servers of the app and of the sites beside it.
func (s *Server) serveApp(hostPage, at url.URL, upstream *url.URL, user *url.Userinfo) error {
	sites := []proxy.Site{{Upstream: upstream, Port: auth.PortOf(&at)}}
	for _, other := range s.app.also {
		sites = append(sites, proxy.Site{Upstream: other.upstream, Port: other.port()})
	}
	serve := func(n int) (*http.Server, error) {
		own := user
		if n > 0 {
			own = nil // they are for the app
		}
		handler, err := proxy.New(proxy.Options{
			Upstream: sites[n].Upstream,
			User:     own,
			First:    upstream,
			Also:     slices.Delete(slices.Clone(sites), n, n+1),
			Hub:      s.handler(front.Audience{Hosts: true, Exposed: true}),
			// Only pages of the own listener and of Options.HostOrigins may frame and drive
			// the app.
			Parents:          append([]string{hostPage.String()}, s.o.HostOrigins...),
			KeepCSP:          s.o.App.KeepCSP,
			NoServiceWorkers: s.o.App.NoServiceWorkers,
			AnyCertificate:   s.o.App.AnyCertificate,
			Budget:           s.budget,
			Log:              s.log,
		})
		if err != nil {
			return nil, err
		}
		// The app is there to be shown, in every browser. Those of its paths that are the
		// hub's are behind the hub's own rules.
		open := s.rules
		open.Own = nil
		return httpserver.NewApp(s.locate(open.Guard(withoutHeaders(handler)), nil), s.o.rates.app, s.log.Named("app")), nil
	}
	var err error
	s.app.server, err = serve(0)
	for i := range s.app.also {
		if err == nil {
			s.app.also[i].server, err = serve(i + 1)
		}
	}
	return err
}

// appPage is the URL of the Host page that shows an app which is served at an
// address. Colons and slashes may stand in a query (RFC 3986, section 3.4),
// where people can read them.
func (s *Server) appPage(page, at url.URL, upstream *url.URL) string {
	page.Path = "/shell"
	readable := strings.NewReplacer("%3A", ":", "%2F", "/")
	escape := func(address string) string { return readable.Replace(url.QueryEscape(address)) }
	page.RawQuery = "app=" + escape(at.String()) + "&upstream=" + escape(originOf(upstream))
	for _, other := range s.app.also {
		page.RawQuery += "&also=" + escape(other.originBeside(at)) + "=" + escape(originOf(other.upstream))
	}
	page.Fragment = s.fragment()
	return page.String()
}

// withoutHeaders takes away the headers that Guard sets for the hub's own answers: an
// app has its own.
func withoutHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clear(w.Header())
		next.ServeHTTP(w, r)
	})
}

// appAddress reads an app's URL as people write it: without a scheme, or as a port.
// The bit size of 16 keeps numbers above 65535 from being a port.
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

// Reachable is the address of a listener as a program on this machine can connect to
// it. A listener on 0.0.0.0 or [::] is reached at 127.0.0.1: the unspecified address
// is no destination (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.2).
func Reachable(addr string) string {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().IsUnspecified() {
		return addr
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(int(at.Port())))
}
