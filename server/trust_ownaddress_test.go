package server

import (
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// ownHost is a name that the servers of these tests have.
const ownHost = "hub.example"

// reached says how servers learn where clients reach them.
var reached = map[string]func(*Options){
	"stranger":     func(*Options) {},
	"public":       func(o *Options) { o.PublicURL = "https://" + ownHost },
	"public below": func(o *Options) { o.PublicURL = "https://" + ownHost + ":8443/cdp/" },
	"trusted":      func(o *Options) { o.Tokens.TrustedProxies = []string{"127.0.0.0/8"} },
	"trusted, public": func(o *Options) {
		o.Tokens.TrustedProxies, o.PublicURL = []string{"127.0.0.1"}, "https://"+ownHost+"/cdp"
	},
}

// ownAddresses are requests and the address of the server in the answers. An entry of want without an
// own one for a server is that of "stranger", and "HOST" is the Host header.
var ownAddresses = []struct {
	name  string
	host  string
	lines []string
	want  map[string]string
}{
	{"the name alone", ownHost, nil, map[string]string{
		"stranger": "http://HOST", "public": "https://HOST", "public below": "https://HOST:8443/cdp", "trusted, public": "https://HOST/cdp",
	}},
	{"the port of the address", ownHost + ":443", nil, map[string]string{
		"stranger": "http://HOST", "public": "https://" + ownHost, "trusted, public": "https://" + ownHost + "/cdp",
	}},
	{"the port of the scheme, of a proxy", ownHost + ":443", []string{"X-Forwarded-Proto: https"}, map[string]string{
		"stranger": "http://HOST", "public": "https://" + ownHost, "trusted": "https://" + ownHost, "trusted, public": "https://" + ownHost + "/cdp",
	}},
	{"the port of http", ownHost + ":80", nil, map[string]string{"stranger": "http://" + ownHost}},
	{"another port", ownHost + ":9222", nil, map[string]string{"stranger": "http://HOST"}},
	{"upper case", "HUB.example.", nil, map[string]string{
		"stranger": "http://HOST", "public": "https://" + ownHost, "public below": "https://" + ownHost + ":8443/cdp", "trusted, public": "https://" + ownHost + "/cdp",
	}},
	{"loopback", "127.0.0.1:9", nil, map[string]string{"stranger": "http://HOST"}},
	{"https", ownHost + ":9", []string{"X-Forwarded-For: 10.0.0.1", "X-Forwarded-Proto: https"}, map[string]string{
		"stranger": "http://HOST", "trusted": "https://HOST", "trusted, public": "https://HOST",
	}},
	{"https of a chain", ownHost + ":9", []string{"X-Forwarded-Proto: HTTPS, http"}, map[string]string{
		"stranger": "http://HOST", "trusted": "https://HOST", "trusted, public": "https://HOST",
	}},
	{"wss", ownHost + ":9", []string{"X-Forwarded-Proto: wss"}, map[string]string{
		"stranger": "http://HOST", "trusted": "https://HOST", "trusted, public": "https://HOST",
	}},
	{"no scheme", ownHost + ":9", []string{"X-Forwarded-Proto: javascript"}, map[string]string{"stranger": "http://HOST"}},
	{"a host that is not passed on", "127.0.0.1:9", []string{"X-Forwarded-Host: " + ownHost + ":9", "X-Forwarded-Proto: https"}, map[string]string{
		"stranger": "http://HOST", "trusted": "https://" + ownHost + ":9", "trusted, public": "https://" + ownHost + ":9",
	}},
	{"nothing is passed on", "localhost:9", []string{"X-Forwarded-For: 10.0.0.1"}, map[string]string{
		"stranger": "http://HOST", "trusted, public": "https://" + ownHost + "/cdp",
	}},
	{"the port is not passed on", ownHost, []string{"X-Forwarded-For: 10.0.0.1"}, map[string]string{
		"stranger": "http://HOST", "public": "https://HOST", "public below": "https://HOST:8443/cdp", "trusted, public": "https://HOST/cdp",
	}},
	{"a prefix", ownHost + ":9", []string{"X-Forwarded-Prefix: /a/", "X-Forwarded-Prefix: /b"}, map[string]string{
		"stranger": "http://HOST", "trusted": "http://HOST/a/b", "trusted, public": "http://HOST/a/b",
	}},
	{"RFC 7239", "127.0.0.1:9", []string{`Forwarded: for=10.0.0.1;Proto=https;host="hub.example:9", for=10.0.0.2`}, map[string]string{
		"stranger": "http://HOST", "trusted": "https://" + ownHost + ":9", "trusted, public": "https://" + ownHost + ":9",
	}},
	{"a forged host", ownHost + ":9", []string{"X-Forwarded-Host: evil.example", "Forwarded: host=evil.example"}, map[string]string{"stranger": "http://HOST"}},
	{"a forged address", ownHost + ":9", []string{"X-Forwarded-Host: 10.6.6.6"}, map[string]string{"stranger": "http://HOST"}},
	{"a forged host of this machine", ownHost + ":9", []string{"X-Forwarded-Host: localhost:3000"}, map[string]string{"stranger": "http://HOST"}},
	{"a forged user", ownHost + ":9", []string{"X-Forwarded-Host: hub.example:9@evil.example"}, map[string]string{"stranger": "http://HOST"}},
	{"a forged path", ownHost + ":9", []string{"X-Forwarded-Host: evil.example/hub.example"}, map[string]string{"stranger": "http://HOST"}},
	{"a forged prefix", ownHost + ":9", []string{"X-Forwarded-Prefix: //evil.example"}, map[string]string{"stranger": "http://HOST"}},
	{"a prefix that leads out", ownHost + ":9", []string{"X-Forwarded-Prefix: /a/../.."}, map[string]string{"stranger": "http://HOST"}},
	{"a prefix with a quote", ownHost + ":9", []string{`X-Forwarded-Prefix: /a"onload="x`}, map[string]string{"stranger": "http://HOST"}},
	{"a prefix in a policy", ownHost + ":9", []string{"X-Forwarded-Prefix: /a;script-src *"}, map[string]string{"stranger": "http://HOST"}},
	{"a prefix that is an address", ownHost + ":9", []string{"X-Forwarded-Prefix: https://evil.example/"}, map[string]string{"stranger": "http://HOST"}},
}

// TestR325OwnAddress asks, through what the table says, everything that names an address of the
// server, and wants the right one. Pages of that origin alone are the server's own.
func TestR325OwnAddress(t *testing.T) {
	for kind, change := range reached {
		s := start(t, func(o *Options) {
			o.AllowedHosts, o.UI = []string{ownHost}, new(true)
			o.DevTools = http.NotFoundHandler()
			change(o)
		})
		home := start(t, func(o *Options) { o.AllowedHosts, o.UI = []string{ownHost}, new(false); change(o) })
		shared := start(t, func(o *Options) {
			o.AllowedHosts, o.HostAddr = []string{ownHost}, o.ClientAddr
			change(o)
		})
		for _, s := range []started{s, home, shared} {
			s.host(t)
			s.awaitTarget(t, "", "T1")
		}
		for _, tt := range ownAddresses {
			want, own := tt.want[kind]
			if !own {
				want = tt.want["stranger"]
			}
			want = strings.Replace(want, "HOST", tt.host, 1)
			t.Run(kind+"/"+tt.name, func(t *testing.T) {
				lines := append([]string{"Host: " + tt.host, "Connection: close"}, tt.lines...)
				wantAddresses(t, s.addr(false), want, port(s.addr(true)), lines)
				wantAddresses(t, home.addr(false), want, port(home.addr(true)), lines)
				wantAddresses(t, shared.addr(false), want, " no other listener", lines)
				wantOrigins(t, s.addr(false), want, lines)
			})
		}
	}
}

func port(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return ":" + port
}

// wantAddresses asks a server what names its own addresses, and wants each to begin with base, and each path in a page
// to have its prefix. sibling is the port of the other listener, whose address only a server without a proxy knows.
func wantAddresses(t *testing.T, addr, base, sibling string, lines []string) {
	t.Helper()
	at, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	const page, program = "Accept: " + browserAccepts, "Accept: */*"
	for _, ask := range []struct{ first, accept, has string }{
		{"GET / HTTP/1.1", page, "/home.js|/ui/app.js"},
		{"GET /hub/x/ HTTP/1.1", page, "connectOverCDP"},
		{"GET /hub/x/ HTTP/1.1", page, map[bool]string{true: "/hub/x/shell", false: ""}[sibling[0] == ' ']},
		{"GET / HTTP/1.1", program, "/devtools/browser"},
		{"GET /nowhere HTTP/1.1", page, "Go to the home page"},
		{"GET /home.json HTTP/1.1", program, `"path":"`},
		{"GET /ui/api/state HTTP/1.1", program, ""},
		{"POST /nowhere HTTP/1.1", program, "/devtools/browser"},
		{"GET /bap/json/version HTTP/1.1", program, ""},
		{"GET /json/version HTTP/1.1", program, "webSocketDebuggerUrl"},
		{"GET /hub/x/json/version HTTP/1.1", program, "/hub/x/devtools/browser"},
		{"GET /json/list HTTP/1.1", program, "webSocketDebuggerUrl"},
		{"GET /json HTTP/1.1", program, "webSocketDebuggerUrl"},
		{"GET /devtools/ui/?target=T1 HTTP/1.1", program, "/devtools/ui/inspector.html?ws"},
		{"GET /nowhere HTTP/1.1", "Upgrade: websocket", "/devtools/browser"},
	} {
		more := append([]string{ask.accept}, lines...)
		if strings.HasPrefix(ask.accept, "Upgrade") {
			more = append(more, "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
		}
		got := hubtest.Raw(t, addr, hubtest.Request(ask.first, more...))
		header := fmt.Sprint(got.Header["Content-Security-Policy"], got.Header["Location"])
		text := html.UnescapeString(got.Body) + header
		if text, err := url.QueryUnescape(header); err == nil {
			header = text
		}
		if has := regexp.MustCompile(strings.ReplaceAll(ask.has, "?", `\?`)); !has.MatchString(text) && got.Status != 404 {
			t.Errorf("%s (%s): %d without %s: %s", ask.first, ask.accept, got.Status, ask.has, text)
		}
		for _, address := range regexp.MustCompile(`\b(?:https?|wss?)(?:://|=)[^\s"'\\;<>)]+`).FindAllString(text, -1) {
			wantAddress(t, ask.first, address, at, sibling)
		}
		for _, path := range regexp.MustCompile(`(?:href|src|data-status|action|"path":|"path\\?":)="?(/[^">]*)`).FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(path[1], at.Path+"/") {
				t.Errorf("%s (%s) names %s, which does not begin with %s/", ask.first, ask.accept, path[1], at.Path)
			}
		}
		if ask.first == "GET / HTTP/1.1" && strings.Contains(text, "/ui/app.js") && !strings.Contains(header, "connect-src 'self' ws"+strings.TrimPrefix(at.Scheme, "http")+"://"+at.Host+";") {
			t.Errorf("the policy of the dashboard is %s, want WebSockets of %s", header, base)
		}
	}
}

// wantAddress wants an address of an answer to be that of the server at another one.
func wantAddress(t *testing.T, asked, address string, at *url.URL, sibling string) {
	t.Helper()
	scheme, rest, _ := strings.Cut(strings.NewReplacer("://", "=").Replace(address), "=")
	rest, err := url.QueryUnescape(rest)
	if err != nil || strings.HasPrefix(rest, "localhost:3000") || strings.HasPrefix(rest, "app/") { // of apps
		return
	}
	secure := scheme == "https" || scheme == "wss"
	if host, _, _ := strings.Cut(rest, "/"); strings.HasSuffix(host, sibling) {
		if at.Path != "" || secure || at.Scheme == "https" {
			t.Errorf("%s names %s, an address that nobody has said anything of", asked, address)
		}
		return
	}
	if secure != (at.Scheme == "https") || rest != at.Host && !strings.HasPrefix(rest, at.Host+at.Path+"/") && rest != at.Host+at.Path {
		t.Errorf("%s names %s, want an address below %s", asked, address, at)
	}
}

// wantOrigins asks for a WebSocket of the dashboard from pages of several origins: those of the server's own origin get
// one, or would for a target that there is.
func wantOrigins(t *testing.T, addr, base string, lines []string) {
	t.Helper()
	at, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	own := at.Scheme + "://" + at.Host
	for _, origin := range []string{
		own, "http://" + ownHost, "https://" + ownHost, "http://" + ownHost + ":9", "https://" + ownHost + ":9", "https://" + ownHost + ":8443", "http://127.0.0.1:9",
		"http://localhost:3000", "http://10.6.6.6", "https://evil.example", "http://evil.example", "null", "http://" + addr,
	} {
		head := strings.Replace(hubtest.Handshake("/ui/api/view?target=none", append(lines[1:], "Origin: "+origin, "User-Agent: Mozilla/5.0")...), "Host: localhost", lines[0], 1)
		got := hubtest.Raw(t, addr, strings.Replace(head, "Connection: close\r\n", "", 1))
		if want := map[bool]int{true: 404, false: 403}[strings.EqualFold(origin, own)]; got.Status != want {
			t.Errorf("from a page of %s: %d %s, want %d", origin, got.Status, got.Body, want)
		}
	}
}

// TestR325NoProxySpeaksThroughALink wants what is said within a link not to be taken for what a proxy
// says: the other end of the link may be anybody, though it connects through a trusted proxy.
func TestR325NoProxySpeaksThroughALink(t *testing.T) {
	s := start(t, func(o *Options) { o.Tokens.TrustedProxies, o.AllowedHosts = []string{"127.0.0.0/8"}, []string{ownHost} })
	p := s.mustLink(t, "/link", nil)
	lines := []string{"Host: 127.0.0.1:9", "X-Forwarded-Proto: https", "X-Forwarded-Host: " + ownHost, "X-Forwarded-Prefix: /cdp", "Forwarded: proto=https;host=" + ownHost}
	got := askWithin(t, p, "GET /json/version HTTP/1.1", lines...)
	if !strings.Contains(got.Body, `"ws://127.0.0.1:9/devtools/browser"`) {
		t.Error(got.Body)
	}
}

// TestR327BelowAPath serves Handler below a path of another server. All addresses in answers have the path, the
// pages' files are there, and a Client follows discovery.
func TestR327BelowAPath(t *testing.T) {
	const below = "/tools/cdp"
	for name, mount := range map[string]func(http.Handler) http.Handler{
		"StripPrefix": func(h http.Handler) http.Handler {
			mux := http.NewServeMux()
			mux.Handle(below+"/", http.StripPrefix(below, h))
			return mux
		},
		"twice": func(h http.Handler) http.Handler { return http.StripPrefix("/tools", http.StripPrefix("/cdp", h)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, func(o *Options) {
				o.NoListeners, o.UI, o.DevTools = true, new(true), http.NotFoundHandler()
			})
			around := httptest.NewServer(mount(s.Handler()))
			defer around.Close()
			addr := around.Listener.Addr().String()
			host := hubtest.Dial(t, "ws://"+addr+below+"/icdp/host", http.Header{"Origin": {"http://localhost:3000"}})
			host.Send(hubtest.Ready)
			wantBelow(t, addr, below)
		})
	}
}

