package auth

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/urlhost"
)

// AllowHost reports whether a Host header may stand: none at all, an IP address in any
// spelling, localhost and the names below it, and what the rules list; each with any port.
// Chromium 156 draws the same line. A page whose name leads to this machine (DNS rebinding)
// sends its own name, which is none of these.
func (r Rules) AllowHost(header string) bool {
	if header == "" {
		return true
	}
	host, ok := HostName(header)
	if !ok {
		return false
	}
	if _, is := parseIP(host); is || isLocalhost(host) {
		return true
	}
	return r.lists(host)
}

// lists reports whether a name, as HostName has it, is one of AllowedHosts.
func (r Rules) lists(host string) bool {
	return slices.ContainsFunc(r.AllowedHosts, func(allowed string) bool {
		allowed = strings.TrimSuffix(strings.ToLower(allowed), ".")
		if strings.HasPrefix(allowed, ".") {
			return strings.HasSuffix(host, allowed) && len(host) > len(allowed)
		}
		return host == allowed
	})
}

// HostName takes the port and a final dot off a Host header and lowers it. An IPv6 address
// keeps its brackets. ok is false when it is no host. Brackets and a final dot are as in
// RFC 3986, section 3.2.2.
func HostName(header string) (host string, ok bool) {
	host, port := strings.ToLower(header), ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host, port = host[:i], host[i+1:]
	}
	for _, c := range port {
		if c < '0' || c > '9' {
			return "", false
		}
	}
	if strings.HasPrefix(host, "[") {
		return host, true
	}
	host = strings.TrimSuffix(host, ".")
	for _, c := range host {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return "", false
		}
	}
	return host, host != ""
}

// isLocalhost reports whether a name is localhost or below it: RFC 6761, section 6.3.
func isLocalhost(host string) bool {
	below, is := strings.CutSuffix(host, "localhost")
	return is && (below == "" || len(below) > 1 && strings.HasSuffix(below, "."))
}

// parseIP reads an IPv6 address in brackets or an IPv4 address in any of the
// forms that the URL standard takes: 127.0.0.1, 127.1, 0x7f000001.
func parseIP(host string) (netip.Addr, bool) {
	if in, is := strings.CutPrefix(host, "["); is {
		in, is = strings.CutSuffix(in, "]")
		ip, err := netip.ParseAddr(in)
		return ip, is && err == nil && ip.Is6()
	}
	return urlhost.Parse4(host)
}
