// Package urlhost reads the hosts of URLs as the URL standard
// (https://url.spec.whatwg.org) does, which is how browsers read them:
//
//	addr, ok := urlhost.Parse4("0x7f.1") // 127.0.0.1
//
// Package net/netip takes only four decimal numbers. A check that reads a host
// otherwise than the browser could be evaded.
package urlhost

import (
	"encoding/binary"
	"net/netip"
	"strconv"
	"strings"
)

// Parse4 reads an IPv4 address in any of the forms that a browser takes (URL
// standard, section 3.5, "IPv4 parser"): 127.0.0.1, 127.1, 0x7f000001, 0177.1. The
// caller cuts off a final dot. It returns false for a name, and for a number that
// does not fit.
func Parse4(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		n, ok := readNumber(part)
		last := i == len(parts)-1
		switch {
		// Each part but the last is one byte. The last one fills all bytes that are
		// left.
		case !ok, !last && n > 255, last && n >= 1<<(8*(5-len(parts))):
			return netip.Addr{}, false
		case last:
			sum += n
		default:
			sum += n << (8 * (3 - i))
		}
	}
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(sum))
	return netip.AddrFrom4(b), true
}

// readNumber reads a part: decimal, 0… octal, 0x… hexadecimal.
func readNumber(s string) (uint64, bool) {
	base := 10
	switch {
	case strings.HasPrefix(s, "0x"), strings.HasPrefix(s, "0X"):
		s, base = s[2:], 16
		// The standard reads "0x" alone as 0.
		if s == "" {
			return 0, true
		}
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	}
	n, err := strconv.ParseUint(s, base, 32) // which takes no sign
	return n, err == nil
}
