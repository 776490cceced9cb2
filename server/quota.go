package server

import (
	"errors"
	"maps"
	"net/http"
	"net/netip"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/server/internal/front"
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
	s.connections = front.NewAddressPools(s.quotas, quota.Connections, httpserver.Connections(s.o.Limits.MaxConnections))
	s.bapFrom = front.NewAddressPools(s.quotas, quota.BAPConnections, s.o.Actions.BAPConnections)
}

// tooManyClients answers that a hub has no place for one Client more.
func tooManyClients(w http.ResponseWriter, why error) {
	text := "Too many clients"
	if e, ok := errors.AsType[*quota.Error](why); ok && e.Part {
		text += ": " + e.Error() + "."
	}
	http.Error(w, text, http.StatusServiceUnavailable)
}

// takeConnection counts a WebSocket among those of its address, which the listener limits
// before it knows a token. What came by a link, a trusted proxy or a Unix socket is no
// connection of the address. It answers when there is none more.
func (s *Server) takeConnection(w http.ResponseWriter, r *http.Request) (left func(), ok bool) {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || linkOf(r).Pipe != nil || s.gate.Trusts(at.Addr()) {
		return func() {}, true
	}
	return s.connections.TakeOr(w, r, at.Addr())
}
