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
	runAt(t, func(page string) { harness.StartChromium(t, page, false) })
}

// runAt runs the project at a proxy, whose Host page a browser opens.
func runAt(t *testing.T, open func(page string)) {
	up := httptest.NewServer(&app{asked: map[string]int{}})
	t.Cleanup(up.Close)
	h, page := harness.StartProxy(t, up.URL)
	host, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	own := strings.TrimSuffix(host.Query().Get("app"), "/")
	open(page)
	h.AwaitTitle(t, "")
	harness.RunPlaywright(t, 4, nil, "CDP_ENDPOINT=http://127.0.0.1:"+h.Port(t), "APP="+own,
		"OTHER="+strings.NewReplacer("localhost", "127.0.0.1", "127.0.0.1", "localhost").Replace(own), "UPSTREAM="+up.URL)
}
