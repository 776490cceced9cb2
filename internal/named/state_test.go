package named

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/targets"
)

// move takes the sessions of a rig to another one, as JSON.
func (r *rig) move(t *testing.T, to *rig, describe func(string) State) State {
	t.Helper()
	text, err := json.Marshal(describe(""))
	if err != nil {
		t.Fatal(err)
	}
	var st State
	if err := json.Unmarshal(text, &st); err != nil {
		t.Fatal(err)
	}
	to.sessions.Restore("", st, func(one *SessionState) (*Begin, error) {
		if one.Name == "refused" {
			return nil, errors.New("nobody wants it")
		}
		client, err := to.hub.Admit(relay.ClientOptions{Known: one.Client.Name})
		return &Begin{
			Client: client, Verdict: one.Verdict, Release: func() { to.released.Add(1) },
			Hold: func(func(wsconn.Reason)) func() { return func() {} },
		}, err
	})
	return st
}

// TestR291NothingBeginsAfterClose closes the sessions of a process whose hubs go on elsewhere: a
// connection that comes then, or a hub that another process gives, leaves nothing behind.
func TestR291NothingBeginsAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other, r := newRig(t, Options{}), newRig(t, Options{})
		other.join("a", "session=moved")
		link, l := r.join("a", "session=work")
		r.sessions.Depart()
		r.hub.Drain()
		link.Left()
		_, away := r.join("a", "session=late")
		r.sessions.Close(wsconn.ReasonShutdown)
		for _, l := range []*line{l, away} {
			if l.closed != wsconn.ReasonShutdown {
				t.Errorf("closed with %v, want %v", l.closed, wsconn.ReasonShutdown)
			}
		}
		for _, query := range []string{"session=work", "session=late&fresh=true", "session=new"} {
			if _, _, err := r.try("a", query); !errors.Is(err, ErrClosed) {
				t.Errorf("%s after the end: %v, want %v", query, err, ErrClosed)
			}
		}
		other.move(t, r, other.sessions.Take)
		synctest.Wait()
		heldtest.WantsNothing(t, "the named sessions", r.sessions.Held())
		heldtest.WantsNothing(t, "the hub", r.hub.Control().Held())
	})
}

// TestR214JournalGoesOnElsewhere moves a session with messages that its Client has not had,
// twice: in order, and after a death.
func TestR214JournalGoesOnElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, third := newRig(t, Options{}), newRig(t, Options{}), newRig(t, Options{})
		link, l := first.join("a", "session=work&resume=on&grace=10m")
		stream := first.streamOf(l, 0, 0)
		for id := range 4 {
			ask(link, id)
		}
		for _, name := range []string{"refused", "ended", "plain"} {
			first.join("a", "session="+name)
		}
		first.sessions.End(first.key("a", "ended"))
		first.sessions.Depart()
		ask(link, 4) // is for the next node
		if n := len(l.take()); n != 4 {
			t.Fatalf("%d messages came, want four answers", n)
		}
		first.move(t, second, first.sessions.Take)
		if why := l.closed; why.Code != wsconn.ReasonShutdown.Code {
			t.Errorf("the connection was closed with %v", why)
		}
		if n := first.hub.Clients(); n != 0 || len(first.sessions.live) != 0 || first.sessions.total.bytes.Load() != 0 {
			t.Errorf("%d Clients and %d sessions are left behind", n, len(first.sessions.live))
		}
		for _, name := range []string{"refused", "ended"} {
			var ended *EndedError
			if _, _, err := second.try("a", "session="+name); !errors.As(err, &ended) {
				t.Errorf("the session %s: %v", name, err)
			}
		}
		if _, _, err := second.try("b", "session=work&resume="+stream+".2"); !errors.Is(err, ErrUnknown) {
			t.Errorf("another bearer: %v", err)
		}
		link, l = second.join("a", "session=work&resume="+stream+".2")
		if got := l.take(); len(got) != 3 || !strings.HasSuffix(got[0], `"sent":4,"received":4}}`) {
			t.Errorf("at the second node: %v", got)
		}
		ask(link, 4)
		time.Sleep(time.Minute)

		third.sessions.Watch()
		st := second.move(t, third, second.sessions.Look)
		if len(st.Sessions) != 2 || st.Sessions[1].Kept != nil || st.Sessions[1].Exact || st.Sessions[1].Grace != 10*time.Minute {
			t.Errorf("the note is %+v", st.Sessions)
		}
		if got := fmt.Sprintf("%q", third.sessions.Changed()); got != `[""]` {
			t.Errorf("changed are %s", got)
		}
		if got := third.sessions.Changed(); len(got) != 0 {
			t.Errorf("changed are %v, want none", got)
		}
		if _, _, err := third.try("a", "session=work&resume="+stream+".5"); !errors.Is(err, ErrStream) {
			t.Errorf("without the count of messages: %v", err)
		}
		link, l = third.join("a", "session=work&resume="+stream+".5.7")
		if got := strings.Join(l.take(), "\n"); !strings.HasSuffix(got, `"sent":6,"received":7}}`+"\n"+`{"method":"CdpHub.gap","params":{"from":6,"to":6}}`) {
			t.Errorf("at the third node: %s", got)
		}
		ask(link, 8)
		if got := l.take(); len(got) != 1 || !strings.Contains(got[0], `"id":8`) {
			t.Errorf("the stream goes on with %v", got)
		}
		link.Left()
		time.Sleep(11 * time.Minute)
		if _, _, err := third.try("a", "session=work&resume="+stream+".7"); err == nil {
			t.Error("the session stays after its grace time")
		}
		third.sessions.Drop("")
		if n := third.hub.Clients(); n != 0 {
			t.Errorf("%d Clients are left", n)
		}
	})
}

// silent is a Host that answers nothing.
type silent struct{ bridge.Host }

func (silent) Send(bridge.Command) error  { return nil }
func (silent) Attached(bridge.Attachment) {}
func (silent) Release(string, string)     {}

// TestR214WhatIsNotAnsweredIsNoted has a Client ask a Host that is silent: what it has asked for
// is a change, too.
func TestR214WhatIsNotAnsweredIsNoted(t *testing.T) {
	r := newRig(t, Options{})
	host, err := r.hub.SetHost(silent{}, bridge.Announcement{Targets: []targets.Info{{ID: "T"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer host.HostGone(false)
	r.sessions.Watch()
	link, l := r.join("a", "session=work")
	link.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T","flatten":true}}`))
	_, session, _ := strings.Cut(l.take()[0], `"sessionId":"`)
	session, _, _ = strings.Cut(session, `"`)
	r.sessions.Changed()
	link.Receive(fmt.Appendf(nil, `{"id":2,"method":"Page.enable","params":{},"sessionId":%q}`, session))
	if got := r.sessions.Changed(); len(l.take()) != 0 || len(got) != 1 {
		t.Errorf("changed are %q", got)
	}
}
