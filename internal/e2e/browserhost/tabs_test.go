package browserhost

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// own is where a Client with tabs of its own connects.
func own(h *harness.Hub) string { return "ws://" + h.ClientAddr + "/devtools/browser?tabs=own" }

// opensOwn has a Client open a page with a popup, a frame and a worker.
const opensOwn = `
	browser = await chromium.connectOverCDP(endpoint);
	[context] = browser.contexts();
	before = context.pages().length;
	page = await context.newPage();
	await page.goto(site + "/%s");
	await context.addCookies([{ name: %[1]q, value: "1", url: site }]);
	[popup] = await Promise.all([page.waitForEvent("popup"), page.evaluate((name) => { window.open("/popup-of-" + name); }, %[1]q)]);
	await popup.waitForLoadState();
	[other] = await Promise.all([context.waitForEvent("page"), page.evaluate((name) => {
		const a = document.createElement("a"); a.href = "/apart-" + name; a.target = "_blank"; a.rel = "noopener"; document.body.append(a); a.click();
	}, %[1]q)]);
	await other.waitForLoadState();
	paths = () => JSON.stringify(context.pages().map((p) => p.url().slice(site.length)).sort());
	return before;`

// TestR147OwnTabs has three Playwrights on one profile, two of them with tabs of their
// own: each sees those alone, and the cookies of all.
func TestR147OwnTabs(t *testing.T) {
	site := newSite(t)
	h := harness.StartBrowserHub(t, site+"/first")
	a, b, all := harness.StartRemote(t, own(h), site), harness.StartRemote(t, own(h), site), harness.StartRemote(t, endpoint(h, ""), site)
	opens := func(who *harness.Remote, name, before string) {
		t.Helper()
		want(t, "the pages before "+name+" opens its own", who.Run(t, fmt.Sprintf(opensOwn, name)), before)
	}
	const ofA = `"[\"/a\",\"/apart-a\",\"/popup-of-a\"]"`
	opens(a, "a", "0")
	wantSoon(t, "the pages of a", a, "return paths()", ofA)
	opens(b, "b", "0")
	wantSoon(t, "the pages of b", b, "return paths()", `"[\"/apart-b\",\"/b\",\"/popup-of-b\"]"`)
	opens(all, "c", "7")
	wantSoon(t, "the pages of all", all, "return paths()",
		`"[\"/a\",\"/apart-a\",\"/apart-b\",\"/apart-c\",\"/b\",\"/c\",\"/first\",\"/popup-of-a\",\"/popup-of-b\",\"/popup-of-c\"]"`)
	wantSoon(t, "the pages of a, as before", a, "return paths()", ofA)
	want(t, "the cookies of a", a.Run(t, `return (await context.cookies(site)).map((c) => c.name).sort()`), `["a","b","c"]`)
	a.Run(t, `await popup.close(); await browser.close()`)
	wantSoon(t, "the pages of all, when a has left", all, `return context.pages().length`, "9")
	want(t, "the pages of a newcomer", a.Run(t, `
		browser = await chromium.connectOverCDP(endpoint);
		return browser.contexts()[0].pages().length`), "0")
}

// TestR147RandomCommands has two Clients with tabs of their own send 200 commands each,
// 1,000 with CDPHUB_LONG, of all kinds and with the ids of both, beside a third that sees
// all: what each gets names no target of the other's.
func TestR147RandomCommands(t *testing.T) {
	site := newSite(t)
	h := harness.StartBrowserHub(t, site+"/first")
	all := harness.StartRemote(t, endpoint(h, ""), site)
	all.Run(t, `browser = await chromium.connectOverCDP(endpoint); [context] = browser.contexts()`)
	clients := []*rambler{newRambler(t, h, site), newRambler(t, h, site)}
	for round := range hubtest.Amount(200, 1000) {
		for i, c := range clients {
			c.step(t, clients[1-i])
		}
		if round%50 == 0 {
			all.Run(t, `p = await context.newPage(); await p.goto(site + "/third"); await p.evaluate(() => { open("/third-popup") }); await p.close()`)
		}
	}
	for i, c := range clients {
		c.Call(t, "", "Browser.getVersion", nil)
		all := list(t, h)
		first := slices.IndexFunc(all, func(l listed) bool { return strings.HasSuffix(l.URL, "/first") })
		foreign := append(clients[1-i].told(t), all[first].ID)
		for _, m := range c.All(func(harness.Message) bool { return true }) {
			text := string(m.Params) + string(m.Result)
			for _, id := range foreign {
				if strings.Contains(text, id) {
					t.Fatalf("client %d got what names a tab of another: %s %s", i, m.Method, text)
				}
			}
			if strings.Contains(text, "/third") {
				t.Fatalf("client %d got what tells of the third: %s %s", i, m.Method, text)
			}
		}
		t.Logf("client %d had %d tabs and %d messages", i, len(c.mine), len(c.All(func(harness.Message) bool { return true })))
	}
}

