package named

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
)

// line is a connection that writes down what it gets.
type line struct {
	mu     sync.Mutex
	got    []string
	closed wsconn.Reason
}

func (l *line) Deliver(f wire.Frame) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed.Code != 0 {
		return false
	}
	l.got = append(l.got, string(f.AppendTo(nil)))
	return true
}

func (l *line) Close(why wsconn.Reason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed.Code == 0 {
		l.closed = why
	}
}

// take is what came since the last call.
func (l *line) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	got := l.got
	l.got = nil
	return got
}

// rig is a hub without a Host, which answers Browser.getVersion itself, and its sessions.
type rig struct {
	*testing.T
	hub      *relay.Hub
	sessions *Sessions
	policy   relay.Policy
	released atomic.Int32
	name     string // of the hub in keys
}

// faulty is the policy of a hub with a fault.
type faulty struct{ relay.Policy }

func (faulty) Refuse(string) string { panic("a fault") }

func newRig(t *testing.T, o Options) *rig {
	r := &rig{T: t, hub: relay.New(relay.Options{}), sessions: New(o)}
	t.Cleanup(r.wantsNothingLeft)
	return r
}

// wantsNothingLeft ends all sessions. Then neither they nor their hub hold anything.
func (r *rig) wantsNothingLeft() {
	for _, s := range r.sessions.List(func(Owner) bool { return true }) {
		r.sessions.EndID(s.ID)
	}
	heldtest.WaitsForNothing(r, "the named sessions", r.sessions.Held)
	heldtest.WaitsForNothing(r, "the hub", r.hub.Control().Held)
}

func (r *rig) key(bearer, name string) Key { return Key{Owner{r.name, bearer}, name} }

// join connects; it fails the test where the session is refused.
func (r *rig) join(bearer, query string) (*Link, *line) {
	r.Helper()
	link, l, err := r.try(bearer, query)
	if err != nil {
		r.Fatalf("%s: %v", query, err)
	}
	return link, l
}

func (r *rig) try(bearer, query string) (*Link, *line, error) {
	r.Helper()
	w, err := r.sessions.Read(mustQuery(query), Granted{})
	if err != nil {
		r.Fatal(err)
	}
	k := r.key(bearer, w.Name)
	refused := r.sessions.Check(k, &w)
	var b *Begin
	if !w.Resumes() {
		client, err := r.hub.Admit(relay.ClientOptions{Policy: r.policy, Name: bearer})
		if err != nil {
			r.Fatal(err)
		}
		b = &Begin{Client: client, Payer: quota.Payer{ID: bearer}, Release: func() { r.released.Add(1) }, Hold: func(func(wsconn.Reason)) func() { return func() {} }}
	}
	l := new(line)
	link, err := r.sessions.Join(k, &w, l, b)
	if fmt.Sprint(err) != fmt.Sprint(refused) {
		r.Errorf("%s: Join says %v, and Check %v", query, err, refused)
	}
	if err != nil && b != nil {
		b.Client.Leave()
	}
	return link, l, err
}

// ask sends a command with this id.
func ask(l *Link, id int) {
	l.Receive(fmt.Appendf(nil, `{"id":%d,"method":"Schema.getDomains"}`, id))
}

// answers are the answers to commands with these ids.
func answers(ids ...int) (list []string) {
	for _, id := range ids {
		list = append(list, fmt.Sprintf(`{"id":%d,"result":{"domains":[]}}`, id))
	}
	return list
}

func (r *rig) wants(l *line, want ...string) {
	r.Helper()
	if got := l.take(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		r.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// streamOf reads the stream of CdpHub.session, which must be the next message.
func (r *rig) streamOf(l *line, sent, received int) string {
	r.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.got) == 0 {
		r.Fatal("nothing came")
	}
	_, id, _ := strings.Cut(l.got[0], `"stream":"`)
	id, rest, _ := strings.Cut(id, `"`)
	if want := fmt.Sprintf(`,"sent":%d,"received":%d}}`, sent, received); rest != want {
		r.Errorf("%s does not end with %s", l.got[0], want)
	}
	l.got = l.got[1:]
	return id
}

func TestR205ResumeBringsWhatWasMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{})
		link, l := r.join("a", "session=work&resume=on")
		stream := r.streamOf(l, 0, 0)
		for id := range 3 {
			ask(link, id+1)
		}
		r.wants(l, answers(1, 2, 3)...)
		// It has read the first answer alone, and the hub has the three commands.
		link.Left()
		link, l = r.join("a", "session=work&resume="+stream+".1")
		r.streamOf(l, 3, 3)
		r.wants(l, answers(2, 3)...)
		// A newer connection takes over, and the older one is not heard any more.
		newer, second := r.join("a", "session=work&resume="+stream+".3")
		r.streamOf(second, 3, 3)
		if l.closed != wsconn.ReasonSessionTaken {
			t.Errorf("the older connection is closed with %v", l.closed)
		}
		ask(link, 4)
		ask(newer, 5)
		r.wants(second, answers(5)...)
		link.Left()
		ask(newer, 6)
		r.wants(second, answers(6)...)
		if _, _, err := r.try("a", "session=work&resume="+stream+".6"); !errors.Is(err, ErrNumber) {
			t.Errorf("a number that was not sent: %v", err)
		}
		// Without resume another stream begins, with another Client.
		_, third := r.join("a", "session=work&resume=on")
		if other := r.streamOf(third, 0, 0); other == stream {
			t.Error("the stream is the same")
		}
		if _, _, err := r.try("a", "session=work&resume="+stream+".5"); !errors.Is(err, ErrStream) {
			t.Errorf("a stream that has ended: %v", err)
		}
		if r.released.Load() != 1 || r.hub.Clients() != 1 {
			t.Errorf("%d released, %d Clients", r.released.Load(), r.hub.Clients())
		}
		r.sessions.End(r.key("a", "work"))
		if third.closed != wsconn.ReasonSessionEnded || r.hub.Clients() != 0 || r.released.Load() != 2 || r.sessions.total.bytes.Load() != 0 || len(r.sessions.owners) != 0 {
			t.Errorf("the end has left something: %v, %d Clients, %d bytes", third.closed, r.hub.Clients(), r.sessions.total.bytes.Load())
		}
	})
}

