package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// actionFlags are the options of the action APIs.
type actionFlags struct {
	Actions    bool     `help:"Serve the action APIs beside CDP: NDJSON, browser.*, browser hooks, BAP, MCP." default:"true" negatable:"" env:"CDPHUB_ACTIONS" group:"Actions:"`
	AllowURL   []string `name:"allow-url" help:"A host, or *.host, that actions may open pages of; all when not given." env:"CDPHUB_ALLOW_URL" placeholder:"HOST" group:"Actions:"`
	BlockURL   []string `name:"block-url" help:"A host, or *.host, that they may not." env:"CDPHUB_BLOCK_URL" placeholder:"HOST" group:"Actions:"`
	PublicURLs bool     `name:"public-urls" help:"Refuse pages of loopback and private addresses to them." env:"CDPHUB_PUBLIC_URLS" group:"Actions:"`
}

// dialect serves one WebSocket of an action API until it ends, and returns why.
type dialect func(ctx context.Context, conn *wsconn.Conn, c actions.Caller) wsconn.Reason

// dialects are those that speak over a WebSocket, by path below the hub's.
var dialects = map[string]dialect{}

// actionHandlers are those that speak over HTTP, by path below the hub's.
var actionHandlers = map[string]func(actions.Caller, http.ResponseWriter, *http.Request){}

// serveDialect makes a WebSocket a caller of its hub.
func (s *server) serveDialect(serve dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		hub, release, ok := s.acquireReady(w, r)
		if !ok {
			return
		}
		who := s.peer("client", r)
		o := wsconn.Options{AnyKey: true, Limits: s.flags.actionLimits()}
		came := s.upgrade(w, r, who, s.clients, o, func(ctx context.Context, conn *wsconn.Conn, ended func()) {
			go func() {
				defer ended()
				defer release()
				defer who.survive(conn)
				why := wsconn.ReasonInternal
				defer func() { who.left(why) }()
				why = serve(ctx, conn, s.caller(r, hub))
			}()
		})
		if !came {
			release()
		}
	}
}

// serveActions answers a request of an action API that speaks HTTP.
func (s *server) serveActions(serve func(actions.Caller, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		hub, release, ok := s.acquireReady(w, r)
		if !ok {
			return
		}
		defer release()
		serve(s.caller(r, hub), w, r)
	}
}

// caller is who asks, to the action APIs.
func (s *server) caller(r *http.Request, hub *relay.Hub) actions.Caller {
	pass := auth.PassOf(r)
	c := actions.Caller{
		Join: func(event actions.EventFunc) (actions.Client, error) {
			return hub.JoinLocal(relay.LocalOptions{Policy: policy(pass), Event: event})
		},
		Options: actions.Options{Log: s.log, URLs: actions.URLPolicy{
			Allow: s.flags.AllowURL, Block: s.flags.BlockURL, PublicOnly: s.flags.PublicURLs,
		}},
		Hub: routeOf(r).hub, Version: version(),
	}
	if pass.Grant.Scope != 0 {
		c.Scope = pass.Grant.Scope.String()
	}
	return c
}

// actionRoute finds what serves a path of an action API.
func (s *server) actionRoute(r *http.Request, path string) (http.HandlerFunc, bool) {
	if !s.flags.Actions {
		return nil, false
	}
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		if d, ok := dialects[path]; ok {
			return s.serveDialect(d), true
		}
	}
	if h, ok := actionHandlers[path]; ok {
		return s.serveActions(h), true
	}
	return nil, false
}
