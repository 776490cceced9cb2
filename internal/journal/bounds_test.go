package journal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// TestTheObserverForgetsTargets has a Client act on pages, one after the other, without
// hearing of their events.
func TestTheObserverForgetsTargets(t *testing.T) {
	play(t, Options{Record: &Record{Dir: t.TempDir()}}, func(s *stage) {
		var o *observer
		hub := relay.New(relay.Options{Name: "h2", Observe: func(h *relay.Hub) relay.Observer {
			o = s.j.Observe(h).(*observer)
			return o
		}})
		events, err := hub.SetHost(s.host, bridge.Announcement{})
		if err != nil {
			t.Fatal(err)
		}
		defer events.HostGone(false)
		s.host.events = events
		s.client.Leave()
		s.client, _ = hub.Join(session.NewEncoder(new(buffer)), nil)
		for n := range 3 {
			id := fmt.Sprint("P", n)
			events.TargetCreated(targets.Info{ID: id})
			s.client.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"` + id + `"}}`))
			s.click(1, 1)
			s.click(2, 2)
			if len(o.worlds) == 0 {
				t.Error("the page was not looked at")
			}
			events.TargetGone(id)
		}
		if len(o.worlds)+len(o.moving) != 0 {
			t.Errorf("of pages that have gone it knows %v and %v", o.worlds, o.moving)
		}
	})
}

func TestEntriesCountTheirElements(t *testing.T) {
	e := Entry{Action: &Action{On: &Element{Name: strings.Repeat("x", 200), CSS: strings.Repeat("y", 500)}}}
	if n := e.size(); n < 700 {
		t.Errorf("an entry with 700 bytes counts as %d", n)
	}
}
