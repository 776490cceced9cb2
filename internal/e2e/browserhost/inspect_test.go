package browserhost

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestChromeInspect opens DevTools of another Chromium on a page of a hub's browser
// and on a frame, as its user does on chrome://inspect: the hub's address is one of
// those to look at, and what it has is listed with an "inspect" beside.
func TestChromeInspect(t *testing.T) {
	for name, start := range map[string]func(t *testing.T) (addr, url string){
		"page": func(t *testing.T) (string, string) {
			url := newSite(t) + "/start"
			return harness.StartChromiumHub(t, url).ClientAddr, url
		},
		"frame": func(t *testing.T) (string, string) {
			e := harness.EndpointOf(t, "hub", "--page-sockets")
			return e.Hub.ClientAddr, e.Site.App.URL + harness.AppPage
		},
	} {
		t.Run(name, func(t *testing.T) {
			addr, url := start(t)
			c := harness.DialCDP(t, "http://127.0.0.1:"+harness.StartChromium(t, "about:blank", true).Port(t))
			var made struct{ TargetID string }
			if err := json.Unmarshal(c.Call(t, "", "Target.createTarget", map[string]any{"url": "chrome://inspect/#devices"}), &made); err != nil {
				t.Fatal(err)
			}
			inspect := c.Attach(t, made.TargetID)
			harness.Eventually(t, harness.Started, func() error {
				if got := c.Evaluate(t, inspect, fmt.Sprintf(clickInspect, addr, url)); got != "true" {
					return fmt.Errorf("chrome://inspect lists %s, want %s", got, url)
				}
				return nil
			})
			harness.Eventually(t, harness.Started, func() error { return hasFrontEnd(t, c, url) })
		})
	}
}

// clickInspect has chrome://inspect look at an address, and clicks beside a URL that
// is listed. Its value is true, or what is listed.
const clickInspect = `(() => {
	const [addr, url] = [%q, %q];
	const list = document.querySelector("#devices-list");
	if (!list) return "nothing yet";
	if (!list.querySelector('[id="' + addr + '"]')) chrome.send("set-tcp-discovery-config", [[addr]]);
	const row = [...list.querySelectorAll(".row")].find((row) => row.querySelector(".url")?.textContent === url);
	row?.querySelector(".action").click();
	return row ? true : list.textContent;
})()`

// hasFrontEnd wants a browser to show DevTools that have attached: their title has
// the address of what they inspect.
func hasFrontEnd(t *testing.T, c *harness.CDP, url string) error {
	t.Helper()
	var all struct {
		TargetInfos []struct{ URL, Title string }
	}
	if err := json.Unmarshal(c.Call(t, "", "Target.getTargets", nil), &all); err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(url, "://")
	for _, info := range all.TargetInfos {
		if strings.HasPrefix(info.URL, "devtools://devtools/bundled/inspector.html") && strings.Contains(info.Title, shown) {
			return nil
		}
	}
	return fmt.Errorf("the browser shows %+v, want DevTools of %s", all.TargetInfos, url)
}
