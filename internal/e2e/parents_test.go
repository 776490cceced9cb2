package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestR349WrongParentsSayOneThing has a page whose data-parents name other pages than the one around it.
// The console has one line about that, with the origin to add, and none of the browser's own.
func TestR349WrongParentsSayOneThing(t *testing.T) {
	h := harness.StartHub(t)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>App</title><script src="http://%s/agent.js" data-parents="http://localhost:1 http://localhost:2 https://host.example"></script>`, h.HostAddr)
	}))
	defer app.Close()
	b := harness.StartBrowser(t, "about:blank", true)
	look := harness.DialCDP(t, "http://127.0.0.1:"+b.Port(t))
	session := look.Attach(t, look.Pages(t)[0])
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		look.Call(t, session, domain+".enable", nil)
	}
	look.Call(t, session, "Page.navigate", map[string]any{"url": "http://" + h.HostAddr + "/shell?app=" + app.URL})
	said := func(text string) (n int) {
		for _, m := range look.All(func(m harness.Message) bool {
			return m.Method == "Runtime.consoleAPICalled" || m.Method == "Log.entryAdded"
		}) {
			if strings.Contains(string(m.Params), text) {
				n++
			}
		}
		return n
	}
	harness.Eventually(t, harness.Soon, func() error {
		if said("add http://"+h.HostAddr) == 0 {
			return fmt.Errorf("no line names the origin to add")
		}
		return nil
	})
	// It says hello again and again.
	look.Call(t, session, "Runtime.evaluate", map[string]any{"expression": "new Promise((done) => setTimeout(done, 3000))", "awaitPromise": true})
	if good, bad := said("this frame is not paired"), said("postMessage"); good != 1 || bad != 0 {
		t.Errorf("%d lines say what to do, want 1, and %d complain about postMessage, want none", good, bad)
	}
}

// TestPageWithAVariableParentPairs has a page with a global variable of the name of window.parent.
func TestPageWithAVariableParentPairs(t *testing.T) {
	h := harness.StartHub(t)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>App</title><script src="http://%s/agent.js"></script><script>var parent = 1</script>`, h.HostAddr)
	}))
	defer app.Close()
	harness.StartBrowser(t, "http://"+h.HostAddr+"/shell?app="+app.URL, true)
	h.AwaitTitle(t, "App")
	c := harness.DialCDP(t, "http://"+h.ClientAddr)
	if got := c.Evaluate(t, c.Attach(t, c.Pages(t)[0]), "parent"); got != "1" {
		t.Errorf("parent is %s, want 1", got)
	}
}
