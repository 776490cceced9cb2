package chrome

import (
	"maps"

	"github.com/cdphub/cdphub/internal/wire"
)

// Why a command is not sent. They are answers to the Client's command.
var (
	errTooLarge = wire.ServerError("The command is too large: a browser takes messages below 100 MiB, with what the hub adds to them. Send less at a time")
	errLaneFull = wire.ServerError("The browser has yet to take this Client's earlier commands: 64 MiB of them wait. Wait for their answers, and send this one again")
	errPartFull = wire.ServerError("The browser has yet to take earlier commands of this Client, or of others with the same token: together they may have half of what is free of 256 MiB. Wait for their answers, and send this one again")
	errAllFull  = wire.ServerError("The browser has yet to take earlier commands of its Clients: 256 MiB of them wait. Wait a moment, and send this one again")
)

// load is how much of an outbox a lane has, or all lanes of an account.
type load struct {
	behind  int    `held:"bytes behind the batch"`                 // bytes that wait behind the batch
	held    int    `held:"bytes of commands without a session"`    // bytes of commands that wait until their session is attached
	batched int    `stays:"of a batch that may have been written"` // bytes in the batch of this number
	batch   uint64 `stays:"numbers the batches"`
}

// lane is the part of an outbox that one Client has, or the Host for its own commands. Its
// zero value is ready: it has an account of its own. The outbox's lock guards it.
type lane struct {
	load
	waiting [][]byte `held:"messages behind the batch"` // messages behind the batch, in their order
	of      *account // nil until it is needed, for a lane that has not joined one
}

// account is what the lanes of one token are together. The Clients of a token have one
// turn and one part between them, or else a token would have more the more connections it
// opens.
type account struct {
	load
	lanes  []*lane `held:"lanes with something that waits"` // with something that waits; the first is next
	joined int     `held:"lanes of clients"`                // lanes that have joined and not left
}

// accountLocked is the account that a lane counts for.
func (l *lane) accountLocked() *account {
	if l.of == nil {
		l.of = new(account)
	}
	return l.of
}

// Join implements conn. It forgets accounts that are not used any more. One with something
// that waits is kept: a token does not get a new part by connecting anew.
func (o *outbox) Join(l *lane, name string) {
	if name == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.accounts, func(_ string, a *account) bool { return a.joined == 0 && o.hasLocked(&a.load) == 0 })
	if o.accounts == nil {
		o.accounts = make(map[string]*account)
	}
	if o.accounts[name] == nil {
		o.accounts[name] = new(account)
	}
	l.of = o.accounts[name]
	l.of.joined++
}

// Leave implements conn. What waits in the lane is sent all the same.
func (o *outbox) Leave(l *lane) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l.accountLocked().joined--
}

// admitLocked says why a Client may not queue n bytes more; nil when it may.
func (o *outbox) admitLocked(l *lane, n int) error {
	a := l.accountLocked()
	has, ofAll := o.hasLocked(&l.load), o.hasLocked(&a.load)
	free := maxPending - (o.bytes - ofAll) // for the account, with what it has
	switch {
	case n > maxSent:
		return errTooLarge
	case ofAll+n <= reserved:
		return nil
	case has > 0 && has+n > maxLane:
		return errLaneFull
	case ofAll > 0 && ofAll+n > free/2:
		return errPartFull
	case n > free:
		return errAllFull
	}
	return nil
}

// hasLocked is how many bytes wait.
func (o *outbox) hasLocked(w *load) int { return w.held + w.behind + o.batchedLocked(w) }

// batchedLocked is how many of them are in the batch.
func (o *outbox) batchedLocked(w *load) int {
	if w.batch != o.number {
		w.batch, w.batched = o.number, 0
	}
	return w.batched
}

// fitsLocked reports whether a message of a lane fits into the batch: into the quantum of
// the account, and with what the lane has there into so many bytes. The first of a lane
// may be longer than those.
func (o *outbox) fitsLocked(l *lane, n, most int) bool {
	has := o.batchedLocked(&l.load)
	return (has == 0 || has+n <= most) && o.batchedLocked(&l.of.load)+n <= quantum
}

// countLocked counts bytes of a lane that were added to the batch.
func (o *outbox) countLocked(l *lane, n int) {
	l.batched += n
	l.of.batched += n
	o.counted += n
}

// append has a message wait behind the batch.
func (l *lane) append(m []byte) {
	l.waiting = append(l.waiting, m)
	l.behind += len(m)
	l.of.behind += len(m)
}

// takeFirst takes the first message that waits.
func (l *lane) takeFirst() []byte {
	m := l.waiting[0]
	l.waiting[0] = nil
	if l.waiting = l.waiting[1:]; len(l.waiting) == 0 {
		l.waiting = nil
	}
	l.behind -= len(m)
	l.of.behind -= len(m)
	return m
}
