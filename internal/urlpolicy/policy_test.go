package urlpolicy

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// policy makes one, whose lists must be good.
func policy(t testing.TB, o Options) *Policy {
	t.Helper()
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func reason(r *Refusal) Reason {
	if r == nil {
		return ""
	}
	return r.Reason
}

func TestCheck(t *testing.T) {
	none := policy(t, Options{})
	lists := policy(t, Options{Allow: []string{"example.com", "*.corp.test"}, Block: []string{"secret.corp.test"}})
	public := policy(t, Options{Public: true})
	allow := func(hosts ...string) *Policy { return policy(t, Options{Allow: hosts}) }
	block := func(hosts ...string) *Policy { return policy(t, Options{Block: hosts}) }
	own := policy(t, Options{Own: func(at netip.AddrPort) bool { return at.Addr().IsLoopback() && at.Port() == 99 }})
	for _, c := range []struct {
		policy *Policy
		url    string
		want   Reason
	}{
		{nil, "https://example.com/a?b#c", ""},
		{nil, "HTTP://127.0.0.1:8080/", ""},
		{none, "http://[::1]/", ""},
		{none, "http://example.com/%zz?%", ""}, // which Go does not parse
		{none, "http:example.com", ""},
		{none, "http://example.com:/", ""},
		{none, "http://r3---\u00fc.test/", ""},
		{own, "http://127.0.0.1:98/", ""},
		{own, "http://127.0.0.1:99/", Private},
		{own, "http://[::ffff:127.0.0.1]:99/", Private},
		{own, "http://a.localhost:99/", Private},
		{none, "", Invalid},
		{none, "/a", Invalid},
		{none, "http://", Invalid},
		{none, "http://%zz/", Invalid},
		{none, "http://1%zz.0.0.1/", Invalid},
		{none, "http://a:x/", Invalid},
		{none, "http://a:99999/", Invalid},
		{none, "http://[::1", Invalid},
		{none, "http://[1.2.3.4]/", Invalid},
		{none, "http://::1/", Invalid},
		{none, "http://a..b/", Invalid},
		{none, "http://256.1.1.1/", Invalid},
		{none, "http://1.2.3.4.5/", Invalid},
		{none, "http://a.0x/", Invalid},
		{none, "javascript:alert(1)", Scheme},
		{none, " java\nscript:alert(1)", Scheme},
		{none, "file:///etc/passwd", Scheme},
		{none, "data:text/html,x", Scheme},
		{none, "blob:https://example.com/1", Scheme},
		{none, "view-source:http://169.254.169.254/", Scheme},
		{none, "chrome://settings", Scheme},
		{none, "about:config", Scheme},
		{none, "http:169.254.169.254/", Metadata},
		{none, "http:///169.254.169.254/", Metadata},
		{none, "http:\\\\169.254.169.254\\", Metadata},
		{none, "http://user:pw@169.254.169.254/", Metadata},
		{none, "http://a@b@169.254.169.254/", Metadata},
		{none, "http://169.254.169.254\\@example.com/", Metadata},
		{none, "ht\ttp://169.254.\n169.254/", Metadata},
		{none, "\x1f http://169.254.169.254/", Metadata},
		{none, "http://16９.254.169.254/", Metadata},
		{none, "http://169。254。169。254/", Metadata},
		{none, "http://%31%36%39.254.169.254/", Metadata},
		{none, "http://\U0001fbf1\U0001fbf6\U0001fbf9.254.169.254/", Metadata}, // digits of Unicode 13
		{none, "http://169.254.169.254\ufe0f/", Metadata},                      // a variation selector is dropped
		{none, "http://169.254.\u200b169.254/", Metadata},                      // and so is a zero-width space
		{none, "http://METADATA.google.Internal./", Metadata},
		{none, "http://\U0001d426etadata.google.internal/", Metadata}, // a mathematical m
		{none, "http://metadata.goo\u1d4d:80/", Metadata},             // a modifier letter g
		{none, "http://%F0%9D%90%A6etadata.goog/", Metadata},
		{none, "https://b\u00fccher.example/", ""},
		{none, "https://my_host.example/", ""},
		{none, "https://r3---sn-x.example/", ""},
		{allow("b\u00fccher.example"), "https://xn--bcher-kva.example/", ""},
		{allow("xn--bcher-kva.example"), "https://B\u00dcCHER.example/", ""},
		{block("*.b\u00fccher.example"), "https://a.xn--bcher-kva.example/", Domain},
		{lists, "https://EXAMPLE.com./", ""},
		{lists, "https://corp.test/", ""},
		{lists, "https://a.b.corp.test/", ""},
		{lists, "https://secret.corp.test/", Domain},
		{lists, "https://notcorp.test/", Domain},
		{lists, "https://www.example.com/", Domain},
		{lists, "https://10.0.0.1/", Domain},
		{allow("169.254.169.254"), "http://169.254.169.254/", Metadata},
		{allow("10.0.0.0/8"), "http://10.1.2.3/", ""},
		{allow("10.0.0.0/8"), "http://[::ffff:10.1.2.3]/", ""},
		{allow("10.0.0.0/8"), "http://11.1.2.3/", Domain},
		{allow("[::1]"), "http://[0:0::1]:80/", ""},
		{block("127.0.0.1"), "http://[::ffff:127.0.0.1]/", Domain},
		{block("127.0.0.1"), "http://[64:ff9b::7f00:1]/", Domain},
		{block("127.0.0.1"), "http://2130706433/", Domain},
		{block("0x7f.1"), "http://127.0.0.1/", Domain},
		{block("[::ffff:127.0.0.1]"), "http://127.0.0.1/", Domain},
		{block("::1"), "http://[0::0:1]/", Domain},
		{block("::ffff:10.0.0.0/104"), "http://10.1.1.1/", Domain},
		{block("fd00::/8"), "http://[fd12::1]/", Domain},
		{block("10.0.0.1/8"), "http://10.2.2.2/", Domain},
		{block("10.0.0.0/8"), "http://[2002:a00:1::]/", Domain},
		{public, "http://localhost/", Private},
		{public, "http://a.localhost./", Private},
		{public, "http://ip6-localhost/", Private},
		{public, "http://localhost.localdomain/", Private},
		{public, "http://0177.1/", Private},
		{public, "http://0/", Private},
		{public, "http://[fe80::1%25eth0]/", Private},
		{public, "https://example.com/", ""},
		{public, "http://172.32.0.1/", ""},
		{public, "http://[2606:4700::1111]/", ""},
		{public, "http://[64:ff9b::808:808]/", ""},
		{public, "http://[64:ff9b::a00:1]/", Private},
		{public, "http://[::ffff:8.8.8.8]/", ""},
	} {
		if got := c.policy.Check(c.url); reason(got) != c.want {
			t.Errorf("%+v of %q: %v, want %q", c.policy, c.url, got, c.want)
		}
	}
}

// TestR299NamesAndWhatIsBelow walks the forms of an entry over the hosts that they are about.
func TestR299NamesAndWhatIsBelow(t *testing.T) {
	for entry, takes := range map[string][]string{
		"example.com": {"example.com"}, "EXAMPLE.com.": {"example.com"}, "*.example.com": {"example.com", "a.example.com", "a.b.example.com"},
		"10.1.2.3": {"10.1.2.3"}, "10.1.0.0/16": {"10.1.2.3", "10.1.0.1"}, "[2001:db8::1]": {"[2001:db8::1]"}, "2001:db8::/32": {"[2001:db8::1]"},
	} {
		for _, host := range []string{"example.com", "example.com.", "a.example.com", "a.b.example.com", "notexample.com", "example.com.evil.test", "com", "10.1.2.3", "10.1.0.1", "10.2.0.1", "[2001:db8::1]", "[2001:db9::1]"} {
			taken := slices.Contains(takes, strings.TrimSuffix(host, "."))
			if why := policy(t, Options{Allow: []string{entry}}).Check("http://" + host + "/"); (why == nil) != taken {
				t.Errorf("--allow-url=%s and %s: %v, want it allowed: %v", entry, host, why, taken)
			}
			if why := policy(t, Options{Block: []string{entry}}).Check("http://" + host + "/"); (why != nil) != taken {
				t.Errorf("--block-url=%s and %s: %v, want it blocked: %v", entry, host, why, taken)
			}
		}
	}
}

// TestR141SpecialPurposeBlocks has an address of each end of every block of the
// IANA special-purpose registries, and one beside.
func TestR141SpecialPurposeBlocks(t *testing.T) {
	p := policy(t, Options{Public: true})
	for _, block := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
		"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32",
		"::1/128", "::/128", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001::/32", "2001:1::1/128", "2001:2::/48", "2001:3::/32",
		"2001:4:112::/48", "2001:10::/28", "2001:20::/28", "2001:30::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
		"5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
	} {
		b := netip.MustParsePrefix(block)
		last := b.Addr().AsSlice()
		for i := range last {
			for bit := range 8 {
				if i*8+bit >= b.Bits() {
					last[i] |= 0x80 >> bit
				}
			}
		}
		end, _ := netip.AddrFromSlice(last)
		for _, a := range []netip.Addr{b.Addr(), end} {
			if got := p.checkAddr(a, true); reason(got) != Private && reason(got) != Metadata {
				t.Errorf("%v of %s: %v", a, block, got)
			}
		}
	}
	for _, a := range []string{"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "128.0.0.0", "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2001:200::", "2003::", "2606::", "3ffe::"} {
		if got := p.checkAddr(netip.MustParseAddr(a), true); got != nil {
			t.Errorf("%s: %v", a, got)
		}
	}
}

