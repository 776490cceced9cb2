package browserhost

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// newcomers connect to a hub and read the title of the page /one.
var newcomers = map[string]func(*testing.T, *harness.Hub) (title string, err error){
	"Playwright": enterPlaywright, "Puppeteer": enterPuppeteer, "chromedp": enterChromedp,
}

func enterPlaywright(t *testing.T, h *harness.Hub) (title string, err error) {
	t.Helper()
	value, err := harness.StartRemote(t, endpoint(h, ""), "").Try(t, `
		browser = await chromium.connectOverCDP(endpoint);
		title = await browser.contexts()[0].pages().find((p) => p.url().endsWith("/one")).title();
		await browser.close();
		return title;`, harness.Soon)
	return strings.Trim(value, `"`), err
}

func enterPuppeteer(t *testing.T, h *harness.Hub) (title string, err error) {
	t.Helper()
	dir := filepath.Join(harness.Repository(), "internal", "e2e", "clients", "node")
	harness.NodeModules(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), harness.Soon)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--input-type=module", "-e", `
		import puppeteer from "puppeteer-core";
		const browser = await puppeteer.connect({ browserWSEndpoint: process.argv[1], defaultViewport: null });
		const target = await browser.waitForTarget((t) => t.url().endsWith("/one"));
		console.log(await (await target.page()).title());
		await browser.disconnect();`, "ws://"+h.ClientAddr+"/devtools/browser")
	cmd.Dir, cmd.Stderr = dir, t.Output()
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

func enterChromedp(t *testing.T, h *harness.Hub) (title string, err error) {
	t.Helper()
	limited, cancel := context.WithTimeout(t.Context(), harness.Soon)
	defer cancel()
	allocator, disconnect := remote.NewAllocator(limited, endpoint(h, ""))
	defer disconnect()
	browser, leave := chromedp.NewContext(allocator, chromedp.WithDetachOnCancel())
	defer leave()
	targets, err := chromedp.Targets(browser)
	if err != nil {
		return "", err
	}
	for _, each := range targets {
		if each.Type == "page" && strings.HasSuffix(each.URL, "/one") {
			page, detach := chromedp.NewContext(browser, chromedp.WithTargetID(each.TargetID), chromedp.WithDetachOnCancel())
			defer detach()
			return chromedp.Run(page, chromedp.Title())
		}
	}
	return "", nil
}
