package browserhost

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// threePages are those of a client that stays.
const threePages = `
	browser = await chromium.connectOverCDP(endpoint);
	[context] = browser.contexts();
	for (const path of ["/two", "/three"]) await (await context.newPage()).goto(site + path);`

// TestStuckPages stops each renderer of a browser in turn. A newcomer gets in, drives
// the pages that are not stuck, and is given the stuck one when that goes on. Directly
// at Chromium, it does not get in (Chromium 156).
func TestStuckPages(t *testing.T) {
	site := newSite(t)
	h := harness.StartBrowserHub(t, site+"/one")
	stays := harness.StartRemote(t, endpoint(h, ""), site)
	stays.Run(t, threePages)
	newcomer := harness.StartRemote(t, endpoint(h, ""), site)
	newcomer.Run(t, "return 1") // its process is there
	stuck := 0
	for _, pid := range renderers(t, newest(t, h)) {
		if !pause(t, pid) {
			continue
		}
		begun := time.Now()
		if value, err := newcomer.Try(t, `
			browser = await chromium.connectOverCDP(endpoint);
			[context] = browser.contexts();
			return context.pages().length;`, harness.Soon); err != nil {
			t.Errorf("with one renderer stopped, a newcomer does not get in: %v", err)
		} else if t.Logf("in after %v, with %s pages", time.Since(begun).Round(time.Millisecond), value); value != "3" {
			stuck++
		}
		newcomer.Run(t, `
			titles = await Promise.all(context.pages().map((p) => p.title()));
			page = await context.newPage();
			await page.goto(site + "/four");
			await page.close();`)
		waits := stays.Begin(t, `return (await Promise.all(context.pages().filter((p) => !p.url().endsWith("/four")).map((p) => p.evaluate(() => 1)))).length`)
		resume(t, pid)
		begun = time.Now()
		want(t, "the titles of all pages", newcomer.Run(t, `
			while (context.pages().length < 3) await context.waitForEvent("page");
			return (await Promise.all(context.pages().map((p) => p.title()))).sort();`), `["/one","/three","/two"]`)
		t.Logf("the page is back after %v", time.Since(begun).Round(time.Millisecond))
		if value, err := harness.Result(t, waits, harness.Soon); err != nil || value != "3" {
			t.Errorf("commands of a client that was there before: %s, %v; want all answered", value, err)
		}
		newcomer.Run(t, `await browser.close()`)
	}
	if stuck != 3 {
		t.Errorf("%d renderers had a page to be stuck, want 3", stuck)
	}
}

// TestEndlessScript has a page run a script that does not end.
func TestEndlessScript(t *testing.T) {
	site := newSite(t)
	h := harness.StartBrowserHub(t, site+"/one")
	stays, newcomer := harness.StartRemote(t, endpoint(h, ""), site), harness.StartRemote(t, endpoint(h, ""), site)
	stays.Run(t, threePages+`
		await context.pages()[0].evaluate(() => { setTimeout(() => { for (;;); }, 50); });
		hangs = () => Promise.race([context.pages()[0].evaluate(() => false), new Promise((r) => setTimeout(r, 500, true))]);
		while (!(await hangs()));`)
	value, err := newcomer.Try(t, `return (await chromium.connectOverCDP(endpoint)).contexts()[0].pages().length`, harness.Soon)
	if err != nil || value != "2" {
		t.Errorf("a newcomer has %s pages, %v; want the 2 that answer", value, err)
	}
}

// renderers are the ids of the processes of a browser that show pages.
func renderers(t *testing.T, group int) (pids []int) {
	t.Helper()
	for _, process := range harness.Living(t, group, "") {
		pid, args, _ := strings.Cut(process, " ")
		if !strings.Contains(args, "--type=renderer") {
			continue
		}
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, n)
	}
	if len(pids) == 0 {
		t.Fatal(fmt.Errorf("the browser %d has no renderer", group))
	}
	return pids
}

// pause stops a process until resume, or the end of the test. It reports false for one
// that has ended, as those do that Chromium keeps ready.
func pause(t *testing.T, pid int) bool {
	t.Helper()
	err := syscall.Kill(pid, syscall.SIGSTOP)
	if errors.Is(err, syscall.ESRCH) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGCONT) })
	return true
}

