package relay

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// leased is a hub with two pages, an agent with a session on the first, and Ann.
type leased struct {
	t      *testing.T
	hub    *Hub
	host   *mute
	events bridge.Events
	inbox  *inbox
	agent  *Client
	ann    *Local
}

func newLeased(t *testing.T) *leased {
	t.Helper()
	n := 0
	l := &leased{t: t, hub: newHub(t, Options{NewID: func() string { n++; return fmt.Sprint("S", n) }}), host: &mute{}, inbox: &inbox{}}
	l.events = setHost(l.hub, l.host, list(2))
	t.Cleanup(func() { l.events.HostGone(false) })
	l.agent = join(t, l.hub, l.inbox)
	l.agent.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0","flatten":true}}`))
	l.took()
	var err error
	if l.ann, err = l.hub.JoinLocal(LocalOptions{}); err != nil {
		t.Fatal(err)
	}
	return l
}

// send sends a command of the agent in its session and returns the answers, and
// whether it reached the Host.
func (l *leased) send(command string) (answer string, reached bool) {
	l.t.Helper()
	before := l.host.commands
	l.agent.Receive([]byte(`{"id":2,` + command + `,"sessionId":"` + onlySession(l.agent) + `"}`))
	return strings.Join(l.took(), "\n"), l.host.commands > before
}

// took is what the agent got since it was last asked; timers answer, too.
func (l *leased) took() []string {
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	return l.inbox.take()
}

func (l *leased) take(name string, o LeaseOptions) {
	l.t.Helper()
	if err := l.ann.Take("T0", name, o); err != nil {
		l.t.Fatal(err)
	}
}

func (l *leased) wantsHolder(name string) {
	l.t.Helper()
	if held, _ := l.hub.Control().Holder("T0"); held.Name != name {
		l.t.Errorf("the holder is %q, want %q", held.Name, name)
	}
	if err := l.hub.check(); err != nil {
		l.t.Error(err)
	}
}

const (
	click    = `"method":"Input.dispatchMouseEvent","params":{}`
	evaluate = `"method":"Runtime.evaluate","params":{"expression":"1"}`
)

func TestR175LeasePausesWhatActs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		l.take("Ann\n", LeaseOptions{})
		l.wantsHolder("Ann")
		for _, command := range []string{
			click, `"method":"Page.navigate","params":{"url":"http://app/"}`, `"method":"DOM.focus"`, `"method":"Page.close"`,
			`"method":"Emulation.setDeviceMetricsOverride"`, `"method":"Page.handleJavaScriptDialog","params":{"accept":true}`,
			`"method":"Nope.unknown"`, `"method":"\u0049nput.insertText"`,
			`"method":"Target.closeTarget","params":{"targetId":"T0"}`, `"method":"Target.activateTarget","params":{"targetId":"T0"}`,
		} {
			got, reached := l.send(command)
			if !strings.Contains(got, `"code":-32000,"message":"paused: Ann has the page. A person`) || reached {
				t.Errorf("%s: %q, reached the Host: %v", command, got, reached)
			}
		}
		for _, command := range []string{evaluate, `"method":"Page.captureScreenshot"`, `"method":"Runtime.callFunctionOn"`} {
			if got, reached := l.send(command); got != "" || !reached {
				t.Errorf("%s: %q, reached the Host: %v", command, got, reached)
			}
		}
		// Not by its own session either, nor by its tab.
		for _, command := range []string{
			`{"id":3,"method":"Target.closeTarget","params":{"targetId":"T0"}}`,
			`{"id":3,"method":"Target.closeTarget","params":{"targetId":"` + l.hub.tabPrefix + `T0"}}`,
			`{"id":3,"method":"Target.activateTarget","params":{"targetId":"T0"}}`,
			`{"id":3,"method":"Input.dispatchMouseEvent"}`, `{"id":3,"method":"Target.sendMessageToTarget","params":{"message":"","targetId":"T0"}}`,
			`{"id":3,"method":"Target.sendMessageToTarget","params":{"message":"{}","sessionId":"S3"}}`,
			`{"id":3,"method":"Browser.setWindowBounds","params":{"windowId":1,"bounds":{}}}`,
			`{"id":3,"method":"CdpHub.mayAct","params":{"targetId":"T0"}}`,
		} {
			if l.agent.Receive([]byte(command)); !strings.Contains(strings.Join(l.took(), ""), "paused: Ann") {
				t.Errorf("%s was not paused", command)
			}
		}
		// The other page is free.
		l.agent.Receive([]byte(`{"id":3,"method":"CdpHub.mayAct","params":{"targetId":"T1"}}`))
		if got := l.took(); len(got) != 1 || got[0] != `{"id":3,"result":{}}` {
			t.Errorf("may the agent act on the other page: %q", got)
		}
		l.agent.Receive([]byte(`{"id":3,"method":"Target.closeTarget","params":{"targetId":"T1"}}`))
		if got := l.took(); len(got) != 1 || !strings.Contains(got[0], "success") {
			t.Errorf("closing the other page: %q", got)
		}
		if err := l.ann.Release("T0"); err != nil {
			t.Error(err)
		}
		if got, reached := l.send(click); got != "" || !reached {
			t.Errorf("after the release: %q, reached %v", got, reached)
		}
		if len(l.hub.leases.list) > 0 {
			t.Error("a hub without leases pays for them")
		}
		l.wantsHolder("")
	})
}

