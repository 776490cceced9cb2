package relay

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// notes is an Observer that writes down what it is told.
type notes struct {
	wants []string
	told  []string
	past  EndedTarget // the last that has ended
}

func (n *notes) Wants(method string) bool { return slices.Contains(n.wants, method) }

func (n *notes) Command(c Observed) func([]byte, *Error) {
	n.add("command", c)
	return func(result []byte, err *Error) {
		if err != nil {
			result = []byte(err.Message)
		}
		n.told = append(n.told, "ended "+c.Method+" "+string(result))
	}
}

func (n *notes) Event(e Observed) { n.add("event", e) }

func (n *notes) Detached(sessionID string) { n.told = append(n.told, "detached "+sessionID) }

func (n *notes) Leased(l LeaseChange) { n.told = append(n.told, fmt.Sprint("lease ", l)) }

func (n *notes) Web(target string, web bool) {
	if n.Wants("web") {
		n.told = append(n.told, fmt.Sprint("web ", target, " ", web))
	}
}

func (n *notes) add(what string, o Observed) {
	n.told = append(n.told, fmt.Sprintf("%s %s %s %s inside=%v %s", what, o.SessionID, o.TargetID, o.Method, o.Inside, o.Params))
}

func (n *notes) Ended(p EndedTarget) {
	if n.Wants("ended") {
		n.told, n.past = append(n.told, "ended "+p.ID), p
	}
}

// take returns what was told since it was called last.
func (n *notes) take() []string {
	told := n.told
	n.told = nil
	return told
}

