package chrome

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/internal/downloads"
)

// folder is where the Host has the browser put downloads.
func (r *rig) folder() string {
	r.Helper()
	r.browser.mu.Lock()
	defer r.browser.mu.Unlock()
	for _, m := range r.browser.sent {
		var c struct{ Params behavior }
		if json.Unmarshal([]byte(m), &c) == nil && c.Params.Behavior == "allowAndName" {
			return c.Params.Path
		}
	}
	r.Fatalf("no folder was set: %q", r.browser.sent)
	return ""
}

// begins sends all events that Chromium sends when a download begins in a frame.
func (r *rig) begins(guid, frame string, sessions ...string) {
	params := fmt.Sprintf(`{"frameId":%q,"guid":%q,"suggestedFilename":"f.txt"}`, frame, guid)
	r.says(`{"method":"Browser.downloadWillBegin","params":` + params + `}`)
	for _, s := range sessions {
		r.says(`{"method":"Browser.downloadWillBegin","params":` + params + `,"sessionId":"` + s + `"}`)
	}
}

func (r *rig) goesOn(guid, state, more string) {
	r.says(fmt.Sprintf(`{"method":"Browser.downloadProgress","params":{"guid":%q,"state":%q%s}}`, guid, state, more))
}

// completes has the browser leave a file in the Host's folder.
func (r *rig) completes(folder, guid, content string) {
	r.Helper()
	path := filepath.Join(folder, guid)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		r.Fatal(err)
	}
	r.goesOn(guid, "completed", fmt.Sprintf(`,"filePath":%q`, path))
	synctest.Wait()
	if _, err := os.Stat(path); err == nil {
		r.Errorf("%s was left behind", path)
	}
}

func (r *rig) wantFile(path, content string) {
	r.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != content {
		r.Errorf("%s has %q, %v, want %q", path, got, err, content)
	}
}

func (r *rig) setDownloads(session, behavior, path string) {
	r.Helper()
	r.must(session, "Browser.setDownloadBehavior", fmt.Sprintf(`{"behavior":%q,"downloadPath":%q,"eventsEnabled":true}`, behavior, path))
}

func TestDownloadsReachEachClientInItsOwnFolder(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a", "b", "c", "d")
		r.setDownloads("a", "allowAndName", a)
		r.setDownloads("b", "allow", b)
		r.setDownloads("c", "deny", "")
		folder := r.folder()
		r.wantSent( // the behavior is set once, each command is answered in its turn
			`{"id":-9,"method":"Browser.setDownloadBehavior","params":{"behavior":"allowAndName","downloadPath":"`+folder+`","eventsEnabled":true}}`,
			`{"id":1,"method":"Browser.getVersion","params":{},"sessionId":"A"}`,
			`{"id":2,"method":"Browser.getVersion","params":{},"sessionId":"B"}`,
			`{"id":3,"method":"Browser.getVersion","params":{},"sessionId":"C"}`,
		)
		r.says(`{"id":1,"result":{"product":"x"},"sessionId":"A"}`)
		r.wantTold("a 1 {}")
		r.begins("G", "T0")
		r.goesOn("G", "inProgress", "")
		r.goesOn("unknown", "inProgress", "")
		r.wantOfEach("downloadWillBegin", "a b")
		r.completes(folder, "G", "hello")
		r.wantFile(filepath.Join(a, "G"), "hello")
		r.wantFile(filepath.Join(b, "f.txt"), "hello")
		r.wantOfEach(`completed","filePath":"`+filepath.Join(a, "G"), "a")
		r.wantOfEach(`completed","filePath":"`+filepath.Join(b, "f.txt"), "b")

		r.begins("G2", "T0")
		r.completes(folder, "G2", "again")
		r.wantFile(filepath.Join(b, "f.txt"), "hello")
		r.wantFile(filepath.Join(b, "f (1).txt"), "again")

		r.forget()
		r.hub.release("a")
		r.hub.release("b")
		r.wantSent( // only the Client that denies is left
			`{"id":-10,"method":"Target.detachFromTarget","params":{"sessionId":"A"}}`,
			`{"id":-11,"method":"Browser.setDownloadBehavior","params":{"behavior":"deny","eventsEnabled":true}}`,
			`{"id":-12,"method":"Target.detachFromTarget","params":{"sessionId":"B"}}`,
		)
		r.begins("G3", "T0")
		r.goesOn("G3", "canceled", "")
		r.wantOfEach("canceled", "c")
		r.cancel()
		<-r.ended
		if _, err := os.Stat(folder); !os.IsNotExist(err) {
			t.Errorf("the folder of downloads: %v, want none", err)
		}
	})
}

