package siege

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// newcomer is a connection of the victim that comes in the middle of an attack.
func (a *attacker) newcomer(ctx context.Context) {
	l := a.connectTo(ctx, "/devtools/browser", victimToken)
	if l == nil && ctx.Err() == nil {
		a.t.Error("the victim's next connection is refused during the attack")
	}
}

// deaf is a connection that attaches to all it can, and reads nothing.
func (a *attacker) deaf(ctx context.Context, _ string) {
	conn, _, err := websocket.Dial(ctx, "ws://"+a.hub.ClientAddr+"/devtools/browser", &websocket.DialOptions{HTTPHeader: bearer(a.token)})
	if err != nil {
		return
	}
	defer conn.CloseNow()
	conn.Write(ctx, websocket.MessageText, []byte(command(1, "", "Target.setAutoAttach", object{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})))
	conn.Write(ctx, websocket.MessageText, []byte(command(2, "", "Target.setDiscoverTargets", object{"discover": true})))
	<-ctx.Done()
}

// requested is an attack of HTTP requests.
func requested(name, scope string, in setup, quick bool, method, path, contentType string, body func(i int) []byte) attack {
	return attack{name: name, scope: scope, in: in, quick: quick, begin: func(ctx context.Context, a *attacker) {
		many(4, func(int) {
			repeat(ctx, 2000, func(i int) bool { a.request(ctx, method, path, contentType, body(i)); return true })
		})
	}}
}

func nothing(int) []byte { return nil }

const jsonType = "application/json"

// rpc is a call of a tool by MCP.
func rpc(i int, method, params string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i, method, params)
}

// doorAttacks are at the paths beside the CDP WebSocket.
func doorAttacks() []attack {
	return []attack{
		requested("lists without an end", "readonly", everywhere, false, "GET", "/json/list", "", nothing),
		requested("versions without an end", "readonly", everywhere, false, "GET", "/json/version", "", nothing),
		requested("new pages by HTTP", "standard", browsers, false, "PUT", "/json/new?about:blank", "", nothing),
		requested("wrong tokens", "", everywhere, false, "GET", "/json/list?token=wrong-wrong-wrong-wrong", "", nothing),
		requested("hubs without an end", "readonly", everywhere, false, "GET", "/hub/a/json/list", "", nothing),
		requested("sessions of MCP without an end", "readonly", everywhere, false, "POST", "/mcp", jsonType, func(i int) []byte {
			return rpc(i, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`)
		}),
		requested("bodies of 50 MB", "standard", everywhere, false, "POST", "/mcp", jsonType, func(int) []byte { return bytes.Repeat([]byte("{"), 50<<20) }),
		requested("states of the dashboard", "readonly", everywhere, false, "GET", "/ui/api/state", "", nothing),
		{name: "streams of the dashboard", scope: "readonly", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			many(200, func(int) { a.request(ctx, "GET", "/ui/api/events", "", nil) })
		}},
		{name: "views of the dashboard", scope: "readonly", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			_, session := a.page(ctx, "/blank")
			if session == "" {
				return
			}
			many(50, func(int) { a.connectTo(ctx, "/ui/api/view?target="+a.attackersApp(), a.token) })
			<-ctx.Done()
		}},
		{name: "a regular expression of nine megabytes", scope: "readonly", in: everywhere, quick: true, begin: func(ctx context.Context, a *attacker) {
			l := a.connectTo(ctx, "/ndjson", a.token)
			pattern := strings.Repeat("(a|b|c{1,9}){1,9}", 9<<20/17)
			l.write(ctx, fmt.Sprintf(`{"id":"1","action":"page.find","params":{"pattern":%q}}`+"\n", pattern))
			many(4, func(i int) {
				a.request(ctx, "POST", "/mcp", jsonType, rpc(i, "tools/call", fmt.Sprintf(`{"name":"browser_find","arguments":{"regex":%q}}`, pattern)))
			})
		}},
		{name: "an action API that is flooded", scope: "standard", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			many(4, func(int) {
				l := a.connectTo(ctx, "/ndjson", a.token)
				repeat(ctx, 20000, func(i int) bool {
					return l.write(ctx, fmt.Sprintf(`{"id":"%d","action":"page.snapshot","params":{}}`+"\n", i))
				})
			})
		}},
		{name: "named sessions without an end", scope: "standard", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			repeat(ctx, 2000, func(i int) bool {
				a.connectTo(ctx, fmt.Sprint("/devtools/browser?session=s", i), a.token).close()
				return true
			})
		}},
		{name: "links without an end", scope: "standard", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			repeat(ctx, 2000, func(int) bool { a.connectTo(ctx, "/link", a.token); return true })
		}},
		{name: "requests of which half comes", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			many(200, func(int) {
				conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", a.hub.ClientAddr)
				if err != nil {
					return
				}
				defer conn.Close()
				io.WriteString(conn, "GET /json/list HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
				<-ctx.Done()
			})
		}},
		{name: "handoffs without an end", scope: "standard", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			l, session := a.page(ctx, "/blank")
			repeat(ctx, 2000, func(int) bool {
				return l.send(ctx, session, "CdpHub.handoff", object{"instructions": text(1000), "timeout": 1}) && l.send(ctx, session, "CdpHub.cancelHandoff", nil)
			})
		}},
	}
}
