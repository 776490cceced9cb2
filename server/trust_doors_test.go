package server

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/doors"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server/internal/front"
)

// firstMessages are what clients send first, by the protocol: at the browser level and on a page of CDP,
// as a request and as a batch, as libraries write them.
var firstMessages = map[doors.Protocol][]string{
	doors.CDP: {
		`{"id":1,"method":"Browser.getVersion"}`, `{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`,
		`{"method":"Target.getBrowserContexts","params":{},"id":1}`, `{"id":1,"method":"Page.enable","params":{}}`, `{"id":0,"method":"Runtime.evaluate","params":{"expression":"1"},"sessionId":"S"}`,
	},
	doors.BAP: {
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"0.8.0","clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":"r1","method":"page/navigate","params":{"url":"http://a/"}}`,
	},
	doors.JSONRPC: {`{"jsonrpc":"2.0","id":1,"method":"browser.list_tabs"}`, `{"jsonrpc":"2.0","id":1,"method":"connect","params":{"token":"x"}}`, `[{"jsonrpc":"2.0","id":1,"method":"browser.start"}]`},
	doors.Hooks:   {`{"id":1,"name":"browser.navigate","params":{}}`, `{"id":"a","name":"browser.list"}`},
	doors.NDJSON:  {`{"id":"1","action":"tab.list"}`},
	doors.MCP: {
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":0,"method":"tools/list"}`,
	},
	doors.Bridge: {ready},
}

// doorPaths are the paths of the table to which clients can send messages, each with and without a slash
// at its end.
func (s started) doorPaths() (sockets, others []front.Entry) {
	for _, e := range s.table {
		switch {
		case e.Off || e.Role == "" && !e.WS || strings.Contains(e.Path, "/ui/"):
		case e.WS && e.Speaks != nil:
			sockets = append(sockets, e)
		case !e.WS && e.Speaks != nil:
			others = append(others, e)
		}
	}
	return sockets, others
}

// pathOf is a path of an entry that leads to something.
func pathOf(e front.Entry) string {
	folder, _, below := strings.Cut(e.Path, "{")
	if below {
		folder += "T1"
	}
	return folder
}

// TestR306WrongDoorsNameTheRightOne sends the first messages of every protocol to every path that takes messages,
// with frames behind the hub and with a browser. A message at the path of another protocol is answered with
// the address of its own, in the text of an error; and afterwards the path serves its own clients.
func TestR306WrongDoorsNameTheRightOne(t *testing.T) {
	many := func(o *Options) { o.Actions.BAPConnections = 1000 }
	frames := start(t, many)
	frames.host(t)
	for name, s := range map[string]started{"frames": frames, "a browser": start(t, func(o *Options) { many(o); o.Browsers = fakeBrowsers(works, browsers.RootHub, "x") })} {
		sockets, others := s.doorPaths()
		for _, e := range sockets {
			if name != "frames" && (strings.Contains(e.Path, "page") || e.On == front.ForHosts) {
				continue // the fake browser has no page, and takes no Host
			}
			for _, path := range []string{pathOf(e), strings.TrimSuffix(pathOf(e), "/") + "/"} {
				t.Run(name+" "+path, func(t *testing.T) { s.tryDoor(t, e, path) })
			}
		}
		for _, e := range append(others, front.Entry{Path: "/nothing"}, front.Entry{Path: "/"}, front.Entry{Path: "/devtools/browser"}, front.Entry{Path: "/json/version"}, front.Entry{Path: "/sse"}) {
			for _, path := range []string{e.Path, strings.TrimSuffix(e.Path, "/") + "/"} {
				t.Run(name+" POST "+path, func(t *testing.T) { s.tryPosting(t, e, path) })
			}
		}
	}
}

