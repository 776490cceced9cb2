package browserhost

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestPageHostBesideBrowser drives an iframe, of a browser without a debugging port,
// and a real page with one connection. Either goes without the other.
func TestPageHostBesideBrowser(t *testing.T) {
	t.Setenv("CDPHUB_HOST_GRACE", "1s")
	site := newSite(t)
	app := harness.NewSite(t)
	h := harness.StartBrowserHub(t, site+"/start", "--page-host")
	app.UseHub("http://" + h.HostAddr)
	user := harness.StartChromium(t, app.Host.URL+"/host/1", false)
	r := harness.StartRemote(t, endpoint(h, ""), site)
	harness.Eventually(t, harness.Started, func() error {
		s, err := h.Status()
		ready := map[string]bool{}
		for _, target := range s.Targets {
			ready[target.Title] = true
		}
		if err == nil && (!ready["/start"] || !ready["Field book"]) {
			err = fmt.Errorf("the hub's state is %+v; want both pages", s)
		}
		return err
	})
	want(t, "the pages", r.Run(t, `
		browser = await chromium.connectOverCDP(endpoint);
		[context] = browser.contexts();
		real = context.pages().find((p) => p.url() === site + "/start");
		frame = context.pages().find((p) => p !== real);
		return [browser.contexts().length, context.pages().length, await real.title(), await frame.title()]`),
		`[1,2,"/start","Field book"]`)

	const both = `
		await Promise.all([
			real.getByLabel("Name").fill("Ada"),
			frame.getByLabel("Name").fill("Grace"),
		]);
		await Promise.all([
			real.getByRole("button", { name: "Save" }).click(),
			frame.getByRole("button", { name: "Save entry" }).click(),
		]);
		return await Promise.all([real.title(), frame.locator("#saved").textContent()])`
	want(t, "what both made of it", r.Run(t, both), `["Saved Ada","Saved Grace, free, small, terms false"]`)
	app.Expect(t, harness.AppPage, `document.querySelector("#saved").textContent`, `"Saved Grace, free, small, terms false"`)
	want(t, "which of them is an automated browser", r.Run(t,
		`return await Promise.all([real, frame].map((p) => p.evaluate(() => [top === self, navigator.webdriver])))`), `[[true,true],[false,false]]`)
	want(t, "the real page's screenshot", r.Run(t, `
		const image = await real.screenshot({ clip: { x: 0, y: 0, width: 120, height: 80 } });
		return [image.toString("latin1", 1, 4), image.readUInt32BE(16), image.readUInt32BE(20)]`), `["PNG",120,80]`)
	want(t, "a context of its own", r.Run(t, `
		const own = await browser.newContext({ locale: "fr-FR" });
		const page = await own.newPage();
		await page.goto(site + "/own");
		const got = [await page.title(), await page.evaluate(() => navigator.language), context.pages().length, own.pages().length];
		await own.close();
		return got`), `["/own","fr-FR",2,1]`)

	r.Run(t, `
		const closed = (page) => new Promise((resolve) => page.on("close", resolve));
		[realClosed, frameClosed] = [closed(real), closed(frame)];
		nextPage = context.waitForEvent("page", { timeout: 0 });`)
	if err := syscall.Kill(newest(t, h), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	want(t, "the frame without a browser", r.Run(t, `
		await realClosed;
		await frame.getByRole("button", { name: "Add one" }).click();
		return [frame.isClosed(), await frame.locator("#count").textContent()]`), `[false,"1"]`)
	want(t, "the next browser", r.Run(t, `real = await nextPage; await real.waitForURL(site + "/start"); return await real.title()`), `"/start"`)
	want(t, "what both make of it now", r.Run(t, both), `["Saved Ada","Saved Grace, free, small, terms false"]`)

	user.Stop()
	want(t, "the browser without a frame", r.Run(t, `
		await frameClosed;
		await real.reload();
		return [await real.title(), context.pages().length]`), `["/start",1]`)
}
