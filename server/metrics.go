package server

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
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
	return &metrics{
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
			Help: "Time that Clients have waited because --max-browsers were in use, by outcome: " +
				"they got a browser (served), or they left or waited longer than --browser-queue (gave_up).",
			Buckets: []float64{.1, .5, 1, 2, 5, 10, 20, 30, 60, 120},
		}, []string{"outcome"}),
	}
}

// loginFailed counts a login that was refused for its token.
func (m *metrics) loginFailed(listener, reason string) {
	m.logins.WithLabelValues(listener, reason).Inc()
}

// browserStarted is browsers.Options.Started.
func (m *metrics) browserStarted(took time.Duration) { m.browserStart.Observe(took.Seconds()) }

// queueLeft is browsers.Options.Queued.
func (m *metrics) queueLeft(waited time.Duration, served bool) {
	outcome := "gave_up"
	if served {
		outcome = "served"
	}
	m.browserQueue.WithLabelValues(outcome).Observe(waited.Seconds())
}

// hubMetrics are the numbers of all hubs. The counters of commands always
// balance: received = answered by a Host + answered by the hub + Client gone + pending.
var hubMetrics = []hubMetric{
	{"cdphub_hubs", "Hubs that exist.", prometheus.GaugeValue, nil, func(s relay.Stats) float64 { return float64(s.Hubs) }},
	{"cdphub_hosts", "Hosts connected.", prometheus.GaugeValue, nil, func(s relay.Stats) float64 { return float64(s.Hosts) }},
	{"cdphub_clients", "Clients connected.", prometheus.GaugeValue, nil, func(s relay.Stats) float64 { return float64(s.Clients) }},
	{"cdphub_targets", "Targets that Hosts offer.", prometheus.GaugeValue, nil, func(s relay.Stats) float64 { return float64(s.Targets) }},
	{"cdphub_targets_unresponsive", "Targets whose page has given no sign of life when it was asked: its process is stopped, its script does not end, or it shows a dialog.", prometheus.GaugeValue, nil, func(s relay.Stats) float64 { return float64(s.Unresponsive) }},
	{"cdphub_sessions", "Sessions of Clients.", prometheus.GaugeValue, nil, func(s relay.Stats) float64 { return float64(s.Sessions) }},
	{"cdphub_commands_received_total", "Messages of Clients. Their number is always the sum of answered, client_gone and pending.", prometheus.CounterValue, nil, func(s relay.Stats) float64 { return float64(s.Received) }},
	{"cdphub_commands_answered_total", "Messages of Clients that were answered by a Host, or by the hub itself.", prometheus.CounterValue, prometheus.Labels{"by": "host"}, func(s relay.Stats) float64 { return float64(s.AnsweredByHost) }},
	{"cdphub_commands_answered_total", "Messages of Clients that were answered by a Host, or by the hub itself.", prometheus.CounterValue, prometheus.Labels{"by": "hub"}, func(s relay.Stats) float64 { return float64(s.AnsweredByHub) }},
	{"cdphub_commands_client_gone_total", "Messages whose Client disconnected before the answer came.", prometheus.CounterValue, nil, func(s relay.Stats) float64 { return float64(s.ClientGone) }},
	{"cdphub_commands_pending", "Commands that a Host has not answered yet.", prometheus.GaugeValue, nil, func(s relay.Stats) float64 { return float64(s.Pending) }},
	{"cdphub_answers_dropped_total", "Answers of Hosts that the hub dropped: the command was already answered (duplicate), was never sent (unsolicited), was sent to an earlier Host (outdated), or belongs to another session (wrong_session).", prometheus.CounterValue, prometheus.Labels{"why": "duplicate"}, func(s relay.Stats) float64 { return float64(s.AnswersDuplicate) }},
	{"cdphub_answers_dropped_total", "Answers of Hosts that the hub dropped: the command was already answered (duplicate), was never sent (unsolicited), was sent to an earlier Host (outdated), or belongs to another session (wrong_session).", prometheus.CounterValue, prometheus.Labels{"why": "unsolicited"}, func(s relay.Stats) float64 { return float64(s.AnswersUnsolicited) }},
	{"cdphub_answers_dropped_total", "Answers of Hosts that the hub dropped: the command was already answered (duplicate), was never sent (unsolicited), was sent to an earlier Host (outdated), or belongs to another session (wrong_session).", prometheus.CounterValue, prometheus.Labels{"why": "outdated"}, func(s relay.Stats) float64 { return float64(s.AnswersOutdated) }},
	{"cdphub_answers_dropped_total", "Answers of Hosts that the hub dropped: the command was already answered (duplicate), was never sent (unsolicited), was sent to an earlier Host (outdated), or belongs to another session (wrong_session).", prometheus.CounterValue, prometheus.Labels{"why": "wrong_session"}, func(s relay.Stats) float64 { return float64(s.AnswersWrongSession) }},
	{"cdphub_events_received_total", "Events of Hosts.", prometheus.CounterValue, nil, func(s relay.Stats) float64 { return float64(s.EventsIn) }},
	{"cdphub_event_deliveries_total", "Copies of events for sessions: queued for the Client (sent), or dropped because its connection was closing (client_closed).", prometheus.CounterValue, prometheus.Labels{"outcome": "sent"}, func(s relay.Stats) float64 { return float64(s.Sent) }},
	{"cdphub_event_deliveries_total", "Copies of events for sessions: queued for the Client (sent), or dropped because its connection was closing (client_closed).", prometheus.CounterValue, prometheus.Labels{"outcome": "client_closed"}, func(s relay.Stats) float64 { return float64(s.ClientClosed) }},
	{"cdphub_answers_misrouted_total", "Answers that would have reached another Client than the one that asked. Above 0 the hub has a bug.", prometheus.CounterValue, nil, func(s relay.Stats) float64 { return float64(s.Misrouted) }},
}

