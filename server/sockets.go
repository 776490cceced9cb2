package server

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/doors"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/session"
)

const pageSocketPath = "/devtools/page/"

// servePage makes a WebSocket a Client of one Target.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) { s.servePageTo(w, r, "") }

// targetOf is the target of a page socket, whose address may end in a slash.
func targetOf(r *http.Request) string {
	return strings.TrimSuffix(strings.TrimPrefix(front.RouteOf(r).Path, pageSocketPath), "/")
}

// servePageTo is servePage for a Client that sees also a private Target; "" is none.
func (s *Server) servePageTo(w http.ResponseWriter, r *http.Request, private string) {
	id := targetOf(r)
	hub, release, ok := s.acquireReady(w, r)
	if !ok {
		return
	}
	_, known := hub.Target(front.PolicyOf(auth.PassOf(r)), id)
	if private != "" {
		_, known = hub.Control().WatchedTarget(front.WatcherOf(r), id)
	}
	if !known {
		release()
		http.Error(w, "No such target id: "+id, http.StatusNotFound)
		return
	}
	s.upgradeClient(w, r, hub, release, private, func(client *relay.Client, conn *wsconn.Conn) error {
		return client.ConnectPage(newClientPeer(conn), id, func() { conn.Close(wsconn.ReasonTargetClosed) })
	})
}

// upgradeClient takes a WebSocket over for a Client, which connect joins to
// its hub; release is called when it has left. Its place there is taken
// before: a full hub refuses the handshake.
func (s *Server) upgradeClient(w http.ResponseWriter, r *http.Request, hub *relay.Hub, release func(), private string,
	connect func(*relay.Client, *wsconn.Conn) error,
) {
	who := s.access.Peer("client", r)
	pass := auth.PassOf(r)
	o := s.clientOptions(r, pass)
	o.PrivateOf = private
	client, err := hub.Admit(o)
	if err != nil {
		release()
		tooManyClients(w, err)
		return
	}
	socket := wsconn.Options{AnyKey: true, Limits: s.o.Limits.client(), Share: s.share(hub)}
	came := s.upgrade(w, r, who, s.clients, socket, func(ctx context.Context, conn *wsconn.Conn, ended func()) {
		if connect(client, conn) != nil { // the Target has just gone
			conn.Close(wsconn.ReasonTargetClosed)
		}
		receive := s.entranceAt(r, protocolList(doors.CDP)).guard(conn, client.Receive)
		conn.Start(ctx, func(m []byte) {
			defer who.Survive(conn)
			receive(m)
		}, func(why wsconn.Reason) {
			client.Leave()
			who.Left(why)
			release()
			ended()
		})
	})
	if !came {
		client.Leave()
		release()
	}
}

// clientOptions say who sends a request, as its hub knows it.
func (s *Server) clientOptions(r *http.Request, pass auth.Pass) relay.ClientOptions {
	return relay.ClientOptions{Policy: front.PolicyOf(pass), Name: clientName(r, pass), Account: pass.Account(), Payer: pass.Payer(), Address: ownPath(r), HandoffURL: s.handoffLinks(r)}
}

// upgrade takes a WebSocket over and starts it. Drain waits until ended has
// been called. It reports false when it has refused the WebSocket, and answered.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request, who front.Peer, to *front.ConnGroup, o wsconn.Options,
	start func(ctx context.Context, conn *wsconn.Conn, ended func()),
) bool {
	pass := auth.PassOf(r)
	disconnected, ok := s.takeConnection(w, r)
	if !ok {
		return false
	}
	o.Payer = pass.Payer()
	o.Subprotocol = cmp.Or(pass.Protocol, o.Subprotocol)
	o.Compression, o.Budget, o.Poller = s.o.Limits.Compression, s.budget, s.poller
	conn, err := wsconn.Upgrade(w, r, o)
	if err != nil {
		disconnected()
		return false
	}
	s.log.Debug(who.Side+" came", who.Fields()...)
	// First, since the end of a sandbox ends its token, too. The first reason to
	// close a connection is the one that its peer sees: here the sandbox and not the
	// token.
	apart := s.sandboxes.Join(who.Hub, func() { conn.Close(wsconn.ReasonDeleted) })
	stayed := func() {}
	// A link is the node's, whoever owns the hub of its path. A connection that is to show
	// its token joins the hub of its share later, see login.findHub.
	if who.Side != "link" && (pass.Login == nil || !s.divides(who.Hub)) {
		stayed = s.cluster.Join(who.Hub, who.Side == "host", conn.Close)
	}
	letGo, left := s.hold(pass, conn), to.Enter()
	start(to.Context, conn, func() {
		letGo()
		apart()
		stayed()
		left()
		disconnected()
	})
	return true
}

// serveSocket takes a WebSocket over and serves it in a goroutine of its own.
// It calls release when the connection has ended, or was refused.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request, who front.Peer, to *front.ConnGroup, o wsconn.Options, release func(),
	serve func(ctx context.Context, conn *wsconn.Conn) wsconn.Reason,
) {
	came := s.upgrade(w, r, who, to, o, func(ctx context.Context, conn *wsconn.Conn, ended func()) {
		go func() {
			defer ended()
			defer release()
			defer who.Survive(conn)
			why := wsconn.ReasonInternal
			defer func() { who.Left(why) }()
			why = serve(ctx, conn)
		}()
	})
	if !came {
		release()
	}
}

// clientPeer is a Client's connection as its hub knows it.
type clientPeer struct {
	*session.Encoder
	conn *wsconn.Conn
}

func newClientPeer(conn *wsconn.Conn) clientPeer { return clientPeer{session.NewEncoder(conn), conn} }

// Drained implements relay.Drained. It is called under Hub.mu; Close does not wait.
func (c clientPeer) Drained() { c.conn.Close(wsconn.ReasonShutdown) }
