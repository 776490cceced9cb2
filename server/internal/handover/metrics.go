package handover

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

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
