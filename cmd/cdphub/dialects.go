package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/jsonrpc"
	"github.com/cdphub/cdphub/actions/ndjson"
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
var dialects = map[string]dialect{
	"/ndjson": ndjson.Serve, // also at /session/NAME/rpc
	"/ws":     jsonrpc.Serve,
}

// logins are the paths of dialects that may be shown a token later.
var logins = map[string]bool{"/ws": true}

// actionHandlers are those that speak over HTTP, by path below the hub's.
var actionHandlers = map[string]func(actions.Caller, http.ResponseWriter, *http.Request){}

// serveDialect makes a WebSocket a caller of its hub. One that has yet to log
// in gets neither hub nor browser before.
func (s *server) serveDialect(serve dialect) http.HandlerFunc {
	return s.serveSocket(serve, wsconn.Options{})
}

// serveBAP is serveDialect for the Browser Agent Protocol, whose clients may
// send binary messages and want the first subprotocol that they offer.
func (s *server) serveBAP(w http.ResponseWriter, r *http.Request) {
	first, _, _ := strings.Cut(r.Header.Get("Sec-WebSocket-Protocol"), ",")
	s.serveSocket(s.bap.Serve, wsconn.Options{Subprotocol: strings.TrimSpace(first)})(w, r)
}

// serveSocket is serveDialect with more to say of the WebSocket.
func (s *server) serveSocket(serve dialect, o wsconn.Options) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var hub *relay.Hub
		release, pending := func() {}, auth.PassOf(r).Login != nil
		if !pending {
			var ok bool
			if hub, release, ok = s.acquireReady(w, r); !ok {
				return
			}
		}
		who := s.peer("client", r)
		o.AnyKey, o.Limits = true, s.flags.actionLimits()
		came := s.upgrade(w, r, who, s.clients, o, func(ctx context.Context, conn *wsconn.Conn, ended func()) {
			go func() {
				defer ended()
				defer release()
				defer who.survive(conn)
				why := wsconn.ReasonInternal
				defer func() { who.left(why) }()
				c := s.caller(r, hub, auth.PassOf(r))
				if pending {
					l := &login{server: s, r: r, conn: conn}
					defer l.release()
					c.Login = func(token string) (actions.Caller, error) { return l.enter(ctx, token) }
				}
				why = serve(ctx, conn, c)
			}()
		})
		if !came {
			release()
		}
	}
}

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

// serveActions answers a request of an action API that speaks HTTP.
func (s *server) serveActions(serve func(actions.Caller, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		hub, release, ok := s.acquireReady(w, r)
		if !ok {
			return
		}
		defer release()
		serve(s.caller(r, hub, auth.PassOf(r)), w, r)
	}
}

// caller is who asks, to the action APIs. The hub is nil, and nothing can be
// joined, before a login.
func (s *server) caller(r *http.Request, hub *relay.Hub, pass auth.Pass) actions.Caller {
	at := routeOf(r)
	c := actions.Caller{
		Options: actions.Options{Log: s.log, URLs: actions.URLPolicy{
			Allow: s.flags.AllowURL, Block: s.flags.BlockURL, PublicOnly: s.flags.PublicURLs,
		}},
		Hub: at.hub, Version: version(), Endpoint: socketURL(r, r.Host, at.prefix+"/devtools/browser"),
		Expires: pass.Grant.Expires, Ending: s.ending,
	}
	if pass.Grant.Scope != 0 {
		c.Scope = pass.Grant.Scope.String()
		c.Bearer = pass.Grant.Name + "/" + pass.Grant.ID
	}
	if hub == nil {
		return c
	}
	c.Options.Shared = hub.Value(sharedKey{}, func() any { return new(actions.Shared) }).(*actions.Shared)
	join := func(p relay.Policy) actions.Join {
		return func(event actions.EventFunc) (actions.Client, error) {
			ready := func(ctx context.Context) (*relay.Hub, func(), error) { return s.readyHub(ctx, at.hub) }
			return joinHub(context.Background(), ready, relay.LocalOptions{Policy: p, Event: event})
		}
	}
	c.Join = join(policy(pass))
	if pass.Grant.Scope != 0 {
		c.Reader = join(max(pass.Grant.Scope, auth.ScopeStandard))
	}
	return c
}

// sharedKey is where a hub keeps what its callers share.
type sharedKey struct{}

// socketURL is the URL of a WebSocket as the asking client can reach it.
func socketURL(r *http.Request, host, path string) string {
	if r.TLS != nil {
		return "wss://" + host + path
	}
	return "ws://" + host + path
}

// rejoining is how long a hub's browser may take to come back for a caller
// whose session has outlived it.
const rejoining = time.Minute

// joinHub makes a Client within the process, which keeps its hub and the
// browser of that for as long as it stays.
func joinHub(ctx context.Context, ready func(context.Context) (*relay.Hub, func(), error), o relay.LocalOptions) (actions.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, rejoining)
	defer cancel()
	hub, release, err := ready(ctx)
	if err != nil {
		return nil, err
	}
	l, err := hub.JoinLocal(o)
	if err != nil {
		release()
		return nil, err
	}
	return &keeper{l, release}, nil
}

// keeper is a Client that lets go of its hub when it leaves.
type keeper struct {
	*relay.Local
	letGo func()
}

// Leave implements actions.Client.
func (k *keeper) Leave() {
	k.Local.Leave()
	k.letGo()
}

// actionRoute finds what serves a path of an action API.
func (s *server) actionRoute(r *http.Request, path string) (http.Handler, bool) {
	if !s.flags.Actions {
		return nil, false
	}
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		if path == "/bap" || path == "/" {
			return s.admit(auth.RoleClient, http.HandlerFunc(s.serveBAP)), true
		}
		if d, ok := dialects[path]; ok {
			if logins[path] {
				return s.gate.RequireLogin(ask(auth.RoleClient), s.serveDialect(d)), true
			}
			return s.admit(auth.RoleClient, s.serveDialect(d)), true
		}
	}
	if h, ok := actionHandlers[path]; ok {
		return s.admit(auth.RoleClient, s.serveActions(h)), true
	}
	return nil, false
}
