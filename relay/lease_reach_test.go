package relay

import (
	"cmp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// reach is a browser in which a person has PAGE in a handoff, and a Client with a session on
// each target.
type reach struct {
	t      *testing.T
	hub    *Hub
	host   *familyHost
	events bridge.Events
	inbox  *inbox
	client *Client
	ann    *Local
}

// reachable are the targets of the browser, and whether their script may reach PAGE.
var reachable = map[string]struct {
	targets.Info
	reaches bool
}{
	"PAGE":     {targets.Info{URL: "https://app.example/login"}, true},
	"FRAME":    {targets.Info{Type: "iframe", URL: "https://other.example/"}, true},
	"POPUP":    {targets.Info{URL: "https://other.example/"}, true}, // a frame in it may be of PAGE's origin
	"POPFRAME": {targets.Info{Type: "iframe", URL: "https://app.example/"}, true},
	"TWIN":     {targets.Info{URL: "https://app.example/other?x=1"}, true},
	"PRIVATE":  {targets.Info{URL: "https://app.example/login"}, false}, // another browser context
	"OTHER":    {targets.Info{URL: "https://other.example/"}, false},
	"SERVICE":  {targets.Info{Type: "service_worker", URL: "https://app.example/sw.js"}, true},
}

func newReach(t *testing.T) *reach {
	r := &reach{t: t, hub: newHub(t, Options{}), host: &familyHost{}, inbox: &inbox{}}
	var list []targets.Info
	for id, target := range reachable {
		target.ID = id
		list = append(list, target.Info)
	}
	r.events = setHost(r.hub, r.host, list)
	r.client = join(t, r.hub, r.inbox)
	r.client.Receive([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)) // makes its root
	for id, target := range reachable {
		r.events.Opened(bridge.Nested{Parent: r.host.root, SessionID: "in " + id, TargetID: id, Type: cmp.Or(target.Type, "page")})
	}
	var err error
	if r.ann, err = r.hub.JoinLocal(LocalOptions{}); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reach) take(quiet bool) {
	r.t.Helper()
	if err := r.ann.Take("PAGE", "Ann", LeaseOptions{Quiet: quiet}); err != nil {
		r.t.Fatal(err)
	}
	r.inbox.take()
}

// send sends a command and returns what comes back, and whether it reached the Host.
func (r *reach) send(command string) (answer string, reached bool) {
	before := r.host.commands
	r.client.Receive([]byte(`{"id":2,` + command + `}`))
	return strings.Join(r.inbox.take(), ""), r.host.commands > before
}

// TestR262WhatReachesAQuietPageIsPaused has a Client read, act on, attach to and listen to
// every target beside a page that a person has in a handoff.
func TestR262WhatReachesAQuietPageIsPaused(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		r := newReach(t)
		for id, target := range reachable {
			r.send(`"method":"Runtime.evaluate","params":{"expression":"1"},"sessionId":"in ` + id + `"`)
			r.inbox.take()
			if err := r.ann.Take("PAGE", "Ann", LeaseOptions{Quiet: quiet}); err != nil {
				t.Fatal(err)
			}
			paused := quiet && target.reaches
			if got := strings.Join(r.inbox.take(), ""); strings.Contains(got, `"sessionId":"in `+id+`"`) != paused {
				t.Errorf("quiet=%v, what was asked of %s before: %q", quiet, id, got)
			}
			for what, command := range map[string]string{
				"a script":   `"method":"Runtime.evaluate","params":{"expression":"opener.document"},"sessionId":"in ` + id + `"`,
				"a picture":  `"method":"Page.captureScreenshot","sessionId":"in ` + id + `"`,
				"a heap":     `"method":"HeapProfiler.takeHeapSnapshot","sessionId":"in ` + id + `"`,
				"attaching":  `"method":"Target.attachToTarget","params":{"targetId":"` + id + `","flatten":true}`,
				"a released": `"method":"Runtime.releaseObjectGroup","params":{"objectGroup":"x"},"sessionId":"in ` + id + `"`,
			} {
				want := paused && what != "a released" || quiet && what == "a heap"
				if got, reached := r.send(command); strings.Contains(got, "paused: Ann") != want || reached == want {
					t.Errorf("quiet=%v, %s of %s: %q, reached the Host: %v", quiet, what, id, got, reached)
				}
			}
			r.events.SessionEvent("in "+id, "Runtime.consoleAPICalled", []byte(`{"args":[{"type":"string","value":"typed"}]}`))
			if got := strings.Join(r.inbox.take(), ""); strings.Contains(got, "typed") == paused {
				t.Errorf("quiet=%v, the console of %s says %q", quiet, id, got)
			}
			if err := r.ann.Release("PAGE"); err != nil {
				t.Fatal(err)
			}
			r.events.SessionEvent("in "+id, "Runtime.consoleAPICalled", []byte(`{"args":[{"type":"string","value":"typed"}]}`))
			if got := strings.Join(r.inbox.take(), ""); !strings.Contains(got, "typed") {
				t.Errorf("afterwards the console of %s says %q", id, got)
			}
		}
		if err := r.hub.check(); err != nil {
			t.Error(err)
		}
	}
}

