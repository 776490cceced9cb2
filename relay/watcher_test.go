package relay

import (
	"slices"
	"testing"

	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/targets"
)

// TestWatchers has a private Target be seen by some Watchers and by no Client, also
// after its Client has left.
func TestWatchers(t *testing.T) {
	h, n := observedHub(t, "ended")
	host := &familyHost{}
	ev := setHost(h, host, []targets.Info{{ID: "ALL"}})
	ann, err := h.Admit(ClientOptions{Name: "ann", Account: "A"})
	if err != nil {
		t.Fatal(err)
	}
	ann.Connect(&inbox{})
	ann.Receive([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)) // makes its root
	ev.TargetCreated(targets.Info{ID: "PRIVATE", Owner: host.root})
	ev.TargetCreated(targets.Info{ID: "FILE", Owner: host.root, NotWeb: true})
	ev.TargetCreated(targets.Info{ID: "UNKNOWN", Owner: "of nobody"})
	own := OwnTabs{Policy: scope.Privileged, Owner: "o"}
	watchers := map[string]struct {
		Watcher
		sees []string
	}{
		"everything":       {Watcher{}, []string{"ALL", "PRIVATE", "FILE", "UNKNOWN"}},
		"privileged":       {Watcher{Policy: scope.Privileged, Account: "B"}, []string{"ALL", "PRIVATE", "FILE", "UNKNOWN"}},
		"the same token":   {Watcher{Policy: scope.Full, Account: "A"}, []string{"ALL", "PRIVATE"}},
		"another token":    {Watcher{Policy: scope.Full, Account: "B"}, []string{"ALL"}},
		"no token":         {Watcher{Policy: scope.Full}, []string{"ALL"}},
		"own tabs":         {Watcher{Policy: own, Account: "B"}, nil},
		"own tabs of hers": {Watcher{Policy: own, Account: "A"}, []string{"PRIVATE", "FILE"}},
		"one alone":        {Watcher{Policy: scope.Standard, Only: "PRIVATE"}, []string{"PRIVATE"}},
		"one file alone":   {Watcher{Policy: scope.Standard, Only: "FILE"}, nil},
	}
	check := func() {
		t.Helper()
		for name, w := range watchers {
			var got []string
			for _, seen := range h.WatchedTargets(w.Watcher) {
				if _, known := h.WatchedTarget(w.Watcher, seen.ID); !known {
					t.Errorf("%s does not see %s by its id", name, seen.ID)
				}
				if want := map[string]string{"PRIVATE": "ann #1", "FILE": "ann #1"}[seen.ID]; seen.Client != want {
					t.Errorf("%s is of %q, want %q", seen.ID, seen.Client, want)
				}
				got = append(got, seen.ID)
			}
			if !slices.Equal(got, w.sees) {
				t.Errorf("%s sees %q, want %q", name, got, w.sees)
			}
			if _, known := h.WatchedTarget(w.Watcher, "UNKNOWN"); known != slices.Contains(w.sees, "UNKNOWN") {
				t.Errorf("%s sees a Target whose Client is not known: %v", name, known)
			}
		}
		if got := h.Targets(nil); len(got) != 1 || got[0].ID != "ALL" {
			t.Errorf("Clients see %+v", got)
		}
		if _, known := h.Target(nil, "PRIVATE"); known {
			t.Error("Clients see the private Target by its id")
		}
		if _, err := h.JoinPage(&inbox{}, nil, "PRIVATE", nil); err == nil {
			t.Error("a Client connects to the private Target")
		}
		if err := h.Grant("PRIVATE", "ann #1"); err == nil {
			t.Error("the private Target is granted")
		}
	}
	check()
	view, err := h.JoinLocal(LocalOptions{ClientOptions: ClientOptions{PrivateOf: "PRIVATE"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := view.Take("PRIVATE", "Eve", LeaseOptions{}); err != nil {
		t.Errorf("a view does not take over what it shows: %v", err)
	}
	if err := view.Take("UNKNOWN", "Eve", LeaseOptions{}); err == nil {
		t.Error("a view takes over a private Target of another Client")
	}
	ann.Leave()
	check()
	n.take()
	ev.TargetGone("PRIVATE")
	n.wantsTold(t, "lease {PRIVATE Eve false false}", "ended PRIVATE")
	for name, w := range watchers {
		if got := n.past.Shows(w.Watcher); got != slices.Contains(w.sees, "PRIVATE") {
			t.Errorf("%s sees that it has ended: %v", name, got)
		}
	}
	if len(h.private) != 2 {
		t.Errorf("%d private Targets are remembered", len(h.private))
	}
}

func TestPastTabs(t *testing.T) {
	h, n := observedHub(t, "ended")
	ev := setHost(h, &mute{}, list(1))
	c, err := h.Join(&inbox{}, OwnTabs{Policy: scope.Full, Owner: "o"})
	if err != nil {
		t.Fatal(err)
	}
	c.tabs().Add("T0")
	ev.TargetGone("T0")
	n.wantsTold(t, "ended T0")
	for owner, want := range map[string]bool{"o": true, "p": false} {
		if got := n.past.Shows(Watcher{Policy: OwnTabs{Policy: scope.Full, Owner: owner}}); got != want {
			t.Errorf("%s sees its tab that has ended: %v", owner, got)
		}
	}
}
