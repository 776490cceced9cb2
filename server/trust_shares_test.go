package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// The tokens of the tests of shares. Eve has one for every hub.
const (
	annsToken  = "token-of-ann-0123456789"
	bobsToken  = "token-of-bob-0123456789"
	teamToken  = "token-of-the-team-01234"
	mateToken  = "token-of-a-mate-0123456"
	evesToken  = "token-of-eve-0123456789"
	rootsToken = "token-of-root-012345678"
)

const shareTokens = `tokens:
  - {name: ann, token: ` + annsToken + `, role: client, scope: full}
  - {name: bob, token: ` + bobsToken + `, role: client, scope: full}
  - {name: team, token: ` + teamToken + `, role: client, scope: full, share: team}
  - {name: mate, token: ` + mateToken + `, role: client, scope: full, share: team}
  - {name: eve, token: ` + evesToken + `, role: client, hub: "*", scope: full}
  - {name: root, token: ` + rootsToken + `, role: client, hub: "*", scope: privileged}
`

// ownShare is the share of a token that names none.
func ownShare(token string) string { return "token-" + auth.NewSecret(token).Hash()[:16] }

// withShares has tokens of several owners, and browsers with one page each.
func withShares(t *testing.T, more ...func(*Options)) started {
	t.Helper()
	change, _ := withFile(t, shareTokens)
	return start(t, func(o *Options) {
		change(o)
		o.Tokens.Client = clientToken
		o.Tokens.TrustedProxies = []string{"127.0.0.0/8"}
		o.Browsers = &Browsers{Run: hubtest.RunPageBrowser, Max: 20}
		for _, f := range more {
			f(o)
		}
	})
}

// hubsThere are the names of the hubs that exist.
func (s started) hubsThere() (names []string) {
	for _, h := range s.hubs.Summaries() {
		names = append(names, h.Hub)
	}
	return names
}

// TestR230EachTokenHasItsBrowser asks at one address with the tokens of several owners.
func TestR230EachTokenHasItsBrowser(t *testing.T) {
	for name, tt := range map[string]struct {
		more func(*Options)
		want map[string]string // hub by token
	}{
		"by default": {nil, map[string]string{
			annsToken: "_" + ownShare(annsToken), bobsToken: "_" + ownShare(bobsToken), evesToken: "_" + ownShare(evesToken),
			teamToken: "_team", mateToken: "_team", clientToken: "",
		}},
		"with --browser-share=hub": {func(o *Options) { o.Browsers.Undivided = true }, map[string]string{annsToken: "", bobsToken: "", teamToken: "", clientToken: ""}},
	} {
		t.Run(name, func(t *testing.T) {
			s := withShares(t, func(o *Options) {
				if tt.more != nil {
					tt.more(o)
				}
			})
			for token, hub := range tt.want {
				list := s.lists(t, token, "")
				for path, said := range list {
					pages := regexp.MustCompile(`http://app/of-[a-z0-9_-]*`).FindAllString(said, -1)
					if len(pages) == 0 || slices.ContainsFunc(pages, func(page string) bool { return page != "http://app/of-"+hub }) {
						t.Errorf("%s with %s: %s, want the page of hub %q alone", path, token, said, hub)
					}
				}
			}
			var want []string
			for _, hub := range tt.want {
				want = append(want, hub)
			}
			slices.Sort(want)
			if got := s.hubsThere(); !slices.Equal(got, slices.Compact(want)) {
				t.Errorf("the hubs are %q, want %q", got, want)
			}
		})
	}
}

