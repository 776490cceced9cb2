package page

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime/pprof"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// readers is how many goroutines read of a connection.
func readers() int {
	var all strings.Builder
	pprof.Lookup("goroutine").WriteTo(&all, 2)
	return strings.Count(all.String(), "wsconn.(*Conn).run(")
}

// freeHub is a ledger that is free for a Host on standby.
type freeHub struct{ *ledger }

func (freeHub) Free() bool                      { return true }
func (freeHub) AwaitFree(context.Context) error { return nil }

// TestHostOnStandbyOwesReady has a Host stay silent that the hub has let come.
func TestHostOnStandbyOwesReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := wsconn.Pipe(Limits(), wsconn.Limits{})
		ended := make(chan wsconn.Reason, 1)
		go far.Serve(t.Context(), func([]byte) {})
		StartStandby(t.Context(), near, freeHub{&ledger{}}, nil, func(handle func([]byte)) func([]byte) { return handle }, func(why wsconn.Reason) { ended <- why })
		time.Sleep(2 * readyTimeout)
		select {
		case why := <-ended:
			if why != wsconn.ReasonNoReady {
				t.Errorf("it ended as %v", why)
			}
		default:
			t.Error("a Host on standby is waited for without end")
			far.Close(wsconn.ReasonNormal)
			<-ended
		}
	})
}

// TestStartedHostParks has a Host be silent until it has no goroutine any more, and
// then wants it to get a command, to be heard, and to leave.
func TestStartedHostParks(t *testing.T) {
	poller := wsconn.NewPoller(time.Millisecond)
	if poller == nil {
		t.Skip("this system has no epoll")
	}
	t.Cleanup(poller.Close)
	hub := &ledger{lines: make(chan string, 100)}
	p := &page{t: t, hub: hub, frames: make(chan string, 100), ended: make(chan wsconn.Reason, 1)}
	gone, guarded := make(chan wsconn.Reason, 1), make(chan struct{}, 100)
	guard := func(handle func([]byte)) func([]byte) {
		return func(m []byte) { handle(m); guarded <- struct{}{} }
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := wsconn.Upgrade(w, r, wsconn.Options{Limits: Limits(), Poller: poller})
		if err != nil {
			t.Error(err)
			return
		}
		Start(context.Background(), c, hub, nil, guard, func(why wsconn.Reason) { gone <- why })
	}))
	t.Cleanup(s.Close)
	var err error
	if p.far, err = wsconn.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), nil, wsconn.Limits{}); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.far.Serve(context.Background(), func(m []byte) { p.frames <- string(m) }) }()
	parked := func() {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); readers() > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("a silent Host keeps its goroutine")
			}
		}
	}
	p.say(`{"kind":"ready","v":1,"targets":[]}`)
	want(t, hub.lines, "ready [] |")
	parked()
	if err := hub.host.Send(bridge.Command{Call: 1, SessionID: "S", TargetID: "T", Method: "A.b", Params: wire.Empty}); err != nil {
		t.Fatal(err)
	}
	want(t, p.frames, `{"kind":"command","sessionId":"S","targetId":"T","id":1,"method":"A.b","params":{}}`)
	p.say(`{"kind":"targetDestroyed","targetId":"T"}`)
	want(t, hub.lines, "gone T")
	parked()
	p.far.Close(wsconn.ReasonNormal)
	want(t, hub.lines, "host gone")
	want(t, gone, wsconn.ReasonNormal)
	if n := len(guarded); n != 2 {
		t.Errorf("%d messages passed the guard, want 2", n)
	}
}
