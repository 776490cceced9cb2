package front

import (
	"net/http"
	"net/netip"
	"sync"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay/quota"
)

// AddressPools share out what one address, or one /64 network of IPv6, may have, so that
// tokens behind one address leave something to each other.
type AddressPools struct {
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

// NewAddressPools makes pools of total places each; 0: of as many as the ledger says.
func NewAddressPools(l *quota.Ledger, r quota.Resource, total int) *AddressPools {
	return &AddressPools{quotas: l, resource: r, total: int64(total), open: make(map[place]*addressPool)}
}

// take counts one more until left is called. The error is a *quota.Error.
func (a *AddressPools) take(at place, payer quota.Payer) (left func(), err error) {
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

// TakeOr is take for a request from an address, and answers 429 when there is none more.
func (a *AddressPools) TakeOr(w http.ResponseWriter, r *http.Request, from netip.Addr) (left func(), ok bool) {
	left, err := a.take(place{auth.Place(from), RouteOf(r).On.Name()}, PayerOf(r))
	if err != nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error()+".", http.StatusTooManyRequests)
	}
	return left, err == nil
}