// TestR262NobodyKeepsWhatReachesAQuietPage has pages repeat what is typed to their consoles,
// which a timeline would show.
func TestR262NobodyKeepsWhatReachesAQuietPage(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		r, seen := newReach(t), &notes{wants: []string{"Runtime.consoleAPICalled", "Page.captureScreenshot"}}
		r.hub.observer = seen
		r.take(quiet)
		for id, target := range reachable {
			seen.take()
			r.events.SessionEvent("in "+id, "Runtime.consoleAPICalled", []byte(`{"args":[]}`))
			kept := len(seen.take()) > 0
			// Of the page itself the Observer is told: it knows the lease.
			if want := !quiet || !target.reaches || id == "PAGE" || id == "FRAME"; kept != want {
				t.Errorf("quiet=%v, the console of %s is kept: %v", quiet, id, kept)
			}
			failed := false
			r.hub.Control().Ask("in "+id, "Page.captureScreenshot", nil, func(_ []byte, err *Error) { failed = err != nil })
			if want := quiet && target.reaches; failed != want {
				t.Errorf("quiet=%v, a picture of %s fails: %v", quiet, id, failed)
			}
		}
	}
}

// TestR262OriginsOfAQuietPage has the page of a handoff go to another origin and come back:
// pages of both origins stay paused, and one that comes to such an origin is paused.
func TestR262OriginsOfAQuietPage(t *testing.T) {
	r := newReach(t)
	r.take(true)
	paused := func(id string) bool {
		got, _ := r.send(`"method":"Runtime.evaluate","params":{"expression":"1"},"sessionId":"in ` + id + `"`)
		return strings.Contains(got, "paused: Ann")
	}
	if paused("OTHER") {
		t.Fatal("a page of another origin is paused")
	}
	r.events.TargetChanged(targets.Info{ID: "PAGE", URL: "https://OTHER.example/sso"})
	if !paused("OTHER") || !paused("TWIN") {
		t.Error("pages of an origin that the page has shown are not paused")
	}
	r.events.TargetChanged(targets.Info{ID: "OTHER", URL: "https://third.example/"})
	if paused("OTHER") {
		t.Error("a page that has left the origin is paused")
	}
	r.events.TargetChanged(targets.Info{ID: "OTHER", URL: "blob:https://app.example/5f1c"})
	if !paused("OTHER") {
		t.Error("a page that has come to the origin is not paused")
	}
	for i := range maxOrigins + 1 {
		r.events.TargetChanged(targets.Info{ID: "PAGE", URL: "https://" + strings.Repeat("x", i+1) + ".example/"})
	}
	r.events.TargetChanged(targets.Info{ID: "OTHER", URL: "https://fourth.example/"})
	if !paused("OTHER") {
		t.Error("a page that shows too many origins to count is not safe")
	}
}

// TestR262FramesOfAHostPage has two frames of one origin in a Host page, which reach each
// other by their window.
func TestR262FramesOfAHostPage(t *testing.T) {
	l := newLeased(t)
	for id, url := range map[string]string{"T0": "http://app.example/a", "T1": "http://app.example/b", "T2": "http://other.example/"} {
		l.events.TargetCreated(targets.Info{ID: id, URL: url})
	}
	l.take("Ann", LeaseOptions{Quiet: true})
	for id, paused := range map[string]bool{"T0": true, "T1": true, "T2": false} {
		l.agent.Receive([]byte(`{"id":3,"method":"Target.attachToTarget","params":{"targetId":"` + id + `","flatten":true}}`))
		if got := strings.Join(l.took(), ""); strings.Contains(got, "paused: Ann") != paused {
			t.Errorf("%s: %q", id, got)
		}
	}
}

const typedInfo = `{"targetId":"PAGE","type":"page","title":"typed","url":"https://app.example/search?q=typed","attached":true,"browserContextId":"C"}`

