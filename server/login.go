package server

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/membership"
)

// Limits for connections without a token so far: how many one address may have, and
// how many bytes one of their messages may have. Strangers could fill the memory
// otherwise.
const (
	maxLogins      = 64
	maxBeforeLogin = 64 << 10
)

// login is a WebSocket whose caller has yet to show a token.
type login struct {
	server   *Server
	r        *http.Request
	conn     *wsconn.Conn
	known    func() // is called when it has, or when it ends
	releases []func()
}

// enter implements actions.Caller's Login. It checks the token, gets the hub with its
// browser, and lifts the limits that held before. Its errors have the words that the
// action protocols answer with.
func (l *login) enter(ctx context.Context, token string) (actions.Caller, error) {
	s := l.server
	pass, err := auth.PassOf(l.r).Login(token)
	switch {
	case errors.Is(err, auth.ErrLockedOut):
		return actions.Caller{}, &actions.Error{Kind: actions.RateLimited, Message: "rate limited: " + err.Error()}
	case errors.Is(err, advice.TokenUnknown): // in the words of the protocol
		return actions.Caller{}, &actions.Error{Kind: actions.Unauthenticated, Message: "Authentication failed"}
	case err != nil:
		return actions.Caller{}, &actions.Error{Kind: actions.Unauthenticated, Message: "Authentication failed: " + err.Error()}
	}
	hub, release, err := l.findHub(quota.NewContext(ctx, pass.Payer()), pass)
	if err != nil {
		return actions.Caller{}, actions.NoBrowserFor(err)
	}
	// Both end with the connection, see release.
	l.releases = append(l.releases, release, s.hold(pass, l.conn))
	// 0 lifts the limit of maxBeforeLogin: Options.Limits count again.
	l.conn.LimitMessages(0)
	l.known()
	return s.caller(l.r, hub, pass), nil
}

// findHub gets the hub of the token's share. In a cluster the node that owns the hub must
// be this one.
func (l *login) findHub(ctx context.Context, pass auth.Pass) (hub *relay.Hub, release func(), err error) {
	s := l.server
	l.r = s.intoShare(l.r, pass)
	name := front.RouteOf(l.r).Hub
	if s.cluster == nil || !s.divides(name) {
		return s.Hub(ctx, name)
	}
	if _, elsewhere := s.cluster.PlaceUnowned(ctx, name); elsewhere {
		return nil, nil, errLoginElsewhere
	}
	if hub, release, err = s.Hub(ctx, name); errors.Is(err, membership.ErrElsewhere) {
		return nil, nil, errLoginElsewhere
	}
	if err == nil {
		l.releases = append(l.releases, s.cluster.Join(name, false, l.conn.Close))
	}
	return hub, release, err
}

// release gives back the hub and ends the hold of the token. It is called after the
// connection has ended, in the same goroutine as enter.
func (l *login) release() {
	for _, f := range l.releases {
		f()
	}
}

// awaitLogin lets a request pass that is to show its token later. known counts it
// out; it may be called more than once. Too many such requests of one address are
// answered 429.
func (s *Server) awaitLogin(w http.ResponseWriter, r *http.Request) (known func(), ok bool) {
	left, ok := s.logins.Enter(s.gate.Address(r), maxLogins)
	if !ok {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "Too many connections from this address have not logged in yet: send the token with the handshake, as the header Authorization: Bearer TOKEN.", http.StatusTooManyRequests)
		return nil, false
	}
	return sync.OnceFunc(left), true
}
