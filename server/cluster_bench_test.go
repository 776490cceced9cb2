package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/cluster"
)

// TestClusterHop measures what another node between a Client and its Host costs: round
// trips with answers of 200 B and of 256 KiB, directly and through the other node, in
// turns. It fails for no number.
func TestClusterHop(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "ab", nil)
	var host *far
	host = dialTo(t, "ws://"+nodes[0].addr(true)+"/icdp/host", nil, func(m []byte) {
		var c struct {
			Kind, SessionID string
			ID              int
			Params          struct{ Size int }
		}
		if json.Unmarshal(m, &c) == nil && c.Kind == "command" {
			host.send(fmt.Sprintf(`{"kind":"response","sessionId":%q,"id":%d,"result":{"fill":%q}}`, c.SessionID, c.ID, strings.Repeat("x", c.Params.Size)))
		}
	})
	host.send(ready)
	nodes[1].await(t, `"targetId":"T1"`)
	clients := [2]*far{nodes[0].client(t), nodes[1].client(t)}
	sessions := [2]string{clients[0].attach(), clients[1].attach()}
	for _, size := range []int{200, 256 << 10} {
		var took [2][]time.Duration
		for i := range 500 {
			at := i % 2
			begun := time.Now()
			clients[at].send(fmt.Sprintf(`{"id":%d,"method":"A.b","params":{"size":%d},"sessionId":%q}`, i+1, size, sessions[at]))
			if got := clients[at].until(fmt.Sprintf(`{"id":%d,`, i+1)); len(got) < size {
				t.Fatalf("answered %.200s", got)
			}
			took[at] = append(took[at], time.Since(begun))
		}
		for at := range took {
			slices.Sort(took[at])
		}
		direct, through := took[0][len(took[0])/2], took[1][len(took[1])/2]
		t.Logf("%d B: %v directly, %v through another node: %v more, %.1f times (medians)", size, direct, through, through-direct, float64(through)/float64(direct))
	}
}