// tryDoor sends all first messages to a WebSocket.
func (s started) tryDoor(t *testing.T, e front.Entry, path string) {
	if e.When != nil && e.Path != "/" {
		return // by ticket
	}
	n := 0
	for p, messages := range firstMessages {
		own := false
		for _, speaks := range e.Speaks {
			own = own || speaks == p
		}
		if own {
			continue
		}
		for _, m := range messages {
			prefix := ""
			if n++; e.On == front.ForHosts { // Hosts of one hub would replace each other, with a backoff
				prefix = fmt.Sprintf("/hub/h%d", n)
			}
			c := dial(t, "ws://"+s.listenerOf(e)+prefix+path, nil)
			c.send(m)
			got := c.next()
			want := prefix + p.Path()
			if p == doors.Bridge {
				want = s.HostAddr() + want
			} else {
				want = s.ClientAddr() + want
			}
			if !strings.Contains(got, want) || !strings.Contains(got, `"error":`) || strings.Contains(got, `"data"`) {
				t.Errorf("%s: %s, want %s", m, got, want)
			}
			if p != doors.NDJSON && !strings.Contains(got, `"message":"`) {
				t.Errorf("%s: %s has no message", m, got)
			}
			if e.On != front.ForHosts {
				c.send(firstMessages[e.Speaks[0]][0])
				if got := c.next(); strings.Contains(got, "is served at") {
					t.Errorf("after %s, its own client is answered %s", m, got)
				}
			}
		}
	}
}

// tryPosting posts all first messages to a path.
func (s started) tryPosting(t *testing.T, e front.Entry, path string) {
	for p, messages := range firstMessages {
		if p == doors.Bridge || len(e.Speaks) > 0 && e.Speaks[0] == p {
			continue
		}
		for _, m := range messages {
			status, got := hubtest.MustPostJSON(t, "http://"+s.ClientAddr()+path, http.Header{"Content-Type": {"application/json"}}, []byte(m))
			if status != 404 || !strings.Contains(got, s.ClientAddr()+p.Path()) {
				t.Errorf("%s: %d %s, want %s", m, status, got, p.Path())
			}
		}
	}
}

