package server

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
// has its token. Each node passes requests about sandboxes of others on, and lists those of
// all. A request that another node has passed on is about this node alone.

// sandboxElsewhere finds the node that is to answer a request about sandboxes, if
// that is another node: the one that has the sandbox, or the one that is to have a
// new one. A request that was passed on is answered here, so that nodes never pass it
// in a circle.
func (s *Server) sandboxElsewhere(r *http.Request, name string) (o cluster.Owner, is bool) {
	m := s.cluster
	switch {
	case m == nil || front.RouteOf(r).Forwarded:
	case name != "" && front.IsSandbox(name) && s.sandboxes.check(name) != nil:
		return m.OwnerElsewhere(r.Context(), name)
	case name == "" && r.Method == http.MethodPost:
		n, elsewhere := m.Place(front.SandboxPrefix + strings.Repeat("a", front.SandboxRandom)) // all names of sandboxes are alike to patterns
		return cluster.Owner{Node: n}, elsewhere
	}
	return o, false
}

// sandboxesElsewhere lists the sandboxes that other nodes have. missing has the names
// of the nodes that have not answered within membership.PeerTimeout. Nodes without browsers have
// no sandboxes, and are not asked.
func (s *Server) sandboxesElsewhere(r *http.Request) (records []sandboxRecord, missing []string) {
	if s.cluster == nil || front.RouteOf(r).Forwarded {
		return nil, nil
	}
	var mu sync.Mutex // guards the results
	var all sync.WaitGroup
	for _, n := range s.cluster.Directory.Nodes() {
		if n.ID == s.cluster.ID || n.Browsers == nil {
			continue
		}
		all.Go(func() {
			var list struct{ Sandboxes []sandboxRecord }
			err := s.forward.Ask(r, n, sandboxPath, &list)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				s.log.Info("a node does not say which sandboxes it has", zap.String("node", n.Name), zap.Error(err))
				missing = append(missing, n.Name)
			}
			records = append(records, list.Sandboxes...)
		})
	}
	all.Wait()
	slices.Sort(missing)
	return records, missing
}
