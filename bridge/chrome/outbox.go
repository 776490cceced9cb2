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

	quantum    = 1 << 20   // of one Client in a batch; a longer message is heavy, and goes by itself
	reserved   = 256 << 10 // that each Client may always queue
	maxLane    = 64 << 20  // that waits of one Client, but for a single message
	maxPending = 256 << 20 // that waits of all Clients, but for what is reserved
	maxOwn     = 64 << 20  // that waits of the Host's own
)

// Why a command is not sent. They are answers to the Client's command.
var (
	errTooLarge = wire.ServerError("The command is too large: a browser takes messages below 100 MiB, with what the hub adds to them. Send less at a time")
	errLaneFull = wire.ServerError("The browser has yet to take this Client's earlier commands: 64 MiB of them wait. Wait for their answers, and send this one again")
	errAllFull  = wire.ServerError("The browser has yet to take earlier commands of its Clients: 256 MiB of them wait. Wait a moment, and send this one again")
)

// lane is the part of an outbox that one Client has, or the Host for its own commands. Its
// zero value is ready. The outbox's lock guards it.
type lane struct {
	waiting [][]byte // messages behind the batch, in their order
	behind  int      // bytes of waiting
	held    int      // bytes of commands that wait until their session is attached
	batched int      // bytes in the batch of this number
	batch   uint64
}

// outbox is what waits to be written to a browser. Messages on one connection cannot be
// interleaved, so it decides about their order:
//
//   - Of each Client, the order is kept.
//   - The batch is what is written next. A Client has at most a quantum of it, and the rest
//     waits in the Client's lane. Each batch takes a quantum of each lane.
//   - A heavy message is written by itself, when the browser has handled the heavy one
//     before it, whoever has sent that. If other Clients have sent something meanwhile,
//     heavy messages rest for as long as the last one took: they have half of the browser.
//
// So no Client waits longer than one heavy message takes, however many there are.
type outbox struct {
	mu      sync.Mutex
	batch   []byte
	number  uint64  // of the batch
	lanes   []*lane // with something that waits; the first is next
	bytes   int     // that wait of Clients: held, behind and in the batch
	ours    int     // bytes of the batch that are the Host's own
	counted int     // bytes of the batch that are in bytes
	closed  bool
	wake    chan struct{} // holds one signal when something waits; closed with the outbox

	heavy     *lane     // whose heavy message was the last one; nil for none
	busy      bool      // the browser has yet to handle it
	began     time.Time // when it was written
	shared    bool      // another Client has sent something since
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
	o.bytes += n
	return nil
}

// admitLocked says why a Client may not queue n bytes more; nil when it may.
func (o *outbox) admitLocked(l *lane, n int) error {
	has := l.held + l.behind + o.batchedLocked(l)
	switch {
	case n > maxSent:
		return errTooLarge
	case has+n <= reserved:
		return nil
	case has > 0 && has+n > maxLane:
		return errLaneFull
	case o.bytes+n > maxPending:
		return errAllFull
	}
	return nil
}

// batchedLocked is how many bytes of the batch are a lane's.
func (o *outbox) batchedLocked(l *lane) int {
	if l.batch != o.number {
		l.batch, l.batched = o.number, 0
	}
	return l.batched
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
	o.shared = o.shared || o.heavy != l && !own
	n := f.Len() + 1
	o.bytes += n
	if len(l.waiting) == 0 && o.batchedLocked(l)+n <= quantum {
		o.batch = append(f.AppendTo(o.batch), 0)
		l.batched += n
		o.counted += n
		o.signalLocked()
		return nil
	}
	if len(l.waiting) == 0 {
		o.lanes = append(o.lanes, l)
	}
	l.waiting = append(l.waiting, append(f.AppendTo(make([]byte, 0, n)), 0))
	l.behind += n
	o.signalLocked()
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
// a quantum of each.
func (o *outbox) refillLocked() {
	o.lanes = slices.DeleteFunc(o.lanes, func(l *lane) bool {
		for len(l.waiting) > 0 && o.batchedLocked(l)+len(l.waiting[0]) <= quantum {
			n := len(l.waiting[0])
			o.batch = append(o.batch, l.takeFirst()...)
			l.batched += n
			o.counted += n
		}
		return len(l.waiting) == 0
	})
}

// takeHeavyLocked takes the next heavy message; nil when there is none, or it has to wait. A
// lane with messages in the batch waits for these. The lanes take turns.
func (o *outbox) takeHeavyLocked() []byte {
	if o.busy || time.Now().Before(o.restUntil) {
		return nil
	}
	next := -1
	for i, l := range o.lanes {
		if len(l.waiting[0]) <= quantum || o.batchedLocked(l) > 0 {
			continue
		}
		if next = i; l != o.heavy {
			break
		}
	}
	if next < 0 {
		return nil
	}
	l := o.lanes[next]
	m := l.takeFirst()
	o.bytes -= len(m)
	o.lanes = slices.Delete(o.lanes, next, next+1)
	if len(l.waiting) > 0 {
		o.lanes = append(o.lanes, l)
	}
	o.heavy, o.busy, o.began, o.shared = l, true, time.Now(), false
	return m
}

// takeFirst takes the first message that waits.
func (l *lane) takeFirst() []byte {
	m := l.waiting[0]
	l.waiting[0] = nil
	if l.waiting = l.waiting[1:]; len(l.waiting) == 0 {
		l.waiting = nil
	}
	l.behind -= len(m)
	return m
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
	for _, l := range o.lanes {
		l.waiting, l.behind = nil, 0
	}
	o.lanes = nil
	close(o.wake)
	return true
}
