package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/uiwire"
)

// The dashboard of any node lists all nodes, for a token of every hub.
func TestR172DashboardListsNodes(t *testing.T) {
	tokens, _ := withFile(t, strings.NewReplacer("ALL", clientToken, "ONE", otherToken).Replace(`tokens:
- {name: all, token: ALL, role: client, hub: "*", scope: full}
- {name: one, token: ONE, role: client, hub: one, scope: full}
`))
	nodes := startNodes(t, new(cluster.Memory), "ab", tokens)
	nodes[0].get(t, nodes[0].addr(false), "/hub/one/ui/api/state", bearer(clientToken)) // which is its owner then
	for _, n := range nodes {
		_, body := n.get(t, n.addr(false), "/hub/one/ui/api/state", bearer(clientToken))
		var state uiwire.State
		if err := json.Unmarshal([]byte(body), &state); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if list := state.Nodes; len(list) != 2 || list[0].Name != "a" || !list[0].Answers || list[0].Draining || list[1].Name != "b" || list[1].Answers {
			t.Errorf("node %s lists %+v", n.dir.Self().Name, list)
		}
		if status, body := n.get(t, n.addr(false), "/hub/one/ui/api/state", bearer(otherToken)); status != 200 || strings.Contains(body, `"nodes"`) {
			t.Errorf("the token of one hub gets %d %s", status, body)
		}
	}
	nodes[1].cluster.Drain(nil)
	if _, body := nodes[0].get(t, nodes[0].addr(false), "/hub/one/ui/api/state", bearer(clientToken)); !strings.Contains(body, `"draining":true`) {
		t.Errorf("of a node that drains: %s", body)
	}
}
