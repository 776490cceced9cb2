package actions

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestURLPolicy(t *testing.T) {
	lists := URLPolicy{Allow: []string{"example.com", "*.corp.test"}, Block: []string{"secret.corp.test"}}
	public := URLPolicy{PublicOnly: true}
	for _, c := range []struct {
		policy URLPolicy
		url    string
		want   Block
	}{
		{URLPolicy{}, "about:blank", ""},
		{URLPolicy{}, "https://example.com/a?b#c", ""},
		{URLPolicy{}, "HTTP://127.0.0.1:8080/", ""},
		{URLPolicy{}, "http://[::1]/", ""},
		{URLPolicy{}, "", BlockInvalid},
		{URLPolicy{}, "/a", BlockInvalid},
		{URLPolicy{}, "http://", BlockInvalid},
		{URLPolicy{}, "http://%zz/", BlockInvalid},
		{URLPolicy{}, "javascript:alert(1)", BlockScheme},
		{URLPolicy{}, " java\nscript:alert(1)", BlockScheme},
		{URLPolicy{}, "JavaScript:alert(1)", BlockScheme},
		{URLPolicy{}, "file:///etc/passwd", BlockScheme},
		{URLPolicy{}, "data:text/html,x", BlockScheme},
		{URLPolicy{}, "vbscript:x", BlockScheme},
		{URLPolicy{}, "blob:https://example.com/1", BlockScheme},
		{URLPolicy{}, "view-source:https://example.com", BlockScheme},
		{URLPolicy{}, "chrome://settings", BlockScheme},
		{URLPolicy{}, "devtools://devtools", BlockScheme},
		{URLPolicy{}, "about:config", BlockScheme},
		{URLPolicy{AllowScheme: []string{"file"}}, "file:///tmp/x", ""},
		{URLPolicy{}, "http://169.254.169.254/latest", BlockMetadata},
		{URLPolicy{}, "http://169.254.169.254./", BlockMetadata},
		{URLPolicy{}, "http://2852039166/", BlockMetadata},
		{URLPolicy{}, "http://0xA9FEA9FE/", BlockMetadata},
		{URLPolicy{}, "http://0251.0376.0251.0376/", BlockMetadata},
		{URLPolicy{}, "http://025177524776/", BlockMetadata},
		{URLPolicy{}, "http://169.254.43518/", BlockMetadata},
		{URLPolicy{}, "http://0xa9.0376.169.254/", BlockMetadata},
		{URLPolicy{}, "http://[::ffff:169.254.169.254]/", BlockMetadata},
		{URLPolicy{}, "http://[::ffff:a9fe:a9fe]/", BlockMetadata},
		{URLPolicy{}, "http://[0:0:0:0:0:ffff:a9fe:a9fe]/", BlockMetadata},
		{URLPolicy{}, "http://[64:ff9b::a9fe:a9fe]/", BlockMetadata},
		{URLPolicy{}, "http://[2002:a9fe:a9fe::]/", BlockMetadata},
		{URLPolicy{}, "http://[::a9fe:a9fe]/", BlockMetadata},
		{URLPolicy{}, "http://[fd00:ec2::254]/", BlockMetadata},
		{URLPolicy{}, "http://[FD00:0EC2:0::254]/", BlockMetadata},
		{URLPolicy{}, "http://100.100.100.200/", BlockMetadata},
		{URLPolicy{}, "http://METADATA.google.Internal./", BlockMetadata},
		{URLPolicy{}, "http://metadata.goog:80/", BlockMetadata},
		{URLPolicy{}, "http:\\\\169.254.169.254\\", BlockMetadata},
		{URLPolicy{}, "http://user:pw@169.254.169.254/", BlockMetadata},
		{URLPolicy{}, "http://16９.254.169.254/", BlockMetadata},
		{URLPolicy{}, "http://169。254。169。254/", BlockMetadata},
		{URLPolicy{}, "http://%31%36%39.254.169.254/", BlockInvalid},
		{URLPolicy{}, "http:169.254.169.254/", BlockInvalid},
		{URLPolicy{}, "http:///169.254.169.254/", BlockInvalid},
		{URLPolicy{}, "http://a@b@169.254.169.254/", BlockMetadata},
		{URLPolicy{}, "http://169.254.169.254\\@example.com/", BlockMetadata},
		{URLPolicy{}, "ht\ttp://169.254.\n169.254/", BlockMetadata},
		{URLPolicy{}, "\x1f http://169.254.169.254/", BlockMetadata},
		{URLPolicy{}, "view-source:http://169.254.169.254/", BlockScheme},
		{URLPolicy{}, "http://\U0001fbf1\U0001fbf6\U0001fbf9.254.169.254/", BlockMetadata}, // digits of Unicode 13
		{URLPolicy{}, "http://169.254.169.254\ufe0f/", BlockMetadata},                      // a variation selector is dropped
		{URLPolicy{}, "http://169.254.\u200b169.254/", BlockMetadata},                      // and so is a zero-width space
		{URLPolicy{}, "http://\U0001d426etadata.google.internal/", BlockMetadata},          // a mathematical m
		{URLPolicy{}, "http://metadata.goo\u1d4d/", BlockMetadata},                         // a modifier letter g
		{URLPolicy{}, "http://%F0%9D%90%A6etadata.goog/", BlockMetadata},
		{URLPolicy{}, "https://b\u00fccher.example/", ""},
		{URLPolicy{}, "https://my_host.example/", ""},
		{URLPolicy{}, "https://r3---sn-x.example/", ""},
		{URLPolicy{Allow: []string{"b\u00fccher.example"}}, "https://xn--bcher-kva.example/", ""},
		{URLPolicy{Allow: []string{"xn--bcher-kva.example"}}, "https://B\u00dcCHER.example/", ""},
		{URLPolicy{Block: []string{"*.b\u00fccher.example"}}, "https://a.xn--bcher-kva.example/", BlockDomain},
		{lists, "https://EXAMPLE.com./", ""},
		{lists, "https://corp.test/", ""},
		{lists, "https://a.b.corp.test/", ""},
		{lists, "https://secret.corp.test/", BlockDomain},
		{lists, "https://notcorp.test/", BlockDomain},
		{lists, "https://www.example.com/", BlockDomain},
		{lists, "about:blank", ""},
		{URLPolicy{Allow: []string{"169.254.169.254"}}, "http://169.254.169.254/", BlockMetadata},
		{public, "http://127.0.0.1/", BlockPrivate},
		{public, "http://0177.1/", BlockPrivate},
		{public, "http://localhost/", BlockPrivate},
		{public, "http://a.localhost./", BlockPrivate},
		{public, "http://10.1.2.3/", BlockPrivate},
		{public, "http://172.31.0.1/", BlockPrivate},
		{public, "http://192.168.0.1/", BlockPrivate},
		{public, "http://169.254.1.1/", BlockPrivate},
		{public, "http://0.0.0.0/", BlockPrivate},
		{public, "http://0/", BlockPrivate},
		{public, "http://[::1]/", BlockPrivate},
		{public, "http://[::]/", BlockPrivate},
		{public, "http://[fc00::1]/", BlockPrivate},
		{public, "http://[fe80::1%25eth0]/", BlockPrivate},
		{public, "http://[::ffff:127.0.0.1]/", BlockPrivate},
		{public, "https://example.com/", ""},
		{public, "http://172.32.0.1/", ""},
	} {
		err := c.policy.Check(c.url)
		var got Block
		if e, ok := errors.AsType[*Error](err); ok {
			got = e.Details.Block
		}
		if got != c.want || (err != nil) != (c.want != "") {
			t.Errorf("%+v of %q: %v (%q), want %q", c.policy, c.url, err, got, c.want)
		}
	}
}

