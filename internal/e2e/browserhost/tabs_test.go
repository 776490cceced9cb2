package browserhost

import (
	"fmt"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
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
