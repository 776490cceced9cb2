package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
)

// Orders are what one node asks another to do, at its listener for nodes alone. The
// sender proves by a verdict that it is a node:
//
//	POST /cluster/evict            ends an idle browser: 204, or 409 when there is none
//	POST /cluster/drain?by=WHOM    drains the node: 204, or 409 when no other would stay
//	POST /cluster/handover         takes the named sessions of a hub, see handover.go

// evictPath makes room for a browser of another node, where all nodes together may
// have only so many.
const evictPath = "/cluster/evict"

const (
	// orderWithin is how long another node may take for what it is asked to do, and
	// maxOrderAnswer how many bytes it may say of that.
	orderWithin    = 5 * time.Second
	maxOrderAnswer = 4 << 10
)

// nodeOrder finds what serves an order; nil for a request that is none.
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

// serveEvict ends one idle browser of this node.
func (s *Server) serveEvict(w http.ResponseWriter, _ *http.Request) {
	if !s.browsers.Evict() {
		http.Error(w, "No browser of this node is idle.", http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// order asks another node to do something within orderWithin, in the name of this
// node and not of a Client.
func (m *membership) order(ctx context.Context, n cluster.Node, uri string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, orderWithin)
	defer cancel()
	return m.sendOrder(ctx, n, verdict{URI: uri}, nil)
}

// sendOrder sends an order of this node with a body. v says for which URI, hub and
// epoch it is. The error is nil only if the other node has done it. Otherwise it has
// the text of the answer, and status is its code; 0 means that no answer came.
func (m *membership) sendOrder(ctx context.Context, n cluster.Node, v verdict, body []byte) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+n.Peer+v.URI, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	// The verdict covers method, URI and Host, so that it is good for this request
	// alone.
	v.Method, v.Host, v.Node = r.Method, n.Peer, true
	text, err := m.signer.sign(&v, n.ID)
	if err != nil {
		return 0, err
	}
	r.Header.Set(verdictHeader, text)
	answer, err := m.forwards.transport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	// The body is for the log; more than maxOrderAnswer bytes of it are not read.
	if answer.StatusCode/100 != 2 {
		why, _ := io.ReadAll(io.LimitReader(answer.Body, maxOrderAnswer))
		err = fmt.Errorf("node %s answered %d: %s", n.Name, answer.StatusCode, bytes.TrimSpace(why))
	}
	return answer.StatusCode, err
}
