package proxy

import (
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

func TestChromium(t *testing.T) {
	runAt(t, "specs", func(page string) string {
		harness.StartChromium(t, page, false)
		return ""
	})
}

// TestR363R369R370Top walks the ways to name the top window, by input of clients, and by that of a
// person: of the browser's own debugging port.
func TestR363R369R370Top(t *testing.T) {
	runAt(t, "top", func(page string) string { return "http://127.0.0.1:" + harness.StartBrowser(t, page, true).Port(t) })
}

// TestR392R393Watched looks at pages that are watched in every way, and at the same in a tab
// of another browser, which nobody watches; and at windows that their opener writes.
func TestR392R393Watched(t *testing.T) {
	runAt(t, "watched", func(page string) string {
		harness.StartChromium(t, page, false)
		return "http://127.0.0.1:" + harness.StartChromium(t, "about:blank", true).Port(t)
	})
}

// runAt runs the specs of a folder at a proxy, whose Host page a browser opens. open returns
// the address of its debugging port, if it has one.
func runAt(t *testing.T, specs string, open func(page string) string) {
	up := httptest.NewServer(&app{asked: map[string]int{}})
	t.Cleanup(up.Close)
	h, page := harness.StartProxy(t, up.URL)
	host, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	own := strings.TrimSuffix(host.Query().Get("app"), "/")
	browser := open(page)
	h.AwaitTitle(t, "")
	harness.RunPlaywright(t, 1, nil, "CDP_ENDPOINT=http://127.0.0.1:"+h.Port(t), "APP="+own, "BROWSER="+browser, "SPECS="+specs,
		"OTHER="+strings.NewReplacer("localhost", "127.0.0.1", "127.0.0.1", "localhost").Replace(own), "UPSTREAM="+up.URL)
}