// TestR116DownloadsGoNowhereUnasked wants each context to deny downloads from its
// beginning, whatever a Client says that does not want them.
func TestR116DownloadsGoNowhereUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{})
		r.wantSent(
			`{"id":-1,"method":"Browser.getVersion","params":{}}`,
			`{"id":-2,"method":"Target.getBrowserContexts","params":{}}`,
			`{"id":-3,"method":"Browser.setDownloadBehavior","params":{"behavior":"deny","eventsEnabled":true}}`,
			`{"id":-4,"method":"Target.setDiscoverTargets","params":{"discover":true,"filter":[{}]}}`,
		)
		r = withContext(t, Options{})
		r.wantSent(
			`{"id":1,"method":"Target.createBrowserContext","params":{},"sessionId":"A"}`,
			`{"id":-7,"method":"Browser.setDownloadBehavior","params":{"behavior":"deny","browserContextId":"CA","eventsEnabled":true}}`,
		)
		r.must("a", "Browser.setDownloadBehavior", `{"behavior":"default"}`)
		r.must("a", "Browser.setDownloadBehavior", `{"behavior":"default","browserContextId":"CA"}`)
		r.wantSent(
			`{"id":101,"method":"Browser.getVersion","params":{},"sessionId":"A"}`,
			`{"id":102,"method":"Browser.getVersion","params":{},"sessionId":"A"}`,
		)
	})
}

// TestR116DownloadsWithoutFiles wants those of a Client that may not name files in
// a folder of its own, which goes with it.
func TestR116DownloadsWithoutFiles(t *testing.T) {
	home := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.hub.noFiles = true
		r.clients("a", "b")
		r.setDownloads("a", "allow", home)
		r.setDownloads("b", "allow", home)
		folder := r.folder()
		r.begins("G", "T0")
		r.completes(folder, "G", "hello")
		own := filepath.Join(filepath.Dir(folder), "client-1")
		r.wantFile(filepath.Join(own, "f.txt"), "hello")
		r.wantFile(filepath.Join(filepath.Dir(folder), "client-3", "f.txt"), "hello")
		r.wantOfEach(`completed","filePath":"`+filepath.Join(own, "f.txt"), "a")
		if left, _ := os.ReadDir(home); len(left) > 0 {
			t.Errorf("the folder that was named has %v", left)
		}
		r.hub.release("a")
		synctest.Wait()
		if _, err := os.Stat(own); !os.IsNotExist(err) {
			t.Errorf("the folder of a Client that has left: %v, want none", err)
		}
	})
}

// wantOfEach checks which sessions got events with a text in them.
func (r *rig) wantOfEach(part, sessions string) {
	r.Helper()
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	told := make(map[string]bool)
	for _, line := range r.hub.lines {
		if id, _, ok := strings.Cut(line, " < "); ok && strings.Contains(line, part) {
			told[id] = true
		}
	}
	for _, id := range strings.Fields("a b c d P") {
		if want := strings.Contains(sessions, id); told[id] != want {
			r.Errorf("%s was told of %s: %v, want %v; the hub was told\n\t%s", id, part, told[id], want, strings.Join(r.hub.lines, "\n\t"))
		}
	}
}

