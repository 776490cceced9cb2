// Package handover ends a node without loss for its Clients: an operator drains the node, and it
// hands its hubs with named sessions over to other nodes. In case the node dies, the state of these
// hubs is replicated in the directory.
package handover

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/named"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/membership"
)

// A node that ends hands its hubs with named sessions over to other nodes, one hub with
// one request:
//
//	POST /cluster/handover
//	{"host":{…},"named":{…}}   -> 204, and the hub is that node's
//
// The node that takes a hub claims it in the directory, and restores the sessions before
// it serves the hub. Their Clients and the Host page connect again, to whichever node.

const (
	// Path is of the peer request.
	Path = "/cluster/handover"
	// maxHandover is what the sessions of a hub may keep in all, in bytes of JSON.
	maxHandover = 512 << 20
	// handoverWithin is how long it may take to hand all hubs over, once Clients are out
	// of time.
	handoverWithin = 5 * time.Second
	// handoversAtOnce is how many hubs are handed over at a time.
	handoversAtOnce = 8
)

// hubState is the body of the request, and what is replicated.
type hubState struct {
	Host  relay.HubState `json:"host"`
	Named named.State    `json:"named"`
}

// errElsewhereNow says to the node that hands a hub over that it is another's.
var errElsewhereNow = errors.New("this hub has another owner now")

// Options are of New. All fields are needed.
type Options struct {
	Member   *membership.Member
	Hubs     *relay.Hubs
	Browsers *browsers.Pool
	Named    *named.Sessions
	Log      *zap.Logger
	// Begin restores what the connection of a named session brought to the node before.
	Begin func(hub string, st *named.SessionState) (*named.Begin, error)
}

// Handover hands hubs over to other nodes, and takes theirs. A nil Handover is that of a server
// without a cluster, and hands nothing over.
type Handover struct {
	Options `stays:"configuration"`
	took    *prometheus.HistogramVec // of hubs to other nodes, by outcome
	moved   *prometheus.CounterVec   // named sessions, by how
}

// All gives the hubs with named sessions to other nodes. It gives each hub as
// soon as no command is in flight there, or when patience has ended. wait returns
// when all are given. The whole takes handoverWithin longer than patience, at most.
func (h *Handover) All(patience context.Context) (wait func()) {
	if h == nil {
		return func() {}
	}
	// The drain of a server gives it a deadline always.
	end, _ := patience.Deadline()
	ctx, cancel := context.WithDeadline(context.Background(), end.Add(handoverWithin))
	sender := sender{h, ctx, make(chan struct{}, handoversAtOnce), new(sync.Map)}
	var all sync.WaitGroup
	for _, name := range h.Named.Hubs() {
		all.Go(func() {
			hub, release := h.Hubs.Peek(name)
			defer release()
			if h.Hubs.Has(name) {
				select {
				case <-hub.Drained():
				case <-patience.Done():
				}
			}
			sender.give(name, hub)
		})
	}
	return func() {
		all.Wait()
		cancel()
	}
}

// sender sends hubs to other nodes.
type sender struct {
	*Handover
	ctx    context.Context // ends when there is no more time
	slots  chan struct{}   // of hubs at a time
	failed *sync.Map       // ids of nodes
}

// give hands one hub to the first node that takes it, and sends its Hosts away. Where
// none takes it, the Hosts stay until membership.Member.Leave has given the claim back:
// before, no node could claim their hub.
func (s sender) give(name string, hub *relay.Hub) {
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	m := s.Member
	epoch, hosts, owned := m.Release(name)
	if !owned || front.IsSandbox(name) { // a sandbox ends with its node
		return
	}
	// First the Hosts are parted, then the state is read: an event in between would
	// be lost with the old state.
	hub.Control().Part()
	body := hubState{Host: hub.Control().State(), Named: s.Named.Take(name)}
	if s.Browsers.Has(name) {
		// What a browser of this node shows ends with this node.
		body.Named.Lose()
	}
	begun := time.Now()
	err := s.send(name, epoch, body)
	s.count(len(body.Named.Sessions), time.Since(begun), err)
	if err != nil {
		s.Log.Warn("the named sessions of a hub could not be handed over", zap.String("hub", name), zap.Int("sessions", len(body.Named.Sessions)), zap.Error(err))
		m.EndLater(hosts)
		return
	}
	hosts.End(wsconn.ReasonShutdown)
}

