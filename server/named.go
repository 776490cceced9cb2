package server

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/named"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// named is the options of the named sessions. What a session keeps must fit into the
// queue of one connection with room for what comes meanwhile, hence half of it. A
// Client could never come back to all of it otherwise.
func (l Limits) named(log *zap.Logger) named.Options {
	queue := l.client()
	o := named.Options{
		Log:     log,
		Longest: l.NamedGrace, Sessions: l.MaxNamed, Bytes: int(l.NamedMemory),
		TotalBytes: l.namedMemory(),
	}
	if o.Bytes == 0 {
		o.Bytes = defaultNamedMemory
	}
	if n := queue.MaxPending / 2; n > 0 {
		o.Bytes = min(o.Bytes, n)
	}
	if n := queue.MaxQueued / 2; n > 0 {
		o.Messages = n
	}
	return o
}

// defaultNamedMemory is Limits.NamedMemory where that is not set.
const defaultNamedMemory = 8 << 20

// namedMemory is what all named sessions may keep: a part of the memory budget.
func (l Limits) namedMemory() int64 { return l.memory() / 8 }

// owner is whose names of sessions the asker can use: those of the same token at the
// same hub.
func (s *Server) owner(r *http.Request) named.Owner {
	return named.Owner{Hub: front.RouteOf(r).Hub, Bearer: auth.PassOf(r).Bearer()}
}

// serveClient makes a WebSocket a Client of its hub, with a named session if the URL
// or the token asks for one.
func (s *Server) serveClient(w http.ResponseWriter, r *http.Request) {
	grant := auth.PassOf(r).Grant
	wish, err := s.named.Read(r.URL.Query(), named.Granted{Name: grant.Session, Longest: grant.Grace})
	switch {
	case err != nil:
		http.Error(w, err.Error()+".", http.StatusBadRequest)
		return
	case wish.Name != "":
		s.serveNamed(w, r, &wish)
		return
	}
	hub, release, ok := s.acquireReady(w, r)
	if !ok {
		return
	}
	s.upgradeClient(w, r, hub, release, "", func(client *relay.Client, conn *wsconn.Conn) error {
		client.Connect(newClientPeer(conn))
		return nil
	})
}

// serveNamed gives a WebSocket its named session. The session holds the hub and its
// place there until it ends, not until the connection does.
func (s *Server) serveNamed(w http.ResponseWriter, r *http.Request, wish *named.Request) {
	key := named.Key{Owner: s.owner(r), Name: wish.Name}
	if err := s.named.Check(key, wish); err != nil { // before a browser is started
		refuseNamed(w, err)
		return
	}
	var begin *named.Begin
	// A connection that resumes brings nothing of its own: it uses the hub and the
	// rights that the session has.
	if !wish.Resumes() {
		var ok bool
		if begin, ok = s.beginNamed(w, r, key, wish); !ok {
			return
		}
	}
	// giveBack undoes beginNamed where the session did not take it.
	giveBack := func() {
		if begin != nil {
			begin.Client.Leave()
			begin.Release()
		}
	}
	who := s.access.Peer("client", r)
	hub, letGo := s.hubs.Peek(key.Hub)
	o := wsconn.Options{AnyKey: true, Limits: s.o.Limits.client(), Share: s.share(hub)}
	letGo()
	came := s.upgrade(w, r, who, s.clients, o, func(ctx context.Context, conn *wsconn.Conn, ended func()) {
		// Join may fail although Check did not: another connection was faster. The
		// handshake is answered by now, so the connection is closed with the reason.
		link, err := s.named.Join(key, wish, conn, begin)
		if err != nil {
			giveBack()
			conn.Close(closeNamed(err))
		}
		receive := func(m []byte) {
			defer who.Survive(conn)
			if link != nil {
				link.Receive(m)
			}
		}
		conn.Start(ctx, receive, func(why wsconn.Reason) {
			if link != nil {
				link.Left()
			}
			who.Left(why)
			ended()
		})
	})
	if !came {
		giveBack()
	}
}

