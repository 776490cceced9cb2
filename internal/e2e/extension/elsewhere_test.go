package extension

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestR414Elsewhere shares a tab with a hub that is reached by TLS under a name of its own, and wants tokens.
func TestR414Elsewhere(t *testing.T) {
	const hostToken, clientToken = "a-token-of-hosts-0123456789", "a-token-of-clients-0123456789"
	site := newSite(t)
	h := harness.StartHub(t, "--host-token", hostToken, "--client-token", clientToken, "--allowed-host", "hub.test")
	proxy := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: h.HostAddr})
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(proxy.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(proxy.URL, "https://"), ":")
	u := newUser(t, site+"/shared", "--host-resolver-rules=MAP hub.test 127.0.0.1", "--ignore-certificate-errors")

	popup := u.popup(site + "/shared")
	u.chrome.Evaluate(t, popup, `settings.open = true; address.value = "ws://hub.test:`+port+`"; form.requestSubmit()`)
	u.await(popup, `document.getElementById("note").textContent.includes("wss://")`)
	u.set(popup, "hub.test:"+port+"/hub/work", "wrong")
	u.press(popup, "share")
	u.await(popup, `document.getElementById("problem").textContent.includes("does not answer yet")`)
	u.set(popup, "hub.test:"+port+"/hub/work", hostToken)
	u.press(popup, "share")
	u.await(popup, `document.getElementById("state").textContent.includes("hub.test:`+port+`") && document.getElementById("problem").textContent === ""`)
	u.shut(popup)
	c := harness.DialCDPAs(t, "http://"+h.ClientAddr+"/hub/work", clientToken)
	s := c.Attach(t, c.Pages(t)[0])
	want(t, c.Evaluate(t, s, "document.title"), `"/shared"`)
}
