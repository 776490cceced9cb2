package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// password is what the person types, and nobody else may hear.
const password = "correct-horse-battery-7"

// loginPage fills the window, so that a click anywhere in the lower half is on the field.
const loginPage = `<!doctype html><title>Log in</title><style>html, body, form { height: 100%; margin: 0 } input { display: block; width: 100%; height: 90%; font-size: 40px }</style>
<form method="post" action="/login"><h1>Log in</h1><input type="password" name="password" aria-label="Password"></form>`

// clickAtOnce presses the mouse, beside the picture, as soon as the surface that takes a
// person's input is in the document. What listens prevents the default.
const clickAtOnce = `new MutationObserver(() => {
	const surface = document.querySelector(".control")
	if (surface && window.taken === undefined)
		window.taken = !surface.dispatchEvent(new MouseEvent("mousedown", { clientX: -1000, cancelable: true }))
}).observe(document, { childList: true, subtree: true })`

// TestHandoff has an agent at a log-in page ask a person, who opens the link in another
// browser, types the password into the live picture and presses Done. The agent goes on.
// The password reaches the page, and is in no event, answer, log or recording.
func TestHandoff(t *testing.T) {
	site := loginSite(t)
	folder := t.TempDir()
	h := harness.StartBrowserHub(t, site.URL, "--record", folder, "--log-level", "debug")
	agent := harness.DialCDP(t, "http://"+h.ClientAddr)
	session := listen(t, agent, site.URL)
	other := harness.DialCDP(t, "http://"+h.ClientAddr)
	listen(t, other, site.URL)

	var asked struct{ HandoffID, URL string }
	result := agent.Call(t, session, "CdpHub.handoff", map[string]any{"instructions": "Please log in.", "timeout": 120_000})
	if err := json.Unmarshal(result, &asked); err != nil || asked.URL == "" {
		t.Fatalf("%s: %v", result, err)
	}
	person := harness.StartBrowser(t, asked.URL, true)
	look := harness.DialCDP(t, "http://127.0.0.1:"+person.Port(t))
	view := look.Attach(t, look.Pages(t)[0])
	when := func(what, expression string) string {
		t.Helper()
		got := ""
		harness.Eventually(t, harness.Soon, func() error {
			var err error
			if got, err = look.TryEvaluate(t, view, expression); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			if got != "" && got != "null" && got != "false" {
				return nil
			}
			says, err := look.TryEvaluate(t, view, "document.body.innerText")
			return errors.Join(err, fmt.Errorf("%s: %s, and the page says %s", what, got, says))
		})
		return got
	}
	when("the instructions", `document.body.innerText.includes("Please log in.")`)
	if address := look.Evaluate(t, view, "location.href"); strings.Contains(address, strings.SplitN(asked.URL, "=", 2)[1]) {
		t.Errorf("the ticket stays in the address: %s", address)
	}
	when("the picture", `(() => { const c = document.querySelector("canvas"); return c && c.width > 300 })()`)
	press(t, look, view, "Click here, or press a key, to use the page")
	when("the lease", `document.body.innerText.includes("You have the page")`)
	// F5 takes the page from nobody.
	look.Call(t, view, "Page.enable", nil)
	look.Call(t, view, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": clickAtOnce})
	look.Call(t, view, "Page.reload", nil)
	when("the reload", `performance.getEntriesByType("navigation")[0].type === "reload"`)
	when("the lease after a reload", `document.body.innerText.includes("You have the page") && !document.body.innerText.includes("Click here")`)
	when("the picture after a reload", `(() => { const c = document.querySelector("canvas"); return c && c.width > 300 })()`)
	if says := look.Evaluate(t, view, "document.body.innerText"); strings.Contains(says, "Timeline") || strings.Contains(says, "Target") {
		t.Errorf("a person who was asked for help reads %s", says)
	}
	when("that the first click is not lost", "window.taken")
	agent.Send(t, session, "Runtime.evaluate", map[string]any{"expression": "document.querySelector('input').value"})
	agent.Await(t, "a refusal", func(m harness.Message) bool { return m.Error != nil && strings.HasPrefix(m.Error.Message, "paused: ") })

	var at struct{ X, Y float64 }
	middle := when("the place of the picture", `(() => { const r = document.querySelector("canvas").getBoundingClientRect(); return JSON.stringify({ X: r.x + r.width / 2, Y: r.y + r.height * 0.6 }) })()`)
	var text string
	if json.Unmarshal([]byte(middle), &text) != nil || json.Unmarshal([]byte(text), &at) != nil {
		t.Fatal(middle)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		look.Call(t, view, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1})
	}
	for _, c := range password + "\r" {
		key := map[string]any{"type": "keyDown", "text": string(c), "key": string(c)}
		if c == '\r' {
			key["key"], key["code"], key["windowsVirtualKeyCode"] = "Enter", "Enter", 13
		}
		look.Call(t, view, "Input.dispatchKeyEvent", key)
		key["type"] = "keyUp"
		delete(key, "text")
		look.Call(t, view, "Input.dispatchKeyEvent", key)
	}
	select {
	case got := <-site.posted:
		if got != password {
			t.Fatalf("the page got %q", got)
		}
	case <-time.After(harness.Soon):
		t.Fatalf("the page has posted nothing; the person sees %s", look.Evaluate(t, view, "document.body.innerText"))
	}
	when("the page after it", `document.title.includes("Welcome") || document.body.innerText.includes("Welcome")`)
	press(t, look, view, "Done")
	when("the thanks", `document.body.innerText.includes("Thank you")`)

	end := agent.Await(t, "the end", harness.Event(session, "CdpHub.handoffComplete"))
	if !strings.Contains(string(end.Params), `"success":true`) {
		t.Errorf("it ends with %s", end.Params)
	}
	if got := agent.Evaluate(t, session, "document.title"); got != `"Welcome"` {
		t.Errorf("the agent goes on at %s", got)
	}
	agent.Call(t, session, "Page.navigate", map[string]any{"url": site.URL})
	harness.Eventually(t, harness.Soon, func() error { // after an action: no picture was taken during the handoff
		pictures, err := filepath.Glob(filepath.Join(folder, "*", "*.jpg"))
		if err == nil && len(pictures) == 0 {
			err = errors.New("the page is in no picture")
		}
		return err
	})
	h.Stop(t)
	for who, c := range map[string]*harness.CDP{"the agent": agent, "another Client": other} {
		for _, m := range c.All(func(harness.Message) bool { return true }) {
			if text, _ := json.Marshal(m); bytes.Contains(text, []byte(password)) {
				t.Errorf("%s hears the password: %s", who, text)
			}
		}
	}
	if strings.Contains(h.Log(), password) {
		t.Error("the log has the password")
	}
	nothingTyped(t, folder, password)
}

