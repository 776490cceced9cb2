package wiretest

import "testing"

// TestDashboardState compares what the dashboard reads with what a hub and cdphub replay
// say of themselves.
func TestDashboardState(t *testing.T) {
	f := files(t, "state.ts")
	goNames := map[string]map[string]string{ // by folder, by the name in TypeScript
		"internal/uiwire": {
			"State": "State", "You": "Asker", "Hub": "Hub", "ClusterNode": "Node", "Named": "Named", "Counters": "Counters", "Target": "Target",
			"Last": "Last", "Holder": "Holder", "Handoff": "Handoff", "Replay": "Replay",
		},
		"internal/closelog": {"Close": "Close"},
		"journal":           {"Closed": "Closed"},
		"relay":             {"TabClient": "TabClient"},
	}
	compared := 0
	for folder, names := range goNames {
		s := source(t, folder)
		for name, goName := range names {
			compare(t, name+" and "+folder+"."+goName, one(t, f, name), structOf(t, s, goName))
			compared++
		}
	}
	if compared != len(f.Interfaces) {
		t.Errorf("%d of %d interfaces are compared", compared, len(f.Interfaces))
	}
}
