package urlpolicy

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// rule is one of Chromium's rules for resolving hosts
// (net/dns/mapped_host_resolver.h): "MAP *.example 127.0.0.1:80" or
// "EXCLUDE a.example".
type rule struct {
	pattern string // with * and ?
	exclude bool
	to      string // "" of one that is not found
	port    uint16
}

// notFound is where a rule leads nowhere.
const notFound = "~NOTFOUND"

// readRules reads the rules, and leaves out what is none, as Chromium does.
func readRules(text string) (rules []rule) {
	for one := range strings.SplitSeq(text, ",") {
		words := strings.Fields(one)
		switch {
		case len(words) == 2 && strings.EqualFold(words[0], "exclude"):
			rules = append(rules, rule{pattern: strings.ToLower(words[1]), exclude: true})
		case len(words) == 3 && strings.EqualFold(words[0], "map"):
			r := rule{pattern: strings.ToLower(words[1])}
			if words[2] != notFound && words[2] != "^NOTFOUND" {
				r.to = words[2]
				if host, port, err := net.SplitHostPort(words[2]); err == nil {
					n, err := strconv.ParseUint(port, 10, 16)
					if err != nil {
						continue
					}
					r.to, r.port = host, uint16(n)
				}
				var ok bool
				if r.to, ok = canonicalHost(withoutBrackets(r.to)); !ok {
					continue
				}
			}
			rules = append(rules, r)
		}
	}
	return rules
}

// applyRules is the host and the port that the rules make of a host. A port of 0 is that
// of the URL. An EXCLUDE rule wins over all others; else the first MAP rule that
// matches counts.
func applyRules(rules []rule, host string) (to string, port uint16, err error) {
	fits := func(r rule) bool { return matchGlob(r.pattern, host) }
	if slices.ContainsFunc(rules, func(r rule) bool { return r.exclude && fits(r) }) {
		return host, 0, nil
	}
	for _, r := range rules {
		if r.exclude || !fits(r) {
			continue
		}
		if r.to == "" {
			return "", 0, errNoAddress
		}
		return r.to, r.port, nil
	}
	return host, 0, nil
}

// matchGlob matches a text with a pattern in which * is any text and ? one character or
// none, as base::MatchPattern of Chromium does (base/strings/pattern.h). Go's
// path.Match differs in both.
func matchGlob(pattern, text string) bool {
	for pattern != "" {
		switch pattern[0] {
		case '*':
			pattern = strings.TrimLeft(pattern, "*")
			if pattern == "" {
				return true
			}
			for i := range len(text) + 1 {
				if matchGlob(pattern, text[i:]) {
					return true
				}
			}
			return false
		case '?':
			if matchGlob(pattern[1:], text) {
				return true
			}
			if text == "" {
				return false
			}
		default:
			if text == "" || text[0] != pattern[0] {
				return false
			}
		}
		pattern, text = pattern[1:], text[1:]
	}
	return text == ""
}

// DefaultRules are rules with which a Chromium finds none of the hosts of the default
// list, in any request that it makes, also those that no policy sees. They cover the
// names, and the addresses in each spelling that stands for one address. IPv6
// addresses are patterns without brackets (Chromium 156).
func DefaultRules() string {
	var patterns []string
	for name := range metadataNames {
		patterns = append(patterns, name, name+".")
	}
	for a := range metadataAddrs {
		patterns = append(patterns, a.String())
		if a.Is4() {
			patterns = append(patterns, carrierPatterns(a)...)
		}
	}
	slices.Sort(patterns)
	return "MAP " + strings.Join(patterns, " "+notFound+", MAP ") + " " + notFound
}

// carrierPatterns are the IPv6 addresses that carry an IPv4 one, as patterns. Chromium
// matches the text of the address, so each form needs its own.
func carrierPatterns(a netip.Addr) []string {
	four := a.As4()
	in := func(prefix netip.Prefix) string {
		b := prefix.Addr().As16()
		copy(b[12:], four[:])
		at := netip.AddrFrom16(b)
		if !at.Is4In6() {
			return at.String()
		}
		hex := func(hi, lo byte) string { return strconv.FormatUint(uint64(hi)<<8|uint64(lo), 16) }
		return "::ffff:" + hex(four[0], four[1]) + ":" + hex(four[2], four[3]) // as Chromium writes it
	}
	six := netip.AddrFrom16([16]byte{0x20, 0x02, four[0], four[1], four[2], four[3]}).String() // 6to4, with a site's 80 bits behind
	return []string{
		in(netip.MustParsePrefix("::ffff:0:0/96")), in(wellKnown64), in(compatible), in(translated),
		in(netip.MustParsePrefix("64:ff9b:1::/96")), strings.TrimSuffix(six, ":") + "*",
	}
}
