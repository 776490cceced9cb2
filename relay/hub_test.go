package relay

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// inbox is a Client that keeps the messages it gets.
type inbox struct{ got []string }

func (p *inbox) Deliver(f wire.Frame) bool {
	p.got = append(p.got, string(f.AppendTo(nil)))
	return true
}

func (p *inbox) Answer(s *session.Session, id, result []byte, err *wire.Error) bool {
	return session.NewEncoder(p).Answer(s, id, result, err)
}

func (p *inbox) Event(s *session.Session, e *session.Event) bool {
	return session.NewEncoder(p).Event(s, e)
}

func (p *inbox) take() []string {
	got := p.got
	p.got = nil
	return got
}

// mute is a Host that takes every command and says nothing.
type mute struct {
	bridge.Host
	commands int
	closed   bridge.Reason
}

func (m *mute) Send(bridge.Command) error { m.commands++; return nil }
func (m *mute) Release(string, string)    {}
func (m *mute) Close(r bridge.Reason)     { m.closed = r }

// setHost gives a hub a Host that does not come back.
func setHost(h *Hub, host bridge.Host, list []targets.Info) bridge.Events {
	ev, err := h.SetHost(host, bridge.Announcement{Targets: list})
	if err != nil {
		panic(err)
	}
	return ev
}

func list(n int) []targets.Info {
	l := make([]targets.Info, n)
	for i := range l {
		l[i].ID = fmt.Sprintf("T%d", i)
	}
	return l
}

