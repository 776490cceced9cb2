package browserhost

import (
	"errors"
	"fmt"
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
		waits := stays.Begin(t, `return (await Promise.all(context.pages().map((p) => p.evaluate(() => 1)))).length`)
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
	stays.Run(t, threePages+`await context.pages()[0].evaluate(() => { setTimeout(() => { for (;;); }, 50); });`)
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
