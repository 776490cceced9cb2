package browserhost

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// person is a Client with a context and settings of its own.
type person struct {
	*harness.Remote
	name, settings string
	state          string // what its page must say of itself
}

var alice = person{
	name:     "Alice",
	settings: `{ viewport: { width: 400, height: 300 }, locale: "de-DE", timezoneId: "Asia/Tokyo", colorScheme: "dark", userAgent: "Alice" }`,
	state:    `{"data":"for Alice","who":"Alice","size":[400,300],"number":"1,5","zone":"Asia/Tokyo","dark":true,"agent":"Alice"}`,
}

var bob = person{
	name:     "Bob",
	settings: `{ viewport: { width: 700, height: 500 }, locale: "en-GB", timezoneId: "America/Lima", colorScheme: "light", userAgent: "Bob" }`,
	state:    `{"data":"for Bob","who":"Bob","size":[700,500],"number":"1.5","zone":"America/Lima","dark":false,"agent":"Bob"}`,
}

// arrive connects, and opens a page in a context of the person's own. That and the
// shared page of the default context get routes. Only the former gets a binding: of
// one page every Playwright answers the calls of all others' bindings, with errors.
const arrive = `
	me = %q;
	heard = [];
	browser = await chromium.connectOverCDP(endpoint);
	[everybodys] = browser.contexts();
	[shared] = everybodys.pages();
	await shared.waitForURL(site + "/shared");
	context = await browser.newContext(%s);
	for (const c of [everybodys, context]) c.on("page", (p) => heard.push("page " + p.url()));
	context.on("request", (r) => heard.push("request " + r.url().slice(site.length)));
	context.on("console", (m) => heard.push("console " + m.text()));
	await context.exposeBinding("who", () => me);
	await context.route("**/data", (route) => route.fulfill({ body: "for " + me }));
	page = await context.newPage();
	await page.goto(site + "/" + me);

	await shared.route("**/data/" + me, (route) => route.fulfill({ body: "for " + me }));
	await shared.route("**/data/both", (route) => route.fulfill({ body: "for one of both" }));
	state = () => page.evaluate(async () => ({
		data: await (await fetch("/data")).text(), who: await who(), size: [innerWidth, innerHeight],
		number: (1.5).toLocaleString(), zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
		dark: matchMedia("(prefers-color-scheme: dark)").matches, agent: navigator.userAgent,
	}));`

// hasAllItsOwn checks that a person's settings, routes and binding hold.
func (p *person) hasAllItsOwn(t *testing.T) {
	t.Helper()
	want(t, p.name+"'s page", p.Run(t, "return await state()"), p.state)
	want(t, "the shared page to "+p.name, p.Run(t, `return await shared.evaluate(async (me) =>
		[await (await fetch("/data/" + me)).text(), await (await fetch("/data/both")).text()], me)`),
		fmt.Sprintf(`["for %s","for one of both"]`, p.name))
}

// TestTwoClients has two Playwright clients use one browser in the same way, each
// with settings of its own, and kills one of them amid its work.
func TestTwoClients(t *testing.T) {
	site := newSite(t)
	temporary := newTemporary(t, "a")
	h := harness.StartBrowserHub(t, site+"/shared", "--browser-arg=--remote-debugging-port=0")
	alice, bob := alice, bob
	alice.Remote, bob.Remote = harness.StartRemote(t, endpoint(h, ""), site), harness.StartRemote(t, endpoint(h, ""), site)
	alice.Run(t, fmt.Sprintf(arrive, alice.name, alice.settings))
	bob.Run(t, fmt.Sprintf(arrive, bob.name, bob.settings))
	inside := harness.DialCDP(t, behind(t, temporary))

	for _, p := range []*person{&alice, &bob} {
		p.hasAllItsOwn(t)
		p.Run(t, `await page.evaluate((me) => console.log("words of " + me), me)`)
	}
	for _, p := range []*person{&alice, &bob} {
		want(t, "contexts and pages of "+p.name,
			p.Run(t, "return browser.contexts().map((c) => c.pages().map((p) => p.url().slice(site.length)))"),
			fmt.Sprintf(`[["/shared"],["/%s"]]`, p.name))
		want(t, "events of "+p.name, p.Run(t, `return heard`),
			fmt.Sprintf(`["page about:blank","request /%s","request /data","console words of %s"]`, p.name, p.name))
	}
	if got := inside.Pages(t); len(got) != 3 {
		t.Errorf("the browser has the pages %q, want 3", got)
	}
	if got := list(t, h); len(got) != 1 || got[0].URL != site+"/shared" {
		t.Errorf("/json/list has %+v, want the shared page", got)
	}

	// Alice holds a request of the shared page that Bob waits for, and more.
	alice.Run(t, `
		const held = new Promise((resolve) => shared.route("**/data/held", resolve));
		await page.route("**/data/forever", () => {});
		page.evaluate(() => { fetch("/data/forever"); return new Promise(() => {}); }).catch(() => {});
		held.then(() => { holds = true; });
		holds = false;`)
	held := bob.Begin(t, `return await shared.evaluate(async () => (await fetch("/data/held")).text())`)
	harness.Eventually(t, harness.Soon, func() error {
		if alice.Run(t, "return holds") != "true" {
			return errors.New("Alice has not got the request of the shared page")
		}
		return nil
	})
	alice.Kill()
	got, err := harness.Result(t, held, harness.Soon)
	if err != nil {
		t.Error(err)
	}
	want(t, "the request that Alice held", got, `"from the site"`)
	harness.Eventually(t, harness.Soon, func() error {
		if pages, contexts := inside.Pages(t), contexts(t, inside); len(pages) != 2 || contexts != 1 {
			return fmt.Errorf("the browser has the pages %q and %d contexts; want two, and one beside the default", pages, contexts)
		}
		return nil
	})
	bob.hasAllItsOwn(t)
	bob.Run(t, "await page.reload()")
	bob.hasAllItsOwn(t)
	want(t, "what Alice's route answered", bob.Run(t, `return await shared.evaluate(async () => (await fetch("/data/Alice")).text())`),
		`"from the site"`)
}

// newTemporary makes a folder in which the programs started from now on put what is
// temporary. Its path is short, for sockets.
func newTemporary(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(scratch, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

// behind is the debugging port of the one browser with its profile in a folder: the
// way past the hub.
func behind(t *testing.T, temporary string) (endpoint string) {
	t.Helper()
	harness.Eventually(t, harness.Started, func() error {
		found, err := filepath.Glob(filepath.Join(temporary, "cdphub-browser-*", "DevToolsActivePort"))
		if err != nil || len(found) != 1 {
			return fmt.Errorf("there are the files %q, %w; want one", found, err)
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			return err
		}
		port, _, whole := strings.Cut(string(text), "\n")
		if !whole {
			return fmt.Errorf("DevToolsActivePort says %q", text)
		}
		endpoint = "http://127.0.0.1:" + port
		return nil
	})
	return endpoint
}

// contexts counts the contexts of a browser beside the default one.
func contexts(t *testing.T, c *harness.CDP) int {
	t.Helper()
	var all struct{ BrowserContextIDs []string }
	if err := json.Unmarshal(c.Call(t, "", "Target.getBrowserContexts", nil), &all); err != nil {
		t.Fatal(err)
	}
	return len(all.BrowserContextIDs)
}
