package browsers_test

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/scope"
)

// command is a method with its params.
type command struct{ method, params string }

// html is a document with text, for whatever is laid out.
const html = `document.body.innerHTML = "<p>some text</p>".repeat(500)`

// attacks are what would end the browser of all Clients, or keep it busy for minutes. times is how often
// it takes: Chromium ends when its GPU process has ended three times.
var attacks = []struct {
	name     string
	scope    scope.Scope
	times    int
	commands []command
	refused  string // what an answer says that refuses one of the commands
}{
	{
		"a clip of 10^9 by 10^9", scope.Readonly, 3,
		[]command{{"Page.captureScreenshot", `{"clip":{"x":0,"y":0,"width":1e9,"height":1000000000,"scale":1}}`}},
		"Page.captureScreenshot: clip.width is 1e9, at most 131072 is allowed",
	},
	{
		"a clip of 10^5 by 10^5", scope.Readonly, 3,
		[]command{{"Page.captureScreenshot", `{"clip":{"x":0,"y":0,"width":1e5,"height":1e5,"scale":1}}`}},
		"Page.captureScreenshot: clip.width × clip.height × clip.scale² is 10000000000, at most 100000000 is allowed",
	},
	{
		"a scale that names the clip twice", scope.Privileged, 3,
		[]command{{"Page.captureScreenshot", `{"clip":{"x":0,"y":0,"width":1000,"height":1000,"scale":1,"s\u0063ale":100}}`}},
		"duplicate",
	},
	{
		"a clip of a page with a large scale", scope.Standard, 3,
		[]command{
			{"Emulation.setDeviceMetricsOverride", `{"width":1280,"height":720,"deviceScaleFactor":5,"mobile":false}`},
			{"Page.captureScreenshot", `{"clip":{"x":0,"y":0,"width":9000,"height":9000,"scale":1}}`},
		},
		"the picture has 9000 × 9000 pixels at a device scale factor of 5: 2025000000, at most 200000000 are allowed",
	},
	{
		"the whole of a page that is large, with a large scale", scope.Standard, 3,
		[]command{
			{"Emulation.setDeviceMetricsOverride", `{"width":1280,"height":720,"deviceScaleFactor":5,"mobile":false}`},
			{"Runtime.evaluate", `{"expression":"document.body.style.height = '50000px'"}`},
			{"Page.captureScreenshot", `{"captureBeyondViewport":true}`},
		},
		"at a device scale factor of 5",
	},
	{
		"a scale of 100", scope.Standard, 3,
		[]command{
			{"Emulation.setDeviceMetricsOverride", `{"width":1280,"height":720,"deviceScaleFactor":100,"mobile":false}`},
			{"Page.captureScreenshot", `{}`},
		},
		"Emulation.setDeviceMetricsOverride: deviceScaleFactor is 100, at most 5 is allowed",
	},
	{
		"a scale of 100, by the domain Page", scope.Standard, 3,
		[]command{
			{"Page.setDeviceMetricsOverride", `{"width":0,"height":0,"deviceScaleFactor":1e2,"mobile":false}`},
			{"Page.captureScreenshot", `{}`},
		},
		"deviceScaleFactor is 1e2, at most 5 is allowed",
	},
	{
		"a large viewport with a scale", scope.Standard, 3,
		[]command{
			{"Emulation.setDeviceMetricsOverride", `{"width":10000,"height":10000,"deviceScaleFactor":5,"mobile":false}`},
			{"Page.captureScreenshot", `{}`},
		},
		"width × height × deviceScaleFactor² is 2500000000, at most 100000000 is allowed",
	},
	{
		"paper of 10^-9 inches", scope.Standard, 1,
		[]command{{"Page.printToPDF", `{"paperWidth":1e-9,"paperHeight":0.000000001}`}},
		"Page.printToPDF: paperWidth is 1e-9, at least 0.5 is allowed",
	},
	{
		"a window of 2147483647 by 2147483647", scope.Standard, 1,
		[]command{
			{"Browser.setWindowBounds", `{"windowId":WINDOW,"bounds":{"width":2147483647,"height":2147483647}}`},
			{"Page.captureScreenshot", `{}`},
		},
		"Browser.setWindowBounds: bounds.width is 2147483647, at most 10000 is allowed",
	},
	{
		"the window of a target that is not there", scope.Readonly, 1,
		[]command{{"Browser.getWindowForTarget", `{"targetId":"none"}`}},
		"No target with given id",
	},
	{
		"no display features", scope.Standard, 1,
		[]command{{"Emulation.setDisplayFeaturesOverride", `{"features":[]}`}},
		"Emulation.setDisplayFeaturesOverride: features has 0 elements, at least 1 is allowed",
	},
	{
		"a composition that replaces until a negative place", scope.Standard, 1,
		[]command{{"Input.imeSetComposition", `{"text":"a","selectionStart":0,"selectionEnd":0,"replacementStart":0,"replacementEnd":-2}`}},
		"Input.imeSetComposition: replacementEnd is -2, at least 0 is allowed",
	},
	{
		"a recording with sound", scope.Privileged, 40,
		[]command{
			{"Page.startScreenRecording", `{"audio":true}`},
			{"Page.stopScreenRecording", `{}`},
		},
		"Page.startScreenRecording: audio is true, which is not allowed",
	},
	{
		"150,000 names of styles", scope.Readonly, 1,
		[]command{{"DOMSnapshot.captureSnapshot", `{"computedStyles":[` + strings.Repeat(`"color",`, 149_999) + `"color"]}`}},
		"DOMSnapshot.captureSnapshot: computedStyles has 150000 elements, at most 1000 is allowed",
	},
}