func TestR175LeaseIsOfOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		bob, err := l.hub.JoinLocal(LocalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var ends []LeaseEnd
		l.take("Ann", LeaseOptions{Key: "a", Ended: func(e LeaseEnd) { ends = append(ends, e) }})
		if err := bob.Take("T0", "Bob", LeaseOptions{Key: "b"}); err == nil || !strings.HasPrefix(err.Error(), "paused: Ann has the page. ") {
			t.Errorf("Bob takes it too: %v", err)
		}
		if err := bob.Release("T0"); !errors.Is(err, ErrNotHeld) {
			t.Errorf("Bob releases it: %v", err)
		}
		if err := bob.Take("T9", "Bob", LeaseOptions{}); !errors.Is(err, ErrNoTarget) {
			t.Errorf("of no target: %v", err)
		}
		l.ann.Leave()
		l.wantsHolder("Ann")
		if _, reached := l.send(click); reached {
			t.Error("the viewer has just gone, and others act")
		}
		time.Sleep(20 * time.Second) // of the bubble's clock
		if err := bob.Take("T0", "Bob", LeaseOptions{Key: "b"}); err == nil {
			t.Error("Bob got what Ann may come back to")
		}
		if err := bob.Take("T0", "Ann", LeaseOptions{Key: "a", Ended: func(e LeaseEnd) { ends = append(ends, e) }}); err != nil {
			t.Errorf("Ann comes back: %v", err)
		}
		time.Sleep(20 * time.Second)
		l.wantsHolder("Ann")
		bob.ViewerGone("T0")
		time.Sleep(31 * time.Second)
		l.wantsHolder("")
		if fmt.Sprint(ends) != "[viewer gone]" {
			t.Errorf("the ends were %v", ends)
		}
	})
}

func TestLeaseEndsWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		l.take("Ann", LeaseOptions{})
		got, err := l.ann.Call(t.Context(), "", "Target.attachToTarget", []byte(`{"targetId":"T0"}`))
		if err != nil {
			t.Fatal(err)
		}
		session := strings.Split(string(got), `"`)[3]
		time.Sleep(9 * time.Minute)
		l.ann.Send(session, "Input.dispatchMouseEvent", nil)
		time.Sleep(9 * time.Minute)
		l.wantsHolder("Ann")
		time.Sleep(2 * time.Minute)
		l.wantsHolder("")
		l.take("Ann", LeaseOptions{})
		l.events.TargetGone("T0")
		l.wantsHolder("")
	})
}