func resume(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// deadTabs are states in which a page does not answer as others do. Each script brings
// a page into one, as a client of the hub; revive ends it, if it can end.
var deadTabs = []struct{ name, make, revive string }{
	{"an open dialog", `page.on("dialog", (d) => { dialog = d; }); page.evaluate(() => { setTimeout(() => alert("Hello"), 0); });
		while (!globalThis.dialog) await new Promise((r) => setTimeout(r, 10));`, `await dialog.accept()`},
	{
		"a breakpoint", `cdp = await context.newCDPSession(page); await cdp.send("Debugger.enable");
		paused = new Promise((r) => cdp.once("Debugger.paused", r)); page.evaluate(() => { setTimeout(() => { debugger; }, 0); }); await paused`,
		`await cdp.send("Debugger.resume")`,
	},
	{"a load that does not end", `page.goto(site + "/never").catch(() => {})`, ``},
	{"a crash", `c = await context.newCDPSession(page); page.goto("chrome://crash").catch(() => {}); await page.waitForEvent("crash")`, ``},
}

// TestDeadTabs has Playwright, Puppeteer and chromedp connect while a page is in each of the states: each gets in,
// and drives the others. Where the state ends, Playwright has the page soon.
func TestDeadTabs(t *testing.T) {
	site := newSite(t)
	for _, state := range deadTabs {
		t.Run(state.name, func(t *testing.T) {
			h := harness.StartBrowserHub(t, site+"/one")
			stays, newcomer := harness.StartRemote(t, endpoint(h, ""), site), harness.StartRemote(t, endpoint(h, ""), site)
			stays.Run(t, `browser = await chromium.connectOverCDP(endpoint); [context] = browser.contexts(); page = await context.newPage(); await page.goto(site + "/two");`)
			newcomer.Run(t, "return 1") // its process is there
			stays.Run(t, state.make)
			begun := time.Now()
			value, err := newcomer.Try(t, `
				browser = await chromium.connectOverCDP(endpoint);
				[context] = browser.contexts();
				other = context.pages().find((p) => p.url().endsWith("/one"));
				return [context.pages().length, await other.title()];`, harness.Soon)
			if err != nil {
				t.Fatalf("a newcomer does not get in: %v", err)
			}
			t.Logf("in after %v: %s", time.Since(begun).Round(time.Millisecond), value)
			for client, enter := range newcomers { // the page is known to be stuck
				begun = time.Now()
				if title, err := enter(t, h); err != nil || title != "/one" {
					t.Errorf("%s does not get in: %q, %v", client, title, err)
				}
				t.Logf("%s was in, and out, after %v", client, time.Since(begun).Round(time.Millisecond))
			}
			if state.revive == "" {
				return
			}
			begun = time.Now()
			stays.Run(t, state.revive)
			want(t, "the title", newcomer.Run(t, `
				while (context.pages().length < 2) await context.waitForEvent("page");
				return await context.pages().find((p) => p.url().endsWith("/two")).title();`), `"/two"`)
			t.Logf("back after %v", time.Since(begun).Round(time.Millisecond))
		})
	}
}

// discards clicks on all of chrome://discards that is to be, and counts the tabs that are
// discarded.
const discards = `(() => {
	let gone = 0;
	const walk = (root) => {
		for (const e of root.querySelectorAll("*")) {
			if (e.shadowRoot) walk(e.shadowRoot);
			if (e.children.length > 0) continue;
			if (e.textContent.trim() === "[Urgent Discard]") e.click();
			if (e.textContent.includes("discarded (urgent)")) gone++;
		}
	};
	walk(document);
	return gone;
})()`

// TestDiscardedTabs has clients connect beside a tab that the browser has discarded.
func TestDiscardedTabs(t *testing.T) {
	site := newSite(t)
	profile := t.TempDir()
	if err := os.WriteFile(filepath.Join(profile, "Local State"), []byte(`{"internal_only_uis_enabled":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h := harness.StartChromiumHub(t, "about:blank", "--browser-profile", profile)
	newcomer := harness.StartRemote(t, endpoint(h, ""), site)
	newcomer.Run(t, "return 1") // its process is there
	c := harness.DialCDP(t, endpoint(h, ""))
	c.Call(t, "", "Target.createTarget", map[string]any{"url": site + "/one"})
	var made struct{ TargetID string }
	if err := json.Unmarshal(c.Call(t, "", "Target.createTarget", map[string]any{"url": "chrome://discards/"}), &made); err != nil {
		t.Fatal(err)
	}
	c.Call(t, "", "Target.activateTarget", map[string]any{"targetId": made.TargetID})
	session := c.Attach(t, made.TargetID)
	harness.Eventually(t, harness.Started, func() error {
		if n := c.Evaluate(t, session, discards); n == "0" {
			return errors.New("no tab is discarded yet")
		}
		return nil
	})
	begun := time.Now()
	value, err := newcomer.Try(t, `
		browser = await chromium.connectOverCDP(endpoint);
		return await (await browser.contexts()[0].newPage()).evaluate(() => 1)`, harness.Soon)
	if err != nil || value != "1" {
		t.Errorf("a newcomer: %s, %v", value, err)
	}
	t.Logf("in after %v", time.Since(begun).Round(time.Millisecond))
}
