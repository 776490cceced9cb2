package urlpolicy

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/urlhost"
)

// spell4 writes an IPv4 address as browsers take it, in one of the ways that
// how picks.
func spell4(n uint32, how []byte) string {
	pick := func(i int) byte {
		if i < len(how) {
			return how[i]
		}
		return 0
	}
	parts := int(pick(0)%4) + 1
	var text []string
	for i := range parts {
		v := n >> (8 * (3 - i)) & 0xff
		if i == parts-1 {
			v = n & (1<<(8*(4-i)) - 1)
		}
		text = append(text, fmt.Sprintf([]string{"%d", "0%o", "0x%x", "0X%X", "00%o", "0x000%x"}[pick(i+1)%6], v))
	}
	if pick(7)%3 == 1 { // full-width digits
		for i := range text {
			text[i] = strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return r - '0' + '\uff10'
				}
				return r
			}, text[i])
		}
	}
	dot := []string{".", "\u3002", "\uff0e", "%2e", "\uff61"}[pick(5)%5]
	host := strings.Join(text, dot)
	if pick(6)%2 == 1 {
		host += dot
	}
	if pick(7)%3 == 2 && len(host) > 1 { // percent-encoded
		host = fmt.Sprintf("%%%02x", host[0]) + host[1:]
	}
	return host
}

// spell6 writes an IPv6 address that stands for an IPv4 one.
func spell6(n uint32, how []byte) string {
	pick := func(i int) byte {
		if i < len(how) {
			return how[i]
		}
		return 0
	}
	four := [4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	b := netip.MustParseAddr([]string{"::ffff:0:0", "::ffff:0:0:0", "::", "64:ff9b::", "64:ff9b:1::", "2002::", "2001::", "2001:0:1:2::"}[pick(0)%8]).As16()
	switch pick(0) % 8 {
	case 5:
		copy(b[2:], four[:])
		copy(b[6:], how)
	case 6:
		copy(b[4:], four[:])
		copy(b[8:], how)
	case 7:
		for i := range four {
			b[12+i] = ^four[i]
		}
	default:
		copy(b[12:], four[:])
	}
	a := netip.AddrFrom16(b)
	text := a.String()
	if pick(1)%2 == 1 {
		text = a.StringExpanded()
	}
	if pick(1)%4 >= 2 {
		text = strings.ToUpper(text)
	}
	if pick(2)%3 == 1 {
		text += "%25eth0"
	}
	return "[" + text + "]"
}

// FuzzURLPolicy writes an address that is refused in the spellings that URL
// parsers take, with all that may stand around it: no policy may let it pass, and
// no policy may refuse a public one that is spelt so for what it is not.
func FuzzURLPolicy(f *testing.F) {
	f.Add(uint32(0xa9fea9fe), []byte{3, 0, 0, 0, 0}, uint8(0), false)
	f.Add(uint32(0x7f000001), []byte{0, 2}, uint8(1), false)
	f.Add(uint32(0x0a000001), []byte{3, 1, 2, 3, 4, 1, 1, 1}, uint8(2), false)
	for i := range byte(8) {
		f.Add(uint32(0xa9fea9fe), []byte{i, i, i}, i, true)
	}
	f.Fuzz(func(t *testing.T, n uint32, how []byte, around uint8, six bool) {
		plain := netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		host := spell4(n, how)
		if six {
			host = spell6(n, how)
		}
		raw := fmt.Sprintf([]string{
			"http://%s/", "HTTPS://%s:8443/a?b#c", " \thttp://%s", "http:\\\\%s\\x", "ht\ntp:/%s", "http:///%s/", "http://u:p@%s/", "http://a@b@%s?", "https:%s#",
		}[around%9], host)
		block := policy(t, Options{Block: []string{plain.String()}})
		if block.Check(raw) == nil {
			t.Errorf("%q passes a policy that blocks %s", raw, plain)
		}
		if got := (*Policy)(nil).Check(raw); metadataAddrs[plain] != (reason(got) == Metadata) && !six {
			t.Errorf("%q by default: %v", raw, got)
		}
		if metadataAddrs[plain] && (*Policy)(nil).Check(raw) == nil {
			t.Errorf("%q passes by default", raw)
		}
		open := policy(t, Options{Public: true}).Check(raw)
		if !isPublic(plain) && open == nil {
			t.Errorf("%q passes as public", raw)
		}
		if isPublic(plain) && !six && open != nil && !metadataAddrs[plain] {
			t.Errorf("%q is public: %v", raw, open)
		}
	})
}

// FuzzURL holds that what passes is http or https to a host that another parser
// of URLs does not take for one that is refused.
func FuzzURL(f *testing.F) {
	for _, s := range []string{"http://a/", "http://169.254.169.254", "javascript:1", "http://[::ffff:a9fe:a9fe]:1/", "\thttps:\\\\x", "http://０x7f.1/", "http://metadata.goog./"} {
		f.Add(s)
	}
	p, err := New(Options{Public: true, Allow: []string{"0.0.0.0/0", "::/0", "*.com"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if p.Check(raw) != nil {
			return
		}
		u, err := url.Parse(strings.Trim(raw, urlhost.Whitespace))
		if err != nil || u.Host == "" {
			return // the other one reads less
		}
		if u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q passes: %v", raw, u)
		}
		host := u.Hostname()
		if a, err := netip.ParseAddr(host); err == nil && !strings.Contains(raw, `\`) && (!isPublic(a) || metadataAddrs[a.Unmap()]) {
			t.Fatalf("%q passes", raw)
		}
		if name := strings.ToLower(strings.TrimSuffix(host, ".")); metadataNames[name] || localName(name) {
			t.Fatalf("%q passes", raw)
		}
	})
}

// FuzzList has entries of lists: what is taken matches something.
func FuzzList(f *testing.F) {
	for _, s := range []string{"example.com", "*.example.com", "10.0.0.0/8", "[::1]", "0x7f.1", "http://a", "*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		l, err := readList([]string{entry})
		if err != nil {
			return
		}
		switch {
		case len(l.names) == 1 && l.name(l.names[0]):
		case len(l.below) == 1 && l.name("a."+l.below[0]):
		case len(l.addrs) == 1 && l.addr(l.addrs[0].Addr()):
		default:
			t.Errorf("%q matches nothing: %+v", entry, l)
		}
		p := &Policy{block: l}
		for _, name := range append(l.names, l.below...) {
			if p.Check("http://"+name+"/") == nil {
				t.Errorf("%q does not match http://%s/", entry, name)
			}
		}
	})
}
