package server

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/jsonrpc"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/doors"
	"github.com/cdphub/cdphub/internal/optionname"
	"github.com/cdphub/cdphub/internal/urlpolicy"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// limits are those of one connection, or of one token.
func (a Actions) limits() actions.Limits {
	return actions.Limits{Requests: a.RequestRate, Screenshots: a.ScreenshotRate}
}

// policy reads which pages there may be. The first call reads only the list of
// Allow, so that an error names the option that it belongs to.
func (n Network) policy(own func(netip.AddrPort) bool) (*urlpolicy.Policy, error) {
	if _, err := urlpolicy.New(urlpolicy.Options{Allow: n.Allow}); err != nil {
		return nil, optionname.Errorf("{server.Network.Allow} %w", err)
	}
	p, err := urlpolicy.New(urlpolicy.Options{Allow: n.Allow, Block: n.Block, Public: n.Public, Own: own})
	if err != nil {
		return nil, optionname.Errorf("{server.Network.Block} %w", err)
	}
	return p, nil
}

// adapter begins to serve one WebSocket of an action API: receive takes each of its messages, and
// end is called once, when it has ended.
type adapter func(ctx context.Context, conn *wsconn.Conn, c actions.Caller) (receive func([]byte), end func())

// serveAdapter makes a WebSocket a caller of its hub. A caller that has yet to log in
// gets neither a hub nor a browser before, so that strangers start no browsers.
func (s *Server) serveAdapter(begin adapter) http.HandlerFunc {
	return s.serveCaller(begin, wsconn.Options{Limits: s.o.Limits.action(actions.MaxRequest)}, func() {})
}

// serveBAP is serveAdapter for the Browser Agent Protocol. Its clients may send
// binary messages, and want the first subprotocol that they offer
// (Sec-WebSocket-Protocol, RFC 6455, section 11.3.4). One address may have
// Actions.BAPConnections connections; the hub refuses the next one with 429 and
// Retry-After.
func (s *Server) serveBAP(begin adapter) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		left, ok := s.bapFrom.TakeOr(w, r, s.gate.Address(r))
		if !ok {
			return
		}
		first, _, _ := strings.Cut(r.Header.Get("Sec-WebSocket-Protocol"), ",")
		o := wsconn.Options{Subprotocol: strings.TrimSpace(first), Limits: s.o.Limits.action(s.o.Actions.BAPMessage)}
		s.serveCaller(begin, o, left)(w, r)
	}
}

// beginEither serves a client that connects to an address without a path. Clients of
// two protocols do that, BAP and JSON-RPC: the first message says which of them it
// is.
func (s *Server) beginEither(ctx context.Context, conn *wsconn.Conn, c actions.Caller) (func([]byte), func()) {
	receive, end := s.bap.Begin(ctx, conn, c)
	first := true
	conn.HandleBinary(func(frame []byte) { first = false; receive(frame) })
	return func(frame []byte) {
		if first && doors.Of(frame) == doors.JSONRPC {
			// The session of BAP has received no message yet, so that nothing of it
			// is lost.
			end()
			receive, end = jsonrpc.Begin(ctx, conn, c)
		}
		first = false
		receive(frame)
	}, func() { end() } // by then it may be the end of JSON-RPC
}

// serveCaller is serveAdapter with options for the WebSocket. It calls left once:
// when the WebSocket has ended, or was refused.
func (s *Server) serveCaller(begin adapter, o wsconn.Options, left func()) http.HandlerFunc {
	// Either hub is set, or l: a caller that logs in later gets its hub from
	// login.enter.
	return func(w http.ResponseWriter, r *http.Request) {
		if !checkMode(w, r) {
			left()
			return
		}
		var hub *relay.Hub
		var l *login
		var letGo func()
		ok := false
		if auth.PassOf(r).Login == nil {
			hub, letGo, ok = s.acquireReady(w, r)
		} else if letGo, ok = s.awaitLogin(w, r); ok {
			l = &login{server: s, r: r, known: letGo}
		}
		if !ok {
			left()
			return
		}
		release := func() { letGo(); left() }
		who := s.access.Peer("client", r)
		o.AnyKey = true
		s.serveSocket(w, r, who, s.clients, o, release, func(ctx context.Context, conn *wsconn.Conn) wsconn.Reason {
			c := s.caller(r, hub, auth.PassOf(r))
			if l != nil {
				// The connection exists only here, and login.enter needs it to close
				// it when its token ends.
				l.conn = conn
				// Without this limit a stranger could have the hub keep a whole
				// message of a caller.
				conn.LimitMessages(maxBeforeLogin)
				defer l.release()
				c.Login = func(token string) (actions.Caller, error) { return l.enter(ctx, token) }
			}
			receive, end := begin(ctx, conn, c)
			defer end()
			return conn.Serve(ctx, s.entranceOf(r).guard(conn, receive))
		})
	}
}

// checkMode refuses a snapshotParam that is none.
func checkMode(w http.ResponseWriter, r *http.Request) bool {
	_, err := actions.ParseSnapshotMode(r.URL.Query().Get(snapshotParam))
	if err != nil {
		http.Error(w, snapshotParam+": none, delta, full or a number of tokens", http.StatusBadRequest)
	}
	return err == nil
}

// serveActions answers a request of an action API that speaks HTTP. Drain
// waits for it; the end of its token cuts it off.
func (s *Server) serveActions(serve func(actions.Caller, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !checkMode(w, r) {
			return
		}
		hub, release, ok := s.acquireReady(w, r)
		if !ok {
			return
		}
		defer release()
		// This request is no WebSocket, which upgrade would count for drain.
		defer s.clients.Enter()()
		pass := auth.PassOf(r)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		// An answer may be a stream of server-sent events, which lasts longer than a
		// token.
		defer s.gate.Hold(pass, func(error) { cancel() })()
		serve(s.caller(r, hub, pass), w, r.WithContext(ctx))
	}
}
