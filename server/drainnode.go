package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// A node that is drained ends as by SIGTERM. Any node can be asked to drain any:
//
//	POST /ui/api/drain             {"node":"a"}: 204; the dashboard and programs, with a token of every hub and scope privileged
//	POST /cluster/drain?node=a     204; the listener for operators
const (
	uiDrainPath = "/ui/api/drain"
	drainPath   = "/cluster/drain" // at the listener for nodes, and at that for operators
)

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
	who := s.peer("viewer", r)
	if !s.mayDrain(r) {
		s.log.Named("audit").Warn("node is not drained", who.fields()...)
		http.Error(w, "This token may not drain nodes: use a token for every hub with scope privileged, or run cdphub-cluster cluster drain at the listener for operators.", http.StatusForbidden)
		return
	}
	var ask struct{ Node string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxOrderAnswer)).Decode(&ask); err != nil {
		http.Error(w, `The body must be {"node":"NAME"}.`, http.StatusBadRequest)
		return
	}
	s.answerDrain(w, r, ask.Node, viewerName(r, auth.PassOf(r)), who.fields())
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
	s.log.Named("audit").Info("node is drained", append(who, zap.String("node", cutWords(name)), zap.String("by", by), zap.Error(err))...)
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
	nodes := s.cluster.dir.Nodes()
	i := slices.IndexFunc(nodes, func(n cluster.Node) bool { return n.Name == name || n.ID == name })
	switch {
	case i < 0:
		return false, errNoNode
	case nodes[i].Draining:
		return false, errDraining
	case nodes[i].ID == s.cluster.id:
		return true, s.mayEnd(ctx)
	}
	status, err := s.cluster.order(ctx, nodes[i], drainPath+"?"+url.Values{"by": {by + " through node " + s.cluster.dir.Self().Name}}.Encode())
	if status == http.StatusConflict {
		err = cluster.ErrLast
	}
	return false, err
}

// mayEnd asks the directory, which alone knows of nodes that are drained at the same
// time: two that ask at once must not both go.
func (s *Server) mayEnd(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, orderWithin)
	defer cancel()
	return s.cluster.dir.MayEnd(ctx)
}

// serveDrainOrder answers another node that asks this one to drain.
func (s *Server) serveDrainOrder(w http.ResponseWriter, r *http.Request) {
	err := s.mayEnd(r.Context())
	s.log.Named("audit").Info("this node is drained", zap.String("by", cutWords(r.URL.Query().Get("by"))), zap.Error(err))
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

const (
	// drainRate is how many Hosts a node sends away in a second when it ends: they all
	// come to other nodes, which claim their hubs.
	drainRate = 5000
	// drainSpread is how long it may take to send them all away.
	drainSpread = 10 * time.Second
)

// drain tells the other nodes that this one ends, so that they place no browser here.
// An error is only logged: the node ends all the same.
func (m *membership) drain() {
	if m == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	if err := m.dir.Drain(ctx); err != nil {
		m.log.Warn("the other nodes could not be told that this node ends", zap.Error(err))
	}
}

// leave gives all hubs back, and then sends their Hosts away, which find a node that
// is free to claim them.
func (m *membership) leave() {
	if m == nil {
		return
	}
	// Not a context of the server: those have ended by now.
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	m.mu.Lock()
	hosts := m.leaving
	m.leaving = nil
	for hub, h := range m.held {
		for u := range h.users {
			if u.host {
				hosts = append(hosts, u)
			}
		}
		delete(m.held, hub)
		close(h.done)
	}
	m.mu.Unlock()
	if err := m.dir.Close(ctx); err != nil {
		m.log.Warn("the hubs of this node could not be given back: other nodes wait for the end of its lease", zap.Error(err))
	}
	// With few Hosts the pause is that of drainRate. With many it shrinks, so that
	// all have gone within drainSpread.
	pause := min(time.Second/drainRate, drainSpread/time.Duration(max(len(hosts), 1)))
	// A pause for each Host would be 0.2 ms, less than timers keep to.
	const atOnce = 50
	for i, u := range hosts {
		if i > 0 && i%atOnce == 0 {
			time.Sleep(atOnce * pause)
		}
		u.end(wsconn.ReasonShutdown)
	}
}
