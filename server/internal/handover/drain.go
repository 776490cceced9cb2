package handover

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
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/membership"
)

// A node that is drained ends as by SIGTERM, at once or after its sessions have ended. Any node
// can be asked to drain any, also one that waits already, which then has another time:
//
//	POST /ui/api/drain                      {"node":"a","wait":"30m"}: 204; the dashboard and programs, with a token of every hub and scope privileged
//	POST /cluster/drain?node=a&wait=30m     204; the listener for operators
const (
	dashboardPath = "/ui/api/drain"
	// DrainPath is of the listener for nodes, and of that for operators.
	DrainPath = "/cluster/drain"
)

// maxDrainRequest is how long the body of a request to drain a node may be.
const maxDrainRequest = 4 << 10

var (
	errNoNode   = errors.New("node does not exist (it may have ended): run cdphub-cluster cluster status for the list of nodes")
	errDraining = errors.New("this node is already being drained")
	errWait     = errors.New("wait is not a duration of 0 or more: set a number and a unit, such as 30m")
)

// Drainer ends nodes. Its Member is nil without a cluster.
type Drainer struct {
	Member  *membership.Member
	SeesAll func(*http.Request) bool // whether a person may know of all nodes
	End     func(wait time.Duration) // has this server end as by SIGTERM, when its sessions have ended or after that time
	Access  *front.AccessLog
	Log     *zap.Logger
}

// MayDrain reports whether an asker may drain nodes: with a token of every hub and
// scope privileged, or without tokens on a listener that only this machine reaches.
func (d Drainer) MayDrain(r *http.Request) bool {
	scope := auth.PassOf(r).Grant.Scope
	return d.Member != nil && d.SeesAll(r) && (scope == 0 || scope >= auth.ScopePrivileged)
}

// Row is of the route table.
func (d Drainer) Row() front.Entry {
	return front.Entry{
		Path: dashboardPath, On: front.ForPeople, Pages: front.DashboardPages, Role: auth.RoleClient, Every: true,
		Methods: []string{http.MethodPost}, JSON: true, Serve: d.serveDashboard,
	}
}

// OperatorRow is of the table for operators.
func (d Drainer) OperatorRow() front.Entry {
	return front.Entry{Path: "POST " + DrainPath, Off: d.Member == nil, Serve: d.serveOperator} // ?node=NAME ends a node as by SIGTERM
}

// serveDashboard answers the dashboard. Both outcomes are in the audit log.
func (d Drainer) serveDashboard(w http.ResponseWriter, r *http.Request) {
	if d.Member == nil {
		http.Error(w, "This hub is not a node of a cluster.", http.StatusNotFound)
		return
	}
	who := d.Access.Peer("viewer", r)
	if !d.MayDrain(r) {
		d.Log.Named("audit").Warn("node is not drained", who.Fields()...)
		http.Error(w, "This token may not drain nodes: use a token for every hub with scope privileged, or run cdphub-cluster cluster drain at the listener for operators.", http.StatusForbidden)
		return
	}
	var ask struct{ Node, Wait string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxDrainRequest)).Decode(&ask); err != nil {
		http.Error(w, `The body must be {"node":"NAME"}.`, http.StatusBadRequest)
		return
	}
	d.answerDrain(w, r, ask.Node, ask.Wait, front.ViewerName(r, auth.PassOf(r)), who.Fields())
}

// serveOperator answers operators.
func (d Drainer) serveOperator(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	d.answerDrain(w, r, query.Get("node"), query.Get("wait"), "an operator", []zap.Field{zap.String("peer", r.RemoteAddr)})
}

// answerDrain asks a node to drain, and answers the asker: 204 when it has begun, 404
// for an unknown node, 409 for one that ends already or is the last, 502 when the
// node does not answer.
func (d Drainer) answerDrain(w http.ResponseWriter, r *http.Request, name, wait, by string, who []zap.Field) {
	patience, err := readWait(wait)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	itself, err := d.drainNode(r.Context(), name, by, patience)
	d.Log.Named("audit").Info("node is drained", append(who, zap.String("node", front.CutWords(name)), zap.String("by", by), zap.Duration("wait", patience), zap.Error(err))...)
	switch {
	case err == nil && itself:
		d.endAfter(w, patience)
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

// readWait reads how long a node may wait for its sessions; "" is 0.
func readWait(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 {
		return 0, errWait
	}
	return wait, nil
}

// drainNode asks the node of that name or id to end, and reports whether it is this one,
// which is left to the caller. Otherwise, when the error is nil, the node has begun to.
func (d Drainer) drainNode(ctx context.Context, name, by string, wait time.Duration) (itself bool, err error) {
	nodes := d.Member.Directory.Nodes()
	i := slices.IndexFunc(nodes, func(n cluster.Node) bool { return n.Name == name || n.ID == name })
	switch {
	case i < 0:
		return false, errNoNode
	case nodes[i].Draining && nodes[i].Waits == nil:
		return false, errDraining
	case nodes[i].ID == d.Member.ID:
		return true, d.mayEnd(ctx)
	}
	query := url.Values{"by": {by + " through node " + d.Member.Directory.Self().Name}, "wait": {wait.String()}}
	status, err := d.Member.Ask(ctx, nodes[i], DrainPath+"?"+query.Encode())
	if status == http.StatusConflict {
		err = cluster.ErrLast
	}
	return false, err
}

// mayEnd asks the directory, which alone knows of nodes that are drained at the same
// time: two that ask at once must not both go.
func (d Drainer) mayEnd(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, membership.PeerTimeout)
	defer cancel()
	return d.Member.Directory.MayEnd(ctx)
}

// ServePeer answers another node that asks this one to drain.
func (d Drainer) ServePeer(w http.ResponseWriter, r *http.Request, _ *membership.Assertion) {
	query := r.URL.Query()
	wait, err := readWait(query.Get("wait"))
	if err == nil {
		err = d.mayEnd(r.Context())
	}
	d.Log.Named("audit").Info("this node is drained", zap.String("by", front.CutWords(query.Get("by"))), zap.Duration("wait", wait), zap.Error(err))
	switch {
	case errors.Is(err, cluster.ErrLast):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		front.RefuseForNow(w, err)
	default:
		d.endAfter(w, wait)
	}
}

// endAfter answers with 204, and then has the server end: a server without work ends
// before an answer that comes later.
func (d Drainer) endAfter(w http.ResponseWriter, wait time.Duration) {
	w.WriteHeader(http.StatusNoContent)
	http.NewResponseController(w).Flush() //nolint:errcheck // the asker has gone then
	d.End(wait)
}
