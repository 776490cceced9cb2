package relay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// TestR152LevelsAreBounded discovers and auto-attaches in more sessions than one
// Client may: each would be told of every Target.
func TestR152LevelsAreBounded(t *testing.T) {
	h := newHub(t, Options{})
	ev := setHost(h, &mute{}, list(2))
	p := &inbox{}
	c := join(t, h, p)
	n := 0
	ask := func(session, message string) string {
		n++
		p.take()
		if session != "" {
			message += fmt.Sprintf(`,"sessionId":%q`, session)
		}
		c.Receive(fmt.Appendf(nil, `{"id":%d,%s}`, n, message))
		got := p.take()
		return got[len(got)-1]
	}
	sessions := []string{""}
	for range 2 * maxSubscriptions {
		sessions = append(sessions, text(ask("", onBrowser), `"sessionId":"`))
	}
	refused := 0
	for i, s := range sessions {
		for _, m := range []string{discovers, autoNothing} {
			if got := ask(s, m); strings.Contains(got, errTooManySubscriptions.Message) {
				refused++
			} else if 2*i >= maxSubscriptions || strings.Contains(got, "error") {
				t.Fatalf("session %d, %s: %s", i, m, got)
			}
		}
	}
	if want := 2*len(sessions) - maxSubscriptions; refused != want {
		t.Errorf("%d were refused, want %d", refused, want)
	}
	if got := ask("", discovers); strings.Contains(got, "error") {
		t.Errorf("what is on already cannot be changed: %s", got)
	}
	p.take()
	ev.TargetGone("T0")
	if got := len(p.take()); got != maxSubscriptions/2 {
		t.Errorf("the end of a Target makes %d events, want %d", got, maxSubscriptions/2)
	}
	ask("", `"method":"Target.setDiscoverTargets","params":{"discover":false}`)
	if got := ask(sessions[len(sessions)-1], discovers); strings.Contains(got, "error") {
		t.Errorf("after another was turned off: %s", got)
	}
	if err := h.check(); err != nil {
		t.Error(err)
	}
}

// TestR152TabsAreNotCounted auto-attaches inside of as many tabs as there are,
// as Puppeteer does: they are not told of others.
func TestR152TabsAreNotCounted(t *testing.T) {
	c := newCrowd(t, 3*maxSubscriptions)
	client := c.puppeteer()
	if got, want := len(client.sessions), 2*c.n; got != want {
		t.Errorf("%d sessions, want %d: each tab's, and its page's", got, want)
	}
	if err := c.hub.check(); err != nil {
		t.Error(err)
	}
}

// TestR152KeptParamsAreBounded sends params that are kept, with more in them
// than the hub reads.
func TestR152KeptParamsAreBounded(t *testing.T) {
	h := newHub(t, Options{})
	p := &inbox{}
	c := join(t, h, p)
	more := `,"more":"` + strings.Repeat("x", maxKept) + `"}`
	for _, m := range []string{discovers, autoPages} {
		c.Receive([]byte(`{"id":1,` + strings.TrimSuffix(m, "}") + more + `}`))
		if got := p.take(); len(got) != 1 || !strings.Contains(got[0], `"code":-32602`) {
			t.Errorf("%s: %.200q, want one error", m, got)
		}
	}
	if len(h.subscribers.at) > 0 {
		t.Error("something is kept of what was refused")
	}
}

// TestR81HandlesOfPages has a Host say that it handles methods that belong to
// pages: at browser level there is none that the hub could take note of.
func TestR81HandlesOfPages(t *testing.T) {
	h := newHub(t, Options{})
	h.SetHost(handlesAll{&mute{}}, bridge.Announcement{Targets: list(1)})
	c := join(t, h, &inbox{})
	for i, name := range []string{"Page.enable", "Page.disable", "Page.close", "Target.closeTarget"} {
		c.Receive(fmt.Appendf(nil, `{"id":%d,"method":%q}`, i, name))
	}
	if c.calls != 4 {
		t.Errorf("%d commands reached the Host, want 4", c.calls)
	}
	c.Leave()
}

// handlesAll is a Host that says it handles every method.
type handlesAll struct{ *mute }

func (handlesAll) Handles(string) bool { return true }

