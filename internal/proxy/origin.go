package proxy

import (
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/cdphub/cdphub/internal/proxy/rewrite"
)

// origin is a scheme and a host with its port, in lower case. The default port of the
// scheme is left out (RFC 6454, section 6.2).
type origin struct{ scheme, host string }

func originOf(u *url.URL) origin {
	o := origin{strings.ToLower(u.Scheme), strings.ToLower(u.Host)}
	switch o.scheme {
	case "http", "ws":
		o.host = strings.TrimSuffix(o.host, ":80")
	case "https", "wss":
		o.host = strings.TrimSuffix(o.host, ":443")
	}
	return o
}

// SameOrigin reports whether two addresses are of one server.
func SameOrigin(a, b *url.URL) bool { return originOf(a).same(originOf(b)) }

// NamesOf are the origin of an address and, on this machine, the other name of it.
func NamesOf(u *url.URL) []string { return originOf(u).names() }

func (o origin) String() string { return o.scheme + "://" + o.host }

// names are the texts of an origin. An origin on this machine has two, since browsers
// take localhost and 127.0.0.1 for two origins.
func (o origin) names() []string {
	name, port := splitHost(o.host)
	other := map[string]string{"localhost": "127.0.0.1", "127.0.0.1": "localhost"}[name]
	if other == "" {
		return []string{o.String()}
	}
	if port != "" {
		other = net.JoinHostPort(other, port)
	}
	return []string{o.String(), origin{o.scheme, other}.String()}
}

// same reports whether two origins are the same server. All names of the own machine
// are one: a server that was asked as localhost may call itself 127.0.0.1 in a
// redirect.
func (o origin) same(other origin) bool {
	if o == other {
		return true
	}
	name, port := splitHost(o.host)
	otherName, otherPort := splitHost(other.host)
	return o.scheme == other.scheme && port == otherPort && isLocal(name) && isLocal(otherName)
}

func splitHost(host string) (name, port string) {
	if name, port, err := net.SplitHostPort(host); err == nil {
		return name, port
	}
	return strings.Trim(host, "[]"), ""
}

func isLocal(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// moveURL rewrites a URL of one origin to the same place at another. It returns URLs of
// other origins, and relative ones, as they are. The rest of the URL keeps its bytes:
// url.URL.String could write it differently.
func moveURL(address string, from, to origin) string {
	scheme, rest, has := strings.Cut(address, "//")
	end := strings.IndexAny(rest, `/?#\`)
	if end < 0 {
		end = len(rest)
	}
	u, err := url.Parse(scheme + "//" + rest[:end]) // not the rest, in which browsers take what url.Parse refuses
	if !has || err != nil || u.Host == "" || u.Opaque != "" {
		return address
	}
	if u.Scheme == "" { // //host/path
		u.Scheme = from.scheme
	}
	if !originOf(u).same(from) {
		return address
	}
	return to.String() + rest[end:]
}

// address matches an address in a header, up to what ends it there.
var address = regexp.MustCompile(`https?://[^\s<>"',;]+`)

// moveResponse moves the addresses in the headers of a response.
func (m moves) moveResponse(h http.Header) {
	moveHeaders(h, m.toOwnLocation, "Location")
	moveHeaders(h, m.toOwn, "Content-Location", "Access-Control-Allow-Origin")
	moveHeaders(h, func(value string) string { return rewrite.Refresh(value, m.toOwnLocation) }, "Refresh")
	for _, name := range []string{"Link", "SourceMap", "X-SourceMap", "Speculation-Rules", "Reporting-Endpoints", "Timing-Allow-Origin"} {
		for i, value := range h[name] {
			h[name][i] = address.ReplaceAllStringFunc(value, m.toOwn)
		}
	}
}
