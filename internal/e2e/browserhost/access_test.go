package browserhost

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// withToken is connected for those who need a token.
const withToken = `
	browser = await chromium.connectOverCDP(endpoint, { headers: { Authorization: "Bearer %s" } });
	[context] = browser.contexts();
	[page] = context.pages();
	await page.waitForURL(site + "/start");
	return await page.title();`

// TestR20TokensBeforeBrowsers has a hub that wants tokens start no browser for whoever
// has none, and a Client of scope standard drive one.
func TestR20TokensBeforeBrowsers(t *testing.T) {
	site := newSite(t)
	key := newKey(t)
	h := harness.StartBrowserHub(t, site+"/start", "--jwt-key", key)
	tried := len(h.Browsers()) // serve starts one to see whether it can
	for _, path := range []string{"/json/version", "/json/list", "/devtools/browser", "/icdp/status"} {
		if status, body := h.Get(t, http.MethodGet, path); status != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d %s; want 401", path, status, body)
		}
	}
	r := harness.StartRemote(t, endpoint(h, ""), site)
	if value, err := r.Try(t, connected, harness.Soon); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("Playwright connected without a token: %s, %v; want 401", value, err)
	}
	if all := h.Browsers(); len(all) > tried {
		t.Errorf("the browsers %v were started for strangers", all)
	}
	want(t, "the title", r.Run(t, fmt.Sprintf(withToken, mint(t, key))), `"/start"`)
	want(t, "what a bearer of a token does", r.Run(t, saves), `"Saved Ada"`)
	if all := h.Browsers(); len(all) != tried+1 {
		t.Errorf("the browsers %v were started, want one", all)
	}
}

// TestNoBrowserToBeHad says why to those on this machine, and to bearers of tokens,
// who may be anywhere, only that it is so.
func TestNoBrowserToBeHad(t *testing.T) {
	key := newKey(t)
	nowhere := "127.0.0.1:1"
	for name, test := range map[string]struct {
		args  []string
		token string
		tells bool
	}{
		"without tokens": {tells: true},
		"with tokens":    {args: []string{"--jwt-key", key}, token: "?token=" + mint(t, key)},
	} {
		t.Run(name, func(t *testing.T) {
			h := harness.StartHub(t, append(test.args, "--browser-url", "http://"+nowhere)...)
			status, body := h.Get(t, http.MethodGet, "/json/version"+test.token)
			if status != http.StatusServiceUnavailable || !strings.Contains(body, "no browser") {
				t.Errorf("got %d %s, want 503 and that there is no browser", status, body)
			}
			if strings.Contains(body, nowhere) != test.tells || !test.tells && strings.Contains(body, "/") {
				t.Errorf("the answer is %q; want the address in it: %v", body, test.tells)
			}
		})
	}
}

// TestBrowserURL connects to a browser that runs already, and leaves it running.
func TestBrowserURL(t *testing.T) {
	site := newSite(t)
	direct := "http://127.0.0.1:" + harness.StartBrowser(t, "about:blank", true).Port(t)
	h := harness.StartHub(t, "--browser-url", direct)
	c := harness.DialCDP(t, endpoint(h, ""))
	pages := c.Pages(t)
	if len(pages) != 1 {
		t.Fatalf("a Client is told of the pages %q, want one", pages)
	}
	want(t, "what a Client does", c.Evaluate(t, c.Attach(t, pages[0]), `document.title = "Changed"`), `"Changed"`)
	var context struct{ BrowserContextID string }
	if err := json.Unmarshal(c.Call(t, "", "Target.createBrowserContext", nil), &context); err != nil {
		t.Fatal(err)
	}
	c.Call(t, "", "Target.createTarget", map[string]any{"url": site + "/own", "browserContextId": context.BrowserContextID})
	past := harness.DialCDP(t, direct)
	if pages := past.Pages(t); len(pages) != 2 {
		t.Errorf("the browser has the pages %q, want 2", pages)
	}
	h.Stop(t)
	harness.Eventually(t, harness.Soon, func() error {
		if pages, n := past.Pages(t), contexts(t, past); len(pages) != 1 || n != 0 {
			return fmt.Errorf("without the hub the browser has the pages %q and %d contexts; want one page", pages, n)
		}
		return nil
	})
	want(t, "the page that was there before", past.Evaluate(t, past.Attach(t, pages[0]), "document.title"), `"Changed"`)
}

// newKey makes a secret that tokens are signed with.
func newKey(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(strings.Repeat("secret", 8)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// mint makes a token of scope standard for Clients.
func mint(t *testing.T, key string) string {
	t.Helper()
	program, err := harness.CDPHub()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "token", "mint", "--key", key, "--scope", "standard").Output() //nolint:gosec // our own
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
