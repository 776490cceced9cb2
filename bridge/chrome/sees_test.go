package chrome

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/urlpolicy"
	"github.com/cdphub/cdphub/targets"
)

// The table of who sees what in a browser. Its rows are kinds of Clients, and its columns all that
// the protocol has: events, methods and answers that name a target, a context, a window or a
// stream. A later protocol with more of them fails the test.

// seenInfos are the targets, as Chromium describes them. T0 has a frame with a frame in it, a worker and
// a tab. TM and its popup PM are tabs of the owner "own", and TA is a page in the context of the Client a.
var seenInfos = map[string]string{
	"T0": `"type":"page","browserContextId":"D"`,
	"F0": `"type":"iframe","parentId":"T0","browserContextId":"D"`,
	"FF": `"type":"iframe","parentId":"F0","browserContextId":"D"`,
	"W0": `"type":"worker","parentId":"FF","browserContextId":"D"`,
	"S0": `"type":"service_worker","browserContextId":"D"`,
	"B0": `"type":"tab","browserContextId":"D"`,
	"TM": `"type":"page","browserContextId":"D"`,
	"PM": `"type":"page","openerId":"TM","browserContextId":"D"`,
	"TA": `"type":"page","browserContextId":"CA"`,
	"FA": `"type":"iframe","parentId":"TA","browserContextId":"CA"`,
	"TF": `"type":"page","url":"file:///etc/passwd","browserContextId":"D"`,
}

func seenInfo(id string) string { return `{"targetId":"` + id + `",` + seenInfos[id] + `}` }

// seenBy is a row: the targets that a Client sees, and whether it may name window 7 and read stream 1.
type seenBy struct {
	list           string
	window, stream bool
	comes          func(r *rig) // as the Client s, whose session in the browser is S
}

// withTabs has s be a Client with tabs of its own.
func withTabs(r *rig, tabs *targets.Tabs) {
	r.hub.tabs = tabs
	r.clients("s")
	r.hub.tabs = nil
}

const (
	ofThatPage = "T0 F0 FF W0 B0"
	ofAll      = ofThatPage + " S0 TM PM"
)

func given(r *rig, then func(k bridge.TabKeeper, tabs *targets.Tabs)) {
	tabs := new(targets.Tabs)
	withTabs(r, tabs)
	tabs.Give("T0")
	k := r.hub.host.(bridge.TabKeeper)
	k.Given(tabs, "T0")
	then(k, tabs)
}

var clientsThatSee = map[string]seenBy{
	"no files":      {ofAll, false, false, func(r *rig) { r.hub.noFiles = true; r.clients("s") }},
	"all":           {ofAll + " TF", false, false, func(r *rig) { r.clients("s") }},
	"view":          {ofAll + " TF TA FA", false, false, func(r *rig) { r.hub.attachOf("s", "TA"); r.attachedAs("s") }},
	"heir":          {ofAll + " TF TA FA", true, false, func(r *rig) { r.clients("s"); r.hub.inherit("a", "s"); r.hub.release("a") }},
	"shared":        {ofAll + " TF TA FA", true, false, func(r *rig) { r.clients("s") }},
	"own":           {"TM PM", false, false, func(r *rig) { withTabs(r, r.own()) }},
	"own, of none":  {"", false, false, func(r *rig) { withTabs(r, new(targets.Tabs)) }},
	"shared, own":   {"TM PM", false, false, func(r *rig) { withTabs(r, r.own()) }},
	"own, given":    {ofThatPage, false, false, func(r *rig) { given(r, func(bridge.TabKeeper, *targets.Tabs) {}) }},
	"own, taken":    {"", false, false, func(r *rig) { given(r, func(k bridge.TabKeeper, tabs *targets.Tabs) { k.Taken(tabs, "T0") }) }},
	"own, no files": {"TM PM", false, false, func(r *rig) { r.hub.noFiles = true; withTabs(r, r.own()) }},
}

// own are the tabs of the owner "own".
func (r *rig) own() *targets.Tabs {
	for tabs := range r.hub.host.(*Host).groups {
		if tabs.Has("TM") {
			return tabs
		}
	}
	r.Fatal("no Client has the page TM")
	return nil
}

// attachedAs has the browser answer that a Client has its session.
func (r *rig) attachedAs(id string) {
	r.says(fmt.Sprintf(`{"id":%s,"result":{"sessionId":%q}}`, r.numberOf("Target.attachToBrowserTarget"), strings.ToUpper(id)))
	r.forget()
}

// withAll has a Client a with the context CA, the window 7 and the stream 1, and all targets.
func withAll(t *testing.T, o Options) *rig {
	r := greeted(t, o)
	r.clients("a")
	r.must("a", "Target.createBrowserContext", "")
	r.says(`{"id":1,"result":{"browserContextId":"CA"},"sessionId":"A"}`)
	r.must("a", "Browser.getWindowForTarget", `{}`)
	r.says(`{"id":2,"result":{"windowId":7},"sessionId":"A"}`, `{"method":"Tracing.tracingComplete","params":{"stream":"1"},"sessionId":"A"}`)
	r.hub.tabs = new(targets.Tabs)
	r.clients("m")
	r.hub.tabs.Add("TM")
	r.hub.tabs = nil
	r.hub.calls = 100
	for _, id := range append([]string{"TM"}, slices.Sorted(maps.Keys(seenInfos))...) {
		r.says(`{"method":"Target.targetCreated","params":{"targetInfo":` + seenInfo(id) + `}}`)
	}
	h := r.hub.host.(*Host)
	h.mu.Lock()
	defer h.mu.Unlock()
	tab := h.targets["B0"] // a probe finds this out: see TestR147TabTargets
	tab.page = "T0"
	h.targets["B0"] = tab
	delete(h.probes, "B0")
	return r
}

