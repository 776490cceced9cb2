package scopes

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// object is a JSON object.
type object = map[string]any

// TestR112NoFileBelowPrivileged tries the ways to a file of the browser's machine.
func TestR112NoFileBelowPrivileged(t *testing.T) {
	s := newStage(t, harness.StartBrowserHub)
	for _, scope := range []string{"standard", "full"} {
		c := s.client(scope)
		target, session := s.open(c, s.site+"/own", "")
		refused := func(session, method string, params object) {
			t.Helper()
			if result, err := c.Try(t, session, method, params); err == nil {
				t.Errorf("%s: %s %v answers %s", scope, method, params, result)
			}
		}
		for _, step := range []string{"dragEnter", "dragOver", "drop"} {
			refused(session, "Input.dispatchDragEvent", object{"type": step, "x": 5, "y": 5, "data": object{"items": []any{}, "files": []string{s.file}, "dragOperationsMask": 1}})
		}
		for _, url := range []string{"file://" + s.file, "FILE:" + s.file, " \tfile://" + s.file, "view-source:file://" + s.file, "chrome://version", "about:version", "devtools://devtools/bundled/inspector.html", "blob:file:///x", "filesystem:file:///x"} {
			refused(session, "Page.navigate", object{"url": url})
			refused("", "Target.createTarget", object{"url": url})
			refused(session, "Network.loadNetworkResource", object{"url": url, "options": object{"disableCache": false, "includeCredentials": false}})
		}
		refused("", "Target.openDevTools", object{"targetId": target})
		refused("", "Target.getDevToolsTarget", object{"targetId": target})
		refused("", "SystemInfo.getInfo", nil)
		refused("", "Extensions.loadUnpacked", object{"path": s.folder})
		refused(session, "DOM.setFileInputFiles", object{"files": []string{s.file}, "nodeId": 1})
		if scope == "full" {
			c.Call(t, session, "Fetch.enable", nil)
			c.Send(t, session, "Page.navigate", object{"url": s.site + "/rewritten"})
			paused := c.Await(t, "the paused request", harness.Event(session, "Fetch.requestPaused"))
			refused(session, "Fetch.continueRequest", object{"requestId": member(t, paused.Params, "requestId"), "url": "file://" + s.file})
			c.Call(t, session, "Fetch.disable", nil)
		}
		// What the browser itself shows is not there.
		listed := string(c.Call(t, "", "Target.getTargets", object{"filter": []object{{}}}))
		if strings.Contains(listed, "browser_ui") || strings.Contains(listed, "chrome://") {
			t.Errorf("%s: targets of the browser are listed: %s", scope, listed)
		}
		s.hidesCookies = scope != "full"
		s.untouched(scope, c)
	}
}

// TestR113SessionsEndBeforeAFileShows has a privileged Client lead pages to a file
// while others hammer them with questions, in the ways there are.
func TestR113SessionsEndBeforeAFileShows(t *testing.T) {
	s := newStage(t, harness.StartBrowserHub)
	boss := s.client("privileged")
	url := "file://" + s.file
	for name, lead := range map[string]func(session string, c *harness.CDP){
		"navigate": func(session string, _ *harness.CDP) {
			boss.Call(t, session, "Page.navigate", object{"url": url})
		},
		"history": func(session string, c *harness.CDP) {
			boss.Call(t, session, "Page.navigate", object{"url": url})
			boss.Call(t, session, "Page.navigate", object{"url": s.site + "/after"})
			if theirs := again(t, c); theirs != "" {
				c.Send(t, theirs, "Page.addScriptToEvaluateOnNewDocument", object{"source": "console.log(document.URL), addEventListener('DOMContentLoaded', () => console.log(document.body.innerText))"})
				c.Send(t, theirs, "Fetch.enable", nil) // which scope full may
				back := object{"expression": "history.back()"}
				if _, err := c.Try(t, theirs, "Runtime.evaluate", back); err != nil && strings.Contains(err.Error(), "Not allowed") {
					boss.Send(t, session, "Runtime.evaluate", back)
				}
				harness.Eventually(t, harness.Soon, func() error { // the page goes there all the same
					if got := boss.Evaluate(t, session, "location.href"); got != fmt.Sprintf("%q", url) {
						return fmt.Errorf("the page is at %s", got)
					}
					return nil
				})
				if told := c.All(func(m harness.Message) bool {
					return m.Method == "Fetch.requestPaused" && strings.Contains(string(m.Params), "file:")
				}); len(told) > 0 {
					t.Errorf("a Client may answer the request for a file: %s", told[0].Params)
				}
			}
		},
		"script": func(session string, _ *harness.CDP) {
			boss.Call(t, session, "Page.navigate", object{"url": url})
			boss.Send(t, session, "Runtime.evaluate", object{"expression": fmt.Sprintf("open(%q); open('about:blank')", url), "userGesture": true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := *s
			s.T = t
			for round := range 5 {
				target, session := s.open(boss, s.site+"/shared", "")
				c := s.client([]string{"readonly", "standard", "full"}[round%3])
				c.Send(t, "", "Target.setAutoAttach", object{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
				theirs := c.Attach(t, target)
				for _, method := range []string{"Runtime.enable", "Page.enable", "DOM.enable", "Network.enable", "Page.startScreencast"} {
					c.Send(t, theirs, method, nil)
				}
				c.Send(t, theirs, "Page.addScriptToEvaluateOnNewDocument", object{"source": "addEventListener('DOMContentLoaded', () => console.log(document.body.innerText))"})
				reading(t, c, theirs, func() {
					lead(session, c)
					time.Sleep(300 * time.Millisecond)
				})
				c.Await(t, "the end of the session", func(m harness.Message) bool {
					return m.Method == "Target.detachedFromTarget" && strings.Contains(string(m.Params), theirs)
				})
				for _, m := range c.All(func(m harness.Message) bool { return m.Method == "Target.attachedToTarget" }) {
					c.Send(t, member(t, m.Params, "sessionId"), "Runtime.evaluate", object{"expression": "document.documentElement.outerHTML + (window.opener ? opener.document.documentElement.outerHTML : '')"})
				}
				time.Sleep(100 * time.Millisecond)
				s.hidesCookies = round%3 != 2
				s.untouched(fmt.Sprint("round ", round), c)
				boss.Send(t, "", "Target.closeTarget", object{"targetId": target})
				c.Close()
			}
		})
	}
}

// reading reads the document of a session, as fast as it can, while f runs.
func reading(t *testing.T, c *harness.CDP, session string, f func()) {
	t.Helper()
	stop := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			c.Send(t, session, "Runtime.evaluate", object{"expression": "document.documentElement.outerHTML"})
			c.Send(t, session, "DOM.getDocument", object{"depth": -1, "pierce": true})
			c.Send(t, session, "Page.getFrameTree", nil)
			time.Sleep(2 * time.Millisecond)
		}
	})
	defer done.Wait()
	defer close(stop)
	f()
}

