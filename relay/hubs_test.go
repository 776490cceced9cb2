package relay

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestNamesOfShares wants the names of hubs that shares have to be read back, and not to be
// those of other hubs.
func TestNamesOfShares(t *testing.T) {
	for _, hub := range []string{DefaultHub, "work", "a-b", strings.Repeat("a", 63)} {
		for _, share := range []string{"", "team", "token-0123456789abcdef", strings.Repeat("s", 63)} {
			name := HubOfShare(hub, share)
			if h, s := CutShare(name); h != hub || s != share || !ValidHub(name) || share != "" && ValidName(name) {
				t.Errorf("%q of %q is %q, and is read as %q of %q", share, hub, name, s, h)
			}
		}
	}
	for _, name := range []string{"_", "a_", "__", "a__b", "a_b_c", "A_b", "a_B", "a.b_c", "_" + strings.Repeat("s", 64), strings.Repeat("a", 64) + "_b"} {
		if ValidHub(name) {
			t.Errorf("%q is valid", name)
		}
	}
}

func TestPeekShares(t *testing.T) {
	hs := NewHubs(Options{})
	for _, name := range []string{"", "_x", "work", "work_x", "work_y", "works", "works_x"} {
		_, release, err := hs.Acquire(name)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
	for name, want := range map[string]string{"": ",_x", "work": "work,work_x,work_y", "work_x": "work_x", "none": ""} {
		list, release := hs.PeekShares(name)
		var names []string
		for _, h := range list {
			names = append(names, h.Name())
		}
		slices.Sort(names)
		if got := strings.Join(names, ","); got != want {
			t.Errorf("%q stands for %q, want %q", name, got, want)
		}
		release()
	}
	if hs.Len() != 7 {
		t.Errorf("%d hubs, want no more than before", hs.Len())
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

// TestR94HubsAreForgotten makes and drops 1,000 hubs again and again, with a
// Host, a Client and a session on each.
func TestR94HubsAreForgotten(t *testing.T) {
	rounds := hubtest.Amount(3, 100)
	synctest.Test(t, func(t *testing.T) {
		hs := NewHubs(Options{})
		round := func() {
			for i := range 1000 {
				h, release, err := hs.Acquire(fmt.Sprint("hub-", i))
				if err != nil {
					t.Fatal(err)
				}
				ev := setHost(h, &mute{}, list(1))
				c, err := h.Join(&sink{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
				c.Receive(fmt.Appendf(nil, `{"id":2,"method":"A.b","sessionId":%q}`, onlySession(c)))
				c.Leave()
				ev.HostGone(false)
				release()
			}
			time.Sleep(linger + time.Second)
			synctest.Wait()
		}
		// What has just ended may still be on its way out: the least of a few
		// readings counts.
		least := func() (goroutines int, heap uint64) {
			goroutines, heap = runtime.NumGoroutine(), math.MaxUint64
			for range 10 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				goroutines, heap = min(goroutines, runtime.NumGoroutine()), min(heap, m.HeapAlloc)
			}
			return goroutines, heap
		}
		const first = 25 // maps take a while to find the size that they keep
		for range first {
			round()
		}
		goroutines, before := least()
		for range rounds {
			round()
		}
		if n := hs.Len(); n != 0 {
			t.Errorf("%d hubs are left", n)
		}
		n, after := least()
		if n > goroutines+10 { // others of the process may come and go; a leak is of hundreds
			t.Errorf("%d goroutines, %d before", n, goroutines)
		}
		if after > before+before/100+256<<10 { // a hub holds more than 1 KiB, and there were thousands
			t.Errorf("%d bytes in use, %d before", after, before)
		}
		if s := hs.Stats(); s.Received != uint64(rounds+first)*2000 || s.Pending != 0 || s.Hubs != 0 {
			t.Errorf("the books of hubs that are no more: %+v", s)
		}
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

// Strangers ask paths that need no token: they must not make hubs.
func TestPeekMakesNoHub(t *testing.T) {
	hs := NewHubs(Options{})
	h, release := hs.Peek("one")
	if len(h.Targets(nil)) != 0 || hs.Len() != 0 {
		t.Errorf("%d hubs after Peek, want none", hs.Len())
	}
	release()
	made, releaseMade, err := hs.Acquire("one")
	if err != nil {
		t.Fatal(err)
	}
	defer releaseMade()
	if h, release := hs.Peek("one"); h != made {
		t.Error("Peek does not find the hub that there is")
	} else {
		release()
	}
}

func TestValueIsMadeOnce(t *testing.T) {
	type key struct{}
	h := newHub(t, Options{})
	made := 0
	create := func() any { made++; return new(int) }
	if h.Control().Value(key{}, create) != h.Control().Value(key{}, create) || made != 1 {
		t.Errorf("it was made %d times", made)
	}
}