// send offers a hub to one node after the other until one takes it. A node that has
// failed is not asked for later hubs. errElsewhereNow ends the search: the hub has a
// newer owner.
func (s sender) send(hub string, epoch cluster.Epoch, body hubState) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	err = errors.New("there is no other node")
	for _, n := range s.Member.Successors() {
		if _, failed := s.failed.Load(n.ID); failed {
			continue
		}
		status, failed := s.Member.Send(s.ctx, n, membership.Assertion{URI: Path, Hub: hub, Epoch: epoch}, text)
		if status == http.StatusConflict {
			return errElsewhereNow
		}
		if err = failed; err == nil || s.ctx.Err() != nil {
			return err
		}
		s.failed.Store(n.ID, nil)
	}
	return err
}

// Receive answers POST /cluster/handover. 409 says that the hub is another
// node's already.
func (h *Handover) Receive(w http.ResponseWriter, r *http.Request, a *membership.Assertion) {
	var body hubState
	if !relay.ValidHub(a.Hub) {
		http.Error(w, membership.ErrOtherRequest.Error(), http.StatusForbidden)
		return
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxHandover)).Decode(&body); err != nil {
		http.Error(w, "the hub could not be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	err := h.Member.Receive(r.Context(), a.Hub, a.Epoch, func() { h.inherit(a.Hub, body, movedTaken) })
	switch {
	case errors.Is(err, cluster.ErrTaken):
		http.Error(w, errElsewhereNow.Error(), http.StatusConflict)
	case err != nil:
		front.RefuseForNow(w, err)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// inherit restores what another node had of a hub. how is for the metrics.
func (h *Handover) inherit(name string, from hubState, how string) {
	hub, release, err := h.Hubs.Acquire(name)
	if err != nil {
		h.Log.Warn("a hub that another node handed over cannot continue", zap.String("hub", name), zap.Error(err))
		return
	}
	defer release()
	hub.Control().Restore(from.Host)
	h.Named.Restore(name, from.Named, func(st *named.SessionState) (*named.Begin, error) { return h.Begin(name, st) })
	h.moved.WithLabelValues(how).Add(float64(len(from.Named.Sessions)))
	h.Log.Info("a hub continues that another node handed over", zap.String("hub", name), zap.Int("sessions", len(from.Named.Sessions)))
}

// The values of the label "how": the ways in which named sessions come to another
// node.
const (
	movedGiven    = "given"
	movedTaken    = "taken"
	movedRestored = "restored"
)

// New makes a Handover.
func New(o Options) *Handover {
	return &Handover{
		Options: o,
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "cdphub_cluster_handover_seconds",
			Help: "Time that this node has taken to hand a hub with named sessions over, by outcome: " +
				"another node has it (taken), another one had claimed it before (elsewhere), or no node took it (failed).",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"outcome"}),
		moved: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cdphub_cluster_sessions_moved_total",
			Help: "Named sessions that this node has handed over to another (given), that another has handed over to it (taken), " +
				"and that it has restored by the note of a node that died (restored).",
		}, []string{"how"}),
	}
}

// Collectors are the metrics of handovers.
func (h *Handover) Collectors() []prometheus.Collector {
	return []prometheus.Collector{h.took, h.moved}
}

// count counts a hub that this node has tried to hand over.
func (h *Handover) count(sessions int, took time.Duration, err error) {
	outcome := "taken"
	switch {
	case errors.Is(err, errElsewhereNow):
		outcome = "elsewhere"
	case err != nil:
		outcome = "failed"
	default:
		h.moved.WithLabelValues(movedGiven).Add(float64(sessions))
	}
	h.took.WithLabelValues(outcome).Observe(took.Seconds())
}
