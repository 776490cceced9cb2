package chrome

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// The bounds of what goes to a browser, in bytes.
const (
	// maxSent is a message with its NUL. Chromium 156 gives the connection up, without
	// a word, when its buffer of 100 MiB is full (kReceiveBufferSizeForDevTools in
	// devtools_pipe_handler.cc, and the same for its WebSocket, where the frame's header
	// counts). What the hub adds to a Client's message, the id and the session, counts:
	// so a message is measured as it leaves.
	maxSent = 100<<20 - 1<<10

	quantum    = 1 << 20   // of one account in a batch; a longer message is heavy, and goes by itself
	reserved   = 256 << 10 // that each account may always queue
	maxLane    = 64 << 20  // that waits of one Client, but for a single message
	maxPending = 256 << 20 // that waits of all Clients, but for what is reserved; half of what is free for one account, but for a single message
	maxOwn     = 64 << 20  // that waits of the Host's own
)

// outbox is what waits to be written to a browser. Messages on one connection cannot be
// interleaved, so it decides about their order:
//
//   - Of each Client, the order is kept.
//   - The batch is what is written next. An account has at most a quantum of it, and the
//     rest waits in the lanes of its Clients. Each batch takes a quantum of each account,
//     shared out to its lanes.
//   - A heavy message is written by itself, when the browser has handled the heavy one
//     before it, whoever has sent that. The accounts take turns, and the lanes of each. If
//     other accounts have sent something meanwhile, heavy messages rest for as long as the
//     last one took: they have half of the browser.
//
// So no account waits longer than one heavy message takes, however many there are.
type outbox struct {
	mu       sync.Mutex
	batch    []byte              `held:"bytes of a batch"`
	number   uint64              `stays:"numbers the batches"`               // of the batch
	queue    []*account          `held:"accounts with something that waits"` // with something that waits; the first is next
	accounts map[string]*account `held:"*"`                                  // by name; nil until a Client has one
	bytes    int                 `held:"bytes of clients"`                   // that wait of Clients: held, behind and in the batch
	ours     int                 `stays:"part of the batch"`                 // bytes of the batch that are the Host's own
	counted  int                 `stays:"part of the batch"`                 // bytes of the batch that are in bytes
	closed   bool
	wake     chan struct{} `stays:"holds one signal"` // holds one signal when something waits; closed with the outbox

	heavy     *lane     // whose heavy message was the last one; nil for none
	busy      bool      // the browser has yet to handle it
	began     time.Time // when it was written
	shared    bool      // another account has sent something since
	restUntil time.Time // no heavy message is written before
	turn      bool      // a heavy message goes before the next batch
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// Offer implements conn.
func (o *outbox) Offer(l *lane, f wire.Frame) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.admitLocked(l, f.Len()+1); err != nil {
		return err
	}
	return o.pushLocked(l, f, false)
}

// OfferOwn implements conn.
func (o *outbox) OfferOwn(l *lane, f wire.Frame) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ours > maxOwn {
		return errBehind
	}
	return o.pushLocked(l, f, true)
}

// Hold implements conn.
func (o *outbox) Hold(l *lane, n int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n > 0 {
		if err := o.admitLocked(l, n); err != nil {
			return err
		}
	}
	l.held += n
	l.accountLocked().held += n
	o.bytes += n
	return nil
}

// pushLocked queues a message. One with a NUL byte, which is not JSON, would be two messages
// at the other end, the second without a check by the hub: it is never taken.
func (o *outbox) pushLocked(l *lane, f wire.Frame, own bool) error {
	switch {
	case o.closed:
		return errBehind
	case hasNUL(f.Head) || hasNUL(f.Body) || hasNUL(f.Tail):
		return errNUL
	}
	if l == nil {
		o.batch = append(f.AppendTo(o.batch), 0)
		o.ours += f.Len() + 1
		o.signalLocked()
		return nil
	}
	a := l.accountLocked()
	o.shared = o.shared || !own && (o.heavy == nil || o.heavy.of != a)
	n := f.Len() + 1
	o.bytes += n
	o.signalLocked()
	if len(a.lanes) == 0 && o.fitsLocked(l, n, quantum) {
		o.batch = append(f.AppendTo(o.batch), 0)
		o.countLocked(l, n)
		return nil
	}
	if len(a.lanes) == 0 {
		o.queue = append(o.queue, a)
	}
	if len(l.waiting) == 0 {
		a.lanes = append(a.lanes, l)
	}
	l.append(append(f.AppendTo(make([]byte, 0, n)), 0))
	return nil
}

// hasNUL reports whether bytes would end a message too early.
func hasNUL(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }

// signalLocked wakes the writer.
func (o *outbox) signalLocked() {
	if o.closed {
		return
	}
	select {
	case o.wake <- struct{}{}:
	default: // the writer knows
	}
}

