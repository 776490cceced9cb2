package extension

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestR411ManyClients has Playwright and a second Client on one tab at once, in a hub with default options.
func TestR411ManyClients(t *testing.T) {
	site, h, u := startSharing(t)
	endpoint := "http://" + h.ClientAddr

	p := harness.StartRemote(t, endpoint, site)
	want(t, p.Run(t, `browser = await chromium.connectOverCDP(endpoint);
		[context] = browser.contexts();
		[page] = context.pages();
		heard = []; page.on("console", (m) => heard.push(m.text()));
		return [context.pages().length, await page.title()]`), `[1,"/shared"]`)
	c := harness.DialCDP(t, endpoint)
	pages := c.Pages(t)
	if len(pages) != 1 {
		t.Fatalf("a Client sees %q, want the one page that is shared", pages)
	}
	s := c.Attach(t, pages[0])
	c.Call(t, s, "Page.enable", nil)
	c.Call(t, s, "Runtime.enable", nil)

	// Input of both, and the event of it for both.
	want(t, p.Run(t, `await page.click("#go"); await page.locator("#name").pressSequentially("Ada"); return await page.inputValue("#name")`), `"Ada"`)
	click(t, c, s, "go")
	want(t, p.Run(t, `await page.waitForFunction(() => window.clicks === 2); while (heard.length < 2) await page.waitForTimeout(10); return heard`), `["clicked","clicked"]`)
	harness.Eventually(t, harness.Soon, func() error {
		if n := len(c.All(harness.Event(s, "Runtime.consoleAPICalled"))); n != 2 {
			return fmt.Errorf("the second Client has heard %d clicks, want 2", n)
		}
		return nil
	})
	want(t, c.Evaluate(t, s, `document.getElementById("name").value + " " + trusted`), `"Ada true"`)

	// Objects are each Client's own.
	input := object(t, c, s, `document.getElementById("file")`)
	other := harness.DialCDP(t, endpoint)
	if _, err := other.Try(t, other.Attach(t, pages[0]), "Runtime.getProperties", map[string]any{"objectId": input}); err == nil {
		t.Error("another Client can use the object")
	}
	other.Close()

	// Pictures, of a tab in the background as well.
	u.open(site + "/front")
	want(t, p.Run(t, `const png = await page.screenshot(); return [png.subarray(1, 4).toString(), png.length > 1000]`), `["PNG",true]`)
	if shot := c.Call(t, s, "Page.captureScreenshot", nil); len(shot) < 1000 {
		t.Errorf("a picture has %d bytes", len(shot))
	}

	// A navigation, and a script of one Client in the next document.
	c.Call(t, s, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": "window.before = 1"})
	want(t, p.Run(t, `await page.click("#next"); await page.waitForURL(site + "/next"); return [await page.title(), await page.evaluate("before")]`), `["/next",1]`)
	c.Await(t, "the navigation", func(m harness.Message) bool {
		return m.Method == "Page.frameNavigated" && m.SessionID == s && strings.Contains(string(m.Params), "/next")
	})
	want(t, c.Evaluate(t, s, "document.title"), `"/next"`)
	want(t, p.Run(t, `await page.goto(site + "/third"); await page.goBack(); return await page.title()`), `"/next"`)
	awaitPages(t, h, "/next")

	// Cookies by the browser's own methods are those of the page; what is not done says so.
	if text := string(c.Call(t, s, "Storage.getCookies", nil)); !strings.Contains(text, `"value":"127.0.0.1"`) {
		t.Errorf("the cookies are %s", text)
	}
	for script, why := range map[string]string{
		`await context.newPage()`:                                          "ask the user to share another tab",
		`await browser.newContext()`:                                       "is not possible in a tab that its user shares",
		`await context.addCookies([{ name: "a", value: "b", url: site }])`: "wasn't found",
	} {
		_, err := p.Try(t, script, harness.Soon)
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", script, err, why)
		}
	}

	if _, err := c.Try(t, s, "DOM.setFileInputFiles", map[string]any{"files": []string{"/etc/hosts"}, "objectId": object(t, c, s, `document.getElementById("file")`)}); err == nil || !strings.Contains(err.Error(), "files of the machine are not shared") {
		t.Errorf("a file by its path got %v", err)
	}

	// One leaves, and the other stays.
	want(t, p.Run(t, `await browser.close(); return true`), `true`)
	want(t, c.Evaluate(t, s, "document.title"), `"/next"`)
	if got := u.badge(site + "/next"); got != `"\u25b6"` {
		t.Errorf("the badge is %s", got)
	}
	c.Call(t, "", "Target.closeTarget", map[string]any{"targetId": pages[0]})
	awaitPages(t, h)
	if u.find("page", site+"/next") != "" {
		t.Error("a Client has closed the tab, and it is still there")
	}
}