// again attaches to the page that has just come back to the web; "" when it is
// not there.
func again(t *testing.T, c *harness.CDP) string {
	t.Helper()
	for _, page := range c.Pages(t) {
		result, err := c.Try(t, "", "Target.attachToTarget", object{"targetId": page, "flatten": true})
		if err == nil {
			session := member(t, result, "sessionId")
			if strings.Contains(string(c.Call(t, session, "Page.getFrameTree", nil)), "/after") {
				return session
			}
		}
	}
	return ""
}

// TestR116DownloadsOfEachScope wants nothing in the user's home, nothing in a
// folder that a Client below privileged names, and no file replaced.
func TestR116DownloadsOfEachScope(t *testing.T) {
	s := newStage(t, harness.StartBrowserHub)
	victim := filepath.Join(s.folder, "evil.txt")
	s.write(victim, "mine")
	clicks := int64(0)
	for _, scope := range []string{"standard", "full", "privileged"} {
		c := s.client(scope)
		contexts := []string{""}
		if scope != "standard" {
			contexts = append(contexts, member(t, c.Call(t, "", "Target.createBrowserContext", nil), "browserContextId"))
		}
		for _, contextID := range contexts {
			click := func() { // each has an address of its own
				clicks++
				_, session := s.open(c, s.site+"/own", contextID) // a page ends its download that has not begun at the next
				c.Evaluate(t, session, fmt.Sprintf(`document.querySelector("a").search = "%d"; document.querySelector("a").click()`, clicks))
				harness.Eventually(t, harness.Soon, func() error {
					if s.served.Load() < clicks {
						return errors.New("the file has not been fetched")
					}
					return nil
				})
			}
			download := func() string {
				click()
				address := fmt.Sprintf("%s/file?%d", s.site, clicks)
				begun := c.Await(t, "a download", func(m harness.Message) bool {
					return m.Method == "Browser.downloadWillBegin" && member(t, m.Params, "url") == address
				})
				guid := member(t, begun.Params, "guid")
				end := c.Await(t, "the end of a download", func(m harness.Message) bool {
					return m.Method == "Browser.downloadProgress" && member(t, m.Params, "guid") == guid && member(t, m.Params, "state") != "inProgress"
				})
				return string(end.Params)
			}
			click() // what nobody has asked for is nowhere below
			params := object{"behavior": "default", "eventsEnabled": true}
			if contextID != "" {
				params["browserContextId"] = contextID
			}
			c.Call(t, "", "Browser.setDownloadBehavior", params)
			if unasked := download(); !strings.Contains(unasked, `"canceled"`) {
				t.Errorf("%s: a download that nobody has asked for: %s", scope, unasked)
			}
			params["behavior"], params["downloadPath"] = "allow", s.folder
			for _, faulty := range []object{{"DownloadPath": ""}, {"downloadpath": s.folder}} {
				for k, v := range params {
					faulty[k] = v
				}
				if _, err := c.Try(t, "", "Browser.setDownloadBehavior", faulty); err == nil {
					t.Errorf("%s: %v was taken", scope, faulty)
				}
			}
			c.Call(t, "", "Browser.setDownloadBehavior", params)
			if asked := download(); strings.Contains(asked, `"completed"`) != (scope != "standard") || strings.Contains(asked, s.folder+"/") != (scope == "privileged") {
				t.Errorf("%s: a download that was asked for: %s", scope, asked)
			}
		}
		text := readFile(t, victim)
		if text != "mine" {
			t.Errorf("%s has written over the file: %q", scope, text)
		}
		found, _ := filepath.Glob(filepath.Join(s.folder, "evil*"))
		if want := map[string]int{"standard": 1, "full": 1, "privileged": 3}[scope]; len(found) != want {
			t.Errorf("%s: the folder has %q", scope, found)
		}
		c.Close()
	}
}
