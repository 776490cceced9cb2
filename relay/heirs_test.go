package relay

import (
	"testing"

	"github.com/cdphub/cdphub/targets"
)

// heirHost is a browser in which Clients leave what they have to others.
type heirHost struct {
	familyHost
	heirs []string
}

func (f *heirHost) Inherit(from, to string) { f.heirs = append(f.heirs, from, to) }

// lasting is a Peer of a Client that outlives its connections.
type lasting struct{ inbox }

func (*lasting) BrowserEnded() {}

// TestPrivateTargetsOfAnHeir has a Client come after another one, whose private Targets
// are those of the newcomer then.
func TestPrivateTargetsOfAnHeir(t *testing.T) {
	h, _ := observedHub(t, "ended")
	host := &heirHost{}
	ev := setHost(h, host, nil)
	join := func(name string) *Client {
		c, err := h.Admit(ClientOptions{Name: name, Account: "A"})
		if err != nil {
			t.Fatal(err)
		}
		c.Connect(&lasting{})
		return c
	}
	ann := join("ann")
	ann.Receive([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)) // makes its root
	before := host.root
	ev.TargetCreated(targets.Info{ID: "P", Owner: before})
	bob := join("bob")
	bob.Succeed(ann)
	ann.Leave()
	if len(host.heirs) != 2 || host.heirs[0] != before || host.heirs[1] != host.root {
		t.Fatalf("the browser has heard of %q, and has the sessions %s and %s", host.heirs, before, host.root)
	}
	if seen, known := h.WatchedTarget(Watcher{Account: "A"}, "P"); !known || seen.Client != "bob #2" || seen.Owner != host.root {
		t.Errorf("the Target is %+v, %v", seen, known)
	}
}
