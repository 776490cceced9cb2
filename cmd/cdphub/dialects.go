package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/hooks"
	"github.com/cdphub/cdphub/actions/jsonrpc"
	"github.com/cdphub/cdphub/actions/ndjson"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// actionFlags are the options of the action APIs.
type actionFlags struct {
	Actions bool `help:"Serve the action APIs beside CDP: NDJSON, browser.*, browser hooks, BAP, MCP." default:"true" negatable:"" env:"CDPHUB_ACTIONS" group:"Actions:"`

	HookScope []string `name:"hook-scope" help:"What browser hooks may do: browser:read, browser:write, browser:eval. A token of scope readonly reads in any case." default:"browser:read,browser:write" env:"CDPHUB_HOOK_SCOPE" placeholder:"SCOPE" group:"Actions:"`
	EvalAllow []string `name:"eval-allow" help:"An origin in whose pages browser.eval may run scripts; * is all." env:"CDPHUB_EVAL_ALLOW" placeholder:"ORIGIN" group:"Actions:"`
	EvalDeny  []string `name:"eval-deny" help:"An origin where it may not, even if allowed or agreed to." env:"CDPHUB_EVAL_DENY" placeholder:"ORIGIN" group:"Actions:"`
	EvalAsk   string   `name:"eval-ask" help:"Ask this URL about all other origins, with POST {\"caller\",\"origin\"}: {\"allow\":true} agrees. No when not given, or after 60 s." env:"CDPHUB_EVAL_ASK" placeholder:"URL" group:"Actions:"`

	urlFlags
}

// urlFlags say which pages actions may open.
type urlFlags struct {
	AllowURL   []string `name:"allow-url" help:"A host, or *.host, that actions may open pages of; all when not given." env:"CDPHUB_ALLOW_URL" placeholder:"HOST" group:"Actions:"`
	BlockURL   []string `name:"block-url" help:"A host, or *.host, that they may not." env:"CDPHUB_BLOCK_URL" placeholder:"HOST" group:"Actions:"`
	PublicURLs bool     `name:"public-urls" help:"Refuse pages of loopback and private addresses to them." env:"CDPHUB_PUBLIC_URLS" group:"Actions:"`
}

func (f urlFlags) policy() actions.URLPolicy {
	return actions.URLPolicy{Allow: f.AllowURL, Block: f.BlockURL, PublicOnly: f.PublicURLs}
}

// dialect serves one WebSocket of an action API until it ends, and returns why.
type dialect func(ctx context.Context, conn *wsconn.Conn, c actions.Caller) wsconn.Reason

// dialects are those that speak over a WebSocket, by path below the hub's.
var dialects = map[string]dialect{
	"/ndjson": ndjson.Serve, // also at /session/NAME/rpc
	"/ws":     jsonrpc.Serve,
	"/hooks":  hooks.Serve,
}

// logins are the paths of dialects that may be shown a token later.
var logins = map[string]bool{"/ws": true}

// actionHandler answers one request of an action API.
type actionHandler func(s *server, c actions.Caller, w http.ResponseWriter, r *http.Request)

// actionHandlers are those that speak over HTTP, by path below the hub's.
var actionHandlers = map[string]actionHandler{
	"/mcp":          func(s *server, c actions.Caller, w http.ResponseWriter, r *http.Request) { s.mcp.ServeHTTP(c, w, r) },
	"/hooks/invoke": func(_ *server, c actions.Caller, w http.ResponseWriter, r *http.Request) { hooks.Invoke(c, w, r) },
}

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

// serveActions answers a request of an action API that speaks HTTP. Drain
// waits for it.
func (s *server) serveActions(serve actionHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		hub, release, ok := s.acquireReady(w, r)
		if !ok {
			return
		}
		defer release()
		defer s.clients.enter()()
		serve(s, s.caller(r, hub, auth.PassOf(r)), w, r)
	}
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