// TestR140DefaultList has each metadata endpoint that is known, by the policy
// that allows it most.
func TestR140DefaultList(t *testing.T) {
	for _, host := range []string{
		"169.254.169.254", "169.254.170.2", "169.254.170.23", "[fd00:ec2::254]", "[fd00:ec2::23]", "169.254.0.23", "metadata.tencentyun.com", "169.254.42.42",
		"[fd00:42::42]", "192.0.0.192", "168.63.129.16", "[fd20:ce::254]", "instance-data", "instance-data.ec2.internal", "100.100.100.200",
		"metadata.google.internal", "metadata.goog",
		"[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::a9fe:a9fe]", "[64:ff9b:1:a9fe:a9:fe00::]", "[64:ff9b:1:a9:fe:a9fe::]", "[64:ff9b:1:0:a9:fea9:fe00:0]",
		"[::ffff:169.254.169.254]", "[::ffff:0:a9fe:a9fe]", "[::a9fe:a9fe]", "[2002:a9fe:a9fe::1]", "[2001:0:1:2:3:4:5601:5601]", "[2001:0:a9fe:a9fe::1]",
		"[fe80::5efe:a9fe:a9fe]", "[2606::200:5efe:169.254.169.254]",
	} {
		p := policy(t, Options{Allow: []string{"*.com", "*.internal", "*.goog", "instance-data", "0.0.0.0/0", "::/0"}})
		if got := p.Check("https://" + host + ":8443/"); reason(got) != Metadata {
			t.Errorf("%s: %v", host, got)
		}
	}
}

