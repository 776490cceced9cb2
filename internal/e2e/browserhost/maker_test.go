package browserhost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// startMaker connects a browser to a hub by examples/browser-host.mjs, until the
// test ends.
func startMaker(t *testing.T, browser string, h *harness.Hub) {
	t.Helper()
	root := harness.Repository()
	modules := filepath.Join(root, "internal", "e2e", "playwright")
	harness.NodeModules(t, modules)
	maker := exec.Command("node", "--require", filepath.Join(modules, "websocket.cjs"),
		filepath.Join(root, "examples", "browser-host.mjs"), browser, "ws://"+h.HostAddr+"/icdp/host")
	var said bytes.Buffer
	maker.Stdout, maker.Stderr = os.Stderr, &said
	if err := maker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		maker.Process.Kill() // it may have ended
		maker.Wait()         // it was killed
		if t.Failed() {
			t.Logf("The Host said:\n%s", said.String())
		}
	})
	harness.Eventually(t, harness.Started, func() error {
		if found := list(t, h); len(found) == 0 {
			return errors.New("the Host has not come to the hub")
		}
		return nil
	})
}

// TestHostOfAnotherMaker has two Clients drive a browser by a Host that knows of the
// hub what docs/bridge.md says.
func TestHostOfAnotherMaker(t *testing.T) {
	site := newSite(t)
	b := harness.StartBrowser(t, site+"/start", true)
	h := harness.StartHub(t)
	one, two := harness.StartRemote(t, endpoint(h, ""), site), harness.StartRemote(t, endpoint(h, ""), site)
	direct := "http://127.0.0.1:" + b.Port(t)
	startMaker(t, direct, h)
	past := harness.DialCDP(t, direct)
	for name, r := range map[string]*harness.Remote{"one": one, "two": two} {
		want(t, "the title", r.Run(t, connected), `"/start"`)
		want(t, "a context of "+name, r.Run(t, fmt.Sprintf(`
			own = await (await browser.newContext({ viewport: { width: 300, height: 200 } })).newPage();
			await own.goto(site + "/%[1]s");
			await own.route("**/data", (route) => route.fulfill({ body: "for %[1]s" }));
			await page.route("**/data/%[1]s", (route) => route.fulfill({ body: "for %[1]s" }));
			const get = (path) => fetch(path).then((answer) => answer.text());
			return [await own.evaluate(get, "/data"), await page.evaluate(get, "/data/%[1]s")]`, name)),
			fmt.Sprintf(`["for %[1]s","for %[1]s"]`, name))
	}
	want(t, "what a Client does", one.Run(t, saves), `"Saved Ada"`)
	want(t, "its screenshot", one.Run(t, `
		const image = await own.screenshot();
		return [image.toString("latin1", 1, 4), image.readUInt32BE(16), image.readUInt32BE(20)]`), `["PNG",300,200]`)
	for name, r := range map[string]*harness.Remote{"one": one, "two": two} {
		want(t, "the pages of "+name, r.Run(t, "return browser.contexts().map((c) => c.pages().map((p) => p.url().slice(site.length)))"),
			fmt.Sprintf(`[["/start"],["/%s"]]`, name))
	}
	if found := list(t, h); len(found) != 1 {
		t.Errorf("/json/list has %+v, want what is everybody's", found)
	}
	if got, own := version(t, endpoint(h, "")), version(t, direct); got != own {
		t.Errorf("the hub's /json/version has %q, that of the browser %q", got, own)
	}
	if pages := past.Pages(t); len(pages) != 3 {
		t.Errorf("the browser has the pages %q, want 3", pages)
	}

	raw := harness.DialCDP(t, endpoint(h, ""))
	discover(t, raw)
	shared := attached(t, raw, "")
	theirs := one.Run(t, `return (await (await own.context().newCDPSession(own)).send("Target.getTargetInfo")).targetInfo.targetId`)
	if pages := raw.Pages(t); len(pages) != 1 || pages[0] != shared.TargetInfo.TargetID {
		t.Errorf("a third Client is told of the pages %q, want the shared one", pages)
	}
	if seen := raw.All(func(m harness.Message) bool { return bytes.Contains(m.Params, []byte(theirs)) }); len(seen) > 0 {
		t.Errorf("a third Client is told of another's page: %+v", seen)
	}
	stranger := harness.DialCDP(t, endpoint(h, ""))
	id := stranger.Send(t, shared.SessionID, "Runtime.evaluate", map[string]any{"expression": "1"})
	answer := stranger.Await(t, "an answer", func(m harness.Message) bool { return m.ID == id })
	if answer.Error == nil || answer.Error.Code != -32001 {
		t.Errorf("a command in another's session is answered with %s, %v; want -32001", answer.Result, answer.Error)
	}

	one.Kill()
	harness.Eventually(t, harness.Soon, func() error {
		if pages, n := past.Pages(t), contexts(t, past); len(pages) != 2 || n != 1 {
			return fmt.Errorf("the browser has the pages %q and %d contexts; want two, and one beside the default", pages, n)
		}
		return nil
	})
	want(t, "the route of the other", two.Run(t, `return await own.evaluate(() => fetch("/data").then((answer) => answer.text()))`), `"for two"`)
}

// version returns how /json/version names a browser.
func version(t *testing.T, endpoint string) (names [5]string) {
	t.Helper()
	res, err := http.Get(endpoint + "/json/version")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var all map[string]string
	if err := json.NewDecoder(res.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	for i, field := range []string{"Browser", "Protocol-Version", "User-Agent", "V8-Version", "WebKit-Version"} {
		names[i] = all[field]
	}
	return names
}
