package chrome

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge"
)

// site serves a page with a frame of another site and a worker, and a file.
func site(t *testing.T) (url string) {
	mux := http.NewServeMux()
	var other string
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>main</title><iframe src="%s/frame"></iframe><script>window.worker = new Worker("/worker.js")</script>`, other)
	})
	mux.HandleFunc("/frame", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<title>inner</title>`)
	})
	mux.HandleFunc("/worker.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		io.WriteString(w, `self.who = "worker"`)
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.txt"`)
		io.WriteString(w, "content")
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	other = strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	return s.URL
}

// TestChromium drives one real browser, which must be on the PATH.
func TestChromium(t *testing.T) {
	o := options(t)
	o.Args = []string{"--site-per-process"}
	h := serveLive(t, Serve, o)
	url := site(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *liveHub, string)
	}{
		{"screenshot", testScreenshot},
		{"frames and workers", testBornInside},
		{"one page, two clients", testOnePage},
		{"private contexts", testPrivateContexts},
		{"private is as unknown", testPrivateIsUnknown},
		{"downloads", testDownloads},
		{"R-282 who sees what", testWhoSeesWhat},
		{"leaving", testLeaving},
		{"files", testFiles},
	} {
		t.Run(test.name, func(t *testing.T) {
			h.t = t
			h.change(func() { h.told = nil })
			test.run(t, h, url)
		})
	}
}

func testScreenshot(t *testing.T, h *liveHub, url string) {
	h.attach("a")
	defer h.release("a")
	_, page := h.page("a", url+"/frame", "")
	if data := h.call(page, "Page.captureScreenshot", `{"format":"png"}`, "data"); !strings.HasPrefix(data, "iVBORw0KGgo") {
		t.Errorf("the screenshot is no PNG: %.20s", data)
	}
	if got := h.eval(page, "String(matchMedia('(hover: hover) and (pointer: fine)').matches)"); got != "true" {
		t.Errorf("a page finds the mouse of a desktop: %s", got)
	}
	if got := h.eval(page, "`${innerWidth} ${innerHeight}`"); got != "1280 720" {
		t.Errorf("the page has %s pixels, want 1280 720", got)
	}
}

