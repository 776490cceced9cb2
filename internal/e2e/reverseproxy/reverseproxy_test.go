// Package reverseproxy tests a hub behind reverse proxies, with the files of docs/reverse-proxy.md, in a
// real Chromium and with Playwright.
package reverseproxy

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/docstest"
	"github.com/cdphub/cdphub/internal/e2e/harness"
	"github.com/cdphub/cdphub/internal/hubtest"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// place is a hub through a proxy.
type place struct {
	Name string `json:"name"`
	Base string `json:"base"` // of its addresses
}

// TestR328R329ReverseProxies starts each proxy with each file of the documentation in front of a hub that trusts
// it, and nginx in front of hubs that know their public address.
func TestR328R329ReverseProxies(t *testing.T) {
	chromium, err := harness.Chromium()
	if err != nil {
		t.Fatal(err)
	}
	devtools := harness.FrontEnd(t)
	hub := func(args ...string) string {
		return harness.StartBrowserHub(t, "about:blank", append(args, "--devtools", devtools)...).ClientAddr
	}
	p := proxies{t: t, dir: t.TempDir(), blocks: blocks(t)}
	p.cert, p.key = hubtest.WriteCertificate(t, p.dir, 1)
	trusting := hub("--trusted-proxy", "127.0.0.1", "--allowed-host", "hub.example")
	var places []place
	for _, kind := range []string{"nginx", "caddy", "traefik"} {
		for _, prefix := range []string{"", "/cdp"} {
			addr := hubtest.FreeAddr(t)
			p.start(kind, addr, trusting, prefix != "")
			places = append(places, place{kind + " and a hub that trusts it, at " + prefix + "/", base(addr) + prefix})
		}
	}
	for _, prefix := range []string{"", "/cdp"} {
		addr := hubtest.FreeAddr(t)
		p.start("nginx", addr, hub("--public-url", base(addr)+prefix), prefix != "")
		places = append(places, place{"nginx and a hub that knows its address, at " + prefix + "/", base(addr) + prefix})
	}
	// A proxy that the hub does not trust: the hub ignores its headers.
	addr := hubtest.FreeAddr(t)
	strange := harness.StartBrowserHub(t, "data:text/html,<title>Field</title>", "--allowed-host", "hub.example").ClientAddr
	p.start("nginx", addr, strange, false)
	if got, err := p.get(addr, "/json/version"); err != nil || !strings.Contains(got, `"ws://hub.example:`) {
		t.Errorf("a hub believes a proxy that it does not trust: %s, %v", got, err)
	}
	text, err := json.Marshal(places)
	if err != nil {
		t.Fatal(err)
	}
	harness.RunPlaywright(t, len(places)+1, nil, "BROWSER="+chromium, "PLACES="+string(text), "STRANGE="+base(addr), "NODE_EXTRA_CA_CERTS="+p.cert)
}

// TestR329DoctorThroughNginx has doctor look at nginx with the file of the documentation, and with one that
// passes on no WebSockets. The hub is the one that doctor starts.
func TestR329DoctorThroughNginx(t *testing.T) {
	program, err := harness.CDPHub()
	if err != nil {
		t.Fatal(err)
	}
	p := proxies{t: t, dir: t.TempDir(), blocks: blocks(t)}
	p.cert, p.key = hubtest.WriteCertificate(t, p.dir, 1)
	for _, tt := range []struct{ without, want string }{
		{"nothing", `"clients are told wss://`},
		{"proxy_set_header Upgrade $http_upgrade;", "have the proxy pass on WebSockets"},
	} {
		p.blocks["nginx"][0] = strings.Replace(p.blocks["nginx"][0], tt.without, "", 1)
		hub, addr := hubtest.FreeAddr(t), hubtest.FreeAddr(t)
		p.start("nginx", addr, hub, false)
		cmd := exec.CommandContext(t.Context(), program, "doctor", "--json", "--client-addr", hub, "--host-addr", hub,
			"--client-token", "a-token-of-clients", "--host-token", "a-token-of-hosts--", "--ping-every=300ms", "--public-url", "https://"+addr)
		cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+p.cert, "PATH=") // no browser is wanted
		out, err := cmd.Output()
		if text := string(out); !strings.Contains(text, tt.want) || (err == nil) != strings.Contains(text, `"ok": true`) || (tt.without == "nothing") != strings.Contains(text, "without data") {
			t.Errorf("without %s: %v\n%s", tt.without, err, text)
		}
	}
}

// base is where a browser finds what listens at an address.
func base(addr string) string {
	_, port, _ := strings.Cut(addr, ":")
	return "https://hub.example:" + port
}

// blocks are the files of docs/reverse-proxy.md, by language.
func blocks(t *testing.T) map[string][]string {
	all, err := docstest.Blocks(harness.Repository())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, b := range all {
		if b.File == "docs/reverse-proxy.md" && b.Kind == "proxy" {
			found[b.Lang] = append(found[b.Lang], b.Text)
		}
	}
	return found
}
