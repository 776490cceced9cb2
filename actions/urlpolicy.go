package actions

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/cdphub/cdphub/internal/urlhost"
)

// URLPolicy says where pages may go. Its zero value allows all of http and
// https but the addresses from which cloud machines get their credentials.
type URLPolicy struct {
	Allow       []string // hosts, "example.com" or "*.example.com", which includes the bare domain; empty: all
	Block       []string // the same, refused even if allowed
	PublicOnly  bool     // refuse loopback and private addresses
	Strict      bool     // refuse Evaluate too, which can send requests anywhere
	AllowScheme []string // schemes beside http and https, such as "file"
}

// Block says why a URL is refused.
type Block string

// The reasons to refuse a URL.
const (
	BlockInvalid  Block = "invalid"  // it is no absolute URL
	BlockScheme   Block = "scheme"   // neither http nor https
	BlockMetadata Block = "metadata" // a cloud's metadata endpoint
	BlockDomain   Block = "domain"   // not on the allow list, or on the block list
	BlockPrivate  Block = "private"  // not a public address
)

// metadata are the hosts from which machines in a cloud get credentials.
var metadata = []string{"metadata.google.internal", "metadata.goog"}

// metadataAddrs are their addresses.
var metadataAddrs = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"),
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("fd00:ec2::254"),
}

// Check returns an *Error of kind URLBlocked for a URL that may not be shown.
func (u URLPolicy) Check(raw string) error {
	if why, what := u.verdict(raw); why != "" {
		e := errorf(URLBlocked, "navigation blocked: %s", what)
		e.Details.Block = why
		return e
	}
	return nil
}

// verdict is why a URL is refused, in one word and in a phrase.
func (u URLPolicy) verdict(raw string) (Block, string) {
	if raw == blank {
		return "", ""
	}
	at, err := url.Parse(strings.Map(whatwg, strings.Trim(raw, whitespace)))
	if err != nil || at.Scheme == "" {
		return BlockInvalid, "Invalid URL: " + raw
	}
	scheme := strings.ToLower(at.Scheme)
	if slices.Contains(u.AllowScheme, scheme) {
		return "", ""
	}
	if scheme != "http" && scheme != "https" {
		return BlockScheme, "Blocked protocol: " + scheme
	}
	host, ok := canonical(at.Hostname())
	if !ok {
		return BlockInvalid, "Invalid URL: " + raw
	}
	addr, isAddr := address(host)
	switch {
	case isAddr && slices.Contains(metadataAddrs, addr), slices.Contains(metadata, host):
		return BlockMetadata, "Blocked host (cloud metadata endpoint): " + host
	case len(u.Allow) > 0 && !matches(u.Allow, host), matches(u.Block, host):
		return BlockDomain, "Domain not allowed: " + host
	case u.PublicOnly && (isAddr && private(addr) || host == "localhost" || strings.HasSuffix(host, ".localhost")):
		return BlockPrivate, "Blocked host (private address): " + host
	}
	return "", ""
}

// whitespace is what browsers trim from the ends of a URL.
const whitespace = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "

// whatwg reads a URL as browsers do: tabs and line ends do not count, and a
// backslash is a slash.
func whatwg(r rune) rune {
	switch r {
	case '\t', '\n', '\r':
		return -1
	case '\\':
		return '/'
	}
	return r
}

// canonical is the host as it is looked up: in ASCII and lower case, without the
// dots at its end. Characters that stand for others (full-width digits, other
// dots), and those that stand for nothing, are resolved as browsers do.
func canonical(host string) (string, bool) {
	if unescaped, err := url.PathUnescape(host); err == nil {
		host = unescaped
	}
	host, _, _ = strings.Cut(host, "%") // the zone of an IPv6 address
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		mapped, err := lookup.ToASCII(host)
		if err != nil {
			return "", false
		}
		host = mapped
	}
	host = strings.ToLower(strings.TrimRight(host, "."))
	for _, r := range host {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(`/\?#@<>^|%`, r) {
			return "", false
		}
	}
	return host, host != ""
}

// lookup maps names as the URL standard has it (UTS 46, non-transitional). What
// its tables do not know yet is refused.
var lookup = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(false), idna.CheckHyphens(false))

// address reads a host that is an IP address in any spelling that a browser
// takes: 169.254.169.254, 2852039166, 0xa9fea9fe, 0251.0376.0251.0376, ::ffff:a9fe:a9fe.
func address(host string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(host); err == nil {
		return embedded(a.Unmap()), true
	}
	return urlhost.Parse4(host)
}

// embedded is the IPv4 address inside an IPv6 one that is made for passing it
// on: of NAT64 (RFC 6052), 6to4 (RFC 3056), or IPv4-compatible.
func embedded(a netip.Addr) netip.Addr {
	if !a.Is6() {
		return a
	}
	b := a.As16()
	at := -1
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(a):
		at = 12
	case b[0] == 0x20 && b[1] == 0x02:
		at = 2
	case netip.MustParsePrefix("::/96").Contains(a) && (b[12] != 0 || b[13] != 0):
		at = 12
	}
	if at < 0 {
		return a
	}
	return netip.AddrFrom4([4]byte(b[at : at+4]))
}

func matches(list []string, host string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		domain, wild := strings.CutPrefix(pattern, "*.")
		domain, _ = canonical(domain)
		return domain != "" && (host == domain || wild && strings.HasSuffix(host, "."+domain))
	})
}

func private(a netip.Addr) bool {
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified()
}