func TestDownloadsOfPrivateContextsAreToldToTheirClientAlone(t *testing.T) {
	theirs, others := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := withContext(t, Options{})
		r.forget()
		r.must("a", "Browser.setDownloadBehavior", fmt.Sprintf(`{"behavior":"allow","downloadPath":%q,"browserContextId":"CA","eventsEnabled":true}`, theirs))
		folder := r.folder()
		r.setDownloads("b", "allow", others)
		common := filepath.Join(filepath.Dir(folder), "context-2")
		r.wantSent(
			`{"id":-8,"method":"Browser.setDownloadBehavior","params":{"behavior":"allowAndName","browserContextId":"CA","downloadPath":"`+folder+`","eventsEnabled":true}}`,
			`{"id":101,"method":"Browser.getVersion","params":{},"sessionId":"A"}`,
			`{"id":-9,"method":"Browser.setDownloadBehavior","params":{"behavior":"allowAndName","downloadPath":"`+common+`","eventsEnabled":true}}`,
			`{"id":102,"method":"Browser.getVersion","params":{},"sessionId":"B"}`,
		)
		r.begins("G1", "TA", "A") // Chromium sends it to the session too
		r.completes(folder, "G1", "secret")
		r.wantTold(
			`a < Browser.downloadWillBegin {"frameId":"TA","guid":"G1","suggestedFilename":"f.txt"}`,
			`a < Browser.downloadProgress {"guid":"G1","state":"completed","filePath":"`+filepath.Join(theirs, "f.txt")+`"}`,
		)
		r.wantFile(filepath.Join(theirs, "f.txt"), "secret")
		// A frame that is no target: the page's session got an event for it before.
		r.says(
			`{"method":"Target.attachedToTarget","params":{"sessionId":"P","targetInfo":{"targetId":"TA","type":"page","browserContextId":"CA"}},"sessionId":"A"}`,
			`{"method":"Page.downloadWillBegin","params":{"frameId":"F","guid":"G2"},"sessionId":"P"}`,
		)
		r.begins("G2", "F", "A")
		r.wantOfEach("G2", "a P")
		r.forget()
		// No event named this one; its folder says whose it is.
		r.begins("G3", "F3", "A")
		r.wantTold()
		r.completes(folder, "G3", "of the private context")
		r.wantOfEach("G3", "a")
		r.begins("G4", "F4")
		r.completes(common, "G4", "of the default context")
		r.wantOfEach("G4", "b")
		if left, _ := os.ReadDir(others); len(left) != 1 {
			t.Errorf("the other Client has the files %v, want one", left)
		}
	})
}

// TestSharedHostTellsOfAllDownloads wants Clients that share contexts to get the
// events of all downloads, as from Chromium.
func TestSharedHostTellsOfAllDownloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withContext(t, Options{Shared: true})
		r.must("a", "Browser.setDownloadBehavior", `{"behavior":"allow","downloadPath":"/x","browserContextId":"CA","eventsEnabled":true}`)
		r.setDownloads("b", "allow", "/nowhere")
		folder := r.folder()
		r.forget()
		r.begins("G", "TA")
		r.wantOfEach("downloadWillBegin", "a b")
		r.completes(folder, "G", "hello")
		r.wantOfEach(`"state":"completed"`, "a b")
	})
}

// TestSharedHostNamesNoFileToOthers wants a Client that takes no files to see the end of a
// download, and not where the hub or another Client keeps it.
func TestSharedHostNamesNoFileToOthers(t *testing.T) {
	theirs := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{Shared: true})
		r.clients("a", "b")
		r.setDownloads("a", "deny", "")
		r.setDownloads("b", "allow", theirs)
		r.begins("G", "T0")
		r.completes(r.folder(), "G", "hello")
		r.wantOfEach(`"state":"completed","filePath":""`, "a")
		r.wantOfEach(`"state":"completed","filePath":"`+filepath.Join(theirs, "f.txt"), "b")
	})
}

func TestFaultyDownloadBehaviorNeverReachesTheBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		for _, params := range []string{
			``, `{}`, `{"behavior":7}`, `{"behavior":"allow","downloadPath":"/x","EVENTSENABLED":5}`,
			`{"behavior":"allow","downloadPath":"/x","DOWNLOADPATH":""}`, `{"behavior":"other"}`,
			`{"behavior":"deny","browserContextId":"X","browserContextId":"D"}`,
			`{"behavior":"allow","downloadPath":"/x","downloadPath":""}`, `{"behavior":"deny","BrowserContextId":"X"}`,
		} {
			r.refuses("a", "Browser.setDownloadBehavior", params, "-32602 ")
			if !strings.Contains(params, "rowserContextId") && !strings.Contains(params, "EVENTS") {
				r.refuses("a", "Page.setDownloadBehavior", params, "-32602 ")
			}
		}
		r.refuses("a", "Browser.setDownloadBehavior", `{"behavior":"deny","browserContextId":"X"}`, "-32602 Failed to find browser context for id X")
		r.wantSent()
		r.must("a", "Browser.setDownloadBehavior", `{"behavior":"deny","browserContextId":"D"}`)
		r.wantSent(fmt.Sprintf(`{"id":%d,"method":"Browser.getVersion","params":{},"sessionId":"A"}`, r.hub.calls))
	})
}

