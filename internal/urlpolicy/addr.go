package urlpolicy

import (
	"net/netip"
	"slices"
)

// addressForms are an address and the IPv4 addresses that it is a spelling of or leads to by
// a tunnel or a translator. The first is the address itself. A block list with an
// IPv4 address must not be passed by writing it as IPv6.
func addressForms(a netip.Addr) []netip.Addr {
	a = a.WithZone("")
	if a.Is4In6() {
		a = a.Unmap()
	}
	all := []netip.Addr{a}
	if a.Is4() {
		return all
	}
	b := a.As16()
	add := func(x0, x1, x2, x3 byte) { all = append(all, netip.AddrFrom4([4]byte{x0, x1, x2, x3})) }
	switch {
	case wellKnown64.Contains(a), compatible.Contains(a), translated.Contains(a):
		add(b[12], b[13], b[14], b[15])
	case local64.Contains(a): // RFC 6052, section 2.2: where the address is depends on the length of a prefix that is not known here
		add(b[12], b[13], b[14], b[15])
		add(b[6], b[7], b[9], b[10])
		add(b[7], b[9], b[10], b[11])
		add(b[9], b[10], b[11], b[12])
	case sixToFour.Contains(a):
		add(b[2], b[3], b[4], b[5])
	case teredo.Contains(a): // RFC 4380, section 4: the server, and the client in other bits
		add(b[4], b[5], b[6], b[7])
		add(^b[12], ^b[13], ^b[14], ^b[15])
	}
	if b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe { // ISATAP (RFC 5214), within any prefix
		add(b[12], b[13], b[14], b[15])
	}
	return all
}

var (
	wellKnown64 = netip.MustParsePrefix("64:ff9b::/96")    // NAT64 (RFC 6052)
	local64     = netip.MustParsePrefix("64:ff9b:1::/48")  // the same of one's own (RFC 8215)
	compatible  = netip.MustParsePrefix("::/96")           // IPv4-compatible (RFC 4291)
	translated  = netip.MustParsePrefix("::ffff:0:0:0/96") // IPv4-translated (RFC 2765)
	sixToFour   = netip.MustParsePrefix("2002::/16")       // RFC 3056
	teredo      = netip.MustParsePrefix("2001::/32")       // RFC 4380
	unicast     = netip.MustParsePrefix("2000::/3")        // all of IPv6 that is given out (RFC 4291, 2.4)
)

// isPublic reports whether an address is of the public Internet: it is in no block of
// special purpose, and if it is a NAT64 address, the IPv4 address in it is in none.
func isPublic(a netip.Addr) bool {
	a = a.WithZone("").Unmap()
	if wellKnown64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if a.Is6() && !unicast.Contains(a) {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
}

// special are the blocks of the IANA IPv4 and IPv6 Special-Purpose Address
// Registries (RFC 6890), and multicast. Of IPv6 those within 2000::/3: there is
// nothing public outside.
var special = prefixList(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private use
	"100.64.0.0/10",   // shared address space
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link local
	"172.16.0.0/12",   // private use
	"192.0.0.0/24",    // IETF protocol assignments
	"192.0.2.0/24",    // documentation
	"192.31.196.0/24", // AS112
	"192.52.193.0/24", // AMT
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private use
	"192.175.48.0/24", // AS112
	"198.18.0.0/15",   // benchmarking
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, and broadcast

	"2001::/23",         // IETF protocol assignments: Teredo, benchmarking, ORCHID …
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4
	"2620:4f:8000::/48", // AS112
	"3fff::/20",         // documentation
)

func prefixList(list ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(list))
	for i, s := range list {
		all[i] = netip.MustParsePrefix(s)
	}
	return all
}