// text is the string that stands in a message behind what comes before it.
func text(message, before string) string {
	_, rest, _ := strings.Cut(message, before)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// TestR152PromptTextIsBounded answers a prompt with more than every session of
// its Target is to be told.
func TestR152PromptTextIsBounded(t *testing.T) {
	c := newCrowd(t, 1)
	driver := c.in(c.client(nil, attachPage), `"method":"Page.enable"`)
	answer := c.prompt()
	say := func(text string) {
		c.in(driver, fmt.Sprintf(`"method":%q,"params":{"accept":true,"promptText":%q}`, answerDialog, text))
	}
	say(strings.Repeat("x", maxPromptText+1))
	c.hub.mu.Lock()
	open := c.hub.dialogs["T0"].open != nil
	c.hub.mu.Unlock()
	if !open {
		t.Error("an answer that is too long was taken")
	}
	say(strings.Repeat("y", maxPromptText))
	if a := <-answer; !a.Accept || len(a.Text) != maxPromptText {
		t.Errorf("answered with %d bytes, accepted %v", len(a.Text), a.Accept)
	}
}

// TestR152LongIDs names things by ids as long as a message: none is looked up,
// and none is told back.
func TestR152LongIDs(t *testing.T) {
	h := newHub(t, Options{})
	ev := setHost(h, &keeper{}, list(1))
	p := &inbox{}
	c := join(t, h, p)
	long := strings.Repeat("x", 1<<20)
	for _, m := range []string{
		`"method":"Target.disposeBrowserContext","params":{"browserContextId":%q}`, `"method":"Target.getTargetInfo","params":{"targetId":%q}`,
		`"method":"Target.attachToTarget","params":{"targetId":%q}`, `"method":"Target.detachFromTarget","params":{"sessionId":%q}`,
		`"method":"Target.detachFromTarget","params":{"targetId":%q}`, `"method":"Target.closeTarget","params":{"targetId":%q}`, `"method":"Page.enable","sessionId":%q`,
	} {
		c.Receive([]byte(`{"id":1,` + fmt.Sprintf(m, long) + `}`))
		if got := p.take(); len(got) != 1 || len(got[0]) > 1<<10 {
			t.Errorf("%.60s: %d answers, the first is %.200q", m, len(got), got)
		}
	}
	ev.Event(long, "A.b", []byte(`{}`))
	ev.SessionEvent(long, "A.b", []byte(`{}`))
	ev.TargetGone(long)
	if err := h.check(); err != nil || len(p.take()) > 0 {
		t.Errorf("an event of nothing was told of, or: %v", err)
	}
}

// countingBrowser is a browser that counts what reaches it.
type countingBrowser struct {
	familyHost
	commands int
}

func (b *countingBrowser) Send(bridge.Command) error {
	b.commands++
	return nil
}

// TestR68SessionsInABrowserAreBounded has a Client attach more often than it may, and a
// browser attach it by itself.
func TestR68SessionsInABrowserAreBounded(t *testing.T) {
	const most = 5
	h := newHub(t, Options{Limits: Limits{ClientSessions: most}})
	host, p := &countingBrowser{}, &inbox{}
	ev := setHost(h, host, []targets.Info{{ID: "PAGE"}})
	c := join(t, h, p)
	c.Receive([]byte(`{"id":1,"method":"Target.getTargets"}`)) // makes a root
	open := func(id string) bool {
		return ev.Opened(bridge.Nested{Parent: host.root, SessionID: id, TargetID: "PAGE", Type: "page"})
	}
	for i := range most {
		if !open(fmt.Sprint("N", i)) {
			t.Fatalf("session %d was refused", i)
		}
	}
	before := host.commands
	for _, m := range []string{`"method":"Target.attachToTarget","params":{"targetId":"PAGE"}`, `"method":"Target.attachToBrowserTarget"`} {
		for _, in := range []string{"", `,"sessionId":"N0"`} {
			p.take()
			c.Receive([]byte(`{"id":2,` + m + in + `}`))
			if got := p.take(); len(got) != 1 || !strings.Contains(got[0], errTooMany.Message) || host.commands != before {
				t.Errorf("%s%s: %q, and %d commands for the browser", m, in, got, host.commands-before)
			}
		}
	}
	if open("MORE") || len(c.sessions) != most {
		t.Errorf("one session more: there are %d", len(c.sessions))
	}
	if ev.Closed("N0"); !open("MORE") {
		t.Error("after the end of another one the session was refused")
	}
	if err := h.check(); err != nil {
		t.Error(err)
	}
}

// TestR68WorkersOfAPageAreBounded has a page make up workers, beside and inside each other:
// its Client can still attach to other pages.
func TestR68WorkersOfAPageAreBounded(t *testing.T) {
	for name, parentOf := range map[string]func(page string, i int) string{
		"beside": func(page string, _ int) string { return page },
		"inside": func(page string, i int) string {
			if i == 0 {
				return page
			}
			return fmt.Sprint("W", i-1)
		},
	} {
		h := newHub(t, Options{})
		ev := setHost(h, &mute{}, list(2))
		p := &inbox{}
		c := join(t, h, p)
		c.Receive([]byte(`{"id":1,` + attachPage + `}`))
		page, taken := text(p.take()[0], `"sessionId":"`), 0
		for i := range 2 * maxWorkers {
			if !ev.Opened(bridge.Nested{Parent: parentOf(page, i), SessionID: fmt.Sprint("W", i), TargetID: "W", Type: "worker"}) {
				break
			}
			taken++
		}
		if taken != maxWorkers || len(c.sessions) != maxWorkers+1 {
			t.Errorf("%s: %d workers and %d sessions, want %d workers", name, taken, len(c.sessions), maxWorkers)
		}
		if err := h.check(); err != nil {
			t.Error(err)
		}
	}
}