// TestR415Stops has the user stop, while a Client waits for an answer.
func TestR415Stops(t *testing.T) {
	site, h, u := startSharing(t)
	c := harness.DialCDP(t, "http://"+h.ClientAddr)
	s := c.Attach(t, c.Pages(t)[0])
	c.Evaluate(t, s, "1")
	id := c.Send(t, s, "Runtime.evaluate", map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true})
	popup := u.popup(site + "/shared")
	u.await(popup, `document.getElementById("state").textContent.includes("Driven by ")`)
	u.press(popup, "share")
	u.await(popup, `document.getElementById("share").dataset.do === "share"`)
	answer := c.Await(t, "an error", func(m harness.Message) bool { return m.ID == id })
	if answer.Error == nil || answer.Error.Message != "The user has stopped sharing this tab." {
		t.Errorf("the command got %+v", answer)
	}
	c.Await(t, "the reason", harness.Event(s, "Inspector.detached"))
	c.Await(t, "the end of the session", harness.Event("", "Target.detachedFromTarget"))
	awaitPages(t, h)
	if _, err := c.TryEvaluate(t, s, "1"); err == nil {
		t.Error("a Client still drives the tab")
	}
	if got := u.badge(site + "/shared"); got != `""` {
		t.Errorf("the badge is %s", got)
	}
	if got := u.worker(`chrome.debugger.getTargets().then((l) => l.filter((t) => t.attached && t.type === "page" && t.url.includes("/shared")).length)`); got != "0" {
		t.Errorf("%s tabs are still attached", got)
	}
}

// TestR412WorkerEnds has the browser end the extension's worker again and again. The Client goes on, and the page counts
// as many clicks as it has sent.
func TestR412WorkerEnds(t *testing.T) {
	site, h, u := startSharing(t)
	c := harness.DialCDP(t, "http://"+h.ClientAddr)
	s := c.Attach(t, c.Pages(t)[0])
	c.Call(t, s, "Runtime.enable", nil)
	c.Call(t, s, "Runtime.addBinding", map[string]any{"name": "tell"})
	own := u.chrome.Attach(t, u.find("page", site+"/shared"))
	u.chrome.Call(t, own, "ServiceWorker.enable", nil)
	times := 3
	for i := range times {
		click(t, c, s, "go")
		before := u.find("service_worker", "chrome-extension://")
		u.chrome.Call(t, own, "ServiceWorker.stopAllWorkers", nil)
		harness.Eventually(t, harness.Started, func() error {
			if u.find("service_worker", "chrome-extension://") == before {
				return errors.New("the worker has not ended")
			}
			return nil
		})
		u.wake(site + "/shared")
		harness.Eventually(t, harness.Started, func() error {
			got, err := c.TryEvaluate(t, s, fmt.Sprintf(`tell("%d"); window.clicks`, i))
			if err == nil && got != fmt.Sprint(i+1) {
				return fmt.Errorf("the page has had %s clicks, want %d", got, i+1)
			}
			return err
		})
		c.Await(t, "what was bound before", func(m harness.Message) bool {
			return m.Method == "Runtime.bindingCalled" && strings.Contains(string(m.Params), fmt.Sprintf(`"payload":"%d"`, i))
		})
	}
}

// object is the objectId of an expression's value.
func object(t *testing.T, c *harness.CDP, session, expression string) string {
	t.Helper()
	var made struct{ Result struct{ ObjectID string } }
	text := c.Call(t, session, "Runtime.evaluate", map[string]any{"expression": expression})
	if err := json.Unmarshal(text, &made); err != nil || made.Result.ObjectID == "" {
		t.Fatalf("%s: %s, %v", expression, text, err)
	}
	return made.Result.ObjectID
}

// click clicks an element of the page with the mouse.
func click(t *testing.T, c *harness.CDP, session, id string) {
	t.Helper()
	var box struct{ X, Y float64 }
	text := c.Evaluate(t, session, `(() => { const b = document.getElementById("`+id+`").getBoundingClientRect();
		return { X: b.x + b.width / 2, Y: b.y + b.height / 2 } })()`)
	if err := json.Unmarshal([]byte(text), &box); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		c.Call(t, session, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": box.X, "y": box.Y, "button": "left", "clickCount": 1})
	}
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
