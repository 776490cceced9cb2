package urlpolicy

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// Resolver finds the addresses of names, as a browser on this machine does. The zero
// value and nil ask the system. It may be used from any goroutine.
type Resolver struct {
	rules []rule // of the browser
	// ask looks a name up; the system when nil.
	ask func(ctx context.Context, host string) ([]netip.Addr, error)

	mu    sync.Mutex        // guards what is below
	known map[string]answer `stays:"a cache, bounded by number"`
}

// Place is where a host leads.
type Place struct {
	Addrs []netip.Addr // at least one
	Port  uint16       // in place of the URL's; 0 for that, but not from Resolve
}

type answer struct {
	addrs []netip.Addr
	err   error
	until time.Time
}

const (
	lookupWithin = 5 * time.Second
	keepAnswer   = 5 * time.Second // as long as a navigation takes, with its redirects
	mostKnown    = 1024
)

// NewResolver makes the Resolver of a browser with these rules, in the form of
// Chromium's option --host-resolver-rules. Rules that cannot be read are ignored, as
// Chromium does.
func NewResolver(rules string) *Resolver { return &Resolver{rules: readRules(rules)} }

var errNoAddress = errors.New("no address")

// find finds the addresses of a canonical host.
func (r *Resolver) find(ctx context.Context, host string) (to Place, err error) {
	if r != nil {
		if host, to.Port, err = applyRules(r.rules, host); err != nil {
			return to, err
		}
	}
	if a, ok := readAddress(host); ok {
		to.Addrs = []netip.Addr{a}
		return to, nil
	}
	if loopbackName(host) {
		to.Addrs = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()} // RFC 6761, as Chromium
		return to, nil
	}
	to.Addrs, err = r.look(ctx, host)
	return to, err
}

// loopbackName reports whether a name leads to this machine without being
// looked up (RFC 6761, section 6.3; Chromium does so too).
func loopbackName(host string) bool {
	name := strings.TrimSuffix(host, ".")
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// Fast reports whether judging a URL needs no wait for DNS, so that the caller can do
// it at once.
func (r *Resolver) Fast(raw string) bool {
	_, host, _, why := splitURL(raw)
	if why != nil {
		return true
	}
	var err error
	if r != nil {
		if host, _, err = applyRules(r.rules, host); err != nil {
			return true
		}
	}
	if _, ok := readAddress(host); ok || loopbackName(host) {
		return true
	}
	_, ok := r.cached(host)
	return ok
}

func (r *Resolver) cached(host string) (answer, bool) {
	if r == nil {
		return answer{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.known[host]
	return a, ok && time.Now().Before(a.until)
}

// look asks for a name's addresses, unless they are known. Failures are remembered,
// too: a page may ask for the same name many times.
func (r *Resolver) look(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, ok := r.cached(host); ok {
		return a.addrs, a.err
	}
	ask := bySystem
	if r != nil && r.ask != nil {
		ask = r.ask
	}
	within, cancel := context.WithTimeout(ctx, lookupWithin)
	defer cancel()
	addrs, err := ask(within, host)
	if err == nil && len(addrs) == 0 {
		err = errNoAddress
	}
	// An answer that the caller has cut off says nothing of the name.
	if r == nil || ctx.Err() != nil {
		return addrs, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= mostKnown {
		r.known = make(map[string]answer)
	}
	r.known[host] = answer{addrs, err, time.Now().Add(keepAnswer)}
	return addrs, err
}

func bySystem(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}