func (n *notes) wantsTold(t *testing.T, want ...string) {
	t.Helper()
	if got := n.take(); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

func observedHub(t *testing.T, wants ...string) (*Hub, *notes) {
	t.Helper()
	n := &notes{wants: wants}
	next := 0
	return newHub(t, Options{
		Observe: func(*Hub) Observer { return n },
		NewID:   func() string { next++; return fmt.Sprint("S", next) },
	}), n
}

func TestObserver(t *testing.T) {
	h, n := observedHub(t, "Page.navigate", "Page.frameNavigated")
	host := &mute{}
	ev := setHost(h, host, list(1))
	c, _ := h.Join(session.NewEncoder(&buffer{}), nil)
	c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
	s := onlySession(c)
	send := func(method string) {
		c.Receive(fmt.Appendf(nil, `{"id":2,"method":%q,"params":{"url":"u"},"sessionId":%q}`, method, s))
	}
	send("Runtime.evaluate")
	ev.Result(h.calls.last, s, []byte(`{}`), nil)
	n.wantsTold(t)
	send("Page.navigate")
	ev.Result(h.calls.last, s, []byte(`{"frameId":"F"}`), nil)
	n.wantsTold(t, "command "+s+` T0 Page.navigate inside=false {"url":"u"}`, `ended Page.navigate {"frameId":"F"}`)
	send("Page.navigate")
	ev.Result(h.calls.last, s, nil, []byte(`{"code":-32000,"message":"No"}`))
	n.wantsTold(t, "command "+s+` T0 Page.navigate inside=false {"url":"u"}`, "ended Page.navigate No")
	ev.Event("T0", "Page.frameNavigated", []byte(`{"a":1}`))
	ev.Event("T0", "Network.dataReceived", []byte(`{}`))
	n.wantsTold(t, "event "+s+` T0 Page.frameNavigated inside=false {"a":1}`)
	h.sides.list[0].host = &fullHost{}
	send("Page.navigate")
	n.wantsTold(t, "command "+s+` T0 Page.navigate inside=false {"url":"u"}`, "ended Page.navigate "+errNotTaken.Message)
	h.sides.list[0].host = host
	send("Page.navigate")
	n.take()
	c.Leave()
	n.wantsTold(t, "ended Page.navigate "+errDetached.Message, "detached "+s)
}

// fullHost is a Host that takes no more commands.
type fullHost struct{ mute }

func (*fullHost) Send(bridge.Command) error { return errors.New("full") }

// TestObserverKnowsThePageOfAFrame has a browser open a session on a frame in a
// session on its page.
func TestObserverKnowsThePageOfAFrame(t *testing.T) {
	h, n := observedHub(t, "Page.frameNavigated")
	ev, err := h.SetHost(&browserMute{}, bridge.Announcement{Targets: []targets.Info{{ID: "P"}}})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := h.Join(session.NewEncoder(&buffer{}), nil)
	c.Receive([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`))
	root := h.sides.list[0].roots[c].ID
	ev.Opened(bridge.Nested{Parent: root, SessionID: "tab", TargetID: "TAB", Type: "tab"})
	ev.Opened(bridge.Nested{Parent: "tab", SessionID: "page", TargetID: "P", Type: "page"})
	ev.Opened(bridge.Nested{Parent: "page", SessionID: "frame", TargetID: "F", Type: "iframe"})
	ev.SessionEvent("page", "Page.frameNavigated", []byte(`{}`))
	ev.SessionEvent("frame", "Page.frameNavigated", []byte(`{}`))
	n.wantsTold(t, `event page P Page.frameNavigated inside=false {}`, `event frame P Page.frameNavigated inside=true {}`)
}

// TestR162ObserverKnowsThePageOfAFrameAlone has a Client attach to a frame, and not to
// the page around it: what happens there during a handoff must not be kept either.
func TestR162ObserverKnowsThePageOfAFrameAlone(t *testing.T) {
	h, n := observedHub(t, "Page.frameNavigated", "Input.insertText")
	host := &familyHost{}
	ev := setHost(h, host, []targets.Info{{ID: "PAGE"}, {ID: "FRAME", Type: "iframe"}})
	c := join(t, h, &inbox{})
	c.Receive([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)) // makes its root
	ev.Opened(bridge.Nested{Parent: host.root, SessionID: "direct", TargetID: "FRAME", Type: "iframe"})
	ev.Opened(bridge.Nested{Parent: "direct", SessionID: "worker", TargetID: "W", Type: "worker"})
	ev.Opened(bridge.Nested{Parent: host.root, SessionID: "service", TargetID: "SERVICE", Type: "service_worker"})
	ev.SessionEvent("direct", "Page.frameNavigated", []byte(`{}`))
	ev.SessionEvent("worker", "Page.frameNavigated", []byte(`{}`))
	ev.SessionEvent("service", "Page.frameNavigated", []byte(`{}`))
	n.wantsTold(t, `event direct PAGE Page.frameNavigated inside=true {}`, `event worker PAGE Page.frameNavigated inside=true {}`,
		`event service SERVICE Page.frameNavigated inside=false {}`)
	c.Receive([]byte(`{"id":2,"method":"Input.insertText","params":{},"sessionId":"direct"}`))
	n.wantsTold(t, `command direct PAGE Input.insertText inside=true {}`)
}

// TestObserverKnowsWhatIsNoPageOfTheWeb has a page go to a file and back.
func TestObserverKnowsWhatIsNoPageOfTheWeb(t *testing.T) {
	h, n := observedHub(t, "web")
	ev, err := h.SetHost(&browserMute{}, bridge.Announcement{Targets: []targets.Info{{ID: "P"}, {ID: "FILE", NotWeb: true}}})
	if err != nil {
		t.Fatal(err)
	}
	n.wantsTold(t, "web P true", "web FILE false")
	ev.TargetChanged(targets.Info{ID: "P", NotWeb: true})
	ev.TargetChanged(targets.Info{ID: "P"})
	n.wantsTold(t, "web P false", "web P true")
}

// browserMute is a browser that does nothing.
type browserMute struct{ mute }

func (*browserMute) AttachedToBrowser(bridge.Attachment) {}

// TestAsk has the hub ask in a Client's session, which hears nothing of it.
func TestAsk(t *testing.T) {
	h := newHub(t, Options{})
	host := &asked{}
	ev := setHost(h, host, list(1))
	out := &buffer{}
	c, _ := h.Join(session.NewEncoder(out), nil)
	c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
	s := onlySession(c)
	out.b = nil
	var got []string
	ask := func(session string) {
		h.Control().Ask(session, "Page.captureScreenshot", []byte(`{"format":"jpeg"}`), func(result []byte, err *Error) {
			if err != nil {
				result = []byte(err.Message)
			}
			got = append(got, string(result))
		})
	}
	ask(s)
	ev.Result(h.calls.last, s, []byte(`{"data":"x"}`), nil)
	ask(s)
	ev.Result(h.calls.last, s, nil, []byte(`{"code":-32000,"message":"No"}`))
	ask("nobody's")
	if out.b != nil {
		t.Errorf("the Client got %s", out.b)
	}
	ask(s)
	ev.HostGone(false)
	want := []string{`{"data":"x"}`, "No", "Session with given id not found.", errTargetDestroyed.Message}
	if len(got) != len(want) || !slices.Equal(got[:3], want[:3]) {
		t.Errorf("answers %q, want %q", got, want)
	}
	if host.last != `Page.captureScreenshot {"format":"jpeg"}` {
		t.Errorf("the Host got %q", host.last)
	}
	if st := h.Stats(); st.Received != st.AnsweredByHost+st.AnsweredByHub+st.ClientGone+st.Pending {
		t.Errorf("the counters do not add up: %+v", st)
	}
}

// asked is a Host that remembers the last command.
type asked struct {
	mute
	last string
}

func (a *asked) Send(c bridge.Command) error {
	a.last = c.Method + " " + string(c.Params)
	return nil
}

// TestObserverOfNothingAllocatesNothing compares the path of a command of which an
// Observer wants nothing with the one without an Observer.
func TestObserverOfNothingAllocatesNothing(t *testing.T) {
	with, _ := observedHub(t)
	without := newHub(t, Options{})
	if a, b := allocsOfCommand(t, with), allocsOfCommand(t, without); a > b {
		t.Errorf("a command allocates %v times with an Observer, and %v times without", a, b)
	}
}

func allocsOfCommand(t *testing.T, h *Hub) float64 {
	t.Helper()
	ev := setHost(h, &mute{}, list(1))
	c, _ := h.Join(session.NewEncoder(&buffer{}), nil)
	c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
	s := onlySession(c)
	in, result := fmt.Appendf(nil, `{"id":7,"method":"Runtime.evaluate","params":{},"sessionId":%q}`, s), []byte(`{}`)
	return testing.AllocsPerRun(100, func() {
		c.Receive(in)
		ev.Result(h.calls.last, s, result, nil)
		ev.Event("T0", "Network.dataReceived", result)
	})
}
