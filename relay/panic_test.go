package relay

import (
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// panicHost panics over each command.
type panicHost struct{}

func (*panicHost) Send(bridge.Command) error        { panic("a fault") }
func (*panicHost) Release(sessionID, target string) {}
func (*panicHost) Close(bridge.Reason)              {}

// TestR103PanicUnlocksTheHub panics under the hub's lock and wants the hub to
// serve others.
func TestR103PanicUnlocksTheHub(t *testing.T) {
	h := newHub(t, Options{})
	h.SetHost(&panicHost{}, bridge.Announcement{Targets: []targets.Info{{ID: "T"}}})
	unlucky, err := h.JoinPage(discard{}, nil, "T", func() {})
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the Host has not panicked")
			}
		}()
		unlucky.Receive([]byte(`{"id":1,"method":"Page.enable"}`))
	}()
	unlucky.Leave()
	if n := h.Clients(); n != 0 {
		t.Errorf("%d Clients remain, want none", n)
	}
}