// Handled implements conn.
func (o *outbox) Handled() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.busy {
		return
	}
	if o.shared {
		took := time.Since(o.began)
		o.restUntil = time.Now().Add(took)
		time.AfterFunc(took, func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.signalLocked()
		})
	}
	o.busy = false
	o.signalLocked()
}

// run is the writer: it passes what is to be written to write, one call at a time, until the
// outbox is closed or write fails.
func (o *outbox) run(write func(messages []byte) error) error {
	var spare []byte
	for range o.wake {
		for {
			messages, heavy := o.next(spare)
			if messages == nil {
				break
			}
			if err := write(messages); err != nil {
				return err
			}
			if !heavy {
				spare = messages
			}
			if cap(spare) > keptBuffer {
				spare = nil
			}
		}
	}
	return nil
}

// next takes what is to be written next: the batch or a heavy message; nil for nothing.
// The batch becomes spare.
func (o *outbox) next(spare []byte) (messages []byte, heavy bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, false
	}
	o.refillLocked()
	if o.turn || len(o.batch) == 0 {
		o.turn = false
		if m := o.takeHeavyLocked(); m != nil {
			return m, true
		}
	}
	if len(o.batch) == 0 {
		return nil, false
	}
	o.turn = true
	messages, o.batch = o.batch, spare[:0]
	o.bytes -= o.counted
	o.counted, o.ours = 0, 0
	o.number++
	return messages, false
}

// refillLocked adds to the batch what waits in the lanes, in front of heavy messages, up to
// a quantum of each account.
func (o *outbox) refillLocked() {
	o.queue = slices.DeleteFunc(o.queue, func(a *account) bool {
		o.refillFromLocked(a)
		return len(a.lanes) == 0
	})
}

// refillFromLocked is refillLocked of one account. Its lanes have equal shares; one that
// gets nothing, as the quantum is used up, is among the first next time. What is behind the
// last heavy message goes first: the heavy messages of all wait for its answer.
func (o *outbox) refillFromLocked(a *account) {
	share := quantum / len(a.lanes)
	if o.heavy != nil && o.heavy.of == a {
		o.refillOfLocked(o.heavy, share)
	}
	var had []*lane
	a.lanes = slices.DeleteFunc(a.lanes, func(l *lane) bool {
		o.refillOfLocked(l, share)
		if o.batchedLocked(&l.load) == 0 {
			return false
		}
		if len(l.waiting) > 0 {
			had = append(had, l)
		}
		return true
	})
	a.lanes = append(a.lanes, had...)
}

// refillOfLocked is refillLocked of one lane, up to its share.
func (o *outbox) refillOfLocked(l *lane, share int) {
	for len(l.waiting) > 0 && o.fitsLocked(l, len(l.waiting[0]), share) {
		m := l.takeFirst()
		o.batch = append(o.batch, m...)
		o.countLocked(l, len(m))
	}
}

// takeHeavyLocked takes the next heavy message; nil when there is none, or it has to wait.
// The account of the last one is next only if no other has any.
func (o *outbox) takeHeavyLocked() []byte {
	if o.busy || time.Now().Before(o.restUntil) {
		return nil
	}
	var next *lane
	for _, a := range o.queue {
		l := o.heavyOfLocked(a)
		if l == nil {
			continue
		}
		if next = l; o.heavy == nil || o.heavy.of != a {
			break
		}
	}
	if next == nil {
		return nil
	}
	m := next.takeFirst()
	o.bytes -= len(m)
	a := next.of
	a.lanes = toEnd(a.lanes, next, len(next.waiting) > 0)
	o.queue = toEnd(o.queue, a, len(a.lanes) > 0)
	o.heavy, o.busy, o.began, o.shared = next, true, time.Now(), false
	return m
}

// heavyOfLocked is the lane of an account whose heavy message is next; nil for none. A lane
// with messages in the batch waits for these.
func (o *outbox) heavyOfLocked(a *account) *lane {
	for _, l := range a.lanes {
		if len(l.waiting[0]) > quantum && o.batchedLocked(&l.load) == 0 {
			return l
		}
	}
	return nil
}

// toEnd is a list after the turn of one member, which stays if it has more.
func toEnd[T comparable](list []T, one T, more bool) []T {
	i := slices.Index(list, one)
	list = slices.Delete(list, i, i+1)
	if more {
		list = append(list, one)
	}
	return list
}

// takeBatch takes the batch, in front of the end.
func (o *outbox) takeBatch() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	batch := o.batch
	o.batch = nil
	return batch
}

// close has the outbox take nothing more, and ends the writer once it has written what it
// is writing. What waits is lost. It reports false when that was done before.
func (o *outbox) close() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.closed, o.batch = true, nil
	for _, a := range o.queue {
		for _, l := range a.lanes {
			l.waiting = nil
		}
		a.lanes = nil
	}
	o.queue = nil
	close(o.wake)
	return true
}