// TestR306AddressesOfNothing asks in other ways where there is no such thing.
func TestR306AddressesOfNothing(t *testing.T) {
	s := start(t, nil)
	at := s.ClientAddr()
	for request, want := range map[string]string{
		handshake("/mcp"):           "ws://localhost/devtools/browser",
		handshake("/mcp/"):          "ws://localhost/bap",
		handshake("/json/version"):  "ws://localhost/devtools/browser",
		handshake("/nothing"):       "ws://localhost/devtools/browser",
		handshake("/hub/x/nothing"): "ws://localhost/hub/x/devtools/browser",
		asking("GET /sse HTTP/1.1", "Host: localhost", "Accept: text/event-stream"): "http://localhost/mcp",
		asking("GET /devtools/browser/json/version HTTP/1.1", "Host: localhost"):    "http://localhost/json/version",
		asking("GET /hub/x/cdp/json/version/ HTTP/1.1", "Host: localhost"):          "http://localhost/hub/x/json/version",
		asking("GET /mcp/json/list HTTP/1.1", "Host: localhost"):                    "http://localhost/json/version",
		asking("GET /devtools/page/T1/json HTTP/1.1", "Host: localhost"):            "http://localhost/json/version",
		asking("GET /json/version HTTP/1.1", "Host: hub.example:9222"):              "--allowed-host=NAME",
		asking("GET /devtools/browser HTTP/1.1", "Host: localhost"):                 "ws://",
	} {
		if got := raw(t, at, request); got.status/100 != 4 || !strings.Contains(got.body, want) || strings.Contains(got.body, "hub.example:") {
			t.Errorf("%.60q: %d %s, want %s", request, got.status, got.body, want)
		}
	}
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if status, text := hubtest.MustPostJSON(t, "http://"+at+"/mcp/", header, []byte(initialize)); status != 200 {
		t.Errorf("MCP at /mcp/: %d %s", status, text)
	}
	large := append([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"`), bytes.Repeat([]byte("x"), 200_000)...)
	if status, text := hubtest.MustPostJSON(t, "http://"+at+"/mcp", header, append(large, `","version":"1"}}}`...)); status != 200 {
		t.Errorf("a large message: %d %.200s", status, text)
	}
}

// TestR305TheAddressItselfIsNoStranger walks listeners, paths, origins, hosts and tokens: a program may name the address
// that it connects to as its origin, and a page may no more than before.
func TestR305TheAddressItselfIsNoStranger(t *testing.T) {
	const page, friend = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "hub.example"
	open := start(t, func(o *Options) { o.AllowedHosts = []string{friend} })
	guarded := start(t, func(o *Options) { withTokens(o); o.AllowedHosts = []string{friend} })
	behind := start(t, func(o *Options) {
		o.Tokens.TrustedProxies, o.AllowedHosts, o.PublicURL = []string{"127.0.0.0/8"}, []string{friend}, "https://"+friend
	})
	_, addrs := everything(t, func(o *Options) { o.Tokens = Tokens{Admin: adminToken} })
	sockets, _ := open.doorPaths()
	for _, e := range sockets {
		if e.On == front.ForHosts || e.When != nil && e.Path != "/" {
			continue
		}
		for _, host := range []string{"127.0.0.1:9", "localhost:9", "LOCALHOST:9", "x.localhost", "[::1]:9", "10.1.2.3:80", friend, friend + ":9222"} {
			for _, tt := range []struct {
				name   string
				at     started
				lines  []string
				status int
			}{
				{"program", open, []string{"Origin: http://" + host}, 101},
				{"page", open, []string{"Origin: http://" + host, page}, 403},
				{"other scheme", open, []string{"Origin: https://" + host}, 403},
				{"other port", open, []string{"Origin: http://127.0.0.1:8"}, 403},
				{"two origins", open, []string{"Origin: http://" + host, "Origin: http://" + host}, 403},
				{"null", open, []string{"Origin: null"}, 403},
				{"foreign", open, []string{"Origin: https://evil.example"}, 403},
				{"proxy says https", behind, []string{"Origin: https://" + host, "X-Forwarded-Proto: https", "X-Forwarded-For: 10.0.0.1"}, map[bool]int{true: 101, false: 403}[host == friend || host == friend+":9222"]},
				{"nobody says https", open, []string{"Origin: https://" + host, "X-Forwarded-Proto: https", "X-Forwarded-For: 10.0.0.1"}, 403},
				{"no token", guarded, []string{"Origin: http://" + host}, map[bool]int{true: 101, false: 401}[e.Login]},
				{"token", guarded, []string{"Origin: http://" + host, "Authorization: Bearer " + clientToken}, 101},
				{"page with a token", guarded, []string{"Origin: http://" + host, page, "Authorization: Bearer " + clientToken}, 403},
			} {
				path := pathOf(e)
				if strings.Contains(path, "/page/") && tt.status == 101 {
					tt.status = 404 // it has passed: there is no such page
				}
				request := strings.Replace(handshake(path, tt.lines...), "Host: localhost\r\n", "Host: "+host+"\r\n", 1)
				if got := raw(t, tt.at.addr(false), request); got.status != tt.status {
					t.Errorf("%s, %s at %s: %d %s, want %d", tt.name, path, host, got.status, got.body, tt.status)
				}
			}
		}
		// An app has an origin of its own, which serves no path of Clients; a rebound name is not served.
		for _, host := range []string{addrs["app"], "evil.example:9222"} {
			request := strings.Replace(handshake(pathOf(e), "Origin: http://"+host), "Host: localhost\r\n", "Host: "+host+"\r\n", 1)
			if got := raw(t, addrs["app"], request); got.status == 101 {
				t.Errorf("the app's listener serves %s at %s", pathOf(e), host)
			}
		}
	}
}
