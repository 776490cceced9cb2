package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/hooks"
	"github.com/cdphub/cdphub/actions/jsonrpc"
	"github.com/cdphub/cdphub/actions/ndjson"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/urlpolicy"
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

	BAPConnections count `name:"bap-connections" help:"Connections of the Browser Agent Protocol from one address." default:"10" env:"CDPHUB_BAP_CONNECTIONS" group:"Actions:"`

	urlFlags
	rateFlags
}

// rateFlags say how much may be asked of an action API, by one connection, or
// over HTTP by one token.
type rateFlags struct {
	ActionRate     count `help:"Requests to an action API in a second, of one connection, or over HTTP of one token." default:"50" env:"CDPHUB_ACTION_RATE" group:"Actions:"`
	ScreenshotRate count `help:"Screenshots likewise, in a minute." default:"30" env:"CDPHUB_SCREENSHOT_RATE" group:"Actions:"`
}

func (f rateFlags) limits() actions.Limits {
	return actions.Limits{Requests: int(f.ActionRate), Screenshots: int(f.ScreenshotRate)}
}

// urlFlags say which pages there may be.
type urlFlags struct {
	AllowURL   []string `name:"allow-url" help:"A host that pages of browsers may be of, and that actions may open: a name, *.name, an IP address or a block as 10.0.0.0/8; all when not given." env:"CDPHUB_ALLOW_URL" placeholder:"HOST" group:"Network:"`
	BlockURL   []string `name:"block-url" help:"A host that they may not, nor by a name that leads to its address." env:"CDPHUB_BLOCK_URL" placeholder:"HOST" group:"Network:"`
	PublicURLs bool     `name:"public-urls" help:"Refuse them pages of loopback, private and all other addresses that are not of the public Internet." env:"CDPHUB_PUBLIC_URLS" group:"Network:"`
}

// policy reads them.
func (f urlFlags) policy() (*urlpolicy.Policy, error) {
	if _, err := urlpolicy.New(urlpolicy.Options{Allow: f.AllowURL}); err != nil {
		return nil, fmt.Errorf("--allow-url %w", err)
	}
	p, err := urlpolicy.New(urlpolicy.Options{Allow: f.AllowURL, Block: f.BlockURL, Public: f.PublicURLs})
	if err != nil {
		return nil, fmt.Errorf("--block-url %w", err)
	}
	return p, nil
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

// endpoint is an action API that speaks over HTTP: its methods, and what
// answers a request.
type endpoint struct {
	methods []string
	serve   func(s *server, c actions.Caller, w http.ResponseWriter, r *http.Request)
}

// endpoints are all, by path below the hub's.
var endpoints = map[string]endpoint{
	"/mcp": {[]string{http.MethodPost, http.MethodDelete}, func(s *server, c actions.Caller, w http.ResponseWriter, r *http.Request) {
		s.mcp.ServeHTTP(c, w, r)
	}},
	"/hooks/invoke": {[]string{http.MethodPost}, func(_ *server, c actions.Caller, w http.ResponseWriter, r *http.Request) {
		hooks.Invoke(c, w, r)
	}},
}

// serveDialect makes a WebSocket a caller of its hub. One that has yet to log
// in gets neither hub nor browser before.
func (s *server) serveDialect(serve dialect) http.HandlerFunc {
	return s.serveSocket(serve, wsconn.Options{}, func() {})
}

// serveBAP is serveDialect for the Browser Agent Protocol, whose clients may
// send binary messages and want the first subprotocol that they offer. An
// address may have only so many connections.
func (s *server) serveBAP(w http.ResponseWriter, r *http.Request) {
	most := cmp.Or(int(s.flags.BAPConnections), 10)
	left, ok := s.bapFrom.enter(s.gate.Address(r), most)
	if !ok {
		w.Header().Set("Retry-After", "1")
		http.Error(w, fmt.Sprintf("Too many connections come from this address: close one of the %d, or allow more with --bap-connections.", most), http.StatusTooManyRequests)
		return
	}
	first, _, _ := strings.Cut(r.Header.Get("Sec-WebSocket-Protocol"), ",")
	s.serveSocket(s.bap.Serve, wsconn.Options{Subprotocol: strings.TrimSpace(first)}, left)(w, r)
}

// serveSocket is serveDialect with more to say of the WebSocket; left is called
// when it has ended, or was refused.
func (s *server) serveSocket(serve dialect, o wsconn.Options, left func()) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
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
				if l != nil {
					l.conn = conn
					conn.LimitMessages(maxBeforeLogin)
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
// waits for it; the end of its token cuts it off.
func (s *server) serveActions(e endpoint) http.HandlerFunc {
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hub, release, ok := s.acquireReady(w, r)
		if !ok {
			return
		}
		defer release()
		defer s.clients.enter()()
		pass := auth.PassOf(r)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer s.gate.Hold(pass, func(error) { cancel() })()
		e.serve(s, s.caller(r, hub, pass), w, r.WithContext(ctx))
	})
	return withMethods(withJSON(answer), e.methods...).ServeHTTP
}

// actionEntry finds what a path of an action API leads to.
func (s *server) actionEntry(r *http.Request, path string) (entry, bool) {
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		if path == "/bap" || path == "/" {
			return entry{role: auth.RoleClient, serve: s.serveBAP}, true
		}
		if d, ok := dialects[path]; ok {
			return entry{role: auth.RoleClient, login: logins[path], serve: s.serveDialect(d)}, true
		}
	}
	if e, ok := endpoints[path]; ok {
		return entry{role: auth.RoleClient, serve: s.serveActions(e)}, true
	}
	return entry{}, false
}
