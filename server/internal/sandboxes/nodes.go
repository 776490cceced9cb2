package sandboxes

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/server/internal/front"
)

// In a cluster, a sandbox is at the node with the most room for its browser, which alone
// has its token. Each node forwards requests about sandboxes of others, and lists those of
// all. A request that another node has forwarded is about this node alone.

// anyName stands for every name of a sandbox: all are alike to patterns.
var anyName = front.SandboxPrefix + strings.Repeat("a", front.SandboxRandom)

// findElsewhere finds the node that is to answer a request about sandboxes, if
// that is another node: the one that has the sandbox, or the one that is to have a
// new one. A request that was forwarded is answered here, so that nodes never forward it
// in a circle.
func (t *Table) findElsewhere(r *http.Request, name string) (o cluster.Owner, is bool) {
	m := t.o.Member
	switch {
	case m == nil || front.RouteOf(r).Forwarded:
	case name != "" && front.IsSandbox(name) && t.Check(name) != nil:
		return m.OwnerElsewhere(r.Context(), name)
	case name == "" && r.Method == http.MethodPost:
		n, elsewhere := m.Place(anyName)
		return cluster.Owner{Node: n}, elsewhere
	}
	return o, false
}

// listElsewhere lists the sandboxes that other nodes have. missing has the names
// of the nodes that have not answered within membership.PeerTimeout. Nodes without browsers have
// no sandboxes, and are not asked.
func (t *Table) listElsewhere(r *http.Request) (records []Record, missing []string) {
	if t.o.Member == nil || front.RouteOf(r).Forwarded {
		return nil, nil
	}
	var mu sync.Mutex // guards the results
	var all sync.WaitGroup
	for _, n := range t.o.Member.Directory.Nodes() {
		if n.ID == t.o.Member.ID || n.Browsers == nil {
			continue
		}
		all.Go(func() {
			var list struct{ Sandboxes []Record }
			err := t.o.Forward.Ask(r, n, Path, &list)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.o.Log.Info("a node does not say which sandboxes it has", zap.String("node", n.Name), zap.Error(err))
				missing = append(missing, n.Name)
			}
			records = append(records, list.Sandboxes...)
		})
	}
	all.Wait()
	slices.Sort(missing)
	return records, missing
}