// rambler is a Client that does what comes.
type rambler struct {
	*harness.CDP
	site     string
	mine     []string // tabs that it has opened
	sessions []string
}

func newRambler(t *testing.T, h *harness.Hub, site string) *rambler {
	c := &rambler{CDP: harness.DialCDP(t, endpoint(h, "")+"?tabs=own"), site: site}
	everything := []any{map[string]any{}}
	c.Call(t, "", "Target.setDiscoverTargets", map[string]any{"discover": true, "filter": everything})
	c.Call(t, "", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
	c.open(t)
	return c
}

// told are the ids of all targets that the Client was told of, but for those of the
// browser as a whole.
func (c *rambler) told(t *testing.T) (ids []string) {
	for _, m := range c.All(harness.Event("", "Target.targetCreated")) {
		var about struct {
			TargetInfo struct{ TargetID, Type string }
		}
		if err := json.Unmarshal(m.Params, &about); err != nil {
			t.Fatal(err)
		}
		if about.TargetInfo.Type != "browser" {
			ids = append(ids, about.TargetInfo.TargetID)
		}
	}
	if len(ids) < 2*len(c.mine) { // each page has a tab
		t.Fatalf("told of %q only", ids)
	}
	return ids
}

func (c *rambler) open(t *testing.T) {
	var made struct{ TargetID string }
	if err := json.Unmarshal(c.Call(t, "", "Target.createTarget", map[string]any{"url": c.site + "/mine"}), &made); err != nil {
		t.Fatal(err)
	}
	c.mine = append(c.mine, made.TargetID)
	var at struct{ SessionID string }
	if err := json.Unmarshal(c.Call(t, "", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}), &at); err != nil {
		t.Fatal(err)
	}
	c.sessions = append(c.sessions, at.SessionID)
}

// step sends one command. One about a tab of the other must fail.
func (c *rambler) step(t *testing.T, other *rambler) {
	pick := func(list []string) string { return list[rand.IntN(len(list))] }
	foreign := pick(other.mine)
	switch rand.IntN(12) {
	case 0:
		if len(c.mine) < 6 {
			c.open(t)
		}
	case 1:
		if len(c.mine) > 2 && rand.IntN(4) == 0 {
			last := len(c.mine) - 1
			c.Call(t, "", "Target.closeTarget", map[string]any{"targetId": c.mine[last]})
			c.mine, c.sessions = c.mine[:last], c.sessions[:last]
		}
	case 2, 3:
		c.Call(t, "", "Target.getTargets", map[string]any{"filter": []any{map[string]any{}}})
	case 4, 5, 6:
		method := pick([]string{"Target.attachToTarget", "Target.getTargetInfo", "Target.activateTarget", "Target.closeTarget", "Browser.getWindowForTarget"})
		if _, err := c.Try(t, pick([]string{"", c.sessions[0]}), method, map[string]any{"targetId": foreign}); err == nil || !strings.Contains(err.Error(), "No target with given id") && !strings.Contains(err.Error(), "Not allowed") {
			t.Fatalf("%s of a foreign tab: %v", method, err)
		}
	case 7:
		c.Try(t, pick(other.sessions), "Runtime.evaluate", map[string]any{"expression": "1"}) // it is unknown
	case 8:
		c.Call(t, c.sessions[0], "Runtime.evaluate", map[string]any{"expression": `document.title = Math.random(); setTimeout(() => { const w = open("/mine-popup"); setTimeout(() => w?.close(), 50) }); 1`, "userGesture": true})
	case 9:
		c.Try(t, pick(c.sessions), "Page.navigate", map[string]any{"url": c.site + "/mine?" + fmt.Sprint(rand.IntN(100))}) // the page may be busy
	case 10:
		auto := rand.IntN(2) == 0
		c.Call(t, "", "Target.setAutoAttach", map[string]any{"autoAttach": auto, "waitForDebuggerOnStart": false, "flatten": true})
	case 11:
		c.Call(t, c.sessions[0], "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
	}
}
