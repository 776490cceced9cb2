package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/cdphub/cdphub/internal/held"
)

// Held counts what the server holds for others, by names. When no peer is connected, it holds
// only what may still be asked for: named sessions, links and sandboxes until they expire, and timelines.
func (s *Server) Held() map[string]int {
	all := held.Of(s)
	held.Add(all, "", s.hubs.Held())
	held.Add(all, "", s.extensions.Held())
	held.Add(all, "", s.quotas.Held())
	if s.journal != nil {
		held.Add(all, "", s.journal.Held())
	}
	return all
}

var heldDesc = prometheus.NewDesc("cdphub_held",
	"What the server holds: entries, bytes and places. What stays above 0 while no peer is connected was not given back.", []string{"what"}, nil)

// heldCollector is a prometheus.Collector of what the server holds. Quotas have a metric of their own.
type heldCollector struct{ s *Server }

// Describe implements prometheus.Collector.
func (heldCollector) Describe(to chan<- *prometheus.Desc) { to <- heldDesc }

// Collect implements prometheus.Collector.
func (c heldCollector) Collect(to chan<- prometheus.Metric) {
	all := held.Of(c.s)
	held.Add(all, "", c.s.hubs.Held())
	held.Add(all, "", c.s.extensions.Held())
	for what, n := range all {
		to <- prometheus.MustNewConstMetric(heldDesc, prometheus.GaugeValue, float64(n), what)
	}
}