// beginNamed makes what a connection brings that does not resume: the hub, and a
// place for a Client there. It answers when it fails.
func (s *Server) beginNamed(w http.ResponseWriter, r *http.Request, key named.Key, wish *named.Request) (*named.Begin, bool) {
	hub, release, ok := s.acquireReady(w, r)
	if !ok {
		return nil, false
	}
	pass := auth.PassOf(r)
	// A session that begins anew under its name sees the tabs that it had, if its
	// connections see only their own.
	if tabs := s.named.Tabs(key); tabs != "" && pass.Owner != "" && !wish.Fresh {
		pass.Owner = tabs
	}
	client, err := hub.Admit(s.clientOptions(r, pass))
	if err != nil {
		release()
		tooManyClients(w, err)
		return nil, false
	}
	return s.makeBegin(client, pass, key.Hub, release), true
}

// refuseNamed answers why a connection does not get its named session: 403 for a name
// that another token has begun, 400 for a wrong number, 503 for too many sessions and
// from a server that ends, and 410 for one that has ended.
func refuseNamed(w http.ResponseWriter, why error) {
	status := http.StatusGone
	switch {
	case errors.Is(why, named.ErrUnknown):
		status = http.StatusForbidden
	case errors.Is(why, named.ErrNumber):
		status = http.StatusBadRequest
	case errors.Is(why, named.ErrTooMany), errors.Is(why, named.ErrClosed):
		status = http.StatusServiceUnavailable
	}
	http.Error(w, why.Error()+".", status)
}

// closeNamed is the close code for a session that has ended since Check: 1013 when
// there are too many, that of a server that ends, else 4505, after which a Client must not
// try again as it did.
func closeNamed(why error) wsconn.Reason {
	switch {
	case errors.Is(why, named.ErrTooMany):
		return wsconn.ReasonTryAgain
	case errors.Is(why, named.ErrClosed):
		return wsconn.ReasonShutdown
	}
	return wsconn.ReasonSessionEnded
}

// sessionsPath is before the names of sessions.
const sessionsPath = "/sessions/"

// listNamed lists the named sessions of the asker's token:
//
//	GET /sessions    {"sessions":[…]}
func (s *Server) listNamed(w http.ResponseWriter, r *http.Request) {
	own := s.named.List(func(o named.Owner) bool { return o == s.owner(r) })
	front.WriteJSON(w, http.StatusOK, map[string]any{"sessions": own})
}

// endOwnNamed ends a named session of the asker's token: DELETE /sessions/NAME.
func (s *Server) endOwnNamed(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(front.RouteOf(r).Path, sessionsPath)
	front.AnswerSessionEnd(w, s.named.End(named.Key{Owner: s.owner(r), Name: name}))
}

// restoreSession restores what the connection of a named session brought to the node
// before: its rights and its place in the hub. Its errors reach the Client that asks
// for the session again.
func (s *Server) restoreSession(name string, st *named.SessionState) (*named.Begin, error) {
	var v auth.Verdict
	// The bearer of the saved pass must be the one of the session. A comparison in
	// constant time tells nobody how much of the text is right.
	if err := json.Unmarshal(st.Verdict, &v); err != nil || subtle.ConstantTimeCompare([]byte(v.Bearer), []byte(st.Bearer)) == 0 {
		return nil, errors.New("its node has ended")
	}
	hub, release, err := s.hubs.Acquire(name)
	if err != nil {
		return nil, err
	}
	pass := s.gate.PassAgain(v)
	client, err := hub.Admit(relay.ClientOptions{Policy: front.PolicyOf(pass), Known: st.Client.Name, Account: pass.Account(), Payer: pass.Payer()})
	if err != nil {
		release()
		return nil, err
	}
	return s.makeBegin(client, pass, name, release), nil
}

// makeBegin makes what a named session needs as long as it lasts. hold ends it with its
// sandbox or its token. In a cluster, what its token allows goes with the session to its next
// node.
func (s *Server) makeBegin(client *relay.Client, pass auth.Pass, hub string, release func()) *named.Begin {
	hold := func(end func(wsconn.Reason)) func() {
		apart := s.sandboxes.Join(hub, func() { end(wsconn.ReasonDeleted) })
		letGo := s.gate.Hold(pass, func(why error) { end(tokenReason(why)) })
		return func() {
			letGo()
			apart()
		}
	}
	b := &named.Begin{Client: client, Payer: pass.Payer(), Tabs: pass.Owner, Release: release, Hold: hold}
	if s.cluster != nil {
		b.Verdict, _ = json.Marshal(s.gate.Lasting(pass)) //nolint:errchkjson // it was read from JSON
	}
	return b
}
