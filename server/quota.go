package server

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/relay/quota"
)

// shareLimits makes what shares the limits out. How many tokens there are is asked later,
// when they have been read.
func (s *Server) shareLimits() {
	totals := map[quota.Resource]int64{quota.Sandboxes: int64(s.o.Actions.MaxSandboxes)}
	maps.Copy(totals, s.o.totals)
	s.quotas = quota.New(quota.Options{
		Bearers: func(role string) int {
			if s.tokens == nil {
				return 0
			}
			return s.tokens.Count(auth.Role(role))
		},
		Totals: totals,
	})
	s.quotas.Ask(quota.Memory, s.budget.Usage)
	s.quotas.Ask(quota.NamedMemory, s.named.Usage)
	s.sandboxes.quotas = s.quotas
	s.connections = newAddressPools(s.quotas, quota.Connections, httpserver.Connections(s.o.Limits.MaxConnections))
	s.bapFrom = newAddressPools(s.quotas, quota.BAPConnections, s.o.Actions.BAPConnections)
	s.uiFrom = newAddressPools(s.quotas, quota.EventStreams, 0)
}

// payerOf is for whom what a request does counts.
func payerOf(r *http.Request) quota.Payer { return quota.FromContext(r.Context()) }

// tooManyClients answers that a hub has no place for one Client more.
func tooManyClients(w http.ResponseWriter, why error) {
	text := "Too many clients"
	if e, ok := errors.AsType[*quota.Error](why); ok && e.Part {
		text += ": " + e.Error() + "."
	}
	http.Error(w, text, http.StatusServiceUnavailable)
}

// addressPools share out what one address, or one /64 network of IPv6, may have, so that
// tokens behind one address leave something to each other.
type addressPools struct {
	quotas   *quota.Ledger // static
	resource quota.Resource
	total    int64

	mu   sync.Mutex             // guards open
	open map[place]*addressPool `held:"addresses with connections"`
}

// place is an address at a listener.
type place struct {
	netip.Prefix
	listener string
}

// addressPool is the pool of one address, while it is used.
type addressPool struct {
	*quota.Pool
	users int
}

func newAddressPools(l *quota.Ledger, r quota.Resource, total int) *addressPools {
	return &addressPools{quotas: l, resource: r, total: int64(total), open: make(map[place]*addressPool)}
}

// take counts one more until left is called. The error is a *quota.Error.
func (a *addressPools) take(at place, payer quota.Payer) (left func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.open[at]
	if p == nil {
		p = &addressPool{Pool: a.quotas.Pool(a.resource, a.total)}
	}
	giveBack, err := p.Take(payer, 1)
	if err != nil {
		return nil, err
	}
	a.open[at] = p
	p.users++
	return sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		giveBack()
		if p.users--; p.users == 0 {
			delete(a.open, at)
		}
	}), nil
}

// takeOr is take for a request from an address, and answers 429 when there is none more.
func (a *addressPools) takeOr(w http.ResponseWriter, r *http.Request, from netip.Addr) (left func(), ok bool) {
	left, err := a.take(place{auth.Place(from), routeOf(r).on.name()}, payerOf(r))
	if err != nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error()+".", http.StatusTooManyRequests)
	}
	return left, err == nil
}

// takeConnection counts a WebSocket among those of its address, which the listener limits
// before it knows a token. What came by a link, a trusted proxy or a Unix socket is no
// connection of the address. It answers when there is none more.
func (s *Server) takeConnection(w http.ResponseWriter, r *http.Request) (left func(), ok bool) {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || linkOf(r).Pipe != nil || s.gate.Trusts(at.Addr()) {
		return func() {}, true
	}
	return s.connections.takeOr(w, r, at.Addr())
}

// mostQuotaTokens is how many tokens have a series of their own for each resource. Signed
// tokens have names without end.
const mostQuotaTokens = 100

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
		for token, n := range mostUsed(u.Used) {
			to <- prometheus.MustNewConstMetric(quotaUsed, prometheus.GaugeValue, float64(n), quota.Table[u.Resource].Name, token)
		}
	}
}

// mostUsed is a map by the labels of the metric, with at most mostQuotaTokens tokens.
func mostUsed(used map[string]int64) map[string]int64 {
	names := make([]string, 0, len(used))
	for name := range used {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(used[b], used[a]), strings.Compare(a, b)) })
	labels := make(map[string]int64)
	for i, name := range names {
		label := cmp.Or(strings.ToValidUTF8(name, "?"), "(hub)")
		if i >= mostQuotaTokens {
			label = "(others)"
		}
		labels[label] += used[name]
	}
	return labels
}