// wantBelow wants the addresses of a server below a path to lead to it.
func wantBelow(t *testing.T, addr, below string) {
	t.Helper()
	base := "http://" + addr
	var version struct{ WebSocketDebuggerURL string }
	if _, body := hubtest.Get(t, addr, below+"/json/version", nil); json.Unmarshal([]byte(body), &version) != nil || version.WebSocketDebuggerURL != "ws://"+addr+below+"/devtools/browser" {
		t.Fatal(body)
	}
	client := hubtest.Dial(t, version.WebSocketDebuggerURL, nil)
	hubtest.Eventually(t, "the target is there", func() bool {
		client.Send(`{"id":1,"method":"Target.getTargets"}`)
		return strings.Contains(client.Until(`"id":1`), "T1")
	})
	for _, path := range []string{"", "/", "/hub/x/", "/nowhere"} {
		page := hubtest.Raw(t, addr, hubtest.Request("GET "+below+path+" HTTP/1.1", "Host: "+addr, "Connection: close", "Accept: "+browserAccepts))
		for _, file := range regexp.MustCompile(`(?:href|src|data-status)="([^"]*)"`).FindAllStringSubmatch(page.Body, -1) {
			if !strings.HasPrefix(file[1], "/") {
				continue
			}
			if status, _ := hubtest.Get(t, addr, file[1], nil); status != 200 {
				t.Errorf("%s names %s: %d", path, file[1], status)
			}
		}
		if path == "" || path == "/nowhere" {
			continue
		}
		if !strings.Contains(html.UnescapeString(page.Body), "connectOverCDP(\\\""+base+below+strings.TrimSuffix(path, "/")+"\\\")") {
			t.Errorf("%s: %s", path, page.Body)
		}
	}
	if _, body := hubtest.Get(t, addr, below+"/ui/api/state", nil); !strings.Contains(body, `"path":"`+below+`"`) {
		t.Error(body)
	}
	resp := hubtest.Raw(t, addr, hubtest.Request("GET "+below+"/devtools/ui/?target=T1 HTTP/1.1", "Host: "+addr, "Connection: close"))
	if to := resp.Header.Get("Location"); !strings.HasPrefix(to, base+below+"/devtools/ui/inspector.html?ws="+url.QueryEscape(addr+below+"/devtools/page/T1?ticket=")) {
		t.Errorf("DevTools: %d %s", resp.Status, to)
	}
}