// TestR230WithoutTokensNothingIsDivided wants the names of hubs as they always were.
func TestR230WithoutTokensNothingIsDivided(t *testing.T) {
	s := start(t, func(o *Options) {
		o.Browsers = &Browsers{Run: hubtest.RunPageBrowser}
	})
	for path, want := range map[string]int{"/json/list": 200, "/hub/work/json/list": 200, "/hub/_team/json/list": 404, "/hub/work_team/json/list": 404} {
		if status, body := s.get(t, s.addr(false), path, nil); status != want || want == 200 && strings.Contains(body, "_") {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
	if got := s.hubsThere(); !slices.Equal(got, []string{"", "work"}) {
		t.Errorf("the hubs are %q", got)
	}
}

// A route of the walk: "ID" stands for the id of a page. own and other are the status for
// a page of the token's own browser and of another; 0 where no id is asked for.
type shareRoute struct {
	method, path, body string
	own, other         int
}

var shareRoutes = []shareRoute{
	{"GET", "/json", "", 200, 0},
	{"GET", "/json/list", "", 200, 0},
	{"GET", "/json/version", "", 200, 0},
	{"GET", "/json/protocol", "", 200, 0},
	{"GET", "/json/protocol/", "", 200, 0},
	{"PUT", "/json/new?http://app/", "", 500, 0}, // the fake browser opens no page
	{"GET", "/json/activate/ID", "", 200, 404},
	{"GET", "/json/close/ID", "", 200, 404},
	{"GET", "/icdp/status", "", 200, 0},
	{"GET", "/home.json", "", 200, 0},
	{"GET", "/sessions", "", 200, 0},
	{"DELETE", "/sessions/work", "", 404, 0},
	{"GET", "/downloads", "", 200, 0},
	{"GET", "/downloads/none", "", 404, 0},
	{"DELETE", "/downloads/none", "", 404, 0},
	{"GET", "/ui/api/state", "", 200, 0},
	{"GET", "/ui/api/timeline?target=ID", "", 200, 404},
	{"GET", "/ui/api/picture?target=ID&seq=1", "", 404, 404},
	{"POST", "/ui/api/grant", `{"targetId":"ID","client":"nobody"}`, 409, 404},
	{"POST", "/ui/api/revoke", `{"targetId":"ID","client":"nobody"}`, 409, 404},
	{"GET", "/devtools/ui/?target=ID", "", 302, 404},
	{"POST", "/hooks/invoke", `{"name":"browser.list"}`, 200, 0},
	{"POST", "/mcp", initialize, 200, 0},
	{"POST", "/ui/api/view/why?target=ID", "", 204, 404},
	{"WS", "/ui/api/view?target=ID", "", 101, 404},
	{"WS", "/devtools/page/ID", "", 101, 404},
	{"WS", "/devtools/browser", "", 101, 0},
	{"WS", "/devtools/browser/any", "", 101, 0},
	{"WS", "/cdp", "", 101, 0},
	{"WS", "/ndjson", "", 101, 0},
	{"WS", "/ws", "", 101, 0},
	{"WS", "/hooks", "", 101, 0},
	{"WS", "/bap", "", 101, 0},
	{"WS", "/", "", 101, 0},
	{"WS", "/session/default/rpc", "", 101, 0},
	{"WS", "/session/default/cdp", "", 101, 0},
}

// notOfShares are the entries of the route table, and the paths of httpdiscovery, that the walk leaves out, each with
// the reason. Files are not in it.
var notOfShares = map[string]string{
	"/": "is a page that is the same for everybody", "/health": "is the same for everybody", "/llms.txt": "is the same for everybody", "/favicon.ico": "is a file", "/rp.js": "is a file",
	"/devtools/ui/{file...}":    "is a file",
	"/devtools/page/{id...}":    "has a ticket, see TestR232DevToolsTicket",
	"/ui/api/events client":     "is /ui/api/state again and again, see TestR230Events",
	"/ui/api/handoff client":    "has a key of its own, see TestR232HandoffLink",
	"/dialog":                   "has a key of its own, see TestR233FramesOfAShare",
	"/eval/{key...}":            "has a key of its own, see TestR233FramesOfAShare",
	"/icdp/host host":           "is for Hosts, see TestR233HostBesideABrowser",
	"/icdp/extension host":      "is for Hosts, see TestR414ExtensionOfAShare",
	"/host.json host":           "is for Hosts, see TestR233HostBesideABrowser",
	"/link client":              "carries requests, see TestR230Links",
	"/browser-sandboxes client": "is about hubs of their own, see TestR230SandboxesAreNotDivided",

	"/browser-sandboxes/{name...} client": "is about hubs of their own, see TestR230SandboxesAreNotDivided",

	"/ui/api/drain client":        "is about the process",
	"/icdp/status/ client":        "is /icdp/status",
	"/health/ client":             "is the same for everybody",
	"/devtools/":                  "is a prefix",
	"/devtools/ui/inspector.html": "is a file",
	"/json/":                      "is a prefix",
	"/json/activate":              "is /json/activate/ID",
	"/json/close":                 "is /json/close/ID",
	"/json/new":                   "is /json/new?URL",
}

// nameOf tells entries of one path apart.
func nameOf(e front.Entry) string { return strings.TrimSpace(e.Path + " " + string(e.Role)) }

// TestR230EveryPathIsInTheWalk wants each entry of the route table, and each path of httpdiscovery, to be in the walk,
// or to say why not.
func TestR230EveryPathIsInTheWalk(t *testing.T) {
	s := start(t, timelineOn)
	walked := map[string]bool{} // by path, and by name of an entry
	for _, route := range shareRoutes {
		r := httptest.NewRequest(http.MethodGet, strings.ReplaceAll(route.path, " ", "%20"), http.NoBody)
		walked[r.URL.Path] = true
		if route.method == "WS" {
			r.Header.Set("Connection", "Upgrade")
			r.Header.Set("Upgrade", "websocket")
		}
		at, _ := s.route(r)
		at.On = front.Audience{Clients: true}
		e := s.find(front.Entry{}, at.With(r))
		walked[nameOf(e)] = true
		if e.WS != (route.method == "WS") {
			t.Errorf("%s %s leads to an entry with ws = %t", route.method, route.path, e.WS)
		}
	}
	for _, e := range s.table {
		if _, file := bundles()[e.Path]; !file && !walked[nameOf(e)] && notOfShares[nameOf(e)] == "" {
			t.Errorf("the route table has %q: add it to shareRoutes, or to notOfShares with the reason", nameOf(e))
		}
	}
	files, err := filepath.Glob("../httpdiscovery/*.go")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"(/[a-z][a-z0-9./-]*)"`).FindAllStringSubmatch(string(text), -1) {
			if !strings.HasSuffix(file, "_test.go") && !walked[m[1]] && !walked[m[1]+"ID"] && notOfShares[m[1]] == "" {
				t.Errorf("%s has the path %s: add it to shareRoutes, or to notOfShares with the reason", file, m[1])
			}
		}
	}
}

// ask sends a request of the walk, and says its answer.
func (s started) ask(t *testing.T, r shareRoute, prefix, token, id string, from int) said {
	t.Helper()
	path := prefix + strings.ReplaceAll(r.path, "ID", id)
	lines := []string{"Authorization: Bearer " + token, fmt.Sprintf("X-Forwarded-For: 10.2.%d.%d", from>>8, from&255)}
	if r.method == "WS" {
		return raw(t, s.addr(false), handshake(path, lines...))
	}
	lines = append(lines, "Host: localhost", "Accept: application/json, text/event-stream", "Connection: close")
	body := strings.ReplaceAll(r.body, "ID", id)
	if body != "" {
		lines = append(lines, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body)))
	}
	return raw(t, s.addr(false), asking(r.method+" "+path+" HTTP/1.1", lines...)+body)
}

// TestR230EveryPathLeadsToTheOwnShare walks all paths with the tokens of two owners, at
// the address that they share: each sees its own page alone, and nobody gets to the hub
// that the address names.
func TestR230EveryPathLeadsToTheOwnShare(t *testing.T) {
	for _, prefix := range []string{"", "/hub/work"} {
		// Only tokens of every hub fit both addresses.
		tokens := []string{evesToken, rootsToken}
		s := withShares(t, timelineOn, func(o *Options) { withDevTools(t, o) })
		hub, from := strings.TrimPrefix(prefix, "/hub/"), 0
		hubs := []string{relay.HubOfShare(hub, ownShare(tokens[0])), relay.HubOfShare(hub, ownShare(tokens[1]))}
		for i := range tokens { // both browsers run
			if status, body := s.get(t, s.addr(false), prefix+"/json/list", bearer(tokens[i])); status != 200 || !strings.Contains(body, "of-"+hubs[i]+`"`) {
				t.Fatalf("%d %s", status, body)
			}
		}
		for _, r := range shareRoutes {
			if prefix != "" {
				r.path = strings.Replace(r.path, "/session/default/", "/../session/work/", 1)
			}
			at := prefix
			if rest, is := strings.CutPrefix(r.path, "/.."); is {
				at, r.path = "", rest
			}
			for i, token := range tokens {
				own, others := hubs[i], hubs[1-i]
				from++
				got := s.ask(t, r, at, token, "of-"+own, from)
				if got.status != r.own {
					t.Errorf("%s %s%s for %s: %d %s, want %d", r.method, at, r.path, own, got.status, got.body, r.own)
				}
				// The token of root may see all hubs, in lists.
				if token == evesToken && (strings.Contains(got.body, others) || strings.Contains(fmt.Sprint(got.header), others)) {
					t.Errorf("%s %s%s for %s tells of %s: %v %s", r.method, at, r.path, own, others, got.header, got.body)
				}
				if r.other == 0 {
					continue
				}
				from++
				got = s.ask(t, r, at, token, "of-"+others, from)
				if got.status != r.other || got.status == r.own && strings.Contains(got.body, "seq") {
					t.Errorf("%s %s%s for %s with a page of %s: %d %s, want %d", r.method, at, r.path, own, others, got.status, got.body, r.other)
				}
			}
		}
		if there := s.hubsThere(); !slices.Equal(there, slices.Sorted(slices.Values(hubs))) {
			t.Errorf("below %q, the hubs are %q, want %q alone", prefix, there, hubs)
		}
	}
}

// TestR230Events reads the stream of the dashboard.
func TestR230Events(t *testing.T) {
	s := withShares(t)
	for _, token := range []string{annsToken, bobsToken} {
		s.get(t, s.addr(false), "/json/version", bearer(token))
	}
	for token, other := range map[string]string{annsToken: bobsToken, bobsToken: annsToken} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.addr(false)+"/ui/api/events", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = bearer(token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		event := make([]byte, 64<<10)
		n, _ := resp.Body.Read(event)
		resp.Body.Close()
		if got := string(event[:n]); !strings.Contains(got, `"of-_`+ownShare(token)+`"`) || strings.Contains(got, ownShare(other)) {
			t.Errorf("%s is told %s", token, got)
		}
	}
}