func join(t testing.TB, h *Hub, p *inbox) *Client {
	t.Helper()
	c, err := h.Join(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestR50EmptyMessage(t *testing.T) {
	p := &inbox{}
	join(t, newHub(t, Options{}), p).Receive(nil)
	if got := p.take(); len(got) != 1 || !strings.HasPrefix(got[0], `{"error":{"code":-32700,`) {
		t.Errorf("got %q, want -32700 without an id", got)
	}
}

// TestF08R64R68Limits has Clients, sessions and commands beyond what a Client and a hub may have.
func TestF08R64R68Limits(t *testing.T) {
	if got, want := newHub(t, Options{}).opts.Limits, (Limits{1024, 8192, 4096, 65536, 65536}); got != want {
		t.Errorf("the limits are %+v, want %+v", got, want)
	}
	h := newHub(t, Options{Limits: Limits{Clients: 2, ClientSessions: 3, ClientCalls: 4, Calls: 6}})
	setHost(h, &mute{}, list(5))
	a, b := &inbox{}, &inbox{}
	ca, cb := join(t, h, a), join(t, h, b)
	if _, err := h.Join(&inbox{}, nil); !errors.Is(err, ErrTooManyClients) {
		t.Errorf("third client: got %v, want ErrTooManyClients", err)
	}
	for i := range 4 {
		ca.Receive(fmt.Appendf(nil, `{"id":%d,"method":"Target.attachToTarget","params":{"targetId":"T%d"}}`, i, i))
	}
	if got := a.take(); !strings.Contains(got[len(got)-1], "Too many sessions") {
		t.Errorf("fourth session: got %s", got[len(got)-1])
	}
	ca.Receive([]byte(`{"id":9,"method":"Target.setAutoAttach","params":{"autoAttach":true}}`))
	if got := a.take(); !strings.Contains(strings.Join(got, ""), "Too many sessions") {
		t.Errorf("auto-attach beyond the limit: got %q", got)
	}
	flood := func(c *Client, p *inbox, n int) (refused int) {
		p.take()
		s := onlySession(c)
		for i := range n {
			c.Receive(fmt.Appendf(nil, `{"id":%d,"method":"Page.enable","sessionId":%q}`, i, s))
		}
		for _, m := range p.take() {
			if strings.Contains(m, "Too many commands in flight") {
				refused++
			}
		}
		return refused
	}
	if got := flood(ca, a, 10); got != 6 {
		t.Errorf("one client's commands: %d refused, want 6", got)
	}
	cb.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
	if got := flood(cb, b, 10); got != 8 {
		t.Errorf("with the hub's limit at 6: %d refused, want 8", got)
	}
	ca.Leave()
	if got := flood(cb, b, 10); got != 8 {
		t.Errorf("after the other has left: %d refused, want 8 (2 of 4 are still in flight)", got)
	}
	if err := h.check(); err != nil {
		t.Error(err)
	}
}

// onlySession is the id of one of the Client's sessions.
func onlySession(c *Client) string {
	for s := range c.sessions {
		return s.ID
	}
	return ""
}

// sink is a peer that costs nothing.
type sink struct{ bytes int }

func (s *sink) Deliver(f wire.Frame) bool {
	s.bytes += f.Len()
	return true
}

func (s *sink) Answer(_ *session.Session, _, result []byte, _ *wire.Error) bool {
	s.bytes += len(result)
	return true
}

func (s *sink) Event(_ *session.Session, e *session.Event) bool {
	s.bytes += len(e.Params)
	return true
}

// TestR66HotPathAllocatesNothing sends an event, also of a Target without a session, and a command.
func TestR66HotPathAllocatesNothing(t *testing.T) {
	h := newHub(t, Options{})
	ev := setHost(h, &mute{}, list(2))
	out := &sink{}
	c, err := h.Join(session.NewEncoder(out), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 25 {
		c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
	}
	params := []byte(`{"requestId":"1000.1","dataLength":4096}`)
	if n := testing.AllocsPerRun(100, func() { ev.Event("T0", "Network.dataReceived", params) }); n != 0 {
		t.Errorf("Event allocated %v times, want 0", n)
	}
	before := out.bytes
	if n := testing.AllocsPerRun(100, func() { ev.Event("T1", "Network.dataReceived", params) }); n != 0 || out.bytes != before {
		t.Errorf("an event for nobody allocated %v times and sent %d bytes, want 0", n, out.bytes-before)
	}
	s := onlySession(c)
	in := fmt.Appendf(nil, `{"id":7,"method":"Runtime.evaluate","params":{"expression":"1"},"sessionId":%q}`, s)
	result := []byte(`{"result":{"type":"number","value":1}}`)
	if n := testing.AllocsPerRun(100, func() {
		c.Receive(in)
		ev.Result(h.calls.last, s, result, nil)
	}); n != 0 {
		t.Errorf("a command and its answer allocated %v times, want 0", n)
	}
}

// at most 9 takeovers in 10 s.
func TestR84Takeovers(t *testing.T) {
	var turns replacements
	now := time.Unix(0, 0)
	n := 0
	for end := now.Add(10 * time.Second); ; n++ {
		if now = now.Add(turns.delay(now)); now.After(end) {
			break
		}
	}
	if n < 5 || n > 9 {
		t.Errorf("%d takeovers in 10 s, want 5 to 9", n)
	}
	now = now.Add(time.Minute)
	for n, want := range []time.Duration{0, 200, 400, 800} {
		if got := turns.delay(now); got != want*time.Millisecond {
			t.Errorf("takeover %d after a quiet time waits %v, want %v", n+1, got, want*time.Millisecond)
		}
	}
	if h := newHub(t, Options{}); h.Control().ReconnectDelay() != 0 {
		t.Error("the first Host of a hub must wait")
	}
}

// wholeBrowser gives a Host the abilities of one that serves the browser level.
type wholeBrowser struct{}

func (wholeBrowser) Slot() string                        { return bridge.BrowserSlot }
func (wholeBrowser) AttachedToBrowser(bridge.Attachment) {}

// lateBrowser tells of a new title when it is asked to, if it is awake.
type lateBrowser struct {
	mute
	wholeBrowser
	events bridge.Events
	asleep bool
}

func (b *lateBrowser) Refresh(told func()) {
	if b.asleep {
		return
	}
	go func() {
		b.events.TargetChanged(targets.Info{ID: "T0", Title: "new", Type: "page"})
		told()
	}()
}

func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, Options{})
		h.Refresh(t.Context()) // discard is there to ask
		b := &lateBrowser{}
		b.events, _ = h.SetHost(b, bridge.Announcement{Targets: list(1)})
		h.Refresh(t.Context())
		if got := h.Targets(nil)[0].Title; got != "new" {
			t.Errorf("the title is %q, want new", got)
		}
		b.asleep = true
		begun := time.Now()
		h.Refresh(t.Context())
		if took := time.Since(begun); took != refreshTimeout {
			t.Errorf("with a browser that does not answer it took %v, want %v", took, refreshTimeout)
		}
	})
}
