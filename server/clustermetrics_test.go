package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// The metrics of a node name all nodes, and count what goes to each of the others.
func TestClusterMetrics(t *testing.T) {
	all := new(cluster.Memory)
	nodes := startNodes(t, all, "abc", func(o *Options) {
		o.AdminAddr = hubtest.AdminSocket(t)
		browsersOf(map[string]int{"c": 4}, 0)(o)
	})
	a, c := nodes[0], nodes[2]
	a.drivesHub(t, "x") // at c
	_, body := a.get(t, a.AdminAddr(), "/metrics", nil)
	for _, want := range []string{
		`cdphub_cluster_node_hubs{node="a"} 0`, `cdphub_cluster_node_hubs{node="c"} 1`,
		`cdphub_cluster_node_browsers_max{node="c"} 4`, `cdphub_cluster_node_draining{node="b"} 0`,
		`cdphub_cluster_link_open{node="b"} 0`, `cdphub_cluster_link_open{node="c"} 1`,
		`cdphub_cluster_link_answer_seconds_count{node="c"} 1`, `cdphub_cluster_link_failures_total{node="c"} 0`,
	} {
		if !strings.Contains(body, "\n"+want+"\n") {
			t.Errorf("the metrics lack %s", want)
		}
	}
	for _, not := range []string{`link_open{node="a"`, `browsers_max{node="a"`, c.cluster.ID} {
		if strings.Contains(body, not) {
			t.Errorf("the metrics have %s", not)
		}
	}
	if n := strings.Count(body, "cdphub_cluster_node_hubs{"); n != 3 {
		t.Errorf("%d nodes have hubs, want 3", n)
	}
	const most = 100
	for i := range 3 * most { // also two of one name
		all.Join(cluster.Node{ID: fmt.Sprint("many-", i), Name: fmt.Sprint("many-", i/2)})
	}
	_, body = a.get(t, a.AdminAddr(), "/metrics", nil)
	if n := strings.Count(body, "cdphub_cluster_node_hubs{"); n != most {
		t.Errorf("%d nodes have series of their own, want %d", n, most)
	}
}