func TestPageDownloadBehavior(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := withContext(t, Options{})
		for _, s := range []string{`"P","targetInfo":{"targetId":"T0","type":"page","browserContextId":"D"}`, `"PA","targetInfo":{"targetId":"TA","type":"page","browserContextId":"CA"}`} {
			r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":` + s + `},"sessionId":"A"}`)
		}
		r.forget()
		params := fmt.Sprintf(`{"behavior":"allow","downloadPath":%q}`, folder)
		r.must("P", "Page.setDownloadBehavior", params)
		own := r.folder()
		r.must("PA", "Page.setDownloadBehavior", params)
		private := filepath.Join(filepath.Dir(own), "context-2")
		r.wantSent(
			`{"id":-8,"method":"Browser.setDownloadBehavior","params":{"behavior":"allowAndName","downloadPath":"`+own+`","eventsEnabled":true}}`,
			`{"id":101,"method":"Browser.getVersion","params":{},"sessionId":"P"}`,
			`{"id":-9,"method":"Browser.setDownloadBehavior","params":{"behavior":"allowAndName","browserContextId":"CA","downloadPath":"`+private+`","eventsEnabled":true}}`,
			`{"id":102,"method":"Browser.getVersion","params":{},"sessionId":"PA"}`,
		)
		r.begins("G", "T0")
		r.completes(own, "G", "hello")
		r.wantFile(filepath.Join(folder, "f.txt"), "hello")
		r.wantTold() // it has not asked for events
	})
}

func TestBrowserElsewhereKeepsTheFolderItIsGiven(t *testing.T) {
	h := newHost(&fakeBrowser{}, &Options{}, nil, nil)
	s := &session{id: "s", upstream: "S"}
	s.client = s
	h.sessions["s"] = s
	hub := fakeHub{host: h}
	if err := hub.send("s", "Browser.setDownloadBehavior", `{"behavior":"allow","downloadPath":"/there"}`); err != nil {
		t.Fatal(err)
	}
	want := `{"id":-1,"method":"Browser.setDownloadBehavior","params":{"behavior":"allow","downloadPath":"/there","eventsEnabled":true}}`
	if got := h.conn.(*fakeBrowser).sent[0]; got != want {
		t.Errorf("the browser was sent %s, want %s", got, want)
	}
	s.noFiles = true
	if err := hub.send("s", "Browser.setDownloadBehavior", `{"behavior":"allow","downloadPath":"/there"}`); err == nil {
		t.Error("a Client that may not name files has named a folder on another machine")
	}
}

func TestBrowserIsElsewhere(t *testing.T) {
	for where, want := range map[string]bool{
		"": true, "/home/me/profile": true, `C:\profile`: true,
		"http://127.0.0.1:9222": true, "ws://localhost:9222/devtools/browser/x": true, "http://[::1]:9222": true,
		"http://192.168.0.7:9222": false, "ws://chrome:9222/": false,
	} {
		if o := (Options{URL: where}); o.local() != want {
			t.Errorf("%s is on this machine: %v, want %v", where, o.local(), want)
		}
	}
}

// TestR253DownloadsOfAHostileBrowserStayInside has a browser give ids and paths that lead
// out of the folders: nothing is written or removed there.
func TestR253DownloadsOfAHostileBrowserStayInside(t *testing.T) {
	above := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		theirs := filepath.Join(above, "theirs")
		if err := os.Mkdir(theirs, 0o700); err != nil {
			t.Fatal(err)
		}
		r.setDownloads("a", "allowAndName", theirs)
		ours := r.folder()
		secret := filepath.Join(above, "secret")
		if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(secret, filepath.Join(ours, "link")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(ours, "good"), []byte("evil"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, guid := range []string{"../evil", above + "/evil", "a\u0000b", "..", ".", strings.Repeat("x", 5000), `..\\evil`} {
			r.says(`{"method":"Browser.downloadWillBegin","params":{"frameId":"T0","guid":"` + guid + `","suggestedFilename":"f.txt"}}`)
			r.says(fmt.Sprintf(`{"method":"Browser.downloadProgress","params":{"guid":"%s","state":"completed","filePath":%q}}`, guid, filepath.Join(ours, "good")))
		}
		r.begins("G", "T0")
		for _, path := range []string{ours + "/..", ours + "/../../secret", ours + "/./good", ours + "/", filepath.Join(ours, "link"), secret} {
			r.goesOn("G", "completed", fmt.Sprintf(`,"filePath":%q`, path))
		}
		synctest.Wait()
		for folder, want := range map[string]int{above: 2, theirs: 0} {
			if list, err := os.ReadDir(folder); err != nil || len(list) != want {
				t.Errorf("%s has %v, %v, want %d entries", folder, list, err, want)
			}
		}
		r.wantFile(secret, "secret")
		for n := range 2 * downloads.MaxRunning {
			r.says(fmt.Sprintf(`{"method":"Browser.downloadWillBegin","params":{"frameId":"T0","guid":"G%d"}}`, n))
		}
		r.cancel()
		<-r.ended
		if n := len(r.hub.host.(*Host).downloads.running); n > downloads.MaxRunning {
			t.Errorf("%d downloads are under way", n)
		}
	})
}

