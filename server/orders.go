package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/cluster"
)

// What one node asks another to do, at its listener for nodes alone:
//
//	POST /cluster/evict            ends an idle browser: 204, or 409 when there is none
//	POST /cluster/drain?by=WHOM    drains the node: 204
//	POST /cluster/handover         takes the named sessions of a hub, see handover.go
const evictPath = "/cluster/evict"

// nodeOrder finds what a path of those leads to.
func (s *Server) nodeOrder(r *http.Request, v *verdict) http.HandlerFunc {
	if r.Method != http.MethodPost {
		return nil
	}
	return map[string]http.HandlerFunc{
		evictPath:    s.serveEvict,
		drainPath:    s.serveDrainOrder,
		handoverPath: func(w http.ResponseWriter, r *http.Request) { s.takeHandover(w, r, v) },
	}[r.URL.Path]
}

func (s *Server) serveEvict(w http.ResponseWriter, _ *http.Request) {
	if !s.browsers.Evict() {
		http.Error(w, "No browser of this node is idle.", http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// order asks another node to do something, in the name of this one.
func (m *membership) order(ctx context.Context, n cluster.Node, uri string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, orderWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+n.Peer+uri, http.NoBody)
	if err != nil {
		return 0, err
	}
	text, err := m.signer.sign(&verdict{Method: r.Method, URI: uri, Host: n.Peer, Node: true}, n.ID)
	if err != nil {
		return 0, err
	}
	r.Header.Set(verdictHeader, text)
	answer, err := m.forwards.transport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		why, _ := io.ReadAll(io.LimitReader(answer.Body, maxOrderAnswer))
		err = fmt.Errorf("node %s answers %d: %s", n.Name, answer.StatusCode, strings.TrimSpace(string(why)))
	}
	return answer.StatusCode, err
}