// TestR237BrowserOutlivesAttacks runs each attack in Chromium and in its headless shell, while another
// Client goes on.
func TestR237BrowserOutlivesAttacks(t *testing.T) {
	for _, name := range []string{"chromium-headless-shell", "chromium"} {
		t.Run(name, func(t *testing.T) {
			path, err := exec.LookPath(name)
			if err != nil {
				t.Fatal("this test needs both: ", err)
			}
			c := gather(t, path)
			defer c.close(t)
			for _, a := range attacks {
				t.Run(a.name, func(t *testing.T) {
					page := c.keeper.page(t)
					d := c.join(t, a.scope)
					defer d.Leave()
					d.session = d.attach(t, page)
					var window struct{ WindowID int }
					d.must(t, d.session, "Browser.getWindowForTarget", `{}`, &window)
					var answers []string
					for range a.times {
						for _, cmd := range a.commands {
							answers = append(answers, d.try(t, cmd.method, strings.Replace(cmd.params, "WINDOW", fmt.Sprint(window.WindowID), 1)))
						}
					}
					if all := strings.Join(answers, "\n"); !strings.Contains(all, a.refused) {
						t.Errorf("the answers are\n%s\nwant one with %q", all, a.refused)
					}
					if err := c.goesOn(t); err != nil {
						t.Fatal(err)
					}
					c.keeper.must(t, "", "Target.closeTarget", fmt.Sprintf(`{"targetId":%q}`, page), nil)
				})
			}
		})
	}
}

// page opens a page with text, which all Clients may see.
func (d *driver) page(t testing.TB) (targetID string) {
	t.Helper()
	var page struct{ TargetID string }
	d.must(t, "", "Target.createTarget", `{"url":"about:blank"}`, &page)
	d.must(t, d.attach(t, page.TargetID), "Runtime.evaluate", fmt.Sprintf(`{"expression":%q}`, html), nil)
	return page.TargetID
}

// try sends a command, which may fail, and returns its answer or error.
func (d *driver) try(t testing.TB, method, params string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := d.Call(ctx, d.session, method, []byte(params))
	if err != nil {
		return full(err)
	}
	return string(out[:min(len(out), 100)])
}
