// Package auth decides who may talk to a hub: by the Host header and the origin that
// a request comes from (Rules), and by its token (Gate).
//
//	tokens, err := auth.NewTokens(auth.TokenOptions{File: "tokens.yaml"})
//	go tokens.Watch(ctx, reload)
//	gate := auth.NewGate(tokens, auth.GateOptions{})
//	handler := rules.Guard(rules.Clients(gate.Require(ask, next)))
//	pass := auth.PassOf(r) // in next: what the token allows
package auth

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Rules says what is allowed beyond the defaults, which its zero value
// stands for.
type Rules struct {
	// AllowedHosts are further names that a Host header may carry, without a
	// port. One that begins with a dot stands for all names below it.
	AllowedHosts []string
	// ClientOrigins are the origins whose pages may act as Clients, such as
	// "https://app.example". Without any, no page may.
	ClientOrigins []string
	// HostOrigins are the origins beyond loopback whose pages may be Hosts.
	// "null" stands for sandboxed and data: documents.
	HostOrigins []string
	// AppPorts are ports of this machine whose pages may not be Hosts, under
	// whatever name: those of apps, which are there to be driven.
	AppPorts []string
	// Own reports whether a browser that this process has started sends a request.
	// None may: its pages are those of others. nil: there is none.
	Own func(*http.Request) bool
}

// ForeignHost refuses a Host header. The first sentence is Chromium 156's, which has status 500. The
// text does not repeat the header.
const ForeignHost = "Host header is specified and is not an IP address or localhost. " +
	"If it is a name of this hub, allow it with --allowed-host=NAME: the host of the address that was asked, without the port."

// Guard wraps every path of a listener: it refuses Host headers that no local
// client sends, which is what tells a rebound DNS name from a local request,
// and sets the headers that each answer carries. A handler behind it may
// overwrite them. The headers: no page may frame an answer (CSP Level 3, frame-ancestors),
// guess its type, keep it, or load it from another origin (Fetch standard,
// Cross-Origin-Resource-Policy).
func (r Rules) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !r.AllowHost(req.Host) {
			Refuse(w, ForeignHost)
			return
		}
		if r.Own != nil && r.Own(req) {
			Refuse(w, "Rejected a request of a browser that cdphub has started: its pages reach no listener of cdphub. Open this address in a browser of yours.")
			return
		}
		next.ServeHTTP(w, req)
	})
}

// Clients wraps the paths that Clients use, WebSocket and plain HTTP. It answers 403 to
// others.
func (r Rules) Clients(next http.Handler) http.Handler { return refuseUnless(r.RefuseClient, next) }

// refuseUnless refuses requests, or passes them to next.
func refuseUnless(refuse func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if why := refuse(req); why != "" {
			Refuse(w, why)
			return
		}
		next.ServeHTTP(w, req)
	})
}

// Refuse answers a request that the rules refuse. The connection ends with the answer.
func Refuse(w http.ResponseWriter, why string) {
	h := w.Header()
	h.Set("Connection", "close")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	io.WriteString(w, why) //nolint:errcheck // a peer that is gone
}

// RefuseClient returns why a request to a path for Clients is refused, or "".
// Clients are programs, which send no Origin, or that of the address that they connect to
// (Python's websocket-client), as Chromium 156 lets it in; browsers always send one with a
// WebSocket handshake. Node's own WebSocket sends Sec-Fetch-Mode, so that header alone means
// nothing.
func (r Rules) RefuseClient(req *http.Request) string {
	own := func(origin string) bool { return sameOrigin(origin, req) && (!IsWebSocket(req) || !isBrowser(req)) }
	return refuseOrigin(req, "client-origin", r.ClientOrigins, own)
}

// RefuseOther is RefuseClient for a path whose WebSocket is for pages of its own
// origin, too: what they bring besides shows that they may.
func (r Rules) RefuseOther(req *http.Request) string {
	return refuseOrigin(req, "client-origin", r.ClientOrigins, func(origin string) bool { return sameOrigin(origin, req) })
}

// isBrowser reports whether a WebSocket handshake is one of a page. Every browser begins its User-Agent
// like this, and no page can change that of a handshake (Fetch standard: a WebSocket has no headers of
// the page's own).
func isBrowser(req *http.Request) bool {
	return strings.HasPrefix(req.Header.Get("User-Agent"), "Mozilla/")
}

// RefuseForeign returns why a request to what is for pages of its own origin alone,
// and for programs, is refused, or "".
func (r Rules) RefuseForeign(req *http.Request) string {
	if refuseOrigin(req, "", nil, func(origin string) bool { return sameOrigin(origin, req) }) == "" {
		return ""
	}
	why := "Rejected a request from a page of another origin: open the dashboard at the address of the hub itself."
	if origin := req.Header.Get("Origin"); origin != "" {
		why += " The page is at " + cutOrigin(origin) + ", and the hub takes " + OwnAddressOf(req).Origin() + " for its own address: behind a reverse proxy, set --public-url."
	}
	return why
}

