package relay

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

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

// Strangers ask paths that need no token: they must not make hubs.
func TestPeekMakesNoHub(t *testing.T) {
	hs := NewHubs(Options{})
	h, release := hs.Peek("one")
	if len(h.Targets()) != 0 || hs.Len() != 0 {
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
