package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestR232AddressesOfShares names the hubs of shares in the address.
func TestR232AddressesOfShares(t *testing.T) {
	s := withShares(t, func(o *Options) { o.BaseDomain = "hubs.example" })
	for _, token := range []string{annsToken, bobsToken, teamToken} {
		s.get(t, s.addr(false), "/json/version", bearer(token))
	}
	ann, bob := "/hub/_"+ownShare(annsToken), "/hub/_"+ownShare(bobsToken)
	from := 0
	ask := func(path, token string, lines ...string) said {
		from++
		lines = append(lines, "Authorization: Bearer "+token, fmt.Sprintf("X-Forwarded-For: 10.3.%d.%d", from>>8, from&255))
		got := raw(t, s.addr(false), asking("GET "+path+" HTTP/1.1", lines...))
		got.header.Del("Date")
		return got
	}
	const host = "Host: localhost"
	for _, tt := range []struct {
		token, prefix string
		status        int
	}{
		{annsToken, ann, 200},
		{annsToken, bob, 401},
		{annsToken, "/hub/_team", 401},
		{teamToken, "/hub/_team", 200},
		{mateToken, "/hub/_team", 200},
		{teamToken, ann, 401},
		{evesToken, ann, 401},
		{evesToken, "/hub/_team", 401},
		{evesToken, "/hub/_" + ownShare(evesToken), 200},
		{rootsToken, ann, 200},
		{rootsToken, "/hub/_team", 200},
		{clientToken, ann, 401},
		{clientToken, "/hub/_team", 401},
		{annsToken, "/hub/work_" + ownShare(annsToken), 401},
		{evesToken, "/hub/work_" + ownShare(evesToken), 200},
		{annsToken, "/hub/_", 401},
		{annsToken, "/hub/_a_b", 401},
		{annsToken, "/hub/__team", 401},
		{rootsToken, "/hub/_a_b", 404},
		{rootsToken, "/hub/_", 404},
		{rootsToken, "/hub/_TEAM", 404},
		{wrongToken, ann, 401},
	} {
		if got := ask(tt.prefix+"/json/list", tt.token, host); got.status != tt.status {
			t.Errorf("%s%s with %s: %d %s, want %d", tt.prefix, "/json/list", tt.token, got.status, got.body, tt.status)
		}
	}
	// Whoever may not enter does not learn which shares there are.
	for _, token := range []string{annsToken, evesToken, clientToken} {
		for _, path := range []string{"/json/list", "/ui/api/state", "/sessions", "/nothing", "/home.json"} {
			there, none := ask(bob+path, token, host), ask("/hub/_nobody"+path, token, host)
			if fmt.Sprint(there) != fmt.Sprint(none) || there.status != 401 {
				t.Errorf("%s of another share: %v, and of none: %v", path, there, none)
			}
		}
	}
	foreign := ask("/hub/work/json/list", annsToken, host)
	if got := ask(bob+"/json/list", annsToken, host); fmt.Sprint(got) != fmt.Sprint(foreign) {
		t.Errorf("the hub of another share: %v, want the answer of another hub: %v", got, foreign)
	}
	if got := ask(bob+"/json/list", evesToken, host); !strings.Contains(got.body, "another share of the hub") || !strings.Contains(got.body, "with the same share, or one for every hub with scope privileged") {
		t.Errorf("a token for every hub at another share: %s", got.body)
	}
	// No name of a host leads to a share.
	if got := ask("/json/list", rootsToken, "Host: work_team.hubs.example"); got.status != 404 {
		t.Errorf("a share by the name of a host: %d %s", got.status, got.body)
	}
	for _, name := range s.hubsThere() {
		if strings.HasSuffix(name, "nobody") || name == "" {
			t.Errorf("a refused request has made the hub %q", name)
		}
	}
}

// TestR232ListsOfHubs wants each token to find its own hubs in the lists, and root all.
func TestR232ListsOfHubs(t *testing.T) {
	s := withShares(t)
	for _, token := range []string{annsToken, teamToken, evesToken, clientToken} {
		s.get(t, s.addr(false), "/json/version", bearer(token))
	}
	s.get(t, s.addr(false), "/hub/work/json/version", bearer(evesToken))
	ann, eve := ownShare(annsToken), ownShare(evesToken)
	for token, want := range map[string][]string{
		annsToken: {"_" + ann + " at ", "_team at -"}, teamToken: {"_team at "}, clientToken: {" at ", "_team at -"},
		evesToken:  {"_" + eve + " at ", "work_" + eve + " at /hub/work", "_team at -", "_" + ann + " at -", " at -"},
		rootsToken: {"_" + ann + " at /hub/_" + ann, "_team at /hub/_team", "work_" + eve + " at /hub/work_" + eve, "_" + eve + " at /hub/_" + eve},
	} {
		for _, path := range []string{"/home.json", "/ui/api/state"} {
			_, body := s.get(t, s.addr(false), path, bearer(token))
			var status struct{ Hubs []struct{ Hub, Path string } }
			if err := json.Unmarshal([]byte(body), &status); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range status.Hubs {
				got = append(got, h.Hub+" at "+h.Path)
			}
			for _, w := range want {
				name, absent := strings.CutSuffix(w, "-")
				named := slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, name) })
				if absent && named || !absent && !slices.Contains(got, w) {
					t.Errorf("%s lists for %s: %q, want %q", path, token, got, w)
				}
			}
		}
	}
}

