package auth

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// AllowHost reports whether a Host header may stand: none at all, an IP
// address in any spelling, localhost and the names below it, and what the
// rules list; each with any port. Chromium 156 draws the same line.
func (r Rules) AllowHost(header string) bool {
	if header == "" {
		return true
	}
	host, ok := hostName(header)
	if !ok {
		return false
	}
	if _, is := parseIP(host); is || isLocalhost(host) {
		return true
	}
	return slices.ContainsFunc(r.AllowedHosts, func(allowed string) bool {
		allowed = strings.TrimSuffix(strings.ToLower(allowed), ".")
		if strings.HasPrefix(allowed, ".") {
			return strings.HasSuffix(host, allowed) && len(host) > len(allowed)
		}
		return host == allowed
	})
}

// hostName takes the port and a final dot off a Host header and lowers it.
// An IPv6 address keeps its brackets. ok is false when it is no host.
func hostName(header string) (host string, ok bool) {
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
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		n, ok := parseNumber(part)
		last := i == len(parts)-1
		if !ok || !last && n > 255 || last && n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		if last {
			sum += n
		} else {
			sum += n << (8 * (3 - i))
		}
	}
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(sum))
	return netip.AddrFrom4(b), true
}

// parseNumber reads a part of an IPv4 address: decimal, octal or hexadecimal.
func parseNumber(s string) (uint64, bool) {
	base := 10
	switch {
	case strings.HasPrefix(s, "0x"):
		s, base = s[2:], 16
		if s == "" {
			return 0, true
		}
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	}
	n, err := strconv.ParseUint(s, base, 32)
	return n, err == nil && s[0] != '+'
}
