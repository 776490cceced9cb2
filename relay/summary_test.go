package relay

import (
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

func TestCensus(t *testing.T) {
	hs := NewHubs(Options{})
	b, release, err := hs.Acquire("b")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	_, releaseA, err := hs.Acquire("a")
	if err != nil {
		t.Fatal(err)
	}
	defer releaseA()
	b.SetHost(&panicHost{}, bridge.Announcement{Targets: []targets.Info{{ID: "T"}}})
	got := hs.Summaries()
	want := []Summary{{Hub: "a"}, {Hub: "b", HostConnected: true, Targets: 1}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