// TestR152KeptTextsAreBounded sends texts as long as messages where the Host keeps them
// for as long as a session.
func TestR152KeptTextsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		long := strings.Repeat("x", 1<<20)
		r.must("a", "Browser.setDownloadBehavior", `{"behavior":"deny","downloadPath":"/`+long+`"}`)
		r.must("a", "Target.autoAttachRelated", `{"targetId":"T0","waitForDebuggerOnStart":false,"filter":[{"type":"`+long+`"},{"type":"page","more":"`+long+`"}]}`)
		r.refuses("a", "Browser.setDownloadBehavior", `{"behavior":"allow","downloadPath":"/`+long+`"}`, "-32602 ")
		host := r.hub.host.(*Host)
		host.mu.Lock()
		defer host.mu.Unlock()
		kept := 0
		for _, asked := range host.downloads.takers {
			for _, w := range asked.Wishes {
				kept += len(w.Behavior) + len(w.Folder)
			}
		}
		for _, s := range host.sessions {
			for _, rule := range s.filter {
				kept += len(rule.Type)
			}
		}
		if kept > 1<<10 {
			t.Errorf("%d bytes are kept", kept)
		}
	})
}

// TestR152UnknownContextIsNotToldBack names a context by an id as long as a message.
func TestR152UnknownContextIsNotToldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		err := r.hub.send("a", "Browser.setDownloadBehavior", `{"behavior":"deny","browserContextId":"`+strings.Repeat("x", 1<<20)+`"}`)
		if err == nil || len(err.Error()) > 1<<10 {
			t.Errorf("the error has %d bytes", len(fmt.Sprint(err)))
		}
	})
}

// TestBehaviorOfAContext checks what the browser is told, by what the sessions want.
func TestBehaviorOfAContext(t *testing.T) {
	d := newDownloads(&Options{})
	want := func(what, behavior, path string) {
		t.Helper()
		b, err := d.behaviorOf("C")
		if err != nil || b.Context != "C" || !b.Events || b.Behavior != behavior || !strings.HasPrefix(b.Path, path) {
			t.Errorf("%s: %+v, %v, want %s to %s", what, b, err, behavior, path)
		}
	}
	ask := func(s *session, contextID, behavior, path string) {
		d.last = &downloads.Wish{Behavior: behavior, Folder: path}
		d.takers.Set(s, contextID, d.last, true)
	}
	a, b := &session{}, &session{}
	want("nobody", "deny", "")
	ask(a, "", "allow", "/other")
	ask(a, "C", "deny", "")
	want("another context", "deny", "")
	ask(a, "C", "allow", "/a")
	want("a browser elsewhere", "allow", "/a")
	ask(b, "C", "allowAndName", "/b")
	want("the newest decides", "allowAndName", "/b")
	d.dir = t.TempDir()
	want("a folder of the Host's own", "allowAndName", d.dir+"/context-1")
	contexts := make(map[string]struct{})
	d.drop(a, contexts)
	d.drop(b, contexts)
	want("nobody again", "deny", "")
	if len(contexts) != 2 {
		t.Errorf("of the contexts %v some session wants no more, want two", contexts)
	}
	d.dir += "/none"
	d.forget("C")
	ask(a, "C", "allow", "/a")
	if b, err := d.behaviorOf("C"); err == nil || b.Behavior != "deny" {
		t.Errorf("without a folder: %+v, %v", b, err)
	}
}

// wantFinished wants the hub to have been told of the ends of downloads since the last time.
func (r *rig) wantFinished(want ...string) {
	r.Helper()
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	slices.Sort(r.hub.finished)
	if !slices.Equal(r.hub.finished, want) {
		r.Errorf("the hub was told of the ends\n\t%s\nwant\n\t%s", strings.Join(r.hub.finished, "\n\t"), strings.Join(want, "\n\t"))
	}
	r.hub.finished = nil
}

