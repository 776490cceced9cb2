package membership

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cdphub/cdphub/internal/cluster"
)

// The label of a node is the name that its operators gave it. After a restart a node
// has another id, but the same name. So there are as many series as nodes that are
// alive, and maxNodeSeries at most.

// maxNodeSeries is how many nodes have metrics of their own, the first by name.
const maxNodeSeries = 100

// forwardStats count what went to each node, by its name.
type forwardStats struct {
	mu   sync.Mutex `stays:"counts what has been, by node"` // guards the map, and what is in it
	link map[string]*forwardCount
}

type forwardCount struct {
	answered, failed uint64
	waited           time.Duration
}

// add counts a request, and the time until its answer began.
func (s *forwardStats) add(node string, took time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.link[node]
	if c == nil {
		// It forgets all of them: a counter that starts at 0 again is a restart to
		// Prometheus.
		if s.link == nil || len(s.link) >= 2*maxNodeSeries { // nodes whose names change
			s.link = make(map[string]*forwardCount)
		}
		c = new(forwardCount)
		s.link[node] = c
	}
	if err != nil {
		c.failed++
		return
	}
	c.answered++
	c.waited += took
}

func (s *forwardStats) of(node string) forwardCount {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.link[node]; c != nil {
		return *c
	}
	return forwardCount{}
}

// nodeCollector is a prometheus.Collector of the nodes, and of what this node forwards to
// each of the others.
type nodeCollector struct{ m *Member }

func nodeDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, []string{"node"}, nil)
}

var (
	nodeHubs     = nodeDesc("cdphub_cluster_node_hubs", "Hubs that each node owns, by its name, as this node knows it.")
	nodeBrowsers = nodeDesc("cdphub_cluster_node_browsers", "Browsers that each node has, by its name, as this node knows it.")
	nodeMost     = nodeDesc("cdphub_cluster_node_browsers_max", "Browsers that each node may have, by its name.")
	nodeDrains   = nodeDesc("cdphub_cluster_node_draining", "1 for a node that is about to end, by its name.")
	nodeWaits    = prometheus.NewDesc("cdphub_cluster_node_waits", "Sessions that a node which is drained waits for, by its name and by what they are: clients, forwarded or browsers.", []string{"node", "what"}, nil)
	linkOpen     = nodeDesc("cdphub_cluster_link_open", "Requests and WebSockets that another node serves for this one now, by the name of that node.")
	linkAnswers  = nodeDesc("cdphub_cluster_link_answer_seconds", "Time until another node has begun to answer a request that was passed on, by the name of that node.")
	linkFailures = nodeDesc("cdphub_cluster_link_failures_total", "Requests that could not be passed on to another node, by the name of that node: it could not be reached, or did not own the hub any more.")
)

// Describe implements prometheus.Collector.
func (nodeCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{nodeHubs, nodeBrowsers, nodeMost, nodeDrains, nodeWaits, linkOpen, linkAnswers, linkFailures} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c nodeCollector) Collect(to chan<- prometheus.Metric) {
	seen := make(map[string]bool)
	for _, n := range c.m.Directory.Nodes() {
		if len(seen) == maxNodeSeries {
			return
		}
		if !seen[n.Name] { // two nodes of one name are a mistake, and would fail the scrape
			c.collect(n, to)
		}
		seen[n.Name] = true
	}
}

func (c nodeCollector) collect(n cluster.Node, to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v int) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), n.Name)
	}
	drains := 0
	if n.Draining {
		drains = 1
	}
	gauge(nodeHubs, n.Hubs)
	gauge(nodeDrains, drains)
	if w := n.Waits; w != nil {
		for what, left := range map[string]int{"clients": w.Clients, "forwarded": w.Forwarded, "browsers": w.Browsers} {
			to <- prometheus.MustNewConstMetric(nodeWaits, prometheus.GaugeValue, float64(left), n.Name, what)
		}
	}
	if b := n.Browsers; b != nil {
		gauge(nodeBrowsers, b.Running)
		gauge(nodeMost, b.Max)
	}
	// A node forwards nothing to itself.
	if n.ID == c.m.ID {
		return
	}
	link := c.m.stats.of(n.Name)
	gauge(linkOpen, c.m.Forwards.to(n.ID))
	// A summary without quantiles: its sum and count give the mean time.
	to <- prometheus.MustNewConstSummary(linkAnswers, link.answered, link.waited.Seconds(), nil, n.Name)
	to <- prometheus.MustNewConstMetric(linkFailures, prometheus.CounterValue, float64(link.failed), n.Name)
}

// Collectors are the metrics of this node as one of the cluster.
func (m *Member) Collectors() []prometheus.Collector {
	gauge := func(name, help string, value func(Status) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return value(m.Status()) })
	}
	return []prometheus.Collector{
		nodeCollector{m},
		gauge("cdphub_cluster_nodes", "Nodes of the cluster that are alive, this one included.", func(c Status) float64 { return float64(len(c.Nodes)) }),
		gauge("cdphub_cluster_hubs", "Hubs that this node owns.", func(Status) float64 { return float64(m.Directory.Self().Hubs) }),
		gauge("cdphub_cluster_links", "Requests and WebSockets that other nodes serve for this one now.", func(c Status) float64 { return float64(c.Links) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "cdphub_cluster_hubs_lost_total", Help: "Hubs of this node that another node has taken, because it did not reach this one.",
		}, func() float64 { return float64(m.Status().Lost) }),
	}
}
