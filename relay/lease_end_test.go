package relay

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/targets"
)

// TestLeaseEndsOnceWhenItsTimeIsUp has a lease end while its timer waits for the hub.
func TestLeaseEndsOnceWhenItsTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		ends := 0
		l.take("Ann", LeaseOptions{Ended: func(LeaseEnd) { ends++ }})
		l.hub.mu.Lock()
		held := l.hub.leases.list[0]
		for fired := false; !fired; fired = !held.timer.Stop() {
			held.renew(0, LeaseIdle)
			runtime.Gosched()
		}
		held.end(holder{l.ann.client})
		l.hub.mu.Unlock()
		synctest.Wait()
		if ends != 1 {
			t.Errorf("it has ended %d times", ends)
		}
	})
}

// TestLeaseWithoutAKeyIsNobodys has a person go who has no key, and another come.
func TestLeaseWithoutAKeyIsNobodys(t *testing.T) {
	l := newLeased(t)
	l.take("Ann", LeaseOptions{})
	l.ann.Leave()
	bob, err := l.hub.JoinLocal(LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := bob.Take("T0", "Bob", LeaseOptions{}); err == nil {
		t.Error("Bob got what Ann had")
	}
	l.wantsHolder("Ann")
}

// TestLeaseIsOfAKnownPage has a person take a frame of which the browser does not say
// what it is in: the lease would go on when the page has gone.
func TestLeaseIsOfAKnownPage(t *testing.T) {
	h := newHub(t, Options{})
	setHost(h, &familyHost{}, []targets.Info{{ID: "PAGE"}, {ID: "UNKNOWN", Type: "iframe"}})
	ann, err := h.JoinLocal(LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := ann.Take("UNKNOWN", "Ann", LeaseOptions{}); !errors.Is(err, ErrNoTarget) || len(h.leases.list) > 0 {
		t.Errorf("it was taken: %v", err)
	}
}
