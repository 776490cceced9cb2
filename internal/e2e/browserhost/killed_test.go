package browserhost

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// connected is a client on the one page of a browser.
const connected = `
	browser = await chromium.connectOverCDP(endpoint);
	[context] = browser.contexts();
	[page] = context.pages();
	await page.waitForURL(site + "/start");
	return await page.title();`

// TestF01BrowserAndHubAreKilled kills the browser under commands in flight. They
// fail at once, and the next browser is there for those who stayed and for
// newcomers. Then it kills the hub.
func TestF01BrowserAndHubAreKilled(t *testing.T) {
	site := newSite(t)
	temporary := newTemporary(t, "b")
	h := harness.StartBrowserHub(t, site+"/start")
	stays, newcomer := harness.StartRemote(t, endpoint(h, ""), site), harness.StartRemote(t, endpoint(h, ""), site)
	want(t, "the title", stays.Run(t, connected), `"/start"`)
	stays.Run(t, `opened = 0; context.on("page", () => { opened++; }); gone = new Promise((resolve) => page.on("close", resolve));`)

	raw := harness.DialCDP(t, endpoint(h, ""))
	discover(t, raw)
	first := attached(t, raw, "")
	hangs := raw.Send(t, first.SessionID, "Runtime.evaluate", map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true})
	waits := stays.Begin(t, `await page.waitForSelector("#never", { timeout: 0 })`)
	evaluates := stays.Begin(t, `await page.evaluate(() => { document.title = "hangs"; return new Promise(() => {}); })`)
	harness.Eventually(t, harness.Soon, func() error {
		if got := raw.Evaluate(t, first.SessionID, "document.title"); got != `"hangs"` {
			return fmt.Errorf("the title is %s", got)
		}
		return nil
	})

	killed := newest(t, h)
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for what, outcome := range map[string]<-chan harness.Outcome{"waitForSelector": waits, "evaluate": evaluates} {
		if value, err := harness.Result(t, outcome, harness.Soon); err == nil {
			t.Errorf("%s ended with %s, %v; want an error", what, value, err)
		}
	}
	answer := raw.Await(t, "the end of the command in flight", func(m harness.Message) bool { return m.ID == hangs })
	if answer.Error == nil || answer.Error.Code != -32000 || !strings.HasPrefix(answer.Error.Message, "Host disconnected: ") {
		t.Errorf("the command in flight was answered with %v, want Host disconnected", answer.Error)
	}
	raw.Await(t, "the end of the session", about("Target.detachedFromTarget", first.SessionID))
	raw.Await(t, "the end of the page", about("Target.targetDestroyed", first.TargetInfo.TargetID))

	second := attached(t, raw, first.TargetInfo.TargetID)
	raw.Await(t, "the new page", about("Target.targetCreated", second.TargetInfo.TargetID))
	harness.Eventually(t, harness.Soon, func() error {
		if got := raw.Evaluate(t, second.SessionID, "document.title"); got != `"/start"` {
			return fmt.Errorf("the new page has the title %s", got)
		}
		return nil
	})
	if now := list(t, h); len(now) != 1 || now[0].ID != second.TargetInfo.TargetID {
		t.Errorf("/json/list has %+v, want the new page alone", now)
	}
	if found := harness.Living(t, killed, ""); len(found) > 0 {
		t.Errorf("of the browser that was killed is left: %q", found)
	}
	stays.Run(t, `await gone`)
	want(t, "what is open to the client that stayed", stays.Run(t, `
		while (opened < 1) await context.waitForEvent("page");
		await context.pages()[0].waitForURL(site + "/start");
		return await Promise.all(context.pages().map((p) => p.title()))`), `["/start"]`)
	want(t, "the title to a newcomer", newcomer.Run(t, connected), `"/start"`)
	want(t, "what a newcomer does", newcomer.Run(t, saves), `"Saved Ada"`)
	killHub(t, h, temporary, newcomer)
}

// saves fills the page in and presses its button.
const saves = `
	await page.getByLabel("Name").fill("Ada");
	await page.getByRole("button", { name: "Save" }).click();
	return await page.title();`

// killHub kills a hub under a command of a client in flight. Neither a process nor a
// folder of its browser is left.
func killHub(t *testing.T, h *harness.Hub, temporary string, r *harness.Remote) {
	t.Helper()
	evaluates := r.Begin(t, `await page.evaluate(() => new Promise(() => {}))`)
	group := newest(t, h)
	if found := harness.Living(t, group, temporary); len(found) < 3 {
		t.Errorf("the browser and its keeper are the processes %q, want 3 or more", found)
	}
	if found := entries(t, temporary); !slices.ContainsFunc(found, func(n string) bool { return strings.HasPrefix(n, "cdphub-browser-") }) {
		t.Errorf("the temporary folder has %q, want a profile there", found)
	}

	h.Kill()
	begun := time.Now()
	harness.Eventually(t, harness.Started, func() error {
		if found := harness.Living(t, group, temporary); len(found) > 0 {
			return fmt.Errorf("left behind are the processes %q", found)
		}
		if found := entries(t, temporary); len(found) > 0 {
			return fmt.Errorf("left behind are the folders %q", found)
		}
		return nil
	})
	t.Logf("nothing was left after %v", time.Since(begun).Round(time.Millisecond))
	if value, err := harness.Result(t, evaluates, harness.Soon); err == nil {
		t.Errorf("the command in flight ended with %s, want an error", value)
	}
}

// entries lists a folder.
func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}