// TestR325HandoffLinks asks for handoffs from several places, and wants links to where people reach the hub.
func TestR325HandoffLinks(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Options)
		lines  http.Header
		want   string // without it: the address of the listener, or of the server around the handler
	}{
		"a listener":                  {func(*Options) {}, nil, ""},
		"another name of it":          {func(*Options) {}, http.Header{"Host": {"localhost:9"}}, ""},
		"a stranger":                  {func(*Options) {}, http.Header{"X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {ownHost}}, ""},
		"a trusted proxy":             {reached["trusted"], http.Header{"X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {ownHost}, "X-Forwarded-Prefix": {"/cdp"}}, "https://" + ownHost + "/cdp"},
		"a public address":            {reached["public below"], nil, "https://" + ownHost + ":8443/cdp"},
		"a handler":                   {func(o *Options) { o.NoListeners = true }, nil, "below"},
		"a handler, a public address": {func(o *Options) { o.NoListeners = true; reached["public below"](o) }, nil, "https://" + ownHost + ":8443/cdp"},
	} {
		s := start(t, func(o *Options) { o.AllowedHosts, o.UI = []string{ownHost}, new(true); tt.change(o) })
		if page := s.pageAddress("x"); s.publicURL != nil && s.o.NoListeners && !strings.HasPrefix(page, tt.want+"/hub/x/shell") {
			t.Errorf("%s: a Host page is at %s, want one at %s", name, page, tt.want)
		}
		at, want := s.ClientAddr(), tt.want
		if s.o.NoListeners {
			around := httptest.NewServer(http.StripPrefix("/below", s.Handler()))
			defer around.Close()
			at = around.Listener.Addr().String() + "/below"
		}
		if want == "" || want == "below" {
			want = "http://" + at
		}
		hosts := at
		if !s.o.NoListeners {
			hosts = s.HostAddr()
		}
		host := hubtest.Dial(t, "ws://"+hosts+"/hub/x/icdp/host", http.Header{"Origin": {"http://localhost:3000"}})
		host.Send(hubtest.Ready)
		client := hubtest.Dial(t, "ws://"+at+"/hub/x/devtools/browser", tt.lines)
		hubtest.Eventually(t, "the target is there", func() bool {
			client.Send(`{"id":1,"method":"Target.getTargets"}`)
			return strings.Contains(client.Until(`"id":1`), "T1")
		})
		client.Send(`{"id":2,"method":"CdpHub.handoff","params":{"instructions":"Look."},"sessionId":"` + client.Attach("T1") + `"}`)
		if got := client.Until(`"id":2`); !strings.Contains(got, `"url":"`+want+`/hub/x/#handoff=`) {
			t.Errorf("%s: %s, want a link at %s", name, got, want)
		}
	}
}

// TestR328RefusedViewsAreExplained asks for views, and why there is none, from pages of several origins: both have the
// same answer.
func TestR328RefusedViewsAreExplained(t *testing.T) {
	open, guarded := start(t, nil), start(t, withTokens)
	for _, s := range []started{open, guarded} {
		host := hubtest.Dial(t, "ws://"+s.addr(true)+"/icdp/host", bearer(hostToken))
		host.Send(hubtest.Ready)
		hubtest.Eventually(t, "the target is there", func() bool {
			_, body := s.get(t, s.addr(false), "/json/list", bearer(clientToken))
			return strings.Contains(body, `"T1"`)
		})
	}
	for _, tt := range []struct {
		name   string
		s      started
		target string
		lines  []string
		status int
		text   string
	}{
		{"nothing is wrong", open, "T1", nil, 101, ""},
		{"a page of the hub", open, "T1", []string{"Origin: http://" + open.addr(false)}, 101, ""},
		{"a page of another origin", open, "T1", []string{"Origin: https://evil.example"}, 403, "The page is at https://evil.example, and the hub takes http://" + open.addr(false) + " for its own"},
		{"no target", open, "none", nil, 404, "does not exist"},
		{"no token", guarded, "T1", nil, 401, "token"},
		{"a wrong token", guarded, "T1", []string{"Authorization: Bearer a-token-of-nobody"}, 401, "token"},
		{"a token", guarded, "T1", []string{"Authorization: Bearer " + clientToken}, 101, ""},
	} {
		target, host := "?target="+tt.target, "Host: "+tt.s.addr(false)
		view := hubtest.Raw(t, tt.s.addr(false), strings.Replace(hubtest.Handshake("/ui/api/view"+target, tt.lines...), "Host: localhost", host, 1))
		why := hubtest.Raw(t, tt.s.addr(false), hubtest.Request("POST /ui/api/view/why"+target+" HTTP/1.1", append(tt.lines, host, "Content-Length: 0", "Connection: close")...))
		if view.Status != tt.status || !strings.Contains(view.Body, tt.text) {
			t.Errorf("%s: %d %s, want %d %s", tt.name, view.Status, view.Body, tt.status, tt.text)
		}
		if view.Status == 101 {
			view.Status = 204
		}
		if why.Status != view.Status || why.Body != view.Body {
			t.Errorf("%s: %d %s, but asked why: %d %s", tt.name, view.Status, view.Body, why.Status, why.Body)
		}
	}
}
