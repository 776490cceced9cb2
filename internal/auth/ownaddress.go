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
// and what counts as the server's own origin, come from here.
type OwnAddress struct {
	Secure bool   // by https and wss
	Host   string // as the client names it, with the port unless it is that of the scheme
	Prefix string // of a reverse proxy, before all paths of the server: "" or "/path"
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
// WithOwnAddress it is what the request itself says.
func OwnAddressOf(r *http.Request) OwnAddress {
	if a, found := r.Context().Value(ownAddressKey{}).(OwnAddress); found {
		return a
	}
	a := OwnAddress{Secure: r.TLS != nil, Host: r.Host}
	if a.Host == "" { // HTTP/1.0, or an empty header
		if local, is := r.Context().Value(http.LocalAddrContextKey).(net.Addr); is {
			a.Host = local.String()
		}
	}
	return a
}

// FindOwnAddress is where a client reaches the server, behind a reverse proxy too. A trusted
// proxy says by X-Forwarded-Proto how it was asked. public is the address of the server for
// people, or nil. It counts for requests that name its host, and for those that a trusted proxy
// relays under an address of this machine. X-Forwarded-Host does not count: most proxies pass on
// what a client has written there.
func (g *Gate) FindOwnAddress(r *http.Request, public *url.URL) OwnAddress {
	a := OwnAddressOf(r)
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	relayed := err == nil && g.Trusts(peer.Addr()) && (r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("X-Forwarded-Proto") != "")
	if relayed {
		scheme, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
		switch strings.ToLower(strings.TrimSpace(scheme)) {
		case "https", "wss":
			a.Secure = true
		case "http", "ws":
			a.Secure = false
		}
	}
	if public == nil || public.Host == "" {
		return a
	}
	host, _ := HostName(a.Host)
	_, isIP := parseIP(host)
	if namesHost(a.Host, public) || relayed && (isIP || isLocalhost(host)) {
		return OwnAddress{public.Scheme == "https", public.Host, strings.TrimSuffix(public.EscapedPath(), "/")}
	}
	return a
}

// namesHost reports whether a Host header is that of an address.
func namesHost(header string, u *url.URL) bool {
	at := &url.URL{Scheme: u.Scheme, Host: header}
	host, ok := HostName(header)
	return ok && strings.Trim(host, "[]") == strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") && PortOf(at) == PortOf(u)
}