// FuzzURLPolicyMetadata writes an IPv4 address in one of the spellings that
// browsers take: the policy must see through it.
func FuzzURLPolicyMetadata(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint8(0), uint8(0), uint8(4), false)
	f.Add(uint8(1), uint8(2), uint8(0), uint8(1), uint8(3), true)
	f.Add(uint8(2), uint8(2), uint8(2), uint8(2), uint8(1), true)
	f.Fuzz(func(t *testing.T, a, b, c, d, parts uint8, dot bool) {
		n := uint64(0xa9fea9fe)
		k := int(parts%4) + 1
		var text []string
		for i, base := range []uint8{a, b, c, d}[:k] {
			v := n >> (8 * (3 - i)) & 0xff
			if i == k-1 {
				v = n & (1<<(8*(4-i)) - 1)
			}
			text = append(text, fmt.Sprintf([]string{"%d", "0%o", "0x%x", "0X%X", "00%o", "0x000%x"}[base%6], v))
		}
		host := strings.Join(text, ".")
		if dot {
			host += "."
		}
		err := URLPolicy{}.Check("http://" + host + "/")
		if e, ok := errors.AsType[*Error](err); !ok || e.Details.Block != BlockMetadata {
			t.Errorf("%s: %v", host, err)
		}
	})
}

// FuzzURLPolicy holds that what passes is http or https to a host that is not
// a metadata endpoint, as Go reads it.
func FuzzURLPolicy(f *testing.F) {
	for _, s := range []string{"http://a/", "http://169.254.169.254", "javascript:1", "http://[::ffff:a9fe:a9fe]:1/", "\thttps:\\\\x", "http://０x7f.1/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if (URLPolicy{}).Check(raw) != nil || raw == "about:blank" {
			return
		}
		u, err := url.Parse(strings.Map(whatwg, strings.Trim(raw, whitespace)))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q passed: %v, %v", raw, u, err)
		}
		if a, err := netip.ParseAddr(u.Hostname()); err == nil && a.Unmap() == metadataAddrs[0] {
			t.Fatalf("%q passed", raw)
		}
	})
}
