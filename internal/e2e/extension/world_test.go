package extension

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var (
	scratch string
	built   string // the folder of the extension
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// extensionID follows from the key in the manifest.
const extensionID = "ajbndccgghnbniahaehckbfjmehjlnml"

// page counts its clicks, and has its path as the title.
const page = `<!doctype html><title>%s</title><label>Name <input id=name></label>
<button id=go onclick="window.clicks = (window.clicks || 0) + 1; window.trusted = event.isTrusted; console.log('clicked')">Go</button> <input id=file type=file>
<a id=next href="/next">next</a>`

// newSite serves page at each path, and sets a cookie of its host.
func newSite(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		http.SetCookie(w, &http.Cookie{Name: "of", Value: strings.Split(r.Host, ":")[0], Path: "/", HttpOnly: true})
		fmt.Fprintf(w, page, r.URL.Path)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// startSharing has a user share a page of a new site with a new hub.
func startSharing(t *testing.T) (site string, h *harness.Hub, u *user) {
	t.Helper()
	site, h = newSite(t), harness.StartHub(t)
	u = newUser(t, site+"/shared")
	u.share(site+"/shared", h.HostAddr, "")
	awaitPages(t, h, "/shared")
	return site, h, u
}

// build makes the extension, once for all tests.
func build(t *testing.T) string {
	t.Helper()
	if built != "" {
		return built
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "-C", filepath.Join(harness.Repository(), "web", "build"), ".", "-extension", scratch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	built = filepath.Join(scratch, "extension")
	return built
}

// user is a person with a Chromium that has the extension. The test acts for the person by a debugging port, of which the
// hub knows nothing.
type user struct {
	t      *testing.T
	chrome *harness.CDP
}

// newUser starts a Chromium that shows url.
func newUser(t *testing.T, url string, flags ...string) *user {
	t.Helper()
	b := harness.StartChromium(t, url, true, append([]string{"--load-extension=" + build(t), "--enable-unsafe-extension-debugging"}, flags...)...)
	u := &user{t: t, chrome: harness.DialCDP(t, "http://127.0.0.1:"+b.Port(t))}
	harness.Eventually(t, harness.Started, func() error {
		if u.find("service_worker", "chrome-extension://"+extensionID+"/") == "" {
			return errors.New("the extension's worker has not started")
		}
		return nil
	})
	return u
}

type target struct{ TargetID, Type, URL, Title string }

// targets are all that the browser has.
func (u *user) targets() []target {
	u.t.Helper()
	var all struct{ TargetInfos []target }
	if err := json.Unmarshal(u.chrome.Call(u.t, "", "Target.getTargets", map[string]any{"filter": []any{map[string]any{}}}), &all); err != nil {
		u.t.Fatal(err)
	}
	return all.TargetInfos
}

// find is the id of the target of a type whose address begins with url, "" if there is none.
func (u *user) find(kind, url string) string {
	u.t.Helper()
	for _, one := range u.targets() {
		if one.Type == kind && strings.HasPrefix(one.URL, url) {
			return one.TargetID
		}
	}
	return ""
}

// open opens a tab, and returns the id of its page.
func (u *user) open(url string) string {
	u.t.Helper()
	var made struct{ TargetID string }
	if err := json.Unmarshal(u.chrome.Call(u.t, "", "Target.createTarget", map[string]any{"url": url}), &made); err != nil {
		u.t.Fatal(err)
	}
	harness.Eventually(u.t, harness.Started, func() error {
		if u.find("page", url) == "" {
			return errors.New("the tab has not loaded " + url)
		}
		return nil
	})
	return made.TargetID
}

// popup presses the toolbar button while the tab with url is in front, and returns a session of the popup.
func (u *user) popup(url string) string {
	u.t.Helper()
	tab := u.find("tab", url)
	u.chrome.Call(u.t, "", "Target.activateTarget", map[string]any{"targetId": tab})
	u.chrome.Call(u.t, "", "Extensions.triggerAction", map[string]any{"id": extensionID, "targetId": tab})
	var at string
	harness.Eventually(u.t, harness.Started, func() error {
		if at = u.find("page", "chrome-extension://"+extensionID+"/popup.html"); at == "" {
			return errors.New("there is no popup")
		}
		return nil
	})
	session := u.chrome.Attach(u.t, at)
	u.await(session, `document.getElementById("share").textContent !== ""`)
	return session
}

// await waits until an expression is true in a session.
func (u *user) await(session, expression string) {
	u.t.Helper()
	harness.Eventually(u.t, harness.Soon, func() error {
		if got := u.chrome.Evaluate(u.t, session, expression); got != "true" {
			return fmt.Errorf("%s is %s; the popup shows %s", expression, got, u.chrome.Evaluate(u.t, session, "document.body.innerText"))
		}
		return nil
	})
}

// press clicks an element of the popup with the mouse.
func (u *user) press(session, id string) {
	u.t.Helper()
	var box struct{ X, Y float64 }
	text := u.chrome.Evaluate(u.t, session, `(() => { const b = document.getElementById("`+id+`").getBoundingClientRect();
		return { X: b.x + b.width / 2, Y: b.y + b.height / 2 } })()`)
	if err := json.Unmarshal([]byte(text), &box); err != nil {
		u.t.Fatal(err)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		u.chrome.Call(u.t, session, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": box.X, "y": box.Y, "button": "left", "clickCount": 1})
	}
}

// set has the extension use a hub.
func (u *user) set(popup, address, token string) {
	u.t.Helper()
	u.chrome.Evaluate(u.t, popup, fmt.Sprintf(`settings.open = true; address.value = %q; token.value = %q; form.requestSubmit()`, address, token))
	u.await(popup, `document.getElementById("note").textContent === "Saved."`)
}

// share shares the tab with url with a hub, by the button in the popup.
func (u *user) share(url, hub, token string) {
	u.t.Helper()
	popup := u.popup(url)
	u.set(popup, hub, token)
	u.press(popup, "share")
	u.await(popup, `document.getElementById("share").dataset.do === "stop"`)
	u.shut(popup)
}

// shut closes the popup, which a person does by a click elsewhere.
func (u *user) shut(popup string) {
	u.t.Helper()
	u.chrome.Send(u.t, popup, "Runtime.evaluate", map[string]any{"expression": "close()"})
	harness.Eventually(u.t, harness.Soon, func() error {
		if u.find("page", "chrome-extension://"+extensionID+"/popup.html") != "" {
			return errors.New("the popup is still open")
		}
		return nil
	})
}

// worker asks the extension's worker something, which may be a promise.
func (u *user) worker(expression string) string {
	u.t.Helper()
	at := u.chrome.Attach(u.t, u.find("service_worker", "chrome-extension://"+extensionID+"/"))
	defer u.chrome.Call(u.t, "", "Target.detachFromTarget", map[string]any{"sessionId": at})
	var made struct {
		Result struct{ Value json.RawMessage }
	}
	text := u.chrome.Call(u.t, at, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true})
	if err := json.Unmarshal(text, &made); err != nil || made.Result.Value == nil {
		u.t.Fatalf("%s: %s, %v", expression, text, err)
	}
	return string(made.Result.Value)
}

// badge is what the toolbar button shows for the tab with url.
func (u *user) badge(url string) string {
	u.t.Helper()
	return u.worker(`chrome.debugger.getTargets().then((l) => chrome.action.getBadgeText({ tabId: l.find((t) => t.url === ` + fmt.Sprintf("%q", url) + `).tabId }))`)
}

// wake has something happen to the tab with url, so that the browser starts the worker.
func (u *user) wake(url string) {
	u.t.Helper()
	at := u.chrome.Attach(u.t, u.find("page", url))
	u.chrome.Evaluate(u.t, at, "console.log('awake')")
	u.chrome.Call(u.t, "", "Target.detachFromTarget", map[string]any{"sessionId": at})
}

// awaitPages waits until a Client is told of just these pages, by their titles.
func awaitPages(t *testing.T, h *harness.Hub, titles ...string) {
	t.Helper()
	harness.Eventually(t, harness.Started, func() error {
		_, body := h.Get(t, http.MethodGet, "/json/list")
		var all []struct{ Title string }
		if err := json.Unmarshal([]byte(body), &all); err != nil {
			return err
		}
		var got []string
		for _, one := range all {
			got = append(got, one.Title)
		}
		if fmt.Sprint(got) != fmt.Sprint(titles) {
			return fmt.Errorf("the hub lists %q, want %q", got, titles)
		}
		return nil
	})
}
