// Package urlpolicy says which pages may be asked for, by the name in a URL and
// by the addresses that the name leads to.
//
//	p, err := urlpolicy.New(urlpolicy.Options{Allow: []string{"example.com", "*.example.com"}})
//	if why := p.Check("https://evil.example/"); why != nil { … }
package urlpolicy

import (
	"context"
	"net/netip"
	"slices"
	"strings"
)

// Policy is which documents may be loaded. It never changes after New, so that any
// goroutine may use it. nil is the default list alone: all of http and https except
// the hosts from which machines in a cloud get their credentials. No option allows
// these.
type Policy struct {
	allow, block list
	public       bool
	own          func(netip.AddrPort) bool
}

// Options make a Policy. A host is a name, "*.name", which includes the bare
// name, an IP address in any spelling that browsers take, or a block of
// addresses, "10.0.0.0/8".
type Options struct {
	Allow  []string // hosts; all when empty. A name is allowed by its name alone, wherever it leads
	Block  []string // hosts, refused even if allowed
	Public bool     // refuse what is not of the public Internet

	// Own reports whether a connection to an address would arrive at a listener of this
	// process. Nothing that is allowed includes those; nil: there are none.
	Own func(netip.AddrPort) bool
}

// New reads the lists. An entry that could never match is an error that says why: it
// would protect nothing.
func New(o Options) (*Policy, error) {
	p := &Policy{public: o.Public, own: o.Own}
	var err error
	if p.allow, err = readList(o.Allow); err != nil {
		return nil, err
	}
	p.block, err = readList(o.Block)
	return p, err
}

// Default reports whether the policy is no more than the default list.
func (p *Policy) Default() bool { return p == nil || p.allow.empty() && p.block.empty() && !p.public }

// Reason says in a word why a URL is refused.
type Reason string

// The reasons.
const (
	Invalid    Reason = "invalid"    // it is no absolute URL
	Scheme     Reason = "scheme"     // neither http nor https
	Metadata   Reason = "metadata"   // a cloud's metadata endpoint
	Domain     Reason = "domain"     // not on the allow list, or on the block list
	Private    Reason = "private"    // not of the public Internet, or a listener of this process
	Unresolved Reason = "unresolved" // where it leads is not known
)

// Refusal is why a URL may not be asked for.
type Refusal struct {
	Reason Reason
	Text   string // a phrase
}

// Error implements error.
func (r *Refusal) Error() string { return r.Text }

// Check judges a URL by its host alone, without DNS; nil means that there is no
// objection.
func (p *Policy) Check(raw string) *Refusal {
	host, port, why := webHost(raw)
	if why != nil {
		return why
	}
	if why = p.checkHost(host); why != nil {
		return why
	}
	if a, ok := readAddress(host); ok {
		return p.checkOwn(a, port)
	}
	if loopbackName(host) {
		return p.checkOwn(netip.IPv6Loopback(), port)
	}
	return nil
}

// webHost is the canonical host of a URL of http or https, and its port.
func webHost(raw string) (string, uint16, *Refusal) {
	scheme, host, port, why := splitURL(raw)
	if why == nil && scheme != "http" && scheme != "https" {
		why = &Refusal{Scheme, "Blocked protocol: " + scheme}
	}
	return host, port, why
}

// Judge is Check, and then judges every address that the name leads to. A name that
// leads nowhere is Unresolved.
func (p *Policy) Judge(ctx context.Context, names *Resolver, raw string) *Refusal {
	host, port, why := webHost(raw)
	if why == nil {
		_, why = p.Resolve(ctx, names, host, port)
	}
	return why
}

// Resolve judges a host and a port, and returns the addresses that they lead to. If one of them
// is refused, the host is refused: a browser may connect to any of them. A caller
// that connects to these very addresses is safe from DNS rebinding.
func (p *Policy) Resolve(ctx context.Context, names *Resolver, raw string, port uint16) (Place, *Refusal) {
	host, ok := canonicalHost(raw)
	if !ok {
		return Place{}, invalidURL(raw)
	}
	if why := p.checkHost(host); why != nil {
		return Place{}, why
	}
	to, err := names.find(ctx, host)
	if err != nil {
		return Place{}, &Refusal{Unresolved, "Host has no address: " + host}
	}
	if to.Port == 0 {
		to.Port = port
	}
	for _, a := range to.Addrs {
		if why := p.checkOwn(a, to.Port); why != nil {
			return Place{}, why
		}
		if why := p.checkAddr(a, false); why != nil {
			at := a.String()
			return Place{}, &Refusal{why.Reason, strings.TrimSuffix(why.Text, at) + host + " (" + at + ")"}
		}
	}
	return to, nil
}

// checkHost judges a canonical host.
func (p *Policy) checkHost(host string) *Refusal {
	if a, ok := readAddress(host); ok {
		return p.checkAddr(a, true)
	}
	name := strings.TrimSuffix(host, ".")
	switch {
	case endsInNumber(name):
		return invalidURL(host) // as the URL standard has it
	case metadataNames[name]:
		return &Refusal{Metadata, "Blocked host (cloud metadata endpoint): " + name}
	case p == nil:
		return nil
	case !p.allow.empty() && !p.allow.name(name), p.block.name(name):
		return &Refusal{Domain, "Domain not allowed: " + name}
	case p.public && localName(name):
		return &Refusal{Private, "Blocked host (private address): " + name}
	}
	return nil
}

// checkAddr judges an address in all its forms. host says that the URL itself has the
// address, which must then be on the allow list: names allow only themselves.
func (p *Policy) checkAddr(a netip.Addr, host bool) *Refusal {
	all := addressForms(a)
	for _, f := range all {
		if metadataAddrs[f] {
			return &Refusal{Metadata, "Blocked host (cloud metadata endpoint): " + a.String()}
		}
	}
	if p == nil {
		return nil
	}
	if host && !p.allow.empty() && !p.allow.addr(all[0]) {
		return &Refusal{Domain, "Domain not allowed: " + a.String()}
	}
	if slices.ContainsFunc(all, p.block.addr) {
		return &Refusal{Domain, "Domain not allowed: " + a.String()}
	}
	if p.public && !isPublic(a) {
		return &Refusal{Private, "Blocked host (private address): " + a.String()}
	}
	return nil
}

// checkOwn refuses the listeners of this process, in all forms of their addresses.
func (p *Policy) checkOwn(a netip.Addr, port uint16) *Refusal {
	if p == nil || p.own == nil {
		return nil
	}
	for _, f := range addressForms(a) {
		if at := netip.AddrPortFrom(f, port); p.own(at) {
			return &Refusal{Private, "Blocked host (cdphub itself listens there): " + at.String()}
		}
	}
	return nil
}

func invalidURL(what string) *Refusal { return &Refusal{Invalid, "Invalid URL: " + what} }
