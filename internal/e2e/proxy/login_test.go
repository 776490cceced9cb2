package proxy

import (
	"net/url"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestR335LogInElsewhere logs in at an identity provider that the proxy serves, too, and
// logs out again.
func TestR335LogInElsewhere(t *testing.T) {
	app, issuer := startShop(t, false)
	runLogin(t, "through", app, issuer, "--also-proxy", issuer)
}

// TestR336LostAtLogIn goes to an identity provider that the proxy does not serve: the page
// is lost, everybody is told so, and comes back.
func TestR336LostAtLogIn(t *testing.T) {
	app, issuer := startShop(t, true)
	runLogin(t, "lost", app, issuer)
}

func runLogin(t *testing.T, specs, app, issuer string, args ...string) {
	h, page := harness.StartProxy(t, app, args...)
	host, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	b := harness.StartBrowser(t, page, true)
	h.AwaitTitle(t, "Shop")
	harness.RunPlaywright(t, 2, nil, "SPECS=login/"+specs, "CDP_ENDPOINT=http://127.0.0.1:"+h.Port(t), "BROWSER=http://127.0.0.1:"+b.Port(t), "HOST_PAGE="+page,
		"APP="+strings.TrimSuffix(host.Query().Get("app"), "/"), "UPSTREAM="+app, "ISSUER="+issuer)
}