// TestR232HandoffLink opens the link of a handoff at a divided hub: whoever has it has no
// token that would say which share is meant.
func TestR232HandoffLink(t *testing.T) {
	s := withShares(t, hostsOfTeam(t), func(o *Options) { o.HandoffByLink = true })
	s.teamHost(t)
	agent := dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(mateToken))
	tail := agent.attachTo("T1")
	agent.send(`{"id":5,"method":"CdpHub.handoff","params":{"instructions":"Log in, please."}` + tail)
	base, ticket, ok := strings.Cut(textOf(t, agent.until(`"id":5,`), "url"), "/#handoff=")
	if !ok || base != "http://"+s.addr(false)+"/hub/_team" {
		t.Fatalf("the link is %q", base)
	}
	if status, page := s.get(t, s.addr(false), "/hub/_team/", http.Header{"Accept": {"text/html"}}); status != 200 || !strings.Contains(page, "/ui/app.js") {
		t.Errorf("the page of the link: %d", status)
	}
	exchange := func(prefix string) (int, string) {
		return hubtest.MustPostJSON(t, "http://"+s.addr(false)+prefix+"/ui/api/handoff", http.Header{"Content-Type": {"application/json"}}, []byte(`{"ticket":"`+ticket+`"}`))
	}
	for _, elsewhere := range []string{"", "/hub/_" + ownShare(annsToken), "/hub/work_team"} {
		if status, _ := exchange(elsewhere); status != 404 {
			t.Errorf("the ticket at %q: %d, want 404", elsewhere, status)
		}
	}
	status, body := exchange("/hub/_team")
	if status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	var opened struct{ Key string }
	if err := json.Unmarshal([]byte(body), &opened); err != nil {
		t.Fatal(err)
	}
	guest := bearer(opened.Key)
	if status, body := s.get(t, s.addr(false), "/hub/_team/ui/api/state", guest); status != 200 || !strings.Contains(body, `"T1"`) {
		t.Errorf("the guest sees %d %s", status, body)
	}
	for _, path := range []string{"/ui/api/state", "/hub/_" + ownShare(annsToken) + "/ui/api/state", "/hub/_team/json/list"} {
		if status, _ := s.get(t, s.addr(false), path, guest); status != 401 {
			t.Errorf("the guest at %s: %d, want 401", path, status)
		}
	}
}

// TestR232DevToolsTicket opens DevTools at a divided hub: their socket has a ticket in
// place of the token.
func TestR232DevToolsTicket(t *testing.T) {
	s := withShares(t, func(o *Options) { withDevTools(t, o) })
	id := "of-_" + ownShare(annsToken)
	got := raw(t, s.addr(false), asking("GET /devtools/ui/?target="+id+" HTTP/1.1", "Host: "+s.addr(false), "Authorization: Bearer "+annsToken))
	listed := struct{ DevtoolsFrontendURL string }{got.header.Get("Location")}
	_, list := s.get(t, s.addr(false), "/json/list", bearer(annsToken))
	var pages []struct{ DevtoolsFrontendURL, WebSocketDebuggerURL string }
	if err := json.Unmarshal([]byte(list), &pages); err != nil || len(pages) != 1 {
		t.Fatalf("%s: %v", list, err)
	}
	if want := "ws://" + s.addr(false) + "/devtools/page/"; !strings.HasPrefix(pages[0].WebSocketDebuggerURL, want) {
		t.Errorf("the socket of the page is %s, want one at the address that was asked", pages[0].WebSocketDebuggerURL)
	}
	for _, address := range []string{listed.DevtoolsFrontendURL, pages[0].DevtoolsFrontendURL} {
		front, err := url.Parse(address)
		if err != nil || front.Path != "/hub/_"+ownShare(annsToken)+"/devtools/ui/inspector.html" {
			t.Fatalf("%s: %v", address, err)
		}
		if status, _ := s.get(t, s.addr(false), front.RequestURI(), nil); status != 302 { // to the address with the version
			t.Errorf("the front end: %d, want 302", status)
		}
		_, path, _ := strings.Cut(front.Query().Get("ws"), "/")
		if got := raw(t, s.addr(false), handshake(strings.Replace("/"+path, "/hub/_"+ownShare(annsToken), "", 1))); got.status != 403 {
			t.Errorf("the ticket at another hub: %d %s, want 403", got.status, got.body)
		}
	}
	// The first one was used up by the try.
	got = raw(t, s.addr(false), asking("GET /devtools/ui/?target="+id+" HTTP/1.1", "Host: "+s.addr(false), "Authorization: Bearer "+annsToken))
	front, err := url.Parse(got.header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, "ws://"+front.Query().Get("ws"), nil)
	c.Conn.Close(wsconn.ReasonNormal)
}