// RefuseHost returns why a request to the path for Hosts is refused, or "".
// Pages on loopback may be Hosts, and programs, which send no Origin.
func (r Rules) RefuseHost(req *http.Request) string {
	why := refuseOrigin(req, "host-origin", r.HostOrigins, func(origin string) bool {
		return isLoopback(origin) && !slices.Contains(r.AppPorts, portOf(origin))
	})
	if origin := req.Header.Get("Origin"); why != "" && isLoopback(origin) && slices.Contains(r.AppPorts, portOf(origin)) {
		why = "Rejected " + origin + " as a Host: this port serves the app, which Clients drive and which must not be a Host. " +
			"Serve the Host page at another port, or allow its origin with --host-origin=" + cutOrigin(origin) + " if the app is to be trusted."
	}
	return why
}

// ExtensionOrigin is the origin of the browser extension, whose id follows from the key in its manifest. Browsers give it
// to no page of the web (RFC 6454: an origin has the scheme of its page).
const ExtensionOrigin = "chrome-extension://ajbndccgghnbniahaehckbfjmehjlnml"

// RefuseExtension returns why a request to the path for the browser extension is refused, or "". Other extensions must be
// among HostOrigins, and no page is one, on loopback neither. Programs send no Origin.
func (r Rules) RefuseExtension(req *http.Request) string {
	listed := slices.DeleteFunc(slices.Clone(r.HostOrigins), func(o string) bool { return !strings.HasPrefix(o, "chrome-extension://") })
	return refuseOrigin(req, "host-origin", listed, func(origin string) bool { return origin == ExtensionOrigin })
}

// IsWebSocket reports whether a request asks for a WebSocket.
func IsWebSocket(req *http.Request) bool {
	return slices.ContainsFunc(req.Header.Values("Upgrade"), func(v string) bool {
		return strings.Contains(strings.ToLower(v), "websocket")
	})
}

// refuseOrigin judges where a request comes from: an Origin that is listed or good by
// itself passes, and none, unless the browser says that a page of another origin asks.
// Sec-Fetch-Site is from Fetch Metadata: browsers send it, and scripts of a page cannot set
// it. Browsers send an Origin with each WebSocket handshake (RFC 6455, section 4.1) and, by
// the Fetch standard, with each request of another method than GET and HEAD. More than one
// Origin is no browser's.
func refuseOrigin(req *http.Request, option string, listed []string, good func(string) bool) string {
	origins := req.Header["Origin"]
	// A page can send a GET without an Origin, as for an image or a script of another site.
	if len(origins) == 0 {
		if site := req.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
			return "Rejected a request from a page of another site."
		}
		return ""
	}
	origin := origins[0]
	if len(origins) == 1 && (good(origin) || origin != "" && slices.ContainsFunc(listed, func(o string) bool {
		return strings.EqualFold(strings.TrimSuffix(o, "/"), origin)
	})) {
		return ""
	}
	origin = cutOrigin(origin)
	kind := "a request"
	if IsWebSocket(req) {
		kind = "an incoming WebSocket connection"
	}
	return "Rejected " + kind + " from the " + origin + " origin. Use the option --" + option + "=" + origin +
		" to allow connections from this origin."
}

// cutOrigin is an origin as an answer may name it.
func cutOrigin(origin string) string {
	const longest = 256
	return origin[:min(len(origin), longest)]
}

// sameOrigin reports whether an origin is that of the request's own URL. Browsers leave the
// port of the scheme out of it, programs may not.
func sameOrigin(origin string, req *http.Request) bool {
	scheme, host, _ := strings.Cut(origin, "://")
	named := OwnAddress{Secure: strings.EqualFold(scheme, "https"), Host: host}.withoutPort()
	return strings.EqualFold(scheme+"://"+named.Host, OwnAddressOf(req).Origin())
}

// portOf is the port of an origin, which leaves out that of its scheme.
func portOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	return PortOf(u)
}

// PortOf is the port that an address leads to: that of its scheme where it
// names none.
func PortOf(u *url.URL) string {
	switch port := strings.TrimLeft(u.Port(), "0"); {
	case port != "":
		return port
	case u.Scheme == "https" || u.Scheme == "wss":
		return "443"
	}
	return "80"
}

// isLoopback reports whether an origin is a web server on this machine.
func isLoopback(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Path != "" {
		return false
	}
	host, ok := HostName(u.Host)
	if !ok {
		return false
	}
	if ip, is := parseIP(host); is {
		return ip.IsLoopback()
	}
	return isLocalhost(host)
}
