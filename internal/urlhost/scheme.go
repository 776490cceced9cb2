package urlhost

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Whitespace is what browsers trim from the ends of a URL: C0 controls and the space
// (URL standard, section 4.4).
const Whitespace = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "

// CutScheme splits a URL at its first colon as the URL standard reads it: white
// space at its ends does not count, nor tabs and line ends anywhere. The scheme
// is in lower case; ok is false when there is no colon.
func CutScheme(raw string) (scheme, rest string, ok bool) {
	text := strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, strings.Trim(raw, Whitespace))
	scheme, rest, ok = strings.Cut(text, ":")
	return strings.ToLower(scheme), rest, ok
}

var validScheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)

// IsAddress reports whether a text is an address that a browser can open: whether it has a scheme
// and, where the scheme has hosts, a good host and port (URL standard, section 4.4). Chromium 156
// takes spaces in a host, and so does IsAddress.
func IsAddress(raw string) bool {
	scheme, rest, ok := CutScheme(raw)
	if !ok || !validScheme.MatchString(scheme) {
		return false
	}
	switch scheme {
	case "http", "https", "ws", "wss", "ftp":
	default:
		return true
	}
	authority := strings.TrimLeft(rest, `/\`)
	if end := strings.IndexAny(authority, `/\?#`); end >= 0 {
		authority = authority[:end]
	}
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	host, port, hasPort := strings.Cut(authority, ":")
	if strings.HasPrefix(authority, "[") {
		in, after, closed := strings.Cut(authority[1:], "]")
		ip, err := netip.ParseAddr(in)
		if !closed || err != nil || !ip.Is6() || ip.Zone() != "" || after != "" && after[0] != ':' {
			return false
		}
		host, port, hasPort = "ip", strings.TrimPrefix(after, ":"), after != ""
	}
	if hasPort && port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return false
		}
	}
	return isHost(host)
}

// isHost reports whether a text is a host of a URL that is no IPv6 address. One whose last part is a
// number must be an IPv4 address.
func isHost(text string) bool {
	host, err := url.PathUnescape(text)
	if err != nil || host == "" || strings.ContainsAny(host, "\x00#/<>?@[\\]^|%:") {
		return false
	}
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if _, isNumber := readNumber(last); !isNumber {
		return true
	}
	_, isIP := Parse4(host)
	return isIP
}
