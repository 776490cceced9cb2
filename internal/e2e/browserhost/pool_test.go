package browserhost

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestPool has two hubs with browsers of their own, which are as many as there may
// be, and a third one that has to wait for one of them.
func TestPool(t *testing.T) {
	site := newSite(t)
	h := harness.StartBrowserHub(t, site+"/start", "--browser-hub=[abc]", "--max-browsers=2", "--browser-idle=1s", "--browser-queue=100ms")
	a := harness.DialCDP(t, endpoint(h, "a"))
	browserOfA := newest(t, h)
	b := harness.DialCDP(t, endpoint(h, "b"))
	setCookie(t, a, "of", "a", site)
	setCookie(t, b, "of", "b", site)
	want(t, "the cookies of a", cookies(t, a), "of=a")
	want(t, "the cookies of b", cookies(t, b), "of=b")

	status, body := h.Get(t, http.MethodGet, "/hub/c/json/version")
	if status != http.StatusServiceUnavailable || !strings.Contains(body, "All browsers are in use") {
		t.Errorf("a third hub: %d %s; want 503 and why", status, body)
	}
	a.Close()
	harness.Eventually(t, harness.Started, func() error {
		if status, body := h.Get(t, http.MethodGet, "/hub/c/json/version"); status != http.StatusOK {
			return fmt.Errorf("the third hub when the first has been left: %d %s", status, body)
		}
		return nil
	})
	for what, browser := range map[string]int{"was left": browserOfA, "is idle": newest(t, h)} {
		harness.Eventually(t, harness.Soon, func() error {
			if found := harness.Living(t, browser, ""); len(found) > 0 {
				return fmt.Errorf("of the browser that %s are there %q", what, found)
			}
			return nil
		})
	}
	want(t, "the cookies of b, which was in use all the time", cookies(t, b), "of=b")
}

// newest is the process of the browser that was started last.
func newest(t *testing.T, h *harness.Hub) int {
	t.Helper()
	all := h.Browsers()
	if len(all) == 0 {
		t.Fatal("no browser was started")
	}
	return all[len(all)-1]
}

func setCookie(t *testing.T, c *harness.CDP, name, value, url string) {
	t.Helper()
	c.Call(t, "", "Storage.setCookies", map[string]any{
		"cookies": []any{map[string]any{"name": name, "value": value, "url": url}},
	})
}

// cookies returns all cookies, NAME=VALUE each.
func cookies(t *testing.T, c *harness.CDP) string {
	t.Helper()
	var all struct {
		Cookies []struct{ Name, Value string }
	}
	if err := json.Unmarshal(c.Call(t, "", "Storage.getCookies", nil), &all); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, c := range all.Cookies {
		list = append(list, c.Name+"="+c.Value)
	}
	return strings.Join(list, " ")
}
