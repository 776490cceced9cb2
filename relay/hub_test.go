package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// inbox is a Client that keeps what it gets.
type inbox struct{ got []string }

func (p *inbox) Deliver(f wire.Frame) { p.got = append(p.got, string(f.AppendTo(nil))) }

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

func list(n int) []targets.Info {
	l := make([]targets.Info, n)
	for i := range l {
		l[i].ID = fmt.Sprintf("T%d", i)
	}
	return l
}

func join(t testing.TB, h *Hub, p *inbox) *Client {
	t.Helper()
	c, err := h.Join(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDeepParams(t *testing.T) {
	p := &inbox{}
	m := &mute{}
	h := New(Options{NewID: func() string { return "S" }})
	h.SetHost(m, bridge.Version{}, list(1))
	c := join(t, h, p)
	c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
	p.take()
	for _, levels := range []int{301, 5000, 1 << 20} {
		in := `{"id":2,"method":"Runtime.evaluate","sessionId":"S","params":` + strings.Repeat(`{"a":`, levels) + `1` + strings.Repeat("}", levels) + `}`
		c.Receive([]byte(in))
		got := p.take()
		if len(got) != 1 || !strings.HasPrefix(got[0], `{"id":2,"error":{"code":-32700,`) {
			t.Errorf("%d levels: got %.200q, want one -32700", levels, got)
		}
	}
	if m.commands != 0 {
		t.Errorf("%d of them reached the Host", m.commands)
	}
}

func TestEmptyFrame(t *testing.T) {
	p := &inbox{}
	c := join(t, New(Options{}), p)
	c.Receive(nil)
	if got := p.take(); len(got) != 1 || !strings.HasPrefix(got[0], `{"error":{"code":-32700,`) {
		t.Errorf("got %q, want -32700 without an id", got)
	}
}

func TestLimits(t *testing.T) {
	h := New(Options{Limits: Limits{Clients: 2, ClientSessions: 3, ClientCalls: 4, Calls: 6}})
	h.SetHost(&mute{}, bridge.Version{}, list(5))
	a, b := &inbox{}, &inbox{}
	ca, cb := join(t, h, a), join(t, h, b)
	if _, err := h.Join(&inbox{}); !errors.Is(err, ErrTooManyClients) {
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

// TestEveryWrongParam sends the hub's own methods params of every wrong type
// and wants one error or result for each.
func TestEveryWrongParam(t *testing.T) {
	h := New(Options{})
	h.SetHost(&mute{}, bridge.Version{}, list(1))
	p := &inbox{}
	c := join(t, h, p)
	values := []string{`null`, `5`, `-1.5`, `true`, `""`, `"x"`, `[]`, `{}`, `{"toString":1}`, `[[[]]]`, `1e400`}
	n := 0
	for name, m := range methods {
		if m.browser == nil {
			continue
		}
		var all []string
		for _, v := range values {
			all = append(all, `,"params":`+v)
			for _, key := range []string{"targetId", "sessionId", "discover", "autoAttach", "filter"} {
				all = append(all, fmt.Sprintf(`,"params":{%q:%s}`, key, v))
			}
		}
		for _, params := range append(all, "") {
			n++
			p.take()
			c.Receive(fmt.Appendf(nil, `{"id":%d,"method":%q%s}`, n, name, params))
			answers := 0
			for _, m := range p.take() {
				if !json.Valid([]byte(m)) {
					t.Fatalf("%s%s: not JSON: %s", name, params, m)
				}
				if strings.HasPrefix(m, fmt.Sprintf(`{"id":%d,`, n)) {
					answers++
				}
			}
			if answers != 1 {
				t.Errorf("%s%s: %d answers, want 1", name, params, answers)
			}
		}
	}
	if n < 400 {
		t.Errorf("only %d cases", n)
	}
}

// sink is a peer that costs nothing.
type sink struct{ bytes int }

func (s *sink) Deliver(f wire.Frame) { s.bytes += f.Len() }

func TestHotPathAllocatesNothing(t *testing.T) {
	h := New(Options{})
	ev := h.SetHost(&mute{}, bridge.Version{}, list(1))
	c, err := h.Join(&sink{})
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

// TestRandomOperations plays random peers and wants, of every command, exactly
// one answer while its Client lives, and the books to agree throughout.
func TestRandomOperations(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for round := range uint64(30) {
		randomRun(t, rand.New(rand.NewPCG(seed, round)))
	}
}

// FuzzOperations plays the operations that the input spells.
func FuzzOperations(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Fuzz(func(t *testing.T, in []byte) {
		w := newWorld(t)
		for _, b := range in {
			w.step(int(b), int(b)>>4)
		}
		w.finish()
	})
}

func randomRun(t *testing.T, r *rand.Rand) {
	w := newWorld(t)
	for range 300 {
		w.step(r.IntN(256), r.IntN(256))
	}
	w.finish()
}

// world is a hub with clients whose commands are counted.
type world struct {
	t       *testing.T
	hub     *Hub
	events  bridge.Events
	clients []*Client
	boxes   map[*Client]*inbox
	sent    map[*Client]int
	n       int
}

func newWorld(t *testing.T) *world {
	return &world{t: t, hub: New(Options{}), boxes: map[*Client]*inbox{}, sent: map[*Client]int{}}
}

func (w *world) send(c *Client, format string, args ...any) {
	w.n++
	w.sent[c]++
	c.Receive(fmt.Appendf(nil, `{"id":%d,%s}`, w.n, fmt.Sprintf(format, args...)))
}

func (w *world) step(op, arg int) {
	target := fmt.Sprintf("T%d", arg%4)
	switch op % 11 {
	case 0:
		w.events = w.hub.SetHost(&mute{}, bridge.Version{}, list(arg%4))
	case 1:
		if len(w.clients) < 5 {
			p := &inbox{}
			c := join(w.t, w.hub, p)
			w.clients, w.boxes[c] = append(w.clients, c), p
		}
	default:
		w.withHostOrClient(op, arg, target)
	}
	if err := w.hub.check(); err != nil {
		w.t.Fatalf("after operation %d(%d): %v", op%11, arg, err)
	}
}

func (w *world) withHostOrClient(op, arg int, target string) {
	if w.events != nil {
		switch op % 11 {
		case 2:
			w.events.TargetCreated(targets.Info{ID: target})
		case 3:
			w.events.TargetGone(target)
		case 4:
			if arg%8 == 0 {
				w.events.HostGone()
			}
		case 5:
			w.answerOne(arg)
		}
	}
	if len(w.clients) == 0 {
		return
	}
	c := w.clients[arg%len(w.clients)]
	switch op % 11 {
	case 6:
		w.send(c, `"method":"Target.attachToTarget","params":{"targetId":%q}`, target)
	case 7:
		w.send(c, `"method":"Target.detachFromTarget","params":{"sessionId":%q}`, onlySession(c))
	case 8:
		w.send(c, `"method":"Page.enable","sessionId":%q`, onlySession(c))
	case 9:
		w.send(c, `"method":"Target.setAutoAttach","params":{"autoAttach":%v}`, arg%2 == 0)
	case 10:
		if arg%8 == 0 {
			c.Leave()
			w.clients = remove(w.clients, c)
			delete(w.boxes, c)
		}
	}
}

func remove(list []*Client, c *Client) []*Client {
	var rest []*Client
	for _, x := range list {
		if x != c {
			rest = append(rest, x)
		}
	}
	return rest
}

// answerOne answers some command that the hub has in flight, or one that it
// has not.
func (w *world) answerOne(arg int) {
	for n, c := range w.hub.calls.byNumber {
		w.events.Result(n, c.sessionID(), []byte(`{}`), nil)
		break
	}
	w.events.Result(bridge.CallID(arg), "", []byte(`{}`), nil)
}

// finish ends the Host, so that nothing may be left without an answer.
func (w *world) finish() {
	if w.events != nil {
		w.events.HostGone()
	}
	if err := w.hub.check(); err != nil {
		w.t.Fatal(err)
	}
	for c, p := range w.boxes {
		answers := map[string]int{}
		for _, m := range p.got {
			if strings.HasPrefix(m, `{"id":`) {
				id, _, _ := strings.Cut(m[6:], ",")
				answers[id]++
			}
		}
		for id, n := range answers {
			if n != 1 {
				w.t.Fatalf("command %s got %d answers", id, n)
			}
		}
		if len(answers) != w.sent[c] {
			w.t.Fatalf("%d commands sent, %d answered", w.sent[c], len(answers))
		}
	}
}

func TestHubsComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hs := NewHubs(Options{})
		a, releaseA, err := hs.Acquire("one")
		if err != nil {
			t.Fatal(err)
		}
		b, releaseB, _ := hs.Acquire("one")
		other, releaseOther, _ := hs.Acquire(DefaultHub)
		if a != b || a == other {
			t.Fatal("one name, one hub")
		}
		releaseA()
		releaseA() // a second call changes nothing
		time.Sleep(linger * 2)
		if c, release, _ := hs.Acquire("one"); c != a {
			t.Error("a hub in use went away")
		} else {
			release()
		}
		releaseB()
		time.Sleep(linger - time.Second)
		if hs.Len() != 2 {
			t.Error("a hub went before its time")
		}
		time.Sleep(2 * time.Second)
		if hs.Len() != 1 {
			t.Errorf("%d hubs are left, want the default one", hs.Len())
		}
		releaseOther()
	})
}

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "my-hub-7": true, strings.Repeat("x", 63): true,
		"": false, strings.Repeat("x", 64): false, "A": false, "..": false, "a/b": false, "%2e": false, "é": false,
	} {
		if got := ValidName(name); got != want {
			t.Errorf("ValidName(%q) = %v, want %v", name, got, want)
		}
	}
}
