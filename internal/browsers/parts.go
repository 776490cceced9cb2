package browsers

import "github.com/cdphub/cdphub/relay/quota"

// partInUse is ErrFull for a user whose token has its part of the browsers.
type partInUse struct{ error }

// Is implements the interface of errors.Is.
func (partInUse) Is(target error) bool { return target == ErrFull }

// Unwrap is the quota.Error.
func (e partInUse) Unwrap() error { return e.error }

// share makes the pools of quotas.
func (p *Pool) share(l *quota.Ledger) *Pool {
	p.places, p.waits = l.Pool(quota.Browsers, int64(p.max)), l.Pool(quota.BrowserQueue, 0)
	return p
}

// placeLocked takes a place for a browser, and ends an idle one for it if it may. The error
// is ErrFull, or partInUse.
//
// An idle browser is worth less than a user that waits. The user's own is ended first. That
// of another token is ended only if all places are taken, and the other token has more
// browsers than the user's will have then, or the user's has none.
func (p *Pool) placeLocked(payer quota.Payer) (*quota.Account, error) {
	account := p.places.Open(payer)
	why := account.Take(1)
	if why == nil {
		return account, nil
	}
	part, mine := quota.IsPart(why), account.Used()
	hub, victim := p.idleLocked(func(at *slot) bool { return at.account == account })
	if victim == nil && !part {
		hub, victim = p.idleLocked(func(at *slot) bool { return mine == 0 || at.account.Used() > mine+1 })
	}
	if victim != nil {
		p.forgetLocked(hub, victim)
		account.Add(1)
		return account, nil
	}
	account.Close()
	if part {
		return nil, partInUse{why}
	}
	return nil, ErrFull
}

// givePlace gives the place of a browser back.
func givePlace(account *quota.Account) {
	account.Add(-1)
	account.Close()
}

// payLocked has a Payer pay for a browser that was not in use and that it uses now.
func (p *Pool) payLocked(at *slot, payer quota.Payer) {
	givePlace(at.account)
	at.account = p.places.Open(payer)
	at.account.Add(1)
}

// idleLocked finds, among the idle browsers that fit, one of the Payer with the most
// browsers: that which has been idle for longest. It returns nil when there is none.
func (p *Pool) idleLocked(fits func(*slot) bool) (hub string, found *slot) {
	var most int64
	for name, at := range p.slots {
		if at.users > 0 || !fits(at) {
			continue
		}
		n := at.account.Used()
		if found == nil || n > most || n == most && at.since.Before(found.since) {
			hub, found, most = name, at, n
		}
	}
	return hub, found
}

// Evict ends the browser that has been idle for longest, of the Payer that has most, and
// reports whether there was one.
func (p *Pool) Evict() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	hub, at := p.idleLocked(func(*slot) bool { return true })
	if at != nil {
		p.forgetLocked(hub, at)
	}
	p.serveQueueLocked()
	return at != nil
}
