package journal

import (
	"testing"

	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/waittest"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/targets"
)

// handOff tells the Journal alone of a handoff; the hub would also end the commands on the way.
func (s *stage) handOff(held bool) {
	s.hub.Control().Ask("", "", nil, func([]byte, *relay.Error) { // under the lock
		s.hub.Control().ObserveLease(relay.LeaseChange{TargetID: "T0", Name: "Ann", Handoff: true, Held: held})
	})
}

// TestR286InterruptedPictures interrupts a picture that the Journal takes, in a session of the
// page's Client, and alone after that has left. It is kept only if it shows the page as all
// may see it: not during a handoff, not of a file, and not of a page that has gone.
func TestR286InterruptedPictures(t *testing.T) {
	interruptions := map[string]struct {
		happens func(s *stage)
		want    int // pictures
	}{
		"nothing":       {func(*stage) {}, 1},
		"Client leaves": {func(s *stage) { s.client.Leave() }, 0},
		"handoff":       {func(s *stage) { s.handOff(true) }, 0},
		"handoff that ends": {func(s *stage) {
			guest, err := s.hub.JoinLocal(relay.LocalOptions{})
			if err != nil || guest.Take("T0", "Ann", relay.LeaseOptions{Quiet: true}) != nil || guest.Release("T0") != nil {
				s.t.Error(err)
			}
			guest.Leave()
		}, 0},
		"page shows a file": {func(s *stage) { s.events.TargetChanged(targets.Info{ID: "T0", NotWeb: true}) }, 0},
		"page shows a file and the web again": {func(s *stage) {
			s.events.TargetChanged(targets.Info{ID: "T0", NotWeb: true})
			s.events.TargetChanged(targets.Info{ID: "T0"})
		}, 0},
		"target gone":    {func(s *stage) { s.events.TargetGone("T0") }, 0},
		"Host lost":      {func(s *stage) { s.events.HostGone(true) }, 0},
		"Journal closes": {func(s *stage) { s.j.Close() }, 0},
	}
	for function, alone := range map[string]bool{"journal.Journal.takePictures": false, "journal.observer.takeAlone": true} {
		for name, row := range interruptions {
			if alone && name == "Client leaves" { // it has
				continue
			}
			t.Run(function+"/"+name, func(t *testing.T) {
				play(t, Options{}, func(s *stage) {
					s.host.late = capture
					s.click(1, 1)
					if alone {
						s.client.Leave()
					}
					s.pass(2 * pictureEvery)
					if len(s.host.held) != 1 {
						t.Fatalf("%d pictures were asked for", len(s.host.held))
					}
					if alone {
						waittest.Wants(t, function)
					}
					row.happens(s)
					s.host.late = ""
					s.host.held[0](false)
					pictures := 0
					for _, e := range s.j.Entries("h", "T0", 0, relay.Watcher{Policy: scope.Full}) {
						if e.Kind == Picture {
							pictures++
						}
					}
					if pictures != row.want {
						t.Errorf("%d pictures are kept, want %d", pictures, row.want)
					}
					s.client.Leave()
					if s.pass(2 * pictureWithin); s.hub.Clients() > 0 {
						t.Errorf("%d Clients are left", s.hub.Clients())
					}
				})
			})
		}
	}
}