func TestR175LeaseCoversWhatIsInThePage(t *testing.T) {
	h := newHub(t, Options{})
	p := &inbox{}
	host := &familyHost{}
	ev := setHost(h, host, []targets.Info{{ID: "PAGE"}, {ID: "FRAME", Type: "iframe"}, {ID: "OTHER"}})
	c := join(t, h, p)
	c.Receive([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)) // makes its root
	root := host.root
	for _, n := range []bridge.Nested{
		{Parent: root, SessionID: "page", TargetID: "PAGE", Type: "page"},
		{Parent: "page", SessionID: "child", TargetID: "FRAME", Type: "iframe"},
		{Parent: root, SessionID: "direct", TargetID: "FRAME", Type: "iframe"},
		{Parent: root, SessionID: "tab", TargetID: "TAB", Type: "tab"},
		{Parent: "child", SessionID: "worker", TargetID: "W", Type: "worker"},
		{Parent: root, SessionID: "other", TargetID: "OTHER", Type: "page"},
		{Parent: root, SessionID: "private", TargetID: "PRIVATE", Type: "page"},
		{Parent: root, SessionID: "unknown", TargetID: "UNKNOWN", Type: "iframe"},
	} {
		ev.Opened(n)
	}
	l, err := h.JoinLocal(LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Take("FRAME", "Ann", LeaseOptions{}); err != nil { // which is of the whole page
		t.Fatal(err)
	}
	if held, ok := h.Control().Holder("PAGE"); !ok || held.Name != "Ann" {
		t.Errorf("the page around it: %+v", held)
	}
	p.take()
	for session, paused := range map[string]bool{
		"page": true, "child": true, "direct": true, "tab": true, "worker": true, "unknown": true, "other": false, "private": false,
	} {
		before := host.commands
		c.Receive([]byte(`{"id":2,"method":"Input.insertText","params":{},"sessionId":"` + session + `"}`))
		if got := p.take(); (len(got) == 1 && strings.Contains(got[0], "paused: Ann")) != paused || (host.commands > before) == paused {
			t.Errorf("in the session %s: %q", session, got)
		}
	}
	for command, paused := range map[string]bool{
		`"method":"Target.closeTarget","params":{"targetId":"FRAME"}`:                      true,
		`"method":"Target.closeTarget","params":{"targetId":"TAB"}`:                        true,
		`"method":"Target.closeTarget","params":{"targetId":"OTHER"}`:                      false,
		`"method":"Target.disposeBrowserContext","params":{"browserContextId":"C"}`:        true,
		`"method":"Target.disposeBrowserContext","params":{"browserContextId":"D"}`:        false,
		`"method":"Browser.setWindowBounds","params":{"windowId":1},"sessionId":"other"`:   true,
		`"method":"Target.closeTarget","params":{"targetId":"PAGE"},"sessionId":"private"`: true,
	} {
		c.Receive([]byte(`{"id":3,` + command + `}`))
		if got := strings.Join(p.take(), ""); strings.Contains(got, "paused: Ann") != paused {
			t.Errorf("%s: %q", command, got)
		}
	}
	h.opts.HandoffURL = func(string, string) string { return "http://hub/" }
	c.Receive([]byte(`{"id":4,"method":"CdpHub.handoff","params":{"instructions":"x"},"sessionId":"direct"}`))
	if _, whole := h.Control().HandoffOf("PAGE"); !whole {
		t.Error("a handoff of a frame is not one of its page")
	}
	if err := h.check(); err != nil {
		t.Error(err)
	}
}

// familyHost is a browser whose page PAGE has a frame and a tab.
type familyHost struct {
	mute
	root string
}

func (f *familyHost) Slot() string                           { return bridge.BrowserSlot }
func (f *familyHost) AttachedToBrowser(at bridge.Attachment) { f.root = at.SessionID }

func (f *familyHost) PageOf(id string) string {
	return map[string]string{"PAGE": "PAGE", "FRAME": "PAGE", "TAB": "PAGE", "OTHER": "OTHER", "PRIVATE": "PRIVATE", "SERVICE": "SERVICE", "APART": "APART", "POPUP": "POPUP", "POPFRAME": "POPUP", "TWIN": "TWIN"}[id]
}

func (f *familyHost) MayServe(id, page string) bool { return id == "SERVICE" && page == "PAGE" }

func (f *familyHost) InContext(_, contextID string) bool { return contextID == "C" }

// Related has POPUP and PAGE open each other.
func (f *familyHost) Related(page, other string) bool { return page == "POPUP" && other == "PAGE" }

func (f *familyHost) SharesContext(id, _ string) bool { return id != "PRIVATE" && id != "APART" }

func TestR175QuietLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		if got, reached := l.send(evaluate); got != "" || !reached {
			t.Fatal("the agent cannot ask")
		}
		l.take("Ann", LeaseOptions{Quiet: true})
		if got := l.took(); len(got) != 1 || !strings.Contains(got[0], `"id":2,"error":{"code":-32000,"message":"paused: Ann has the page. A person`) {
			t.Errorf("what the agent has asked before: %q", got)
		}
		for command, paused := range map[string]bool{
			evaluate: true, `"method":"Page.captureScreenshot"`: true, `"method":"DOM.disable"`: false, `"method":"Page.screencastFrameAck"`: false,
			`"method":"Fetch.continueRequest","params":{"requestId":"1"}`: false, `"method":"Fetch.getRequestPostData"`: true,
			`"method":"Fetch.continueRequest","params":{"requestId":"1","url":"https://thief.example/"}`:                                                             true,
			`"method":"Network.getRequestPostData","params":{"requestId":"1"}`:                                                                                       true,
			`"method":"Fetch.fulfillRequest","params":{"requestId":"1","responseCode":204}`:                                                                          false,
			`"method":"Fetch.fulfillRequest","params":{"requestId":"1","responseCode":307,"responseHeaders":[{"name":"Location","value":"https://thief.example/"}]}`: true,
			`"method":"Fetch.fulfillRequest","params":{"requestId":"1","response\u0043ode":308}`:                                                                     true,
			`"method":"Fetch.continueResponse","params":{"requestId":"1"}`:                                                                                           false,
			`"method":"Fetch.continueResponse","params":{"requestId":"1","responseCode":307}`:                                                                        true,
			`"method":"Fetch.continueResponse","params":{"requestId":"1","responseHeaders":[]}`:                                                                      true,
			`"method":"Fetch.continueResponse","params":{"requestId":"1","binaryResponseHeaders":"YTpi"}`:                                                            true,
		} {
			got, reached := l.send(command)
			if strings.Contains(got, "paused") != paused || reached == paused {
				t.Errorf("%s: %q, reached the Host: %v", command, got, reached)
			}
		}
		l.agent.Receive([]byte(`{"id":3,"method":"Target.attachToTarget","params":{"targetId":"T0","flatten":true}}`))
		if got := l.took(); len(got) != 1 || !strings.Contains(got[0], "paused") {
			t.Errorf("attaching once more: %q", got)
		}
		request := `{"request":{"url":"http://app/","postData":"secret","hasPostData":true,"postDataEntries":[{"bytes":"c2VjcmV0"}],"method":"POST"},"requestId":"1"}`
		for method, want := range map[string]string{
			"Network.requestWillBeSent": `{"request":{"url":"http://app/","method":"POST"},"requestId":"1"}`,
			"Runtime.consoleAPICalled":  "", "Runtime.bindingCalled": "", "DOM.attributeModified": "", "Page.screencastFrame": "",
			"Accessibility.nodesUpdated": "", "Network.webSocketFrameSent": "",
		} {
			l.events.Event("T0", method, []byte(request))
			got := strings.Join(l.took(), "")
			if want == "" && got != "" || want != "" && !strings.Contains(got, `"params":`+want) {
				t.Errorf("%s came as %s", method, got)
			}
		}
		l.events.Event("T1", "Runtime.consoleAPICalled", []byte(request)) // of another page
		l.ann.Release("T0")
		l.events.Event("T0", "Network.requestWillBeSent", []byte(request))
		if got := l.took(); len(got) != 1 || !strings.Contains(got[0], "postData") {
			t.Errorf("afterwards: %q", got)
		}
		l.wantsHolder("")
	})
}

// BenchmarkLease has the cost of a command without a lease, and with one on another
// page.
func BenchmarkLease(b *testing.B) {
	for _, held := range []bool{false, true} {
		b.Run(fmt.Sprint("held=", held), func(b *testing.B) {
			h := newHub(b, Options{})
			host := &answering{}
			host.events = setHost(h, host, list(2))
			c := join(b, h, &inbox{})
			c.peer = &sink{}
			c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
			l, err := h.JoinLocal(LocalOptions{})
			if err != nil {
				b.Fatal(err)
			}
			if held {
				if err := l.Take("T1", "Ann", LeaseOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			m := []byte(`{"id":1,"method":"Input.dispatchMouseEvent","params":{},"sessionId":"` + onlySession(c) + `"}`)
			for b.Loop() {
				c.Receive(m)
				host.events.Result(host.last.Call, host.last.SessionID, []byte(`{}`), nil)
			}
		})
	}
}

// answering keeps the last command.
type answering struct {
	noting
	events bridge.Events
}
