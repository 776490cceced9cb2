package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// login is a WebSocket whose caller has yet to show a token.
type login struct {
	server   *server
	r        *http.Request
	conn     *wsconn.Conn
	releases []func()
}

// enter implements actions.Caller's Login.
func (l *login) enter(ctx context.Context, token string) (actions.Caller, error) {
	s := l.server
	pass, err := auth.PassOf(l.r).Login(token)
	switch {
	case errors.Is(err, auth.ErrLockedOut):
		return actions.Caller{}, &actions.Error{Kind: actions.RateLimited, Message: "rate limited: " + err.Error()}
	case err != nil:
		return actions.Caller{}, &actions.Error{Kind: actions.Unauthenticated, Message: "Authentication failed"}
	}
	hub, release, err := s.readyHub(ctx, routeOf(l.r).hub)
	if err != nil {
		return actions.Caller{}, &actions.Error{Kind: actions.NoBrowser, Message: "no browser: " + err.Error(), Cause: err}
	}
	l.releases = append(l.releases, release, s.hold(pass, l.conn))
	return s.caller(l.r, hub, pass), nil
}

func (l *login) release() {
	for _, f := range l.releases {
		f()
	}
}