// TestR264AddressesOfAQuietPage looks for what a person types in every place that has the
// addresses and titles of a page, of a browser and of a Host page.
func TestR264AddressesOfAQuietPage(t *testing.T) {
	r := newReach(t)
	for _, quiet := range []bool{false, true} {
		r.take(quiet)
		r.events.TargetChanged(targets.Info{ID: "PAGE", Title: "typed", URL: "https://app.example/search?q=typed"})
		hears := func(what, got string) {
			t.Helper()
			if strings.Contains(got, "typed") == quiet || !strings.Contains(got, "app.example/") {
				t.Errorf("quiet=%v, %s: %s", quiet, what, got)
			}
		}
		for session, events := range map[string]map[string]string{
			"in PAGE": {
				"Page.frameNavigated":       `{"frame":{"id":"F","url":"https://app.example/search?q=typed","name":"typed","unreachableUrl":"https://app.example/typed"}}`,
				"Network.requestWillBeSent": `{"requestId":"1","documentURL":"https://app.example/typed","request":{"url":"https://app.example/typed","headers":{"Referer":"https://app.example/?typed"}}}`,
				"Fetch.requestPaused":       `{"requestId":"1","request":{"url":"https://u:typed@app.example/?typed","headers":{"typed":"1"}}}`,
			},
			r.host.root: {
				"Target.targetInfoChanged": `{"targetInfo":` + typedInfo + `}`, "Target.targetCreated": `{"targetInfo":` + typedInfo + `}`,
				"Browser.downloadWillBegin": `{"frameId":"PAGE","guid":"G","url":"https://app.example/typed","suggestedFilename":"typed.pdf"}`,
			},
		} {
			for method, params := range events {
				r.events.SessionEvent(session, method, []byte(params))
				hears(method, strings.Join(r.inbox.take(), ""))
			}
		}
		for _, method := range []string{"Target.getTargets", "Target.getTargetInfo"} {
			r.client.Receive([]byte(`{"id":7,"method":"` + method + `","params":{}}`))
			result := `{"targetInfos":[{"targetId":"OTHER","title":"Other","url":"https://other.example/x"},` + typedInfo + `]}`
			if method == "Target.getTargetInfo" {
				result = `{"targetInfo":` + typedInfo + `}`
			}
			r.events.Result(r.hub.calls.last, r.host.root, []byte(result), nil)
			got := strings.Join(r.inbox.take(), "")
			if hears(method, got); method == "Target.getTargets" && !strings.Contains(got, `{"targetId":"OTHER","title":"Other","url":"https://other.example/x"}`) {
				t.Errorf("another page is %s", got)
			}
		}
		var list []targets.Info
		for _, seen := range r.hub.Control().WatchedTargets(Watcher{}) {
			list = append(list, seen.Info)
		}
		for what, infos := range map[string][]targets.Info{"/json/list": r.hub.Targets(nil), "the dashboard": list} {
			for _, i := range infos {
				if i.ID == "PAGE" {
					hears(what, i.Title+" "+i.URL)
				}
			}
		}
	}
}

// TestR264AddressesOfAQuietFrame is the same for a frame of a Host page, around which the hub
// emulates a browser.
func TestR264AddressesOfAQuietFrame(t *testing.T) {
	l := newLeased(t)
	l.events.TargetCreated(targets.Info{ID: "T0", URL: "https://app.example/", Title: "App"})
	l.agent.Receive([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`))
	l.agent.Receive([]byte(`{"id":1,"method":"Browser.setDownloadBehavior","params":{"behavior":"allow","downloadPath":"/in","eventsEnabled":true}}`))
	for _, quiet := range []bool{false, true} {
		l.take("Ann", LeaseOptions{Quiet: quiet})
		l.took()
		l.events.TargetCreated(targets.Info{ID: "T0", Title: "typed", URL: "https://app.example/search?q=typed"})
		l.took()
		l.events.Event("T0", "Browser.downloadWillBegin", []byte(`{"frameId":"T0","guid":"G","url":"https://app.example/typed","suggestedFilename":"typed"}`))
		if got := strings.Join(l.took(), ""); strings.Contains(got, "typed") == quiet || !strings.Contains(got, `"guid":"G"`) {
			t.Errorf("quiet=%v, a download: %s", quiet, got)
		}
		for _, command := range []string{
			`{"id":3,"method":"Target.getTargets","params":{}}`, `{"id":3,"method":"Target.getTargets","params":{"filter":[{}]}}`,
			`{"id":3,"method":"Target.getTargetInfo","params":{"targetId":"T0"}}`, `{"id":3,"method":"Target.setDiscoverTargets","params":{"discover":true}}`,
			`{"id":3,"method":"Target.attachToTarget","params":{"targetId":"` + l.hub.tabPrefix + `T0","flatten":true}}`,
		} {
			l.agent.Receive([]byte(command))
			got := strings.Join(l.took(), "")
			if strings.Contains(got, "typed") == quiet || !strings.Contains(got, "https://app.example/") && !strings.Contains(got, "paused") {
				t.Errorf("quiet=%v, %s: %s", quiet, command, got)
			}
		}
	}
}
