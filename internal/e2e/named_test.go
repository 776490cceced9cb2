package e2e

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestR205FramesResume has a Playwright work in a frame while its connection to the hub
// is cut again and again.
func TestR205FramesResume(t *testing.T) {
	onlyHub(t)
	s := newSite(t)
	h := startHub(t)
	s.useHub("http://" + h.hostAddr)
	startBrowser(t, "http://"+h.hostAddr+"/shell?app="+url.QueryEscape(s.app.URL+appPage), false)
	eventually(t, harness.Started, func() error {
		st, err := h.status()
		if err == nil && (len(st.Targets) != 1 || st.Targets[0].Title != "Field book") {
			err = fmt.Errorf("the hub has %+v, want the app", st)
		}
		return err
	})
	link := harness.StartResuming(t, "ws://127.0.0.1:"+h.port(t)+"/devtools/browser?session=work&grace=1m")
	c := harness.StartRemote(t, link.URL, s.app.URL)
	c.Run(t, `
		browser = await chromium.connectOverCDP(endpoint);
		[page] = browser.contexts()[0].pages();
		await page.route("**/nowhere", (route) => route.fulfill({ body: "from the route" }));
		await page.evaluate(() => {
			window.clicks = 0;
			const button = document.createElement("button");
			button.textContent = "Count";
			button.addEventListener("click", () => { window.clicks++; });
			document.body.prepend(button);
		});`)
	done := c.Begin(t, `
		for (let n = 0; n < 40; n++) {
			await page.getByRole("button", { name: "Count" }).click();
			const data = await page.evaluate(async () => (await fetch("/nowhere")).text());
			if (data !== "from the route") throw new Error("the route is gone: " + data);
		}
		return page.evaluate(() => window.clicks)`)
	cut := time.NewTicker(150 * time.Millisecond)
	defer cut.Stop()
	for {
		select {
		case o := <-done:
			n, lost := link.Resumed()
			if o.Error != "" || string(o.Value) != "40" || n < 3 || len(lost) > 0 {
				t.Errorf("%s clicks, %s; the connection was resumed %d times, with the gaps %q", o.Value, o.Error, n, lost)
			}
			return
		case <-cut.C:
			link.Cut()
		}
	}
}