func testBornInside(t *testing.T, h *liveHub, url string) {
	h.attach("a")
	defer h.release("a")
	targetID, page := h.page("a", url+"/", "")
	h.await("entry in the registry", func() bool { return h.known[targetID].Title == "main" })
	h.call(page, "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true}`, "")
	frame, _, _ := strings.Cut(h.awaitEvent(page, "opened", " iframe ").params, " ")
	worker, _, _ := strings.Cut(h.awaitEvent(page, "opened", " worker ").params, " ")
	h.awaitEvent(page, "Target.attachedToTarget", frame)
	h.evalUntil(frame, "location.hostname", "localhost") // its document may be on its way
	h.evalUntil(worker, "self.who", "worker")            // as may its script
	h.call("a", "Target.closeTarget", fmt.Sprintf(`{"targetId":%q}`, targetID), "")
	h.awaitEvent("a", "Target.detachedFromTarget", page)
	if got := h.answer(frame, "Runtime.evaluate", `{"expression":"1"}`); !strings.Contains(got, "-32001") {
		t.Errorf("the frame of a page that has gone answers %s, want -32001", got)
	}
	h.await("end in the registry", func() bool { return h.known[targetID].ID == "" })
}

func testOnePage(t *testing.T, h *liveHub, url string) {
	h.attach("a", "b")
	defer h.release("b")
	targetID, pageA := h.page("a", url+"/frame", "")
	pageB := h.attachTo("b", targetID)
	for _, page := range []string{pageA, pageB} {
		h.call(page, "Runtime.enable", "{}", "")
	}
	// A binding is heard by the Client that has added it.
	h.call(pageA, "Runtime.addBinding", `{"name":"hi"}`, "")
	h.eval(pageB, `hi("there")`)
	h.awaitEvent(pageA, "Runtime.bindingCalled", "there")
	if h.hears(pageB, "there") {
		t.Error("b hears a's binding")
	}
	// Emulation is the page's, and ends with the Client that has set it.
	const zone = "Intl.DateTimeFormat().resolvedOptions().timeZone"
	before := h.eval(pageB, zone)
	h.call(pageA, "Emulation.setTimezoneOverride", `{"timezoneId":"Pacific/Chatham"}`, "")
	if got := h.eval(pageB, zone); got != "Pacific/Chatham" {
		t.Errorf("the zone is %s for b, want Pacific/Chatham", got)
	}
	h.release("a")
	h.evalUntil(pageB, zone, before)
}

func testPrivateContexts(t *testing.T, h *liveHub, url string) {
	h.attach("a", "b")
	defer h.release("a", "b")
	for _, s := range []string{"a", "b"} {
		h.call(s, "Target.setDiscoverTargets", `{"discover":true}`, "")
		h.call(s, "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`, "")
	}
	pages := make(map[string]string) // by Client
	contexts := make(map[string]string)
	for _, s := range []string{"a", "b"} {
		contexts[s] = h.call(s, "Target.createBrowserContext", "{}", "browserContextId")
		pages[s] = h.call(s, "Target.createTarget", fmt.Sprintf(`{"url":"%s/#%s","browserContextId":%q}`, url, s, contexts[s]), "targetId")
		opened := h.awaitEvent(s, "opened", " page "+pages[s])
		page, _, _ := strings.Cut(opened.params, " ")
		h.call(page, "Runtime.runIfWaitingForDebugger", "{}", "")
		// It waits for its own Client alone.
		h.evalUntil(page, "document.title", "main")
		h.call(page, "Runtime.evaluate", `{"expression":"document.cookie = 'who=`+s+`'"}`, "")
		if got := h.eval(page, "document.cookie"); got != "who="+s {
			t.Errorf("the cookie of %s is %q", s, got)
		}
		h.call(s, "Target.closeTarget", fmt.Sprintf(`{"targetId":%q}`, pages[s]), "")
		h.awaitEvent(s, "Target.targetDestroyed", pages[s])
	}
	for _, c := range []struct{ who, other string }{{"a", "b"}, {"b", "a"}} {
		if got := h.call(c.who, "Target.getBrowserContexts", "{}", ""); !strings.Contains(got, contexts[c.who]) || strings.Contains(got, contexts[c.other]) {
			t.Errorf("%s has contexts %s, want only its own %s", c.who, got, contexts[c.who])
		}
		for _, id := range []string{contexts[c.other], pages[c.other]} {
			if h.hears(c.who, id) {
				t.Errorf("%s has heard of %s, which is private to %s", c.who, id, c.other)
			}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, target := range h.known {
		if strings.Contains(target.URL, url+"/#") {
			t.Errorf("the registry has %s %+v, which is private", id, target)
		}
	}
}

// testPrivateIsUnknown wants the answers of Chromium for an unknown id when a
// Client names a private context or target of another.
func testPrivateIsUnknown(t *testing.T, h *liveHub, url string) {
	h.attach("a", "b")
	defer h.release("a", "b")
	contextID := h.call("a", "Target.createBrowserContext", "{}", "browserContextId")
	targetID, _ := h.page("a", url+"/", contextID)
	_, page := h.page("b", url+"/frame", "")
	for _, c := range []struct{ method, params string }{
		{"Target.attachToTarget", `{"targetId":"TARGET","flatten":true}`},
		{"Target.getTargetInfo", `{"targetId":"TARGET"}`},
		{"Target.closeTarget", `{"targetId":"TARGET"}`},
		{"Target.activateTarget", `{"targetId":"TARGET"}`},
		{"Target.autoAttachRelated", `{"targetId":"TARGET","waitForDebuggerOnStart":false}`},
		{"Browser.getWindowForTarget", `{"targetId":"TARGET"}`},
		{"Target.createTarget", `{"url":"about:blank","browserContextId":"CONTEXT"}`},
		{"Target.disposeBrowserContext", `{"browserContextId":"CONTEXT"}`},
		{"Storage.getCookies", `{"browserContextId":"CONTEXT"}`},
		{"Storage.clearCookies", `{"browserContextId":"CONTEXT"}`},
		{"Browser.setDownloadBehavior", `{"behavior":"deny","browserContextId":"CONTEXT"}`},
		{"Browser.grantPermissions", `{"permissions":[],"browserContextId":"CONTEXT"}`},
		{"Browser.resetPermissions", `{"browserContextId":"CONTEXT"}`},
	} {
		unknown := h.answer("b", c.method, c.params)
		for _, s := range []string{"b", page} {
			hide := strings.NewReplacer("TARGET", targetID, "CONTEXT", contextID)
			show := strings.NewReplacer(targetID, "TARGET", contextID, "CONTEXT")
			got := show.Replace(h.answer(s, c.method, hide.Replace(c.params)))
			if got != unknown || !strings.HasPrefix(got, "error ") {
				t.Errorf("%s of what is private: %s, want %s", c.method, got, unknown)
			}
		}
	}
}

func testDownloads(t *testing.T, h *liveHub, url string) {
	host := h.host.(*Host)
	if profile := host.conn.(*launched).process.profile.dir; filepath.Dir(host.downloads.dir) != profile {
		t.Errorf("downloads go to %s, want a folder in the profile %s, that goes with it", host.downloads.dir, profile)
	}
	h.attach("a", "b")
	defer h.release("a", "b")
	folders := map[string]string{"a": t.TempDir(), "b": t.TempDir(), "own": t.TempDir()}
	set := func(session, behavior, folder, more string) {
		h.call(session, "Browser.setDownloadBehavior", fmt.Sprintf(`{"behavior":%q,"downloadPath":%q,"eventsEnabled":true%s}`, behavior, folders[folder], more), "")
	}
	download := func(session, contextID string) {
		_, page := h.page(session, "about:blank", contextID)
		h.answer(page, "Page.navigate", fmt.Sprintf(`{"url":"%s/file"}`, url)) // the answer says that nothing was navigated to
	}
	completed := func(session string) (guid, path string) {
		h.awaitEvent(session, "Browser.downloadWillBegin", "report.txt")
		var p struct{ GUID, FilePath string }
		if err := json.Unmarshal([]byte(h.awaitEvent(session, "Browser.downloadProgress", "completed").params), &p); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(p.FilePath); err != nil || string(got) != "content" {
			t.Errorf("%s has %q, %v", p.FilePath, got, err)
		}
		return p.GUID, p.FilePath
	}
	set("a", "allowAndName", "a", "")
	set("b", "allow", "b", "")
	download("b", "")
	guid, path := completed("a")
	if want := filepath.Join(folders["a"], guid); path != want {
		t.Errorf("a has it at %s, want %s", path, want)
	}
	_, path = completed("b")
	if want := filepath.Join(folders["b"], "report.txt"); path != want {
		t.Errorf("b has it at %s, want %s", path, want)
	}

	h.change(func() { h.told = nil })
	contextID := h.call("a", "Target.createBrowserContext", "{}", "browserContextId")
	set("a", "allow", "own", fmt.Sprintf(`,"browserContextId":%q`, contextID))
	download("a", contextID)
	guid, path = completed("a")
	if want := filepath.Join(folders["own"], "report.txt"); path != want {
		t.Errorf("a has its own at %s, want %s", path, want)
	}
	if h.hears("b", guid) {
		t.Error("b has heard of a download in a's context")
	}
}

// testFiles looks for a way to a file for a Client that may have none.
func testFiles(t *testing.T, h *liveHub, url string) {
	h.change(func() { h.noFiles = true })
	defer h.change(func() { h.noFiles = false })
	h.attach("a")
	defer h.release("a")
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("the secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, page := h.page("a", url+"/frame", "")
	h.evalUntil(page, "document.title", "inner")
	addresses := []string{
		"file://" + secret, " FILE://" + secret, "fi\nle://" + secret, "\u0001file:" + secret, "view-source:file://" + secret, secret,
		"//" + secret, "localhost" + secret, "file:" + secret, "chrome://version", "filesystem:file://" + secret,
	}
	see := func(session string) { // what it shows, once that has had time to come
		t.Helper()
		for range 3 {
			h.eval(session, "new Promise(done => setTimeout(done, 50))")
			if text := h.eval(session, "location.protocol + (document.body && document.body.innerText)"); strings.Contains(text, "the secret") || strings.HasPrefix(text, "file:") || strings.HasPrefix(text, "chrome:") {
				t.Errorf("it shows %s", text)
			}
		}
	}
	for _, address := range addresses {
		answer := h.answer("a", "Target.createTarget", fmt.Sprintf(`{"url":%s}`, `"`+address+`"`))
		if id := readText([]byte(answer), "targetId"); !strings.HasPrefix(answer, "error") {
			see(h.attachTo("a", id))
			h.call("a", "Target.closeTarget", fmt.Sprintf(`{"targetId":%q}`, id), "")
		}
		h.answer(page, "Page.navigate", fmt.Sprintf(`{"url":"%s"}`, address))
		see(page)
	}
	for _, script := range []string{"location.href = %q", "open(%q)", "document.body.innerHTML = '<iframe src=\"' + %q + '\"></iframe>'", "fetch(%q).then(r => r.text()).then(t => document.body.innerText = t)"} {
		h.answer(page, "Runtime.evaluate", fmt.Sprintf(`{"expression":%q,"userGesture":true}`, fmt.Sprintf(script, "file://"+secret)))
		see(page)
	}
	for _, method := range []string{"DOM.setFileInputFiles", "Network.loadNetworkResource"} {
		if answer := h.answer(page, method, fmt.Sprintf(`{"url":"file://%s","files":[%q],"options":{"disableCache":true,"includeCredentials":false}}`, secret, secret)); !strings.Contains(answer, "Not allowed") {
			t.Errorf("%s: %s", method, answer)
		}
	}
	// What the web may show is shown.
	h.answer(page, "Page.navigate", `{"url":"about:blank"}`)
	h.answer(page, "Page.navigate", fmt.Sprintf(`{"url":%q}`, url+"/frame"))
	h.evalUntil(page, "document.title", "inner")
}

func testLeaving(t *testing.T, h *liveHub, url string) {
	h.attach("a", "b")
	defer h.release("b")
	_, page := h.page("b", url+"/frame", "")
	for _, params := range []string{`{}`, `{"disposeOnDetach":true}`} {
		contextID := h.call("a", "Target.createBrowserContext", params, "browserContextId")
		h.page("a", url+"/frame", contextID)
	}
	h.release("a")
	host := h.host.(*Host)
	for end := time.Now().Add(patience); ; {
		// A context that is not hidden any more must be gone.
		host.mu.Lock()
		left := len(host.contexts)
		host.mu.Unlock()
		got := h.call("b", "Target.getBrowserContexts", "{}", "")
		if left == 0 && strings.Contains(got, `"browserContextIds":[]`) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d contexts are left of a Client that has left: %s", left, got)
		}
	}
	got := h.eval(page, "document.title")
	for end := time.Now().Add(patience); got != "inner" && time.Now().Before(end); got = h.eval(page, "document.title") {
	}
	if got != "inner" {
		t.Errorf("b's page says %q, want inner", got)
	}
}

func TestKilledBrowserIsFollowedByTheNext(t *testing.T) {
	h := serveLive(t, func(ctx context.Context, o Options, hub bridge.Hub) error {
		return Run(ctx, o, hub, func() {})
	}, options(t))
	h.attach("a")
	var info struct {
		ProcessInfo []struct {
			Type string
			ID   int
		}
	}
	if err := json.Unmarshal([]byte(h.call("a", "SystemInfo.getProcessInfo", "{}", "")), &info); err != nil {
		t.Fatal(err)
	}
	for _, p := range info.ProcessInfo {
		if p.Type != "browser" {
			continue
		}
		process, err := os.FindProcess(p.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	h.await("end of the host, and a second one", func() bool { return h.gone == 1 && h.hosts == 2 })
	h.attach("b")
	_, page := h.page("b", "about:blank", "")
	if got := h.eval(page, "6*7"); got != "42" {
		t.Errorf("the next browser says %s, want 42", got)
	}
}