// TestR118R281WhoSeesWhatInABrowser walks the table.
func TestR118R281WhoSeesWhatInABrowser(t *testing.T) {
	p := readProtocol(t)
	for who, row := range clientsThatSee {
		walkInBrowser(t, p, who, row)
	}
}

// walkInBrowser walks one row.
func walkInBrowser(t *testing.T, p protocolOfIDs, who string, row seenBy) {
	t.Run(who, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := withAll(t, Options{Shared: strings.HasPrefix(who, "shared")})
			row.comes(r)
			sees := strings.Fields(row.list)
			check := func(how, id string, got bool) {
				t.Helper()
				if want := slices.Contains(sees, id); got != want {
					t.Errorf("%s, by %s: sees %s is %v, want %v", who, how, id, got, want)
				}
			}
			for _, id := range slices.Sorted(maps.Keys(seenInfos)) {
				for _, e := range p.events {
					if e.names["Target.TargetID"] || e.names["Target.TargetInfo"] {
						check(e.name, id, r.hearsOf(e, id))
					}
				}
				for _, m := range p.methods {
					if m.names["Target.TargetID"] {
						r.judge(m, map[string]string{"targetId": id}, func(got bool) { check(m.name, id, got) })
					}
				}
				check("a download", id, r.hearsOfDownload(id))
			}
			for _, id := range slices.Sorted(maps.Keys(seenInfos)) {
				check("Target.getTargets", id, strings.Contains(r.answered("Target.getTargets", `{"targetInfos":[`+seenInfo(id)+`]}`), `"`+id+`"`))
			}
			contexts := r.answered("Target.getBrowserContexts", `{"browserContextIds":["CA"]}`)
			check("Target.getBrowserContexts", "TA", strings.Contains(contexts, "CA"))
			for _, m := range p.methods {
				named := func(what string) func(bool) {
					want := map[string]bool{"windowId": row.window, "handle": row.stream, "browserContextId": slices.Contains(sees, "TA")}[what]
					return func(got bool) {
						if got != want {
							t.Errorf("%s: %s with the %s of another Client: %v, want %v", who, m.name, what, got, want)
						}
					}
				}
				if m.names["Browser.WindowID"] {
					r.judge(m, map[string]string{"windowId": "7"}, named("windowId"))
				}
				if m.names["IO.StreamHandle"] {
					r.judge(m, map[string]string{"handle": "1"}, named("handle"))
				}
				if m.names["Browser.BrowserContextID"] {
					r.judge(m, map[string]string{"browserContextId": "CA"}, named("browserContextId"))
				}
				if why, all := ofWholeBrowser[m.name]; all && strings.Contains(who, "own") && why == "" {
					if err := r.hub.send("s", m.name, m.params(nil)); err == nil || !strings.Contains(err.Error(), "tabs=own") && !strings.Contains(err.Error(), "needs scope") {
						t.Errorf("%s: %s: %v", who, m.name, err)
					}
				}
			}
		})
	})
}

// hearsOf has the browser send an event about a target to s.
func (r *rig) hearsOf(e named, id string) bool {
	r.forget()
	r.says(`{"method":"` + e.name + `","params":` + e.params(map[string]string{"targetId": id, "targetInfo": seenInfo(id), "sessionId": "N" + e.name + id}) + `,"sessionId":"S"}`)
	return slices.ContainsFunc(r.hub.lines, func(l string) bool { return strings.HasPrefix(l, "s < "+e.name) })
}

// judge sends a command of s, which is taken or refused. A command that no Client may send is left out.
func (r *rig) judge(m named, names map[string]string, got func(bool)) {
	r.Helper()
	err := r.hub.send("s", m.name, m.params(names))
	if err != nil && (strings.Contains(err.Error(), " is not allowed") || strings.Contains(err.Error(), "needs scope")) {
		return
	}
	unknown := err != nil && slices.ContainsFunc([]string{"No target with given id", "Failed to find", "window not found", "Invalid stream handle"},
		func(words string) bool { return strings.Contains(err.Error(), words) })
	if err != nil && !unknown {
		r.Errorf("%s %s: %v", m.name, m.params(names), err)
	}
	got(!unknown)
}

// answered is what s gets of the browser's answer to a command.
func (r *rig) answered(method, result string) string {
	r.Helper()
	r.must("s", method, "")
	r.forget()
	r.says(`{"id":` + itoa(r.hub.calls) + `,"result":` + result + `,"sessionId":"S"}`)
	return strings.Join(r.hub.lines, "\n")
}