// TestR333EachDownloadOfABrowserIsFinished wants the hub to hear of each end once for each session that
// has asked for the file or for events, with the reason where there is no file.
func TestR333EachDownloadOfABrowserIsFinished(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a", "b", "c")
		r.must("a", "Browser.setDownloadBehavior", `{"behavior":"allowAndName","eventsEnabled":true}`) // for the hub alone
		r.must("b", "Browser.setDownloadBehavior", fmt.Sprintf(`{"behavior":"allow","downloadPath":%q}`, folder))
		r.must("c", "Browser.setDownloadBehavior", `{"behavior":"deny","eventsEnabled":true}`)
		ours := r.folder()
		r.begins("G", "T0")
		r.completes(ours, "G", "hello")
		r.wantFinished(`a G T0 "" false`, `b G T0 "" true`)
		r.wantFile(filepath.Join(folder, "f.txt"), "hello")
		r.wantOfEach(`completed","filePath":""`, "a")
		r.begins("G2", "T0")
		r.goesOn("G2", "canceled", "")
		r.wantFinished(`a G2 T0 "the browser has canceled it: its page has ended, the network has failed, or somebody has canceled it" false`)
		r.hub.release("a")
		r.hub.release("b")
		r.begins("G3", "T0")
		r.goesOn("G3", "canceled", "")
		r.wantFinished(`c G3 T0 "no file was asked for: Browser.setDownloadBehavior with allow or allowAndName asks for it, and needs scope full" false`)
	})
}

// TestR334DownloadsUnderWayAreBounded has a browser download more than the hub keeps, in one file and in
// several, and the hub refuse a file at the end.
func TestR334DownloadsUnderWayAreBounded(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{MaxDownload: 100})
		r.hub.noFiles = true
		r.clients("a")
		r.must("a", "Browser.setDownloadBehavior", `{"behavior":"allowAndName","eventsEnabled":true}`)
		canceled := func() (list []string) {
			r.browser.mu.Lock()
			defer r.browser.mu.Unlock()
			for _, m := range r.browser.sent {
				if strings.Contains(m, "Browser.cancelDownload") {
					list = append(list, m[strings.Index(m, `"guid":"`)+8:][:2])
				}
			}
			r.browser.sent = nil
			return list
		}
		for _, guid := range []string{"G1", "G2", "G3"} {
			r.begins(guid, "T0")
		}
		r.goesOn("G1", "inProgress", `,"receivedBytes":60`)
		r.goesOn("G2", "inProgress", `,"receivedBytes":40`)
		if list := canceled(); list != nil {
			t.Errorf("canceled at the limit: %v", list)
		}
		r.goesOn("G3", "inProgress", `,"receivedBytes":1`)
		r.goesOn("G3", "inProgress", `,"receivedBytes":2`)
		if list := canceled(); !slices.Equal(list, []string{"G3"}) {
			t.Errorf("beyond the limit, canceled is %v, want G3 once", list)
		}
		r.goesOn("G3", "canceled", "")
		r.wantFinished(fmt.Sprintf(`a G3 T0 %q false`, downloads.TooLarge(100)))
		r.goesOn("G2", "canceled", "")
		r.wantFinished(`a G2 T0 "the browser has canceled it: its page has ended, the network has failed, or somebody has canceled it" false`)
		r.goesOn("G1", "inProgress", `,"receivedBytes":100`)
		if list := canceled(); list != nil {
			t.Errorf("canceled when the others have ended: %v", list)
		}

		r.hub.noFiles = false
		r.clients("b")
		r.setDownloads("b", "allow", folder)
		r.goesOn("G1", "inProgress", `,"receivedBytes":1e3`)
		if list := canceled(); list != nil {
			t.Errorf("canceled although a Client gets it in its own folder: %v", list)
		}
	})
}

// TestR334FilesThatAreNotKeptAreRemoved wants the copy for a Client that may not name files to go when the
// hub cannot keep the file, and the Client to hear that there is none.
func TestR334FilesThatAreNotKeptAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.hub.noFiles, r.hub.keepsNothing = true, true
		r.clients("a")
		r.setDownloads("a", "allow", "/x")
		folder := r.folder()
		r.begins("G", "T0")
		r.completes(folder, "G", "hello")
		r.wantOfEach(`"state":"canceled","filePath":""`, "a")
		if left, err := os.ReadDir(filepath.Join(filepath.Dir(folder), "client-1")); err != nil || len(left) > 0 {
			t.Errorf("the folder of the Client has %v, %v", left, err)
		}
	})
}
