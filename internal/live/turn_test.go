package live

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/relay"
)

// leaving is a Client to whom the end of a lease takes a while.
type leaving struct {
	*fake
	during func()
}

func (l *leaving) Release(id string) error {
	l.while()
	return l.fake.Release(id)
}

func (l *leaving) ViewerGone(id string) {
	l.while()
	l.fake.ViewerGone(id)
}

func (l *leaving) while() {
	l.during()
	time.Sleep(time.Second) // of the bubble's clock
}

// TestSecondConnectionKeepsTheLease has a person come back, by another connection,
// just when the first one ends: the end of the first is not that of the second.
func TestSecondConnectionKeepsTheLease(t *testing.T) {
	for name, end := range map[string]func(w *watcher){
		"leaves":   func(w *watcher) { w.Leave() },
		"releases": func(w *watcher) { w.Receive([]byte(`{"kind":"release"}`)) },
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{slow: 20 * time.Millisecond}
			vs := newViews(t, f)
			first, second := watch(t, vs, f), watch(t, vs, f)
			synctest.Wait()
			v := first.view
			v.client = &leaving{f, func() { go second.Receive([]byte(`{"kind":"take"}`)) }}
			first.Receive([]byte(`{"kind":"take"}`))
			for x := range 2 { // the second waits for the answer of the first, longer than its viewer has the page
				first.Receive(fmt.Appendf(nil, `{"kind":"mouse","type":"mouseMoved","x":%d,"y":1}`, x))
			}
			end(first)
			time.Sleep(time.Second)
			if got := f.count("Input."); got != 1 {
				t.Errorf("the first %s: %d moves reach the page, want one", name, got)
			}
			if !f.Holds("T1") || v.holder != second.Viewer {
				t.Errorf("the first %s: the second was told that it has the page, which is held: %v", name, f.Holds("T1"))
			}
			if got := f.took("Page."); len(got) == 0 || !strings.HasPrefix(got[len(got)-1], "Page.enable") {
				t.Errorf("the first %s: the target was sent %q", name, got)
			}
			v.client = f
			first.Leave()
			second.Leave()
			synctest.Wait()
		})
	}
}

// TestViewerWhoMayNotSeeTakesNothing has a viewer take over a target just when it may no
// longer see it, as when the handoff of its link ends.
func TestViewerWhoMayNotSeeTakesNothing(t *testing.T) {
	for name, until := range map[string]int{"before": 0, "while the hub is asked": 1} {
		synctest.Test(t, func(t *testing.T) {
			f, w, asked := new(fake), new(watcher), 0
			vs := newViews(t, f)
			o := w.options()
			o.Sees = func() bool {
				asked++
				return asked <= until
			}
			viewer := vs.Watch("T1", f.options(), o)
			synctest.Wait()
			if err := viewer.take(); err == nil || f.Holds("T1") {
				t.Errorf("%s: it has the target: %v, %v", name, f.Holds("T1"), err)
			}
			viewer.Leave()
			synctest.Wait()
		})
	}
}

// kept is a Client of another view, which has the target until it lets go.
type kept struct {
	*fake
	lets bool
}

func (k *kept) Take(id, name string, o relay.LeaseOptions) error {
	if !k.lets {
		return errNotHolder
	}
	return k.fake.Take(id, name, o)
}

// TestR341PersonComesBackToANewView has the page of a handoff loaded again, so that its new view
// begins before the hub hears that the old one has let the target go.
func TestR341PersonComesBackToANewView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(fake)
		k, w, vs := &kept{fake: f}, new(watcher), newViews(t, f)
		o, changed := f.options(), func() {}
		o.Holder = func() (relay.Holding, bool) { return relay.Holding{Name: "Ann", Key: "K", Quiet: true}, true }
		watched := o.Watch
		o.Watch = func(f func()) func() { changed = f; return watched(f) }
		joined := o.Join
		o.Join = func(event func(string, string, []byte)) (Client, error) {
			_, err := joined(event)
			return k, err
		}
		person := w.options()
		person.Key = "K"
		viewer := vs.Watch("T1", o, person)
		synctest.Wait()
		k.lets = true
		changed()
		synctest.Wait()
		if viewer.view.holder != viewer {
			t.Error("the person who has loaded the page again does not have the target")
		}
		viewer.Leave()
		synctest.Wait()
	})
}
