package browserhost

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// session is where a Client connects to a named session.
func session(h *harness.Hub, query string) string {
	return "ws://" + h.ClientAddr + "/devtools/browser?session=work" + query
}

// opensPrivate has a Client open a page in a context of its own.
const opensPrivate = `
	browser = await chromium.connectOverCDP(endpoint);
	context = await browser.newContext();
	await context.addCookies([{ name: "mine", value: "1", url: site }]);
	page = await context.newPage();
	await page.goto(site + "/private");
	`

// finds looks for the page of opensPrivate.
const finds = `
	browser = await chromium.connectOverCDP(endpoint);
	page = browser.contexts().flatMap((c) => c.pages()).find((p) => p.url() === site + "/private");
	return page ? await page.evaluate(() => document.cookie) : "no page"`

// awaitAway waits until the hub has noticed that the session has lost its connection.
func awaitAway(t *testing.T, h *harness.Hub) {
	t.Helper()
	harness.Eventually(t, harness.Soon, func() error {
		if _, body := h.Get(t, http.MethodGet, "/sessions"); !strings.Contains(body, `"awaySince"`) {
			return fmt.Errorf("the session has a connection: %s", body)
		}
		return nil
	})
}

// TestR202PlaywrightComesBack kills a Playwright and connects another one to the same
// named session: its page and context are there, with their cookies, until the session
// ends.
func TestR202PlaywrightComesBack(t *testing.T) {
	site := newSite(t)
	h := harness.StartBrowserHub(t, site+"/first")
	a := harness.StartRemote(t, session(h, "&grace=5m"), site)
	a.Run(t, opensPrivate+`await page.route("**/data", (route) => route.fulfill({ body: "from the route" }));`)
	id := a.Run(t, `return (await (await context.newCDPSession(page)).send("Target.getTargetInfo")).targetInfo.targetId`)
	a.Kill()
	awaitAway(t, h)
	b := harness.StartRemote(t, session(h, ""), site)
	want(t, "the cookie of the page", b.Run(t, finds), `"mine=1"`)
	want(t, "the target", b.Run(t, `return (await (await page.context().newCDPSession(page)).send("Target.getTargetInfo")).targetInfo.targetId`), id)
	want(t, "the route, which was the first connection's", b.Run(t, `return page.evaluate(async () => (await fetch("/data")).text())`), `"from the site"`)
	b.Run(t, `await page.getByLabel("Name").fill("Ann"); await page.getByRole("button").click()`)
	want(t, "the title", b.Run(t, `return page.title()`), `"Saved Ann"`)
	stranger := harness.StartRemote(t, endpoint(h, ""), site)
	want(t, "what another client finds", stranger.Run(t, finds), `"no page"`)
	for address, mine := range map[string]bool{endpoint(h, "") + "?session=work": true, endpoint(h, ""): false} {
		c := harness.DialCDP(t, address)
		contexts := string(c.Call(t, "", "Target.getBrowserContexts", nil))
		if has := !strings.Contains(contexts, `"browserContextIds":[]`); has != mine {
			t.Errorf("%s has the contexts %s", address, contexts)
		}
		c.Close()
	}
	if status, body := h.Get(t, http.MethodDelete, "/sessions/work"); status != http.StatusNoContent {
		t.Errorf("DELETE: %d %s", status, body)
	}
	if _, err := b.Try(t, `return (await chromium.connectOverCDP(endpoint)).contexts().length`, harness.Started); err == nil || !strings.Contains(err.Error(), "410") {
		t.Errorf("a session that was ended: %v", err)
	}
}

// TestR205PlaywrightResumes has a Playwright work while the connection to the hub is cut
// again and again: nothing is lost, and nothing happens twice.
func TestR205PlaywrightResumes(t *testing.T) {
	site := newSite(t)
	h := harness.StartBrowserHub(t, site+"/first")
	link := harness.StartResuming(t, session(h, ""))
	c := harness.StartRemote(t, link.URL, site)
	c.Run(t, opensPrivate+`
		await page.route("**/data", (route) => route.fulfill({ body: "from the route" }));
		told = 0;
		await page.exposeBinding("tell", () => { told++; });
		await page.evaluate(() => {
			window.clicks = 0;
			document.querySelector("button").addEventListener("click", () => { window.clicks++; window.tell(); });
		});`)
	done := c.Begin(t, `
		for (let n = 0; n < 60; n++) {
			await page.getByRole("button").click();
			const data = await page.evaluate(async () => (await fetch("/data")).text());
			if (data !== "from the route") throw new Error("the route is gone: " + data);
		}
		return [await page.evaluate(() => window.clicks), told, await page.evaluate(() => document.cookie)]`)
	stop := time.NewTicker(150 * time.Millisecond)
	defer stop.Stop()
	for {
		select {
		case o := <-done:
			if o.Error != "" {
				t.Fatal(o.Error)
			}
			want(t, "clicks, bindings and the cookie", string(o.Value), `[60,60,"mine=1"]`)
			if n, lost := link.Resumed(); n < 3 || len(lost) > 0 {
				t.Errorf("the connection was resumed %d times, and there were the gaps %q", n, lost)
			}
			return
		case <-stop.C:
			link.Cut()
		}
	}
}

// TestR202SharedBrowser does so with a browser that others have started. A context that
// was to end with its client ends with the session.
func TestR202SharedBrowser(t *testing.T) {
	site := newSite(t)
	port := harness.StartBrowser(t, site+"/first", true).Port(t)
	h := harness.StartHub(t, "--browser-url", "http://127.0.0.1:"+port)
	a := harness.StartRemote(t, session(h, ""), site)
	a.Run(t, opensPrivate)
	a.Kill()
	awaitAway(t, h)
	b := harness.StartRemote(t, session(h, ""), site)
	want(t, "the cookie of the page", b.Run(t, finds), `"mine=1"`)
	if status, body := h.Get(t, http.MethodDelete, "/sessions/work"); status != http.StatusNoContent {
		t.Errorf("DELETE: %d %s", status, body)
	}
	direct := harness.DialCDP(t, "http://127.0.0.1:"+port)
	harness.Eventually(t, harness.Soon, func() error {
		if contexts := string(direct.Call(t, "", "Target.getBrowserContexts", nil)); !strings.Contains(contexts, `"browserContextIds":[]`) {
			return fmt.Errorf("the browser has the contexts %s", contexts)
		}
		return nil
	})
}

// TestR202BrowserIsKilled wants no session to go on in the browser that is started next.
func TestR202BrowserIsKilled(t *testing.T) {
	site := newSite(t)
	h := harness.StartBrowserHub(t, site+"/first")
	a := harness.StartRemote(t, session(h, ""), site)
	a.Run(t, opensPrivate)
	a.Kill()
	awaitAway(t, h)
	if err := syscall.Kill(newest(t, h), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b := harness.StartRemote(t, session(h, ""), site)
	harness.Eventually(t, harness.Soon, func() error {
		_, err := b.Try(t, finds, harness.Started)
		if err == nil || !strings.Contains(err.Error(), "410") || !strings.Contains(err.Error(), "browser has ended") {
			return fmt.Errorf("the session of a browser that was killed: %w", err)
		}
		return nil
	})
	fresh := harness.StartRemote(t, session(h, "&fresh=true"), site)
	want(t, "a fresh session", fresh.Run(t, finds), `"no page"`)
}
