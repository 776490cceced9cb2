package urlpolicy

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/cdphub/cdphub/internal/urlhost"
)

// splitURL reads the scheme of an absolute URL and, for http and https, its canonical
// host and its port. It follows the URL Standard (basic URL parser without a base) and not
// net/url, since the browser does: tabs and line ends are ignored, a backslash is a
// slash, and any number of slashes may stand before the host.
func splitURL(raw string) (scheme, host string, port uint16, why *Refusal) {
	scheme, rest, ok := urlhost.CutScheme(raw)
	if !ok || !isScheme(scheme) {
		return "", "", 0, invalidURL(raw)
	}
	if scheme != "http" && scheme != "https" {
		return scheme, "", 0, nil
	}
	rest = strings.TrimLeft(rest, `/\`)
	if end := strings.IndexAny(rest, `/\?#`); end >= 0 {
		rest = rest[:end]
	}
	// Up to the last "@" it is user and password (URL Standard, authority state).
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if rest, port, ok = cutPort(rest, usualPorts[scheme]); !ok {
		return "", "", 0, invalidURL(raw)
	}
	if in, is := strings.CutPrefix(rest, "["); is {
		if in, is = strings.CutSuffix(in, "]"); !is || !strings.Contains(in, ":") {
			return "", "", 0, invalidURL(raw)
		}
		rest = in
	} else if strings.Contains(rest, ":") {
		return "", "", 0, invalidURL(raw)
	}
	if host, ok = canonicalHost(rest); !ok {
		return "", "", 0, invalidURL(raw)
	}
	return scheme, host, port, nil
}

func isScheme(s string) bool {
	for i, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return s != ""
}

// usualPorts are those of URLs that name none.
var usualPorts = map[string]uint16{"http": 80, "https": 443}

// cutPort takes the port off a host that may have one. It reports false for a port that
// is no number of 16 bits.
func cutPort(s string, usual uint16) (host string, port uint16, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || strings.HasSuffix(s, "]") {
		return s, usual, true
	}
	if s[i+1:] == "" {
		return s[:i], usual, true
	}
	n, err := strconv.ParseUint(s[i+1:], 10, 16)
	return s[:i], uint16(n), err == nil
}

// canonicalHost is a host in the form in which it is looked up: ASCII and lower case; an
// address in its usual form. Characters that stand for others (full-width digits,
// other dots) and those that stand for nothing are mapped as browsers do (UTS 46).
// One dot at the end of a name stays: it means that no search domain is added.
func canonicalHost(host string) (string, bool) {
	if unescaped, err := url.PathUnescape(host); err == nil {
		host = unescaped
	}
	if strings.Contains(host, ":") {
		host, _, _ = strings.Cut(host, "%") // the zone of an IPv6 address
	}
	// idna is slow, and changes nothing in ASCII.
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		mapped, err := lookup.ToASCII(host)
		if err != nil {
			return "", false
		}
		host = mapped
	}
	host = strings.ToLower(host)
	if a, ok := readAddress(host); ok {
		return a.String(), true
	}
	for _, r := range host {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(`/\?#@<>^|%:[]`, r) {
			return "", false
		}
	}
	if strings.Trim(host, ".") == "" || strings.HasPrefix(host, ".") || strings.Contains(host, "..") {
		return "", false // browsers find no address for these
	}
	return host, true
}

// lookup maps names as the URL Standard does (UTS 46, non-transitional). Characters
// that its tables do not know yet are refused.
var lookup = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(false), idna.CheckHyphens(false))

// readAddress reads a host that is an IP address in any spelling that a browser takes
// (URL Standard, IPv4 parser): 169.254.169.254, 2852039166, 0xa9fea9fe,
// 0251.0376.0251.0376, ::ffff:a9fe:a9fe.
func readAddress(host string) (netip.Addr, bool) {
	if strings.Contains(host, ":") {
		a, err := netip.ParseAddr(host)
		return a.WithZone(""), err == nil
	}
	return urlhost.Parse4(strings.TrimSuffix(host, "."))
}

// endsInNumber reports whether a name would have to be an IPv4 address (URL Standard,
// "ends in a number checker"). Browsers refuse such a name when it is none.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	hex, is := strings.CutPrefix(last, "0x")
	return is && strings.Trim(hex, "0123456789abcdef") == ""
}

// Origin reads an origin and writes it as browsers do: https://bank.example for
// https://Bank.example:443/. ok is false for what is no origin of http or https, or
// has a path, a query or a user.
func Origin(raw string) (string, bool) {
	scheme, host, _, why := splitURL(raw)
	u, err := url.Parse(raw)
	if why != nil || err != nil || host == "" || strings.Contains(host, "*") || u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return "", false
	}
	if a, ok := readAddress(host); ok && a.Is6() {
		host = "[" + host + "]"
	}
	port := u.Port()
	if port == "" || scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		return scheme + "://" + host, true
	}
	return scheme + "://" + host + ":" + port, true
}
