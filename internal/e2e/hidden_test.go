package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestR366PagesInAHiddenTabHaveASize has a Host page in a tab behind another, which a browser does not lay out.
func TestR366PagesInAHiddenTabHaveASize(t *testing.T) {
	h := harness.StartHub(t)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>App</title><script src="http://%s/agent.js"></script>`, h.HostAddr)
	}))
	defer app.Close()
	b := harness.StartChromium(t, "about:blank", true)
	look := harness.DialCDP(t, "http://127.0.0.1:"+b.Port(t))
	host := look.Attach(t, look.Pages(t)[0])
	look.Call(t, host, "Page.navigate", map[string]any{"url": "http://" + h.HostAddr + "/shell?app=" + app.URL})
	h.AwaitTitle(t, "App")
	look.Call(t, "", "Target.createTarget", map[string]any{"url": "about:blank"})
	harness.Eventually(t, harness.Soon, func() error {
		if state := look.Evaluate(t, host, "document.visibilityState"); state != `"hidden"` {
			return fmt.Errorf("the Host page is %s, want hidden", state)
		}
		return nil
	})

	c := harness.DialCDP(t, "http://"+h.ClientAddr)
	size := func(session, want string) {
		t.Helper()
		harness.Eventually(t, harness.Soon, func() error {
			if got := c.Evaluate(t, session, "innerWidth > 99 && innerHeight > 99 ? [innerWidth, innerHeight].join() : '0'"); got == `"0"` || want != "" && got != want {
				return fmt.Errorf("the size is %s, want %s", got, want)
			}
			return nil
		})
	}
	for _, url := range []string{"about:blank", app.URL} {
		var made struct{ TargetID string }
		if err := json.Unmarshal(c.Call(t, "", "Target.createTarget", map[string]any{"url": url}), &made); err != nil {
			t.Fatal(err)
		}
		session := c.Attach(t, made.TargetID)
		size(session, "")
		c.Call(t, session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": 320, "height": 240, "deviceScaleFactor": 0, "mobile": false})
		size(session, `"320,240"`)
	}
}
