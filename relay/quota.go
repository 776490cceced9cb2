package relay

import (
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay/quota"
)

// pools are what the Clients of a hub have a limited amount of together. Hub.mu guards
// them, so that counting a command takes no lock of its own.
type pools struct {
	clients, calls, sessions, parked, tabs *quota.Pool `held:"*"`
}

// account is what a Payer has of the pools of a hub, as one of its Clients reaches it: the
// counters of commands and sessions are found without a look-up.
type account struct {
	payer                          quota.Payer
	clients, calls, sessions, tabs *quota.Account
}

func newPools(h *Hub) pools {
	l, limits := h.opts.Quotas, &h.opts.Limits
	return pools{
		clients:  l.Guarded(quota.Clients, int64(limits.Clients), &h.mu),
		calls:    l.Guarded(quota.Calls, int64(limits.Calls), &h.mu),
		sessions: l.Guarded(quota.Sessions, int64(limits.Sessions), &h.mu),
		parked:   l.Guarded(quota.Parked, 0, &h.mu),
		tabs:     l.Guarded(quota.Tabs, 0, &h.mu),
	}
}

// openLocked counts one Client more for a Payer. The error is a *quota.Error.
func (p *pools) openLocked(payer quota.Payer) (a account, err error) {
	a = account{payer, p.clients.OpenLocked(payer), p.calls.OpenLocked(payer), p.sessions.OpenLocked(payer), p.tabs.OpenLocked(payer)}
	if err = a.clients.TakeLocked(1); err != nil {
		a.endLocked()
	}
	return a, err
}

// closeLocked counts a Client out, which has neither commands nor sessions any more.
func (a *account) closeLocked() {
	a.clients.AddLocked(-1)
	a.endLocked()
}

func (a *account) endLocked() {
	for _, one := range []*quota.Account{a.clients, a.calls, a.sessions, a.tabs} {
		one.CloseLocked()
	}
}

// tooMany is an error with the message that Clients know. What to do is in its data where
// the limit is shared with others.
func tooMany(known *wire.Error, why error) *wire.Error {
	e := *known
	e.Data = why.Error()
	return &e
}

// refusesSessionLocked is why the Client may not have one session more; nil if it may.
func (c *Client) refusesSessionLocked() *wire.Error {
	if len(c.sessions) >= c.hub.opts.Limits.ClientSessions {
		return errTooMany
	}
	if err := c.account.sessions.FitsLocked(1); err != nil {
		return tooMany(errTooMany, err)
	}
	return nil
}

// refusesCallLocked is why the Client may not have one command more in flight; nil if it may.
func (c *Client) refusesCallLocked() *wire.Error {
	if c.calls >= c.hub.opts.Limits.ClientCalls {
		return errTooManyCalls
	}
	if err := c.account.calls.FitsLocked(1); err != nil {
		return tooMany(errTooManyCalls, err)
	}
	return nil
}
