package server

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/wsconn"
)

// Of those who have yet to show a token there may be so many from one address,
// each with a message of so many bytes that is not whole.
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

// enter implements actions.Caller's Login.
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
	hub, release, err := s.Hub(ctx, routeOf(l.r).hub)
	if err != nil {
		return actions.Caller{}, actions.NoBrowserFor(err)
	}
	l.releases = append(l.releases, release, s.hold(pass, l.conn))
	l.conn.LimitMessages(0)
	l.known()
	return s.caller(l.r, hub, pass), nil
}

func (l *login) release() {
	for _, f := range l.releases {
		f()
	}
}

// awaitLogin lets a request pass that is to show its token later, until known
// is called, or answers that too many of its address are to.
func (s *Server) awaitLogin(w http.ResponseWriter, r *http.Request) (known func(), ok bool) {
	left, ok := s.logins.Enter(s.gate.Address(r), maxLogins)
	if !ok {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "Too many connections of this address have yet to log in: bring the token with the handshake, as the header Authorization: Bearer TOKEN.", http.StatusTooManyRequests)
		return nil, false
	}
	return sync.OnceFunc(left), true
}
