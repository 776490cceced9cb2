package conformance

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
)

// TestR144OnePolicyForAllClients sends Clients of CDP and of an action API to
// addresses that the options forbid. No request reaches these addresses.
func TestR144OnePolicyForAllClients(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var came []string
	ln, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skipf("this machine has no second address on loopback: %v", err)
	}
	secret := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		came = append(came, r.Host+r.URL.Path)
	}))
	secret.Listener.Close()
	secret.Listener = ln
	secret.Start()
	t.Cleanup(secret.Close)
	shell, err := browsertest.HeadlessShell()
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, func(f *server.Options) {
		f.Network.Block = []string{"127.0.0.2/32"}
		// A browser that the hub starts has the policy in its arguments, too.
		f.Browsers = browserAt(chrome.Options{Path: shell, NoSandbox: os.Geteuid() == 0})
	})
	hub := strings.TrimPrefix(s.base("/hub/chromium"), "http")

	c := hubtest.Dial(t, "ws"+hub+"/devtools/browser", nil)
	c.Send(`{"id":1,"method":"Target.createTarget","params":{"url":"about:blank"}}`)
	target := resultOf(c, 1, "targetId")
	c.Send(fmt.Sprintf(`{"id":2,"method":"Target.attachToTarget","params":{"targetId":%q,"flatten":true}}`, target))
	session := resultOf(c, 2, "sessionId")
	id := 2
	for _, to := range []string{secret.URL + "/cdp", s.app.URL + "/redirect?to=" + url.QueryEscape(secret.URL+"/cdp-hop")} {
		id++
		c.Send(fmt.Sprintf(`{"id":%d,"method":"Page.navigate","params":{"url":%q},"sessionId":%q}`, id, to, session))
		if got := resultOf(c, id, ""); !strings.Contains(got, "net::ERR_ACCESS_DENIED") {
			t.Errorf("%s: %s", to, got)
		}
	}
	a := hubtest.Dial(t, "ws"+hub+"/ndjson", nil)
	for _, to := range []string{secret.URL + "/actions", s.app.URL + "/redirect?to=" + url.QueryEscape(secret.URL+"/actions-hop")} {
		a.Send(fmt.Sprintf(`{"id":"1","action":"page.navigate","params":{"url":%q}}`, to))
		if got := a.Next(); !strings.Contains(got, "navigation blocked: Domain not allowed: 127.0.0.2") {
			t.Errorf("%s: %s", to, got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(came) > 0 {
		t.Errorf("this was asked for: %q", came)
	}
}

// resultOf waits for an answer, and returns a member of its result, or all of it.
func resultOf(c *hubtest.Peer, id int, member string) string {
	c.T.Helper()
	m := c.Until(fmt.Sprintf(`{"id":%d,`, id))
	var a struct{ Result map[string]any }
	if err := json.Unmarshal([]byte(m), &a); err != nil {
		c.T.Fatal(err)
	}
	if member == "" {
		return m
	}
	value, _ := a.Result[member].(string)
	return value
}
