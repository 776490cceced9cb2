package urlpolicy

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// metadataNames are the names of hosts that give credentials to machines in a cloud.
// A page that reads them has the rights of the machine.
var metadataNames = map[string]bool{
	"metadata.google.internal":   true, // Google Cloud
	"metadata.goog":              true,
	"instance-data":              true, // Amazon EC2
	"instance-data.ec2.internal": true,
	"metadata.tencentyun.com":    true, // Tencent Cloud
}

// metadataAddrs are the addresses of such hosts.
var metadataAddrs = addressSet(
	"169.254.169.254", // most clouds
	"fd00:ec2::254",   // Amazon EC2
	"169.254.170.2",   // Amazon ECS
	"169.254.170.23",  // Amazon EKS
	"fd00:ec2::23",
	"fd20:ce::254",    // Google Cloud
	"169.254.0.23",    // Tencent Cloud
	"169.254.42.42",   // Scaleway
	"fd00:42::42",     //
	"192.0.0.192",     // Oracle Cloud
	"168.63.129.16",   // Azure's host
	"100.100.100.200", // Alibaba Cloud
)

func addressSet(list ...string) map[netip.Addr]bool {
	all := make(map[netip.Addr]bool, len(list))
	for _, s := range list {
		all[netip.MustParseAddr(s)] = true
	}
	return all
}

// localName reports whether a name is of this machine by itself: those of RFC
// 6761, and what /etc/hosts of common systems has.
func localName(name string) bool {
	switch name {
	case "localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4",
		"localhost6", "localhost6.localdomain6", "ip6-localhost", "ip6-loopback":
		return true
	}
	return strings.HasSuffix(name, ".localhost")
}

// list is the hosts of one option, sorted by how they match.
type list struct {
	names, below []string // the latter with all names below them
	addrs        []netip.Prefix
}

func (l *list) empty() bool { return len(l.names)+len(l.below)+len(l.addrs) == 0 }

func (l *list) name(host string) bool {
	return slices.Contains(l.names, host) || slices.ContainsFunc(l.below, func(domain string) bool {
		return host == domain || strings.HasSuffix(host, "."+domain)
	})
}

func (l *list) addr(a netip.Addr) bool {
	return slices.ContainsFunc(l.addrs, func(p netip.Prefix) bool { return p.Contains(a) })
}

// readList reads the hosts of an option. The error quotes the entry that is wrong.
func readList(entries []string) (l list, err error) {
	for _, e := range entries {
		if err := l.add(strings.TrimSpace(e)); err != nil {
			return l, fmt.Errorf("%q can never match: %w", e, err)
		}
	}
	return l, nil
}

// add takes one entry: a block of addresses, an address, a name, or a name with "*."
// in front. Its errors say how to write what was meant.
func (l *list) add(entry string) error {
	if network, bits, ok := strings.Cut(entry, "/"); ok && bits != "" && strings.Trim(bits, "0123456789") == "" {
		p, err := netip.ParsePrefix(withoutBrackets(network) + "/" + bits)
		if err != nil {
			return fmt.Errorf("a block of addresses is written as 10.0.0.0/8 or fd00::/8")
		}
		if p.Addr().Is4In6() {
			if p.Bits() < 96 {
				return fmt.Errorf("write IPv4 addresses as 10.0.0.0/8")
			}
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		l.addrs = append(l.addrs, p.Masked())
		return nil
	}
	domain, wild := strings.CutPrefix(entry, "*.")
	// canonical takes what people write, such as names in capitals.
	host, ok := canonicalHost(withoutBrackets(domain))
	if a, is := readAddress(host); ok && is {
		if wild {
			return fmt.Errorf("an address has no subdomains: use a block such as 10.0.0.0/8")
		}
		a = addressForms(a)[0]
		l.addrs = append(l.addrs, netip.PrefixFrom(a, a.BitLen()))
		return nil
	}
	host = strings.TrimSuffix(host, ".")
	switch {
	case strings.Contains(domain, "://"):
		return fmt.Errorf("it is a URL: use only its host")
	case strings.Contains(domain, "/"):
		return fmt.Errorf("it has a path: use only the host")
	case strings.Contains(domain, "*"):
		return fmt.Errorf("* may only be the first label, as in *.example.com")
	case strings.Contains(domain, ":"):
		return fmt.Errorf("it has a port, or is not an IPv6 address: use only the host, which means all its ports")
	case !ok, endsInNumber(host), longLabel(host):
		return fmt.Errorf("it is neither the name of a host nor an IP address")
	case wild:
		l.below = append(l.below, host)
	default:
		l.names = append(l.names, host)
	}
	return nil
}

func withoutBrackets(s string) string {
	if in, ok := strings.CutPrefix(s, "["); ok {
		if in, ok = strings.CutSuffix(in, "]"); ok {
			return in
		}
	}
	return s
}

// longLabel reports whether a name is too long for DNS: 63 bytes for a label, 253 for
// all (RFC 1035, section 2.3.4).
func longLabel(name string) bool {
	const label, whole = 63, 253
	return len(name) > whole || slices.ContainsFunc(strings.Split(name, "."), func(l string) bool { return len(l) > label })
}
