package proxy

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Site is another origin that is served beside the app, such as that of an identity
// provider. Each has a port of its own at the host of the app, so that its documents
// have an origin of their own: storage is apart, and requests name the right Origin.
type Site struct {
	Upstream *url.URL
	Port     string // where it is served
}

// move is an origin as the browser sees it, and as its server does.
type move struct{ own, upstream origin }

// moves are those of an exchange: of the site that is asked first, then of the others.
type moves []move

// movesFor are the moves of a request that a browser has sent to one of the names of
// the proxy.
func (p *handler) movesFor(own origin) moves {
	list := moves{{own, p.upstream}}
	name, _ := splitHost(own.host)
	for _, site := range p.Also {
		list = append(list, move{origin{own.scheme, net.JoinHostPort(name, site.Port)}, originOf(site.Upstream)})
	}
	return list
}

// toOwn is an address at a server as the browser sees it.
func (m moves) toOwn(address string) string {
	for _, site := range m {
		if moved := moveURL(address, site.upstream, site.own); moved != address {
			return moved
		}
	}
	return address
}

// toUpstream is an address that the browser has named as its server knows it.
func (m moves) toUpstream(address string) string {
	for _, site := range m {
		if moved := moveURL(address, site.own, site.upstream); moved != address {
			return moved
		}
	}
	return address
}

// owns reports whether an origin is that of one of the sites as the browser sees it.
func (m moves) owns(o origin) bool {
	return slices.ContainsFunc(m, func(site move) bool { return site.own.same(o) })
}

// toOwnLocation is the address of a redirect as the browser gets it. In its query, the
// addresses of sites are those that the browser sees, which its script can compare with
// its own; requests undo this (originToUpstream). A redirect to any other site is left as it is.
func (m moves) toOwnLocation(address string) string {
	moved := m.toOwn(address)
	if u, err := url.Parse(address); err == nil && moved == address && u.Host != "" {
		return address
	}
	before, rest, has := strings.Cut(moved, "?")
	if !has {
		return moved
	}
	query, fragment, has := strings.Cut(rest, "#")
	if has {
		fragment = "#" + fragment
	}
	return before + "?" + moveParams(query, m.exactToOwn, identifiers) + fragment
}

// exactToOwn moves an origin that is written as toUpstream would write it again, and no
// other: a server may compare what comes back with what it has sent.
func (m moves) exactToOwn(o string) (string, bool) {
	for _, site := range m {
		if o == site.upstream.String() {
			return site.own.String(), true
		}
	}
	return "", false
}

// toUpstreamReferrer is toUpstream for an address whose query has addresses, too.
func (m moves) toUpstreamReferrer(address string) string {
	before, query, has := strings.Cut(m.toUpstream(address), "?")
	if !has {
		return before
	}
	return before + "?" + moveParams(query, m.originToUpstream, opaque)
}

func (m moves) originToUpstream(o string) (string, bool) {
	moved := m.toUpstream(o)
	return moved, moved != o
}

// moveHeaders replaces addresses in headers.
func moveHeaders(h http.Header, replace func(string) string, names ...string) {
	for _, name := range names {
		if address := h.Get(name); address != "" {
			h.Set(name, replace(address))
		}
	}
}