type login struct {
	*httptest.Server
	posted chan string
}

// loginSite lets in whoever sends a password.
func loginSite(t *testing.T) login {
	t.Helper()
	site := login{posted: make(chan string, 1)}
	site.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.Method == http.MethodPost {
			site.posted <- r.PostFormValue("password")
			fmt.Fprint(w, "<!doctype html><title>Welcome</title><h1>Welcome</h1>")
			return
		}
		fmt.Fprint(w, loginPage)
	}))
	t.Cleanup(site.Close)
	return site
}

// listen attaches to the page of a site, and enables all events that could tell of what
// is typed there.
func listen(t *testing.T, c *harness.CDP, url string) (session string) {
	t.Helper()
	var target string
	harness.Eventually(t, harness.Soon, func() error {
		var list struct {
			TargetInfos []struct{ TargetID, Type, URL string }
		}
		if err := json.Unmarshal(c.Call(t, "", "Target.getTargets", nil), &list); err != nil {
			return err
		}
		for _, i := range list.TargetInfos {
			if i.Type == "page" && strings.HasPrefix(i.URL, url) {
				target = i.TargetID
				return nil
			}
		}
		return fmt.Errorf("no page of %s in %v", url, list)
	})
	session = c.Attach(t, target)
	for _, domain := range []string{"Page", "Runtime", "Network", "DOM", "Accessibility", "Log", "CSS", "DOMStorage"} {
		c.Call(t, session, domain+".enable", nil)
	}
	c.Call(t, session, "DOM.getDocument", map[string]any{"depth": -1})
	return session
}

// press clicks a button of the dashboard.
func press(t *testing.T, c *harness.CDP, session, name string) {
	t.Helper()
	harness.Eventually(t, harness.Soon, func() error {
		expression := fmt.Sprintf(`(() => { const b = [...document.querySelectorAll("button")].find((b) => b.textContent.includes(%q) && !b.disabled); b?.click(); return !!b })()`, name)
		if c.Evaluate(t, session, expression) != "true" {
			return fmt.Errorf("there is no button %q in %s", name, c.Evaluate(t, session, "document.body.innerText"))
		}
		return nil
	})
}
