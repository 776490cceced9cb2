package server

import (
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/browsers"
)

// No label has a value that a peer chooses, such as the name of a hub, a Target or a
// method: a stranger could make series without end.

// metrics is what the server counts itself.
type metrics struct {
	logins *prometheus.CounterVec // that failed, by listener and reason

	browserStart prometheus.Histogram
	browserQueue *prometheus.HistogramVec // by outcome
}

func newMetrics() *metrics {
	m := &metrics{
		logins: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cdphub_logins_failed_total",
			Help: "Requests and logins that were refused for their token, by listener (clients, hosts, shared, admin) and reason (" +
				strings.Join(auth.Reasons(), ", ") + ").",
		}, []string{"listener", "reason"}),
		browserStart: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "cdphub_browser_start_seconds",
			Help:    "Time from the request for a browser until it has come to its hub.",
			Buckets: []float64{.1, .25, .5, 1, 2, 4, 8, 16, 32},
		}),
		browserQueue: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "cdphub_browser_queue_seconds",
			Help: "Time that Clients have waited for a browser, by outcome: they got one (served), or they left or waited longer than --browser-queue, " +
				"because --max-browsers were in use (gave_up), or because their token had as many as its own limit allows (own_limit).",
			Buckets: []float64{.1, .5, 1, 2, 5, 10, 20, 30, 60, 120},
		}, []string{"outcome"}),
	}
	for _, o := range browsers.Outcomes { // they begin with 0: increase() of an alert sees no first value above
		m.browserQueue.WithLabelValues(string(o))
	}
	return m
}

// loginFailed counts a login that was refused for its token.
func (m *metrics) loginFailed(listener, reason string) {
	m.logins.WithLabelValues(listener, reason).Inc()
}

// browserStarted is browsers.Options.Started.
func (m *metrics) browserStarted(took time.Duration) { m.browserStart.Observe(took.Seconds()) }

// queueLeft is browsers.Options.Queued.
func (m *metrics) queueLeft(waited time.Duration, how browsers.Outcome) {
	m.browserQueue.WithLabelValues(string(how)).Observe(waited.Seconds())
}

// collectors are the metrics of the server itself, and of the rooms behind its front.
func (s *Server) collectors() []prometheus.Collector {
	list := []prometheus.Collector{
		heldCollector{s},
		s.metrics.logins, s.metrics.browserStart, s.metrics.browserQueue,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "cdphub_links", Help: "Links of cdphub connect, those included that are lost and may come back.",
		}, func() float64 { return float64(s.links.table.Len()) }),
	}
	if s.cluster != nil {
		list = slices.Concat(list, s.handover.Collectors(), s.cluster.Collectors(), s.forward.Collectors())
	}
	return append(list, s.o.Collectors...)
}