// TestR142ListsThatNeverMatch has entries that mean nothing, and what the error
// says.
func TestR142ListsThatNeverMatch(t *testing.T) {
	for entry, says := range map[string]string{
		"http://example.com": "URL", "https://example.com/": "URL", "example.com/": "path", "example.com/a": "path", "example.com:8080": "port", "[::1]:80": "port",
		"": "neither", " ": "neither", "*": "label", "a*.example.com": "label", "*.*.com": "label", "*example.com": "label", "*.": "neither", "*.1.2.3.4": "no subdomains",
		"*.[::1]": "no subdomains", "1.2.3.4.5": "neither", "256.1.1.1": "neither", "10.0.0.0/33": "block", "10.0.0/8": "block", "a/8": "block", "::ffff:0:0/90": "IPv4",
		"a b": "neither", "a@b": "neither", "a..b": "neither", ".example.com": "neither", "?.com": "neither", "fd00::g": "port",
		strings.Repeat("a", 64) + ".com": "neither", strings.Repeat("a.", 127) + "com": "neither",
	} {
		for _, o := range []Options{{Allow: []string{"b", entry}}, {Block: []string{entry}}} {
			_, err := New(o)
			if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "can never match") {
				t.Errorf("%q: %v, want %q", entry, err, says)
			}
		}
	}
}

func TestR142Origins(t *testing.T) {
	for raw, want := range map[string]string{
		"https://Bank.example/": "https://bank.example", "https://bank.example:443": "https://bank.example", "HTTP://a:80/": "http://a", "http://a:8080": "http://a:8080",
		"http://[::1]:1": "http://[::1]:1", "http://127.1": "http://127.0.0.1", "https://b\u00fccher.example": "https://xn--bcher-kva.example",
		"bank.example": "", "https://bank.example/a": "", "https://bank.example?x": "", "https://bank.example#x": "", "https://u@bank.example": "", "ftp://a": "", "https://*.a": "", "": "", "https://": "",
	} {
		got, ok := Origin(raw)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", raw, got, ok, want)
		}
	}
}

