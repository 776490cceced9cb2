// Package fence keeps the pages of the browsers that a process starts away from the
// listeners of that process. Such a browser is a program of this machine, and what its
// pages ask for would come from loopback as what a user asks for does.
//
//	var f fence.Fence
//	defer f.Listens(ln.Addr())()
//	defer f.Started(cmd.Process.Pid)() // the group of a browser's processes
//	f.Own(netip.MustParseAddrPort("127.0.0.1:9222")) // for the rules of addresses: is that one of ours?
//	f.Sent(request)                                  // for a listener: does one of our browsers ask?
package fence

import (
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// Fence knows the listeners and the browsers of a process. Its zero value knows none, and
// nil neither: its methods then do nothing.
type Fence struct {
	mu     sync.RWMutex   // guards what is below
	ports  map[uint16]int `stays:"of listeners, which last as long as the process"`
	groups map[int]int    `held:"groups of processes"` // browsers, and the process of each that held the last connection; 0: none yet
}

// Listens notes a listener, until closed is called. What is no TCP port no page can reach.
func (f *Fence) Listens(at net.Addr) (closed func()) {
	tcp, is := at.(*net.TCPAddr)
	if f == nil || !is {
		return func() {}
	}
	port := tcp.AddrPort().Port()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ports == nil {
		f.ports = make(map[uint16]int)
	}
	f.ports[port]++
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.ports[port]--; f.ports[port] == 0 {
			delete(f.ports, port)
		}
	})
}

// Ports are those of the listeners, in order.
func (f *Fence) Ports() []uint16 {
	if f == nil {
		return nil
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	return slices.Sorted(maps.Keys(f.ports))
}

// Started notes the process group of a browser, until gone is called.
func (f *Fence) Started(group int) (gone func()) {
	if f == nil {
		return func() {}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.groups == nil {
		f.groups = make(map[int]int)
	}
	f.groups[group] = 0
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.groups, group)
	}
}

// Own reports whether a connection to an address could arrive at one of the listeners: it
// is to the port of one, at whatever address of this machine. A listener at one address of
// loopback counts for all, which costs nothing.
func (f *Fence) Own(to netip.AddrPort) bool {
	if f == nil {
		return false
	}
	f.mu.RLock()
	_, listens := f.ports[to.Port()]
	f.mu.RUnlock()
	return listens && ofThisMachine(to.Addr())
}

// ofThisMachine reports whether an address is one of this machine. The unspecified address
// leads to it, too: Linux takes 0.0.0.0 and :: as destinations for loopback.
func ofThisMachine(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if a.IsLoopback() || a.IsUnspecified() {
		return true
	}
	all, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(all, func(own net.Addr) bool {
		p, err := netip.ParsePrefix(own.String())
		return err == nil && p.Addr().Unmap() == a
	})
}

// Sent reports whether a browser of this process has sent a request: whether a process of
// its group holds the other end of the connection. It is false where Tells is.
//
// To find that out takes some hundred microseconds for each browser that runs, so that
// requests are left out which no Chromium sends to an address of loopback: those without an
// Origin and without Sec-Fetch-Site. Chromium sends Sec-Fetch-Site with each request to an
// origin that is potentially trustworthy, as those of loopback are (Fetch Metadata, section
// 2; Secure Contexts, section 3.1), and an Origin with each WebSocket handshake (RFC 6455,
// section 4.1). No page, and no Client of the hub, can take these headers away.
func (f *Fence) Sent(r *http.Request) bool {
	if f == nil || ofProgram(r) {
		return false
	}
	f.mu.RLock()
	groups := maps.Clone(f.groups)
	f.mu.RUnlock()
	if len(groups) == 0 {
		return false
	}
	here, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	local, is := here.(*net.TCPAddr)
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if !is || err != nil || !ofThisMachine(remote.Addr()) {
		return false
	}
	group, holder, held := heldBy(groups, remote, local.AddrPort())
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, runs := f.groups[group]; runs {
		f.groups[group] = holder
	}
	return held
}

// ofProgram reports whether a request has none of what Chromium adds to those for loopback.
func ofProgram(r *http.Request) bool {
	host := strings.ToLower(r.Host)
	if at, _, err := net.SplitHostPort(host); err == nil {
		host = at
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	ip, err := netip.ParseAddr(host)
	// Chromium 156 does not count ::ffff:127.0.0.1 as potentially trustworthy.
	loopback := host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback() && !ip.Is4In6()
	return loopback && len(r.Header["Origin"]) == 0 && len(r.Header["Sec-Fetch-Site"]) == 0
}
