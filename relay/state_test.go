package relay

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// told is a Host page that writes down its sessions.
type told struct {
	mute
	heard []string
}

func (h *told) Attached(a bridge.Attachment) {
	h.heard = append(h.heard, a.SessionID+" "+a.TargetID+" "+a.DialogKey)
}
func (h *told) Resumed() { h.heard = append(h.heard, "resumed") }

// roaming is a hub as each node of a cluster makes it.
func roaming(t testing.TB) *Hub {
	return newHub(t, Options{Name: "x", Derive: func(parts ...string) string { return strings.Join(parts, ".") }})
}

// roundTrip is a value as another node reads it.
func roundTrip[T any](t *testing.T, v T) (out T, text string) {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out, string(b)
}

// TestHubGoesOnElsewhere makes a Client have something of each kind, and the hub again
// from its state: the state is the same, and the Host page hears of the same sessions.
func TestHubGoesOnElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, host, in := roaming(t), &told{}, &inbox{}
		pages := []targets.Info{{ID: "T0", Title: "Zero"}, {ID: "T1"}, {ID: "T2"}}
		ready := bridge.Announcement{HostID: "H", Targets: pages}
		if _, err := h.SetHost(host, ready); err != nil {
			t.Fatal(err)
		}
		options := ClientOptions{Name: "agent", Policy: OwnTabs{allowAll, "me"}}
		c, err := h.Admit(options)
		if err != nil {
			t.Fatal(err)
		}
		c.Connect(in)
		for _, id := range []string{"T0", "T1"} {
			if err := h.Control().Grant(id, c.Name()); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range []string{
			`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`,
			`{"id":2,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":false,"filter":[{"type":"tab"}]}}`,
			`{"id":3,"method":"Browser.setDownloadBehavior","params":{"behavior":"allow","downloadPath":"/d","eventsEnabled":true}}`,
			`{"id":4,"method":"Target.attachToBrowserTarget"}`,
			`{"id":5,"method":"Target.attachToTarget","params":{"targetId":"T0","flatten":true}}`,
		} {
			c.Receive([]byte(m))
		}
		for s := range c.sessions {
			switch s.TargetID {
			case "T0":
				c.Receive([]byte(`{"id":6,"method":"Page.enable","sessionId":"` + s.ID + `"}`))
			case "tab-context.x-T1":
				c.Receive([]byte(`{"id":7,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":false},"sessionId":"` + s.ID + `"}`))
			}
		}
		h.Control().Part()
		if m := in.got[len(in.got)-1]; !strings.Contains(m, `"id":6,"error"`) {
			t.Errorf("the command in flight: %s", m)
		}
		hubState, hubText := roundTrip(t, h.Control().State())
		state, text := roundTrip(t, c.State())
		if len(state.Sessions) != 5 || len(state.Subscriptions) != 2 || len(state.Downloads) != 1 || len(state.Tabs) != 2 {
			t.Errorf("the state is %s", text)
		}

		h = roaming(t)
		h.Control().Restore(hubState)
		options.Known, in = state.Name, &inbox{}
		if c, err = h.Admit(options); err != nil {
			t.Fatal(err)
		}
		c.Connect(in)
		c.Restore(state)
		if _, again := roundTrip(t, c.State()); again != text {
			t.Errorf("restored is\n%s, want\n%s", again, text)
		}
		if _, again := roundTrip(t, h.Control().State()); again != hubText {
			t.Errorf("the hub restored is\n%s, want\n%s", again, hubText)
		}
		if err := h.check(); err != nil || len(in.got) != 0 {
			t.Errorf("%v; the Client hears %v", err, in.got)
		}
		back := &told{}
		events, err := h.SetHost(back, ready)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(back.heard, "\n"), strings.Join(append(host.heard[1:], "resumed"), "\n"); got != want {
			t.Errorf("the Host page hears\n%s, want\n%s", got, want)
		}
		if name := h.nameLocked("agent"); name == c.Name() {
			t.Errorf("two Clients are %s", name)
		}
		empty, next := roaming(t), roaming(t) // no page is there
		empty.nameLocked("agent")
		if next.Control().Restore(empty.Control().State()); next.nameLocked("agent") != "agent #2" {
			t.Error("a hub without a Host page forgets how many names it has given")
		}
		events.HostGone(true)
		in.got = nil
		if _, err := h.SetHost(&told{}, bridge.Announcement{HostID: "another", Targets: pages}); err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(in.got, "\n"); strings.Count(all, "Target.detachedFromTarget") != 4 {
			t.Errorf("the sessions on the pages of another Host: %s", all)
		}
		if err := h.check(); err != nil {
			t.Error(err)
		}
	})
}
