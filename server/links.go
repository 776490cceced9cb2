package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/internal/link"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server/internal/front"
)

// A link is a connection to the hub that `cdphub connect` carries over WebSockets,
// which may come and go:
//
//	/link              requests within it have the link's token, unless they have their own
//	/link?pass=none    they have their own, or none
//	/hub/NAME/link     paths within it are those of that hub
//
// In a cluster, a link that comes back at another node is forwarded to the one that has it.
//
// What is behind a link may be far away: its requests are never those of a program of
// this machine.

const linkPath = "/link"

// links are those of a server.
type links struct {
	table link.Table
	conns *front.ConnGroup
	doors [2]*door `stays:"configuration"` // for links to a listener of Clients, and to one that Hosts share
}

func newLinks(s *Server) *links {
	l := &links{table: link.Table{Grace: s.o.Limits.LinkGrace, Most: s.o.Limits.MaxLinks, Budget: s.budget}, conns: front.NewConnGroup()}
	if c := s.o.Cluster; c != nil {
		l.table.Node = c.Directory.Self().ID
	}
	for i, hosts := range []bool{false, true} {
		l.doors[i] = s.newDoor(hosts)
	}
	return l
}

// close ends all links, and reports whether they were gone before ctx ended. Half of
// the time is for bytes that the other ends have not received yet.
func (l *links) close(ctx context.Context) bool {
	flush, cancel := context.WithTimeout(ctx, closing/2)
	defer cancel()
	l.table.Close(flush, net.ErrClosed, wsconn.ReasonShutdown)
	for _, d := range l.doors {
		d.close()
	}
	return l.conns.Close(ctx, wsconn.ReasonShutdown)
}

// linked is a link as the server of what it carries knows it.
type linked struct {
	*link.Pipe
	hub  string    // that paths without a name are for
	pass auth.Pass // that requests have; zero for none
}

// linkKey is the context key for the link that a request came by.
type linkKey struct{}

// linkOf is the link that a request has come by. A request that came by none has a
// link without a pipe, so that callers need no nil check.
func linkOf(r *http.Request) *linked {
	if l, is := r.Context().Value(linkKey{}).(*linked); is {
		return l
	}
	return &linked{}
}

// door is a listener of what comes by links, with its server. net/http wants a
// listener; this one hands over the pipes of links.
type door struct {
	once  sync.Once // starts the server
	serve func()
	hs    *http.Server
	conns chan net.Conn
	done  chan struct{}
	end   sync.Once
}

// newDoor makes a door to what a listener serves, for peers far away.
func (s *Server) newDoor(hosts bool) *door {
	d := &door{conns: make(chan net.Conn), done: make(chan struct{})}
	// The rules are those of an exposed listener: the peer may be far away.
	rate := s.o.rates.own
	rate.Within += s.o.Limits.LinkGrace // a body may wait for the link to come back
	next := s.handler(front.Audience{Clients: true, Hosts: hosts, Exposed: true})
	d.hs = httpserver.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The peer of the link could claim any address with these headers; its own was
		// checked at the handshake.
		auth.DropRelayed(r.Header)
		if ofAProgram(r) {
			r = linkOf(r).pass.Lend(r)
		}
		next.ServeHTTP(w, r)
	}), rate, s.log)
	// The network can fail for a while without a sign: the hub then takes the link for a
	// live one whose peer is late.
	d.hs.ReadHeaderTimeout += s.o.Limits.LinkGrace
	d.hs.IdleTimeout += s.o.Limits.LinkGrace
	d.hs.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, linkKey{}, c) }
	d.serve = func() { go d.hs.Serve(d) } //nolint:errcheck // it ends with the door
	return d
}

// ofAProgram reports whether no page can have sent a request. Only those use the token of the
// link; a page needs a token of its own, also one that is served through the link. Its
// reader has the link, but the page may be anybody's, and so may be the browser: one that
// programs drive can be sent to the local listener. Browsers send Sec-Fetch-Site or Origin
// with each request to loopback, unless it is called by an address that is not potentially
// trustworthy (Chromium 156: 0.0.0.0, [::] and [::ffff:127.0.0.1]).
func ofAProgram(r *http.Request) bool {
	host, _ := auth.HostName(r.Host)
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	odd := err == nil && (ip.IsUnspecified() || ip.Is4In6())
	return !odd && len(r.Header["Origin"]) == 0 && len(r.Header["Sec-Fetch-Site"]) == 0
}

// let hands a link to the server of the door, which it starts for the first link. It
// waits until the server accepts the link.
func (d *door) let(l *linked) {
	// Most servers never see a link, and need no goroutine for it.
	d.once.Do(d.serve)
	select {
	case d.conns <- l:
	case <-d.done:
		l.Close() //nolint:errcheck // it never fails
	}
}

func (d *door) close() {
	d.Close() //nolint:errcheck // it never fails
	d.hs.Close()
}

