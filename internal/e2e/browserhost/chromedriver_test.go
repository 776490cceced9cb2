package browserhost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestChromedriver drives the hub's browser by WebDriver, as Selenium does with the
// option debuggerAddress.
func TestChromedriver(t *testing.T) {
	site := newSite(t)
	h := harness.StartBrowserHub(t, site+"/start")
	d := startDriver(t)
	var session struct{ SessionID string }
	d.ask(t, http.MethodPost, "/session", fmt.Sprintf(
		`{"capabilities":{"alwaysMatch":{"browserName":"chrome","goog:chromeOptions":{"debuggerAddress":%q}}}}`, h.ClientAddr), &session)
	d.base += "/session/" + session.SessionID
	d.ask(t, http.MethodPost, "/url", fmt.Sprintf(`{"url":%q}`, site+"/there"), nil)
	var title string
	d.ask(t, http.MethodGet, "/title", "", &title)
	want(t, "the title", title, "/there")
	d.ask(t, http.MethodPost, d.find(t, "input")+"/value", `{"text":"Ada"}`, nil)
	d.ask(t, http.MethodPost, d.find(t, "button")+"/click", `{}`, nil)
	d.ask(t, http.MethodGet, "/title", "", &title)
	want(t, "the title after the click", title, "Saved Ada")

	var handles []string
	d.ask(t, http.MethodPost, "/window/new", `{"type":"tab"}`, nil)
	d.ask(t, http.MethodGet, "/window/handles", "", &handles)
	if len(handles) != 2 {
		t.Errorf("the windows are %q, want two", handles)
	}
	d.ask(t, http.MethodDelete, "", "", nil)
	if all := list(t, h); len(all) != 2 {
		t.Errorf("after the session the hub has %v, want both pages", all)
	}
}

// driver is a running chromedriver, or one session of it.
type driver struct{ base string }

// startDriver runs chromedriver until the test ends.
func startDriver(t *testing.T) driver {
	t.Helper()
	path, err := harness.LookUp("CHROMEDRIVER", "chromedriver")
	if err != nil {
		t.Fatal(err)
	}
	var out output
	cmd := exec.CommandContext(t.Context(), path, "--port=0")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("chromedriver said:\n%s", out.said())
		}
	})
	var port []byte
	harness.Eventually(t, harness.Started, func() error {
		found := started.FindSubmatch(out.said())
		if found == nil {
			return errors.New("chromedriver has not named its port")
		}
		port = found[1]
		return nil
	})
	return driver{"http://127.0.0.1:" + string(port)}
}

var started = regexp.MustCompile(`started successfully on port (\d+)`)

// find returns the path of the element that a selector finds.
func (d driver) find(t *testing.T, selector string) string {
	t.Helper()
	var element map[string]string
	d.ask(t, http.MethodPost, "/element", fmt.Sprintf(`{"using":"css selector","value":%q}`, selector), &element)
	return "/element/" + element["element-6066-11e4-a52e-4f735466cecf"] // WebDriver, section 12.1: the web element identifier
}

// ask sends one command, and reads the value of its answer into value, unless that
// is nil.
func (d driver) ask(t *testing.T, method, path, body string, value any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, d.base+path, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, text, err)
	}
	answer := struct{ Value any }{value}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatalf("%s %s: %v of %s", method, path, err, text)
	}
}

// output is what a program says.
type output struct {
	mu  sync.Mutex // guards all
	all bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(p)
}

func (o *output) said() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return bytes.Clone(o.all.Bytes())
}