// latency is a histogram that package relay counts.
var latency = prometheus.NewDesc("cdphub_command_latency_seconds",
	"Time from a Client's command until the answer of its Host. Every 17th command is measured.", nil, nil)

// latencyOf makes a histogram of Prometheus from the numbers of package relay. Its
// buckets are cumulative: each one counts also all that are smaller. The last number
// of relay is for everything above the bounds, which Prometheus takes from count.
func latencyOf(l relay.Latency) prometheus.Metric {
	buckets, count := make(map[float64]uint64, len(relay.LatencyBounds)), uint64(0)
	for i, n := range l.Buckets {
		if count += n; i < len(relay.LatencyBounds) {
			buckets[relay.LatencyBounds[i]] = count
		}
		// Seconds, as Prometheus wants all times.
	}
	return prometheus.MustNewConstHistogram(latency, count, l.Sum, buckets)
}

// hubMetric is one number; rows with one name differ in their labels.
type hubMetric struct {
	name, help string
	kind       prometheus.ValueType
	labels     prometheus.Labels
	value      func(relay.Stats) float64
}

// hubCollector is a prometheus.Collector of hubMetrics. All numbers of one scrape are
// from one call of stats, so that they add up.
type hubCollector struct {
	stats func() relay.Stats
	descs []*prometheus.Desc // of hubMetrics, in their order
}

func newHubCollector(stats func() relay.Stats) hubCollector {
	c := hubCollector{stats: stats}
	for _, m := range hubMetrics {
		c.descs = append(c.descs, prometheus.NewDesc(m.name, m.help, nil, m.labels))
	}
	return c
}

// Describe implements prometheus.Collector.
func (c hubCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
	to <- latency
}

// Collect implements prometheus.Collector.
func (c hubCollector) Collect(to chan<- prometheus.Metric) {
	s := c.stats()
	to <- latencyOf(s.Latency)
	for i, m := range hubMetrics {
		to <- prometheus.MustNewConstMetric(c.descs[i], m.kind, m.value(s))
	}
}

// registry holds everything that /metrics shows.
func (s *Server) registry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector(),
		newHubCollector(s.hubs.Stats),
		quotaCollector{s.quotas}, heldCollector{s},
		s.metrics.logins,
		s.metrics.browserStart, s.metrics.browserQueue,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "cdphub_links", Help: "Links of cdphub connect, those included that are lost and may come back.",
		}, func() float64 { return float64(s.links.table.Len()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "cdphub_browser_queue_length", Help: "Clients that wait for a browser because --max-browsers are in use.",
		}, func() float64 { return float64(s.browsers.Numbers().Queued) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "cdphub_browsers", Help: "Browsers that run behind hubs, or are starting.",
		}, func() float64 { return float64(s.browsers.Numbers().Running) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "cdphub_browsers_started_total", Help: "Browsers that have come to a hub, those started again included.",
		}, func() float64 { return float64(s.browsers.Numbers().Started) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "cdphub_browsers_failed_total", Help: "Browsers that could not be started or connected to.",
		}, func() float64 { return float64(s.browsers.Numbers().Failed) }),
	)
	r.MustRegister(s.access.Collectors()...)
	r.MustRegister(s.namedMetrics()...)
	if s.cluster != nil {
		r.MustRegister(s.handover.Collectors()...)
		r.MustRegister(s.cluster.Collectors()...)
		r.MustRegister(s.forward.Collectors()...)
	}
	r.MustRegister(s.o.Collectors...)
	return r
}