// asked is a Resolver that knows some names.
func asked(rules string, names map[string]string) *Resolver {
	r := NewResolver(rules)
	r.ask = func(_ context.Context, host string) (all []netip.Addr, err error) {
		for a := range strings.FieldsSeq(names[host]) {
			all = append(all, netip.MustParseAddr(a))
		}
		if all == nil {
			return nil, errors.New("no such host")
		}
		return all, nil
	}
	return r
}

func TestR143NamesAreJudgedByTheirAddresses(t *testing.T) {
	names := asked("MAP mapped.test 127.0.0.1:99, MAP six.test [::1], MAP far.test public.test, MAP gone.* ~NOTFOUND, EXCLUDE gone.kept, MAP bad.test 10.0.0.9:65616, MAP lan?.test 10.0.0.9, MAP meta.test 169.254.169.254", map[string]string{
		"public.test": "93.184.216.34 2606:2800::1", "inner.test": "10.0.0.7", "both.test": "93.184.216.34 10.0.0.7", "cloud.test": "169.254.169.254",
		"nat.test": "64:ff9b::a9fe:a9fe", "mapped6.test": "::ffff:10.0.0.7", "gone.kept": "93.184.216.34", "near.test": "10.0.0.8", "bad.test": "10.0.0.8", "dot.test.": "93.184.216.34",
	})
	public := policy(t, Options{Public: true})
	lan := policy(t, Options{Block: []string{"10.0.0.0/8"}})
	for _, c := range []struct {
		policy *Policy
		host   string
		want   Reason
	}{
		{nil, "public.test", ""},
		{nil, "inner.test", ""},
		{nil, "cloud.test", Metadata},
		{nil, "nat.test", Metadata},
		{nil, "meta.test", Metadata},
		{nil, "unknown.test", Unresolved},
		{nil, "gone.test", Unresolved},
		{nil, "gone.kept", ""},
		{nil, "dot.test.", ""},
		{nil, "dot.test", Unresolved},
		{nil, "localhost", ""},
		{lan, "inner.test", Domain},
		{lan, "both.test", Domain},
		{lan, "mapped6.test", Domain},
		{lan, "mapped.test", ""},
		{public, "public.test", ""},
		{public, "far.test", ""},
		{public, "both.test", Private},
		{public, "mapped.test", Private},
		{public, "six.test", Private},
		{public, "8.8.8.8", ""},
	} {
		for range 2 { // the second time from what is known
			if got := c.policy.Judge(t.Context(), names, "http://"+c.host+"/"); reason(got) != c.want {
				t.Errorf("%s: %v, want %q", c.host, got, c.want)
			}
		}
	}
	for host, want := range map[string]string{"mapped.test": "127.0.0.1:99", "near.test": "10.0.0.8:80", "bad.test": "10.0.0.8:80", "lan.test": "10.0.0.9:80", "lan1.test": "10.0.0.9:80", "gone.kept": "93.184.216.34:80"} {
		to, why := (*Policy)(nil).Resolve(t.Context(), names, host, 80)
		if why != nil || len(to.Addrs) != 1 || netip.AddrPortFrom(to.Addrs[0], to.Port).String() != want {
			t.Errorf("%s leads to %v, %v, want %s", host, to, why, want)
		}
	}
	if _, why := public.Resolve(t.Context(), names, "both.test", 80); why.Text != "Blocked host (private address): both.test (10.0.0.7)" {
		t.Errorf("it says %q", why.Text)
	}
	if !names.Fast("http://127.0.0.1/") || !names.Fast("http://mapped.test/") || !names.Fast("http://both.test/") || names.Fast("http://never.asked/") {
		t.Error("what needs a look-up is not known")
	}
}

// TestDefaultRules reads the rules for Chromium as it does.
func TestDefaultRules(t *testing.T) {
	rules := readRules(DefaultRules())
	for _, host := range []string{"metadata.goog", "metadata.goog.", "169.254.169.254", "fd00:ec2::254", "::ffff:a9fe:a9fe", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::a9fe:a9fe", "::ffff:0:a9fe:a9fe", "::ffff:c000:c0"} {
		if to, _, err := applyRules(rules, host); err == nil {
			t.Errorf("%s leads to %s", host, to)
		}
	}
	for _, host := range []string{"169.254.169.25", "xmetadata.goog", "example.com", "127.0.0.1", "::1"} {
		if to, _, err := applyRules(rules, host); err != nil || to != host {
			t.Errorf("%s leads to %q, %v", host, to, err)
		}
	}
}