// hearsOfDownload has s ask for the downloads of the contexts that it may name, and a page begin one.
func (r *rig) hearsOfDownload(id string) bool {
	for _, context := range []string{"", `,"browserContextId":"CA"`} {
		r.hub.send("s", "Browser.setDownloadBehavior", `{"behavior":"allow","eventsEnabled":true,"downloadPath":"/d"`+context+`}`) // it may not name the context of a
	}
	r.forget()
	r.begins("G"+id, id)
	r.goesOn("G"+id, "canceled", "")
	text := strings.Join(r.hub.lines, "\n")
	if begun, went := strings.Contains(text, "s < Browser.downloadWillBegin"), strings.Contains(text, "s < Browser.downloadProgress"); begun != went {
		r.Errorf("of a download in %s the Client hears half: %s", id, text)
	}
	return strings.Contains(text, "s < Browser.downloadWillBegin")
}

// ofWholeBrowser are methods whose answers and events may show more than the session that they are
// sent in. Clients with tabs of their own may not send those without a reason.
var ofWholeBrowser = map[string]string{
	"Tracing.start": "", "Tracing.requestMemoryDump": "", "Fetch.enable": "",
	"Tracing.end": "it ends what Tracing.start has begun", "Tracing.getCategories": "it shows no page", "Tracing.getTrackEventDescriptor": "it shows no page",
	"Tracing.recordClockSyncMarker": "it shows nothing",
	"Fetch.disable":                 afterEnable, "Fetch.failRequest": afterEnable, "Fetch.fulfillRequest": afterEnable, "Fetch.continueRequest": afterEnable,
	"Fetch.continueWithAuth": afterEnable, "Fetch.continueResponse": afterEnable, "Fetch.getResponseBody": afterEnable, "Fetch.takeResponseBodyAsStream": afterEnable,
}

const afterEnable = "it is for the requests that Fetch.enable has paused in the same session"

// elsewhere are events and answers that name a target, a context, a window or a stream, and that the
// walk leaves out, each with the reason.
var elsewhere = map[string]string{
	"ServiceWorker.workerVersionUpdated": "in the session of a page: its workers are those of the storage that tabs have in common; no command takes the ids of hidden pages",
	"Target.detachedFromTarget":          "a session that the Client does not have is dropped, see TestR147TabsOfOthersAreUnknown",
	"Tracing.tracingComplete":            "it is for the session that has traced, see TestStreamsOfOthersAreUnknown",
	"Browser.getWindowForTarget":         "the Client may name the target", "Target.getTargetInfo": "the Client may name the target",
	"Target.getDevToolsTarget": "the Client may name the target", "Target.openDevTools": "the Client may name the target",
	"Target.attachToTarget": "the Client may name the target", "Target.attachToBrowserTarget": "it is the Client's own",
	"Target.createBrowserContext": "it is the Client's own", "Target.createTarget": "it is the Client's own",
	"PWA.launch": "it is the Client's own", "PWA.launchFilesInApp": "it is the Client's own",
	"Fetch.takeResponseBodyAsStream": "see TestStreamsOfOthersAreUnknown", "Network.loadNetworkResource": "see TestStreamsOfOthersAreUnknown",
	"Page.printToPDF": "see TestStreamsOfOthersAreUnknown", "Page.startScreenRecording": "see TestStreamsOfOthersAreUnknown",
	"Page.stopScreenRecording": "see TestStreamsOfOthersAreUnknown",
	"Target.getTargets":        "a column", "Target.getBrowserContexts": "a column",
}

// TestR281InterceptionOfAll wants a Client to pause the requests of the whole browser only where all
// is shared and the hub does not judge requests itself.
func TestR281InterceptionOfAll(t *testing.T) {
	policy, err := urlpolicy.New(urlpolicy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, shared := range []bool{false, true} {
		for _, judged := range []*urlpolicy.Policy{nil, policy} {
			synctest.Test(t, func(t *testing.T) {
				r := greeted(t, Options{Shared: shared})
				r.clients("a")
				if judged != nil {
					r.hub.host.(*Host).network = newNetwork(t.Context(), &Options{Network: judged})
				}
				if err := r.hub.send("a", "Fetch.enable", ""); (err == nil) != (shared && judged == nil) {
					t.Errorf("shared %v, judged %v: %v", shared, judged != nil, err)
				}
			})
		}
	}
}

// TestR281OnlyItsOwnSessions has a Client name the session of another on a target that waits for that:
// the target goes on waiting.
func TestR281OnlyItsOwnSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a", "b")
		r.must("a", "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true}`)
		r.must("a", "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`)
		r.popupIn("A", "PA", "N")
		h := r.hub.host.(*Host)
		h.mu.Lock()
		h.setWaitsLocked(h.sessions["a"], false) // only the session on the target itself does
		h.sessions["PA"].held = true
		h.mu.Unlock()
		r.forget()
		r.must("b", "Target.detachFromTarget", `{"sessionId":"PA"}`)
		if sent := r.browser.text(); strings.Contains(sent, resumeMethod) {
			t.Errorf("the target of another Client was let go on: %s", sent)
		}
	})
}
