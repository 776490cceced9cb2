package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/membership"
)

// A node that is drained ends as by SIGTERM. Any node can be asked to drain any:
//
//	POST /ui/api/drain             {"node":"a"}: 204; the dashboard and programs, with a token of every hub and scope privileged
//	POST /cluster/drain?node=a     204; the listener for operators
const (
	uiDrainPath = "/ui/api/drain"
	drainPath   = "/cluster/drain" // at the listener for nodes, and at that for operators
)

// maxDrainRequest is how long the body of a request to drain a node may be.
const maxDrainRequest = 4 << 10

var (
	errNoNode   = errors.New("node does not exist (it may have ended): run cdphub-cluster cluster status for the list of nodes")
	errDraining = errors.New("this node is already being drained")
)

// mayDrain reports whether an asker may drain nodes: with a token of every hub and
// scope privileged, or without tokens on a listener that only this machine reaches.
func (s *Server) mayDrain(r *http.Request) bool {
	scope := auth.PassOf(r).Grant.Scope
	return s.cluster != nil && s.seesAll(r) && (scope == 0 || scope >= auth.ScopePrivileged)
}

// serveUIDrain answers the dashboard. Both outcomes are in the audit log.
func (s *Server) serveUIDrain(w http.ResponseWriter, r *http.Request) {
	if s.cluster == nil {
		http.Error(w, "This hub is not a node of a cluster.", http.StatusNotFound)
		return
	}
	who := s.access.Peer("viewer", r)
	if !s.mayDrain(r) {
		s.log.Named("audit").Warn("node is not drained", who.Fields()...)
		http.Error(w, "This token may not drain nodes: use a token for every hub with scope privileged, or run cdphub-cluster cluster drain at the listener for operators.", http.StatusForbidden)
		return
	}
	var ask struct{ Node string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxDrainRequest)).Decode(&ask); err != nil {
		http.Error(w, `The body must be {"node":"NAME"}.`, http.StatusBadRequest)
		return
	}
	s.answerDrain(w, r, ask.Node, front.ViewerName(r, auth.PassOf(r)), who.Fields())
}

// serveDrain answers operators.
func (s *Server) serveDrain(w http.ResponseWriter, r *http.Request) {
	s.answerDrain(w, r, r.URL.Query().Get("node"), "an operator", []zap.Field{zap.String("peer", r.RemoteAddr)})
}

// answerDrain asks a node to drain, and answers the asker: 204 when it has begun, 404
// for an unknown node, 409 for one that drains already or is the last, 502 when the
// node does not answer.
func (s *Server) answerDrain(w http.ResponseWriter, r *http.Request, name, by string, who []zap.Field) {
	itself, err := s.drainNode(r.Context(), name, by)
	s.log.Named("audit").Info("node is drained", append(who, zap.String("node", front.CutWords(name)), zap.String("by", by), zap.Error(err))...)
	switch {
	case err == nil && itself:
		s.endAfter(w)
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, errNoNode):
		http.Error(w, err.Error(), http.StatusNotFound)
	case errors.Is(err, errDraining), errors.Is(err, cluster.ErrLast):
		http.Error(w, err.Error(), http.StatusConflict)
	default:
		http.Error(w, "The node could not be asked to drain: "+err.Error()+".", http.StatusBadGateway)
	}
}

// drainNode asks the node of that name or id to end, and reports whether it is this one,
// which is left to the caller. Otherwise, when the error is nil, the node has begun to.
func (s *Server) drainNode(ctx context.Context, name, by string) (itself bool, err error) {
	nodes := s.cluster.Directory.Nodes()
	i := slices.IndexFunc(nodes, func(n cluster.Node) bool { return n.Name == name || n.ID == name })
	switch {
	case i < 0:
		return false, errNoNode
	case nodes[i].Draining:
		return false, errDraining
	case nodes[i].ID == s.cluster.ID:
		return true, s.mayEnd(ctx)
	}
	status, err := s.cluster.Ask(ctx, nodes[i], drainPath+"?"+url.Values{"by": {by + " through node " + s.cluster.Directory.Self().Name}}.Encode())
	if status == http.StatusConflict {
		err = cluster.ErrLast
	}
	return false, err
}

// mayEnd asks the directory, which alone knows of nodes that are drained at the same
// time: two that ask at once must not both go.
func (s *Server) mayEnd(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, membership.PeerTimeout)
	defer cancel()
	return s.cluster.Directory.MayEnd(ctx)
}

// servePeerDrain answers another node that asks this one to drain.
func (s *Server) servePeerDrain(w http.ResponseWriter, r *http.Request) {
	err := s.mayEnd(r.Context())
	s.log.Named("audit").Info("this node is drained", zap.String("by", front.CutWords(r.URL.Query().Get("by"))), zap.Error(err))
	switch {
	case errors.Is(err, cluster.ErrLast):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		refuseCluster(w, err)
	default:
		s.endAfter(w)
	}
}

// endAfter answers with 204, and then has the server end: a server without work ends
// before an answer that comes later.
func (s *Server) endAfter(w http.ResponseWriter) {
	w.WriteHeader(http.StatusNoContent)
	http.NewResponseController(w).Flush() //nolint:errcheck // the asker has gone then
	s.end()
}

// end has Run drain the server and return, as if its context had ended.
func (s *Server) end() { s.endOnce.Do(func() { close(s.endAsked) }) }
