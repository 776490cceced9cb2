package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/uiwire"
)

// TestR179PrivatePages has a Client open a page in a browser context of its own, and
// looks for it with tokens of several kinds, while it is there and after that.
func TestR179PrivatePages(t *testing.T) {
	const ann, bob, root, reader = "token-of-ann-0123456789", "token-of-bob-0123456789", "token-of-root-012345678", "token-of-reader-0123456"
	file, _ := hubtest.TokenFile(t, `tokens:
  - {name: ann, token: `+ann+`, role: client, hub: chromium, share: team, scope: full}
  - {name: bob, token: `+bob+`, role: client, hub: chromium, share: team, scope: full}
  - {name: tabs, token: `+bob+`2, role: client, hub: chromium, share: team, scope: privileged, tabs: own}
  - {name: reader, token: `+reader+`, role: client, hub: chromium, share: team, scope: readonly}
  - {name: root, token: `+root+`, role: client, hub: chromium, share: team, scope: privileged}
`)
	s := start(t, func(o *Options) {
		timelineOn(o)
		o.Tokens.File, o.Browsers = file, testBrowser()
	})
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, countingPage)
	}))
	t.Cleanup(app.Close)
	socket := "ws://" + s.addr(false) + "/hub/chromium/devtools/browser"
	others := dial(t, socket, bearer(bob))
	others.send(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true,"filter":[{}]}}`)
	others.until(`{"id":1,`)
	others.send(`{"id":2,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true,"filter":[{}]}}`)
	others.until(`{"id":2,`)
	agent := dial(t, socket, bearer(ann))
	agent.send(`{"id":1,"method":"Target.createBrowserContext"}`)
	context := textOf(t, agent.until(`{"id":1,`), "browserContextId")
	agent.send(`{"id":2,"method":"Target.createTarget","params":{"url":"` + app.URL + `","browserContextId":"` + context + `"}}`)
	id := textOf(t, agent.until(`{"id":2,`), "targetId")
	tail := agent.attachTo(id)
	agent.send(`{"id":3,"method":"Page.enable"` + tail)
	agent.until(`{"id":3,`)

	lists := func(token string) bool {
		_, body := s.get(t, s.addr(false), "/hub/chromium/ui/api/state", bearer(token))
		var state uiwire.State
		if err := json.Unmarshal([]byte(body), &state); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		for _, u := range state.Hubs[0].Targets {
			if u.TargetID == id {
				if u.Client != u.Drivers[0] || !strings.HasPrefix(u.Client, "ann") {
					t.Errorf("it is of %q, and driven by %q", u.Client, u.Drivers)
				}
				return true
			}
		}
		return false
	}
	hubtest.Eventually(t, "the page is on the dashboard", func() bool { return lists(root) && lists(ann) })
	for _, token := range []string{bob, bob + "2", reader} {
		if lists(token) {
			t.Errorf("%s sees the page", token)
		}
		for _, path := range []string{"/ui/api/view?target=", "/devtools/page/"} {
			if got := raw(t, s.addr(false), handshake("/hub/chromium"+path+id, "Authorization: Bearer "+token)); got.status != 404 {
				t.Errorf("%s: %s answers %d", token, path, got.status)
			}
		}
	}
	for _, token := range []string{ann, bob, root, reader} { // discovery is of Clients, for whom it is private
		if _, body := s.get(t, s.addr(false), "/hub/chromium/json/list", bearer(token)); strings.Contains(body, id) {
			t.Errorf("%s: /json/list names the page: %s", token, body)
		}
		if status, _ := s.get(t, s.addr(false), "/hub/chromium/devtools/ui/?target="+id, bearer(token)); (status == 404) != (token == bob || token == reader) {
			t.Errorf("%s: DevTools of the page answer %d", token, status)
		}
	}

	v := s.view(t, "/hub/chromium", id, bearer(root))
	v.untilPictures(1)
	v.say(`{"kind":"take"}`)
	v.until(map[string]any{"kind": "holder", "name": "root", "mine": true})
	agent.send(`{"id":4,"method":"Page.reload"` + tail)
	if got := agent.until(`{"id":4,`); !strings.Contains(got, "paused: root has the page") {
		t.Errorf("the agent acts: %s", got)
	}
	v.say(`{"kind":"mouse","type":"mousePressed","x":100,"y":100,"button":"left","buttons":1,"clickCount":1}`)
	v.say(`{"kind":"mouse","type":"mouseReleased","x":100,"y":100,"button":"left","clickCount":1}`)
	n := 10
	hubtest.Eventually(t, "a click", func() bool {
		n++
		agent.send(fmt.Sprintf(`{"id":%d,"method":"Runtime.evaluate","params":{"expression":"String(seen)"}%s`, n, tail))
		return strings.Contains(agent.until(fmt.Sprintf(`{"id":%d,`, n)), "click")
	})
	v.say(`{"kind":"release"}`)
	v.until(map[string]any{"kind": "holder", "name": ""})

	agent.send(`{"id":5,"method":"Target.closeTarget","params":{"targetId":"` + id + `"}}`)
	agent.until(`{"id":5,`)
	closed := func(token string) bool {
		_, body := s.get(t, s.addr(false), "/hub/chromium/ui/api/state", bearer(token))
		return strings.Contains(body, `"closed":[{"targetId":"`+id)
	}
	hubtest.Eventually(t, "the end of the page", func() bool { return closed(root) && closed(ann) })
	for token, status := range map[string]int{root: 200, ann: 200, bob: 404, bob + "2": 404, reader: 404} {
		if got, body := s.get(t, s.addr(false), "/hub/chromium/ui/api/timeline?target="+id, bearer(token)); got != status || (status == 200) != strings.Contains(body, "gave the page back") {
			t.Errorf("%s: the timeline is %d %s, want %d", token, got, body, status)
		}
		if status != 200 && closed(token) {
			t.Errorf("%s sees that it was closed", token)
		}
	}
	others.send(`{"id":9,"method":"Target.getTargets","params":{"filter":[{}]}}`)
	for got := ""; !strings.HasPrefix(got, `{"id":9,`); {
		if got = others.next(); strings.Contains(got, id) || strings.Contains(got, context) {
			t.Errorf("another Client is told: %s", got)
		}
	}
}

// TestR179DevToolsOfAPrivatePage opens DevTools on a private page, by a ticket, and tries
// to reach the private page of a Client with another token from there.
func TestR179DevToolsOfAPrivatePage(t *testing.T) {
	tokens := []string{"token-of-ann-0123456789", "token-of-bob-0123456789"}
	file, _ := hubtest.TokenFile(t, `tokens:
  - {name: ann, token: `+tokens[0]+`, role: client, hub: chromium, share: team, scope: full}
  - {name: bob, token: `+tokens[1]+`, role: client, hub: chromium, share: team, scope: full}
`)
	s := start(t, func(o *Options) { o.Tokens.File, o.Browsers = file, testBrowser() })
	var contexts, ids []string
	for _, token := range tokens {
		agent := dial(t, "ws://"+s.addr(false)+"/hub/chromium/devtools/browser", bearer(token))
		agent.send(`{"id":1,"method":"Target.createBrowserContext"}`)
		contexts = append(contexts, textOf(t, agent.until(`{"id":1,`), "browserContextId"))
		agent.send(`{"id":2,"method":"Target.createTarget","params":{"url":"about:blank","browserContextId":"` + contexts[len(contexts)-1] + `"}}`)
		ids = append(ids, textOf(t, agent.until(`{"id":2,`), "targetId"))
	}
	asked, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.addr(false)+"/hub/chromium/devtools/ui/?target="+ids[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	asked.Header = bearer(tokens[0])
	res, err := http.DefaultTransport.RoundTrip(asked)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	at, err := url.Parse(res.Header.Get("Location"))
	if err != nil || at.Query().Get("ws") == "" {
		t.Fatalf("%d, to %q, %v", res.StatusCode, at, err)
	}
	front := dial(t, "ws://"+at.Query().Get("ws"), nil)
	front.send(`{"id":1,"method":"Runtime.evaluate","params":{"expression":"location.href"}}`)
	if got := front.until(`{"id":1,`); !strings.Contains(got, "about:blank") {
		t.Errorf("DevTools evaluate: %s", got)
	}
	for i, command := range []string{
		`"Target.attachToTarget","params":{"targetId":"` + ids[1] + `","flatten":true}`, `"Target.getTargetInfo","params":{"targetId":"` + ids[1] + `"}`,
		`"Target.closeTarget","params":{"targetId":"` + ids[1] + `"}`, `"Storage.getCookies","params":{"browserContextId":"` + contexts[1] + `"}`,
		`"Target.getTargets","params":{"filter":[{}]}`, `"Target.getBrowserContexts","params":{}`,
	} {
		front.send(fmt.Sprintf(`{"id":%d,"method":%s}`, 10+i, command))
		got := front.until(fmt.Sprintf(`{"id":%d,`, 10+i))
		if i < 4 && !strings.Contains(got, `"error"`) || strings.Contains(strings.ReplaceAll(got, "with given id "+ids[1], ""), ids[1]) {
			t.Errorf("%s: %s", command, got)
		}
		if i == 5 && strings.Contains(got, contexts[1]) {
			t.Errorf("%s: %s", command, got)
		}
	}
}

// TestR178HandoffOfAPrivatePage has an agent ask for help in a page of a browser context
// of its own. Who opens the link sees that page, and not the agent's other one.
func TestR178HandoffOfAPrivatePage(t *testing.T) {
	s := start(t, func(o *Options) { o.Browsers = testBrowser() })
	agent := s.clientOf(t, "/hub/chromium")
	agent.send(`{"id":1,"method":"Target.createBrowserContext"}`)
	context := textOf(t, agent.until(`{"id":1,`), "browserContextId")
	var ids []string
	for n := range 2 {
		agent.send(fmt.Sprintf(`{"id":%d,"method":"Target.createTarget","params":{"url":"about:blank","browserContextId":%q}}`, 2+n, context))
		ids = append(ids, textOf(t, agent.until(fmt.Sprintf(`{"id":%d,`, 2+n)), "targetId"))
	}
	agent.send(`{"id":4,"method":"CdpHub.handoff","params":{"instructions":"Please."}` + agent.attachTo(ids[0]))
	base, ticket, _ := strings.Cut(textOf(t, agent.until(`{"id":4,`), "url"), "/#handoff=")
	res, err := http.Post(base+"/ui/api/handoff", "application/json", strings.NewReader(`{"ticket":"`+ticket+`"}`)) //nolint:noctx // it is local
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var got struct{ Key string }
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil || got.Key == "" {
		t.Fatalf("the ticket is exchanged for %+v, %v", got, err)
	}
	guest := bearer(got.Key)
	if _, body := s.get(t, s.addr(false), "/hub/chromium/ui/api/state", guest); !strings.Contains(body, ids[0]) || strings.Contains(body, ids[1]) {
		t.Errorf("the guest sees %s", body)
	}
	if got := raw(t, s.addr(false), handshake("/hub/chromium/ui/api/view?target="+ids[1], "Authorization: "+guest.Get("Authorization"))); got.status != 404 {
		t.Errorf("the other page: %d", got.status)
	}
	v := s.view(t, "/hub/chromium", ids[0], guest)
	v.untilPictures(1)
	v.say(`{"kind":"take"}`)
	v.until(map[string]any{"kind": "holder", "mine": true})
	v.say(`{"kind":"done"}`)
	if end := agent.until(`"method":"CdpHub.handoffComplete"`); !strings.Contains(end, `"success":true`) {
		t.Errorf("it ends with %s", end)
	}
}

// textOf is a text in the result of a command.
func textOf(t *testing.T, answer, name string) string {
	t.Helper()
	var a struct{ Result map[string]any }
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatal(err)
	}
	text, _ := a.Result[name].(string)
	if text == "" {
		t.Fatalf("%s has no %s", answer, name)
	}
	return text
}
