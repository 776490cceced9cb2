package auth

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// OwnAddress is where the client of a request reaches this server. All addresses in answers,
// and what counts as the server's own origin, come from here: nothing else asks a request for
// its host, or whether it came by TLS (internal/archtest).
type OwnAddress struct {
	Secure bool   `json:"secure,omitempty"` // by https and wss
	Host   string `json:"host"`             // as the client names it, with the port unless it is that of the scheme
	Prefix string `json:"prefix,omitempty"` // before all paths of the server, of a reverse proxy or of the program around it: "" or "/path"
}

// OwnAddressAt is the address of a server that people reach at a URL.
func OwnAddressAt(public *url.URL) OwnAddress {
	return OwnAddress{public.Scheme == "https", public.Host, strings.TrimSuffix(public.EscapedPath(), "/")}
}

// HTTP is the base of addresses of the server: "https://hub.example".
func (a OwnAddress) HTTP() string { return a.Origin() + a.Prefix }

// WebSocket is the base of addresses of its WebSockets: "wss://hub.example".
func (a OwnAddress) WebSocket() string { return "ws" + strings.TrimPrefix(a.HTTP(), "http") }

// Origin is the origin of the server's pages (RFC 6454, section 6.2).
func (a OwnAddress) Origin() string {
	if a.Secure {
		return "https://" + a.Host
	}
	return "http://" + a.Host
}

type ownAddressKey struct{}

// WithOwnAddress is a request with the address that FindOwnAddress has found.
func WithOwnAddress(r *http.Request, a OwnAddress) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), ownAddressKey{}, a))
}

// OwnAddressOf is the address at which the client of a request reaches the server. Without
// WithOwnAddress it is AskedAddress.
func OwnAddressOf(r *http.Request) OwnAddress {
	if a, found := r.Context().Value(ownAddressKey{}).(OwnAddress); found {
		return a
	}
	return AskedAddress(r)
}

// AskedAddress is what the connection and the request itself say of OwnAddressOf, whoever sends
// it. A program around the server may have cut a prefix off the path (http.StripPrefix).
func AskedAddress(r *http.Request) OwnAddress { return askedAddress(r).withoutPort() }

// askedAddress is AskedAddress with the port that the client has named.
func askedAddress(r *http.Request) OwnAddress {
	a := OwnAddress{Secure: r.TLS != nil, Host: r.Host}
	if a.Host == "" { // HTTP/1.0, or an empty header
		if local, is := r.Context().Value(http.LocalAddrContextKey).(net.Addr); is {
			a.Host = local.String()
		}
	}
	if asked, err := url.ParseRequestURI(r.RequestURI); err == nil { // it is "" for what no server has read
		if prefix, cut := strings.CutSuffix(asked.EscapedPath(), r.URL.EscapedPath()); cut {
			a.Prefix = cleanPrefix(prefix)
		}
	}
	return a
}

// FindOwnAddress is where a client reaches the server, behind a reverse proxy too. A trusted
// proxy says how it was asked, see relayed. public is the address of the server for people, or
// nil. It counts for requests that name its host, and for those that a trusted proxy relays under
// an address of this machine. Some proxies leave out the port that a client names.
func (g *Gate) FindOwnAddress(r *http.Request, rules Rules, public *url.URL) OwnAddress {
	a := askedAddress(r)
	said, relayed := g.relayed(r)
	switch said.scheme {
	case "https", "wss":
		a.Secure = true
	case "http", "ws":
		a.Secure = false
	}
	if name, ok := HostName(said.host); ok && (rules.lists(name) || namesHost(said.host, public)) {
		a.Host = said.host
	}
	a.Prefix = said.prefix + a.Prefix
	host, _ := HostName(a.Host)
	_, isIP := parseIP(host)
	if public != nil && public.Host != "" && (namesHost(a.Host, public) || relayed && (isIP || isLocalhost(host))) {
		a = OwnAddressAt(public)
	}
	return a.withoutPort()
}

// withoutPort leaves out the port of the scheme, as browsers do in an origin.
func (a OwnAddress) withoutPort() OwnAddress {
	port := ":80"
	if a.Secure {
		port = ":443"
	}
	a.Host = strings.TrimSuffix(a.Host, port)
	return a
}

// namesHost reports whether a Host header names the host of an address, and its port if the header has one.
func namesHost(header string, u *url.URL) bool {
	if u == nil {
		return false
	}
	at := &url.URL{Scheme: u.Scheme, Host: header}
	host, ok := HostName(header)
	return ok && strings.Trim(host, "[]") == strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") && (at.Port() == "" || PortOf(at) == PortOf(u))
}

// relay is what a trusted proxy says of the request that it relays; "" is what it leaves out.
type relay struct{ scheme, host, prefix string }

// relayHeaders say for whom, and how, a proxy relays: X-Forwarded-… as most proxies write them,
// and Forwarded (RFC 7239).
var relayHeaders = []string{"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Prefix", "Forwarded"}

// DropRelayed takes out what a proxy would say, of requests that none can have sent.
func DropRelayed(h http.Header) {
	for _, name := range relayHeaders {
		h.Del(name)
	}
}

// relayed is what a trusted proxy says, and whether one relays the request. It ignores the headers of
// all other peers. Some proxies pass on what a client has written there: the host counts only where it is
// a name of this hub (FindOwnAddress), so that no page of another origin becomes one of the hub's
// own, and the rest changes no more than the answer to that client. The first of a list is
// what the client has asked for. Prefixes are those of several proxies, from the outside in.
func (g *Gate) relayed(r *http.Request) (said relay, is bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !g.Trusts(peer.Addr()) {
		return said, false
	}
	for _, name := range relayHeaders {
		is = is || r.Header.Get(name) != ""
	}
	first := func(text string) string {
		text, _, _ = strings.Cut(text, ",")
		return strings.TrimSpace(text)
	}
	said = relay{scheme: first(r.Header.Get("X-Forwarded-Proto")), host: first(r.Header.Get("X-Forwarded-Host"))}
	for pair := range strings.SplitSeq(first(r.Header.Get("Forwarded")), ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		switch value = strings.Trim(value, `"`); {
		case strings.EqualFold(key, "proto") && said.scheme == "":
			said.scheme = value
		case strings.EqualFold(key, "host") && said.host == "":
			said.host = value
		}
	}
	said.scheme = strings.ToLower(said.scheme)
	for prefix := range strings.SplitSeq(strings.Join(r.Header.Values("X-Forwarded-Prefix"), ","), ",") {
		said.prefix += cleanPrefix(strings.TrimSpace(prefix))
	}
	return said, is
}

// cleanPrefix is a path as it may stand before those of the server, without a slash at its end:
// "" for what could lead elsewhere, such as "//evil.example", or end an attribute or a header.
func cleanPrefix(path string) string {
	path = strings.TrimRight(path, "/")
	const good = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&()*+=:@/"
	if !strings.HasPrefix(path, "/") || strings.Trim(path, good) != "" {
		return ""
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		if segment == "" || segment == "." || segment == ".." {
			return ""
		}
	}
	return path
}
