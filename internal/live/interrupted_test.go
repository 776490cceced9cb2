package live

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/waittest"
	"github.com/cdphub/cdphub/relay"
)

// stalled is a Client whose hub takes a while to give the lease, or to answer a method.
type stalled struct {
	*fake
	method string // "Take" for the lease
	goOn   chan struct{}
}

func (s *stalled) Take(id, name string, o relay.LeaseOptions) error {
	if s.method == "Take" {
		<-s.goOn
	}
	return s.fake.Take(id, name, o)
}

func (s *stalled) Send(session, method string, params []byte) func(context.Context) ([]byte, error) {
	wait := s.fake.Send(session, method, params)
	if method != s.method {
		return wait
	}
	return func(ctx context.Context) ([]byte, error) {
		select {
		case <-s.goOn:
			return wait(ctx)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Leave ends the lease of the Client, too.
func (s *stalled) Leave() {
	s.fake.Leave()
	s.set(false)
}

// TestR286InterruptedViews interrupts what a view waits for, by all that can happen to it
// meanwhile. Whoever is not there, or may not see the page, holds it no more; whoever is told
// to hold it does; and a view without viewers leaves the hub.
func TestR286InterruptedViews(t *testing.T) {
	const sees, holds, gone = "sees the page", "holds the page", "gone"
	interruptions := map[string]func(f *fake, w, other *watcher, may *atomic.Bool){
		"nothing":            func(*fake, *watcher, *watcher, *atomic.Bool) {},
		"viewer leaves":      func(_ *fake, w, _ *watcher, _ *atomic.Bool) { go w.Leave() },
		"viewer may not see": func(_ *fake, _, _ *watcher, may *atomic.Bool) { may.Store(false) },
		"target gone": func(f *fake, _, _ *watcher, _ *atomic.Bool) {
			f.event("", "Target.detachedFromTarget", []byte(`{"sessionId":"S"}`))
		},
		"no answer for long":      func(*fake, *watcher, *watcher, *atomic.Bool) { time.Sleep(attaching + time.Second) },
		"another viewer takes it": func(_ *fake, _, other *watcher, _ *atomic.Bool) { go other.Receive([]byte(`{"kind":"take"}`)) },
	}
	for function, op := range map[string]struct{ method, message, want string }{
		"live.Viewer.take":      {"Take", `{"kind":"take"}`, holds},
		"live.Viewer.takeWith":  {"Take", `{"kind":"take"}`, holds},
		"live.View.begin":       {"Target.attachToTarget", ``, sees},
		"live.View.start":       {"Page.startScreencast", ``, sees},
		"live.input.sendLocked": {"Input.insertText", `{"kind":"paste","text":"a"}`, holds},
	} {
		for name, interrupt := range interruptions {
			t.Run(function+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f, w, other, may := new(fake), new(watcher), new(watcher), new(atomic.Bool)
					may.Store(true)
					vs := newViews(t, f)
					o, s := f.options(), &stalled{f, op.method, make(chan struct{})}
					join := o.Join
					o.Join = func(event func(string, string, []byte)) (Client, error) {
						_, err := join(event)
						return s, err
					}
					viewer := w.options()
					viewer.Sees = may.Load
					w.Viewer = vs.Watch("T1", o, viewer)
					other.Viewer = vs.Watch("T1", o, other.options())
					v := w.view
					synctest.Wait()
					if op.method == "Input.insertText" {
						w.Receive([]byte(`{"kind":"take"}`))
					}
					if op.message != "" {
						go w.Receive([]byte(op.message))
					}
					waittest.Wants(t, function)
					interrupt(f, w, other, may)
					synctest.Wait()
					close(s.goOn)
					time.Sleep(2 * time.Second)
					synctest.Wait()
					if sessions := f.count("Target.attach") - f.count("Target.detach"); sessions > 1 {
						t.Errorf("the view has %d sessions with the target", sessions)
					}
					got := sees
					switch {
					case w.left:
						got = gone
					case v.holder == w.Viewer:
						got = holds
					}
					want := op.want
					if name == "viewer leaves" || name == "viewer may not see" || name == "target gone" && function != "live.View.begin" { // which has no session yet
						want = gone
					}
					if got != want || f.Holds("T1") != (v.holder != nil) {
						t.Errorf("the viewer: %s, want %s; the page is held: %v", got, want, f.Holds("T1"))
					}
					w.Leave()
					other.Leave()
					synctest.Wait()
					if f.joined != 0 || f.Holds("T1") || vs.Len() != 0 || v.input.count != 0 {
						t.Errorf("left in the end: client %v, lease %v, %d views, %d inputs", f.joined != 0, f.Holds("T1"), vs.Len(), v.input.count)
					}
				})
			})
		}
	}
}
