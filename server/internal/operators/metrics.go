package operators

import (
	"cmp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/cdphub/cdphub/internal/named"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
)

// namedMetrics are the numbers of named sessions, read at each scrape.
func (o Operators) namedMetrics() []prometheus.Collector {
	const sessions, help = "cdphub_named_sessions", "Named sessions that have a connection (connected), and that wait for one (away)."
	state := func(state string, n func(named.Numbers) int) prometheus.Collector {
		opts := prometheus.GaugeOpts{Name: sessions, Help: help, ConstLabels: prometheus.Labels{"state": state}}
		return prometheus.NewGaugeFunc(opts, func() float64 { return float64(n(o.Named.Numbers())) })
	}
	return []prometheus.Collector{
		state("connected", func(n named.Numbers) int { return n.Connected }),
		state("away", func(n named.Numbers) int { return n.Away }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "cdphub_named_session_bytes", Help: "Bytes of messages that named sessions keep for Clients that resume them.",
		}, func() float64 { return float64(o.Named.Numbers().Bytes) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "cdphub_named_sessions_returned_total", Help: "Connections that have come back to a named session.",
		}, func() float64 { return float64(o.Named.Numbers().Returned) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "cdphub_named_sessions_expired_total", Help: "Named sessions that have ended since no connection came back within the grace time.",
		}, func() float64 { return float64(o.Named.Numbers().Expired) }),
	}
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

// MostQuotaTokens is how many tokens have a series of their own for each resource. Signed
// tokens have names without end.
const MostQuotaTokens = 100

var quotaUsed = prometheus.NewDesc("cdphub_quota",
	"What each token has of each limited resource, by resource and token (its name). Tokens beyond the "+
		"100 that have most are (others); (hub) is what the process has itself, and all Clients where no tokens are needed.",
	[]string{"resource", "token"}, nil)

// quotaCollector is a prometheus.Collector of what tokens have.
type quotaCollector struct{ quotas *quota.Ledger }

// Describe implements prometheus.Collector.
func (quotaCollector) Describe(to chan<- *prometheus.Desc) { to <- quotaUsed }

// Collect implements prometheus.Collector.
func (c quotaCollector) Collect(to chan<- prometheus.Metric) {
	for _, u := range c.quotas.Usage() {
		for token, n := range MostUsed(u.Used) {
			to <- prometheus.MustNewConstMetric(quotaUsed, prometheus.GaugeValue, float64(n), quota.Table[u.Resource].Name, token)
		}
	}
}

// MostUsed is a map by the labels of the metric, with at most MostQuotaTokens tokens.
func MostUsed(used map[string]int64) map[string]int64 {
	names := make([]string, 0, len(used))
	for name := range used {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(used[b], used[a]), strings.Compare(a, b)) })
	labels := make(map[string]int64)
	for i, name := range names {
		label := cmp.Or(strings.ToValidUTF8(name, "?"), "(hub)")
		if i >= MostQuotaTokens {
			label = "(others)"
		}
		labels[label] += used[name]
	}
	return labels
}

// Registry holds everything that /metrics shows.
func (o Operators) Registry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector(),
		newHubCollector(o.Hubs.Stats),
		quotaCollector{o.Quotas},
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "cdphub_browser_queue_length", Help: "Clients that wait for a browser because --max-browsers are in use. Those whose token is at its own limit are not counted.",
		}, func() float64 { return float64(o.Browsers.Numbers().Queued) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "cdphub_browsers", Help: "Browsers that run behind hubs, or are starting.",
		}, func() float64 { return float64(o.Browsers.Numbers().Running) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "cdphub_browsers_started_total", Help: "Browsers that have come to a hub, those started again included.",
		}, func() float64 { return float64(o.Browsers.Numbers().Started) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "cdphub_browsers_failed_total", Help: "Browsers that could not be started or connected to.",
		}, func() float64 { return float64(o.Browsers.Numbers().Failed) }),
	)
	r.MustRegister(o.Access.Collectors()...)
	r.MustRegister(o.namedMetrics()...)
	r.MustRegister(o.Collectors...)
	return r
}