func TestR205SmallRingSaysWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{Messages: 2})
		link, l := r.join("a", "session=work&resume=on")
		stream := r.streamOf(l, 0, 0)
		for id := range 5 {
			ask(link, id+1)
		}
		link.Left()
		_, l = r.join("a", "session=work&resume="+stream+".1")
		r.streamOf(l, 5, 5)
		r.wants(l, append([]string{`{"method":"CdpHub.gap","params":{"from":2,"to":3}}`}, answers(4, 5)...)...)
	})
}

// TestKeptMessages are dropped after a time while there is a connection, and stay
// while there is none.
func TestKeptMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{Kept: time.Minute})
		link, l := r.join("a", "session=work&resume=on&grace=20m")
		stream := r.streamOf(l, 0, 0)
		ask(link, 1)
		time.Sleep(2*time.Minute + time.Second)
		if n := r.sessions.total.bytes.Load(); n != 0 {
			t.Errorf("%d bytes are kept", n)
		}
		ask(link, 2)
		link.Left()
		time.Sleep(10 * time.Minute)
		_, l = r.join("a", "session=work&resume="+stream+".0")
		r.streamOf(l, 2, 2)
		r.wants(l, append([]string{`{"method":"CdpHub.gap","params":{"from":1,"to":1}}`}, answers(2)...)...)
		r.sessions.End(r.key("a", "work"))
	})
}

func TestR202GraceTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{})
		link, _ := r.join("a", "session=work&grace=1m")
		link.Left()
		time.Sleep(59 * time.Second)
		if list := r.sessions.List(func(Owner) bool { return true }); len(list) != 1 || list[0].AwaySince == nil || list[0].GraceMs != 60000 {
			t.Errorf("list: %+v", list)
		}
		link, _ = r.join("a", "session=work")
		time.Sleep(time.Hour)
		link.Left()
		time.Sleep(61 * time.Second)
		ended, is := errors.AsType[*EndedError](func() error { _, _, err := r.try("a", "session=work"); return err }())
		if !is || ended.Why != graceOver.text || r.hub.Clients() != 0 {
			t.Errorf("after the grace time: %v, %d Clients", ended, r.hub.Clients())
		}
		if _, _, err := r.try("b", "session=work&resume=X.1"); !errors.Is(err, ErrUnknown) {
			t.Errorf("another bearer: %v", err)
		}
		r.join("a", "session=work&fresh=true")
		// The name of a session is given to another, unasked, only when it is forgotten.
		r.sessions.End(r.key("a", "work"))
		time.Sleep(59 * time.Minute)
		if _, _, err := r.try("a", "session=work"); err == nil {
			t.Error("a session that was ended has come back")
		}
		time.Sleep(2 * time.Minute)
		r.join("a", "session=work")
		r.sessions.End(r.key("a", "work"))
	})
}

// TestR205FullConnectionIsNoGap has a connection take nothing any more, as one does that
// is closed for being slow.
func TestR205FullConnectionIsNoGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{})
		link, l := r.join("a", "session=work&resume=on")
		stream := r.streamOf(l, 0, 0)
		ask(link, 1)
		l.Close(wsconn.ReasonSlowConsumer)
		ask(link, 2)
		r.wants(l, answers(1)...)
		link.Left()
		_, l = r.join("a", "session=work&resume="+stream+".1")
		r.streamOf(l, 2, 2)
		r.wants(l, answers(2)...)
		if n := r.sessions.Numbers(); n.Connected != 1 || n.Away != 0 || n.Returned != 1 || n.Bytes == 0 {
			t.Errorf("numbers: %+v", n)
		}
		r.hub.Drain()
		if l.closed != wsconn.ReasonShutdown {
			t.Errorf("the hub drains, and the connection is closed with %v", l.closed)
		}
		r.sessions.End(r.key("a", "work"))
	})
}

// TestR291DrainEndsSessions has a hub drain while a session has a connection, which ends then, or
// none.
func TestR291DrainEndsSessions(t *testing.T) {
	for _, away := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, Options{})
			link, _ := r.join("a", "session=work")
			if away {
				link.Left()
			}
			r.hub.Drain()
			if !away {
				link.Left()
			}
			synctest.Wait()
			heldtest.WantsNothing(t, "the named sessions", r.sessions.Held())
			heldtest.WantsNothing(t, "the hub", r.hub.Control().Held())
		})
	}
}

// TestR205FaultEndsTheSession has the hub panic over a message, which nobody answers.
func TestR205FaultEndsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{})
		r.policy = faulty{scope.Privileged}
		link, l := r.join("a", "session=work&resume=on")
		func() {
			defer func() {
				if recover() == nil {
					t.Error("nothing has panicked")
				}
			}()
			ask(link, 1)
		}()
		synctest.Wait()
		if _, _, err := r.try("a", "session=work"); err == nil || l.closed != wsconn.ReasonInternal {
			t.Errorf("after a fault: %v, closed with %v", err, l.closed)
		}
	})
}