// Accept implements net.Listener.
func (d *door) Accept() (net.Conn, error) {
	select {
	case c := <-d.conns:
		return c, nil
	case <-d.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (d *door) Close() error {
	d.end.Do(func() { close(d.done) })
	return nil
}

// Addr implements net.Listener.
func (*door) Addr() net.Addr { return linkAddr("links") }

// linkAddr is where the peer of a link is, as http.Request.RemoteAddr has it.
type linkAddr string

// Network implements net.Addr.
func (linkAddr) Network() string { return "link" }

func (a linkAddr) String() string { return string(a) }

// addressOf is the address of a request, with the port of the connection. Behind a
// trusted proxy it is the address that the proxy names in X-Forwarded-For.
func (s *Server) addressOf(r *http.Request) linkAddr {
	_, port, err := net.SplitHostPort(r.RemoteAddr)
	if from := s.gate.Address(r); err == nil && from.IsValid() {
		return linkAddr(net.JoinHostPort(from.String(), port))
	}
	return linkAddr(r.RemoteAddr)
}

// serveLink makes a WebSocket one of a link. In a cluster the node that has the link
// serves it.
func (s *Server) serveLink(w http.ResponseWriter, r *http.Request) {
	if node, elsewhere := s.linkElsewhere(r); elsewhere {
		s.forward.Forward(w, r, front.Entry{Role: auth.RoleClient}, cluster.Owner{Node: node})
		return
	}
	j, ok := s.joinLink(w, r)
	if !ok {
		return
	}
	in := &linked{Pipe: j.Pipe, hub: front.RouteOf(r).Hub}
	d := s.links.doors[0]
	// Doors are by what the listener serves: a link grants no more than its own
	// listener does.
	if front.RouteOf(r).On.Hosts {
		d = s.links.doors[1]
	}
	if r.URL.Query().Get("pass") != "none" {
		in.pass = auth.PassOf(r)
	}
	refuse := j.Refuse
	o := wsconn.Options{Subprotocol: link.Protocol, Header: j.Answer, Limits: link.Limits()}
	// refuse is a variable: serveSocket calls its last argument but one also when the
	// connection has ended, and then the link must stay.
	s.serveSocket(w, r, s.access.Peer("link", r), s.links.conns, o, func() { refuse() }, func(ctx context.Context, conn *wsconn.Conn) wsconn.Reason {
		refuse = func() {} // the peer has the answer, and may have come back over another WebSocket already
		if j.Fresh {
			go d.let(in)
		}
		j.Attach(conn) //nolint:errcheck // it has closed conn then
		why := conn.Serve(ctx, j.Pipe.Text)
		j.Detach(conn, why)
		return why
	})
}

// linkElsewhere finds the node that has the link of a handshake, if that is another one.
// That node checks whose link it is. A link within a link is for joinLink to refuse.
func (s *Server) linkElsewhere(r *http.Request) (node cluster.Node, is bool) {
	hello, err := link.ReadHello(r.Header)
	// An epoch of 1 is a new link, which every node may have. An unknown node has
	// ended, and its links with it: joinLink then answers 410.
	if s.cluster == nil || err != nil || hello.Epoch == 1 || hello.Node == s.cluster.ID || linkOf(r).Pipe != nil {
		return node, false
	}
	nodes := s.cluster.Directory.Nodes()
	i := slices.IndexFunc(nodes, func(n cluster.Node) bool { return n.ID == hello.Node })
	if i < 0 {
		return node, false
	}
	return nodes[i], true
}

// joinLink finds the link of a handshake, or answers why there is none: 410 for a
// link that has ended, 403 for the link of another token, 429 for too many links, 409
// for an outdated handshake.
func (s *Server) joinLink(w http.ResponseWriter, r *http.Request) (j link.Joined, ok bool) {
	switch query := r.URL.Query().Get("pass"); {
	case linkOf(r).Pipe != nil:
		http.Error(w, "A link cannot be opened through another link: connect to the address of the hub itself.", http.StatusForbidden)
		return j, false
	case query != "" && query != "none":
		http.Error(w, "pass="+front.CutWords(query)+" is not valid: set pass=none for requests that bring their own tokens, or leave it out.", http.StatusBadRequest)
		return j, false
	case query == "none" && !s.tokens.Set():
		http.Error(w, "This hub needs no tokens, so it would accept requests without a token: leave pass=none out.", http.StatusForbidden)
		return j, false
	}
	hello, err := link.ReadHello(r.Header)
	if err != nil {
		http.Error(w, "The handshake of the link is wrong: "+err.Error()+".", http.StatusBadRequest)
		return j, false
	}
	j, err = s.links.table.Join(hello, link.Peer{
		Owner: auth.PassOf(r).Bearer(), Payer: front.PayerOf(r), Place: auth.Place(s.gate.Address(r)).String(), Local: linkAddr("links"), Remote: s.addressOf(r),
	})
	status := 0
	switch {
	case err == nil:
		return j, true
	case errors.Is(err, link.ErrGone):
		status = http.StatusGone
	case errors.Is(err, link.ErrOther):
		status = http.StatusForbidden
	case errors.Is(err, link.ErrFull):
		w.Header().Set("Retry-After", "1")
		status = http.StatusTooManyRequests
	default:
		status = http.StatusConflict
	}
	http.Error(w, "The hub refuses the link: "+err.Error()+".", status)
	return j, false
}
