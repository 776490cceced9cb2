package journal

import (
	"slices"
	"sync"
	"time"

	"github.com/cdphub/cdphub/relay/quota"
)

// queue takes what hubs tell under their locks, for the Journal's goroutine to read.
// Its lock comes after a hub's lock, and is held only for a moment.
type queue struct {
	woken chan struct{} // holds one item while there is something to do

	mu     sync.Mutex                  // guards everything below
	items  []item                      `held:"items that wait"`
	room   *quota.Pool                 // bytes of items
	more   *quota.Pool                 // the same, for items about typed text
	counts map[string][]*quota.Account `held:"accounts of the queue"`     // what items take of the pools, by Payer
	lost   map[lineKey]int             `held:"timelines that lost items"` // items that there was no room for
	blind  []lineKey                   `held:"timelines that hide items"` // targets for which one of them was about what is typed
	closed bool
}

// item is one thing to do for the timeline of a target. do runs in the Journal's
// goroutine, under Journal.mu.
type item struct {
	key   lineKey
	payer quota.Payer // who has caused it
	size  int         // bytes that it holds
	// typed says that it is about what is typed: a flood of events must not have that
	// forgotten which is to be taken out of them.
	typed bool
	ends  bool // nothing is to be done where there is no timeline
	do    func(j *Journal, l *line)
}

// leastItem is how many bytes an item counts for at least, so that the number of items is
// limited, too. What finds no room in quota.TimelineQueue is only counted. Items about
// typed text have twice the room.
const leastItem = 2 << 10

// share makes the pools of quotas. The queue's own lock guards them.
func (q *queue) share(l *quota.Ledger) {
	q.room, q.more = l.Guarded(quota.TimelineQueue, 0, &q.mu), l.Guarded(quota.TimelineQueue, 0, &q.mu)
	q.counts = make(map[string][]*quota.Account)
}

// put adds an item. It never blocks: its caller has a hub's lock. If there is no room for
// items of this Payer, the item counts as lost.
func (q *queue) put(i item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if !q.fitsLocked(&i) {
		if q.lost == nil {
			q.lost = make(map[lineKey]int)
		}
		if len(q.lost) < int(quota.Table[quota.Timelines].Total) {
			q.lost[i.key]++
		}
		if i.typed && !slices.Contains(q.blind, i.key) {
			q.blind = append(q.blind, i.key)
		}
		return
	}
	q.items = append(q.items, i)
	q.wakeLocked()
}

// fitsLocked counts an item if there is room for it.
func (q *queue) fitsLocked(i *item) bool {
	counts := q.counts[i.payer.ID]
	if counts == nil {
		counts = []*quota.Account{q.room.OpenLocked(i.payer), q.more.OpenLocked(i.payer)}
		q.counts[i.payer.ID] = counts
	}
	bytes := int64(max(i.size, leastItem))
	return counts[0].TakeLocked(bytes) == nil || i.typed && counts[1].TakeLocked(bytes) == nil
}

// emptyLocked counts that no item waits.
func (q *queue) emptyLocked() {
	for _, counts := range q.counts {
		for _, a := range counts {
			a.AddLocked(-a.UsedLocked())
			a.CloseLocked()
		}
	}
	clear(q.counts)
}

func (q *queue) wakeLocked() {
	select {
	case q.woken <- struct{}{}:
	default:
	}
}

// batch is what has come between two calls of take.
type batch struct {
	items  []item
	lost   map[lineKey]int
	blind  []lineKey
	closed bool
}

// take returns all that has come, and gives the queue a list to reuse.
func (q *queue) take(spare []item) batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	b := batch{q.items, q.lost, q.blind, q.closed}
	q.items, q.lost, q.blind = spare, nil, nil
	q.emptyLocked()
	return b
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wakeLocked()
}

// run does what comes, one item after the other, until the queue is closed and empty.
func (j *Journal) run() {
	defer close(j.done)
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	var spare []item
	swept := time.Now()
	for {
		now := time.Now()
		select {
		case <-j.queue.woken:
		case now = <-tick.C:
		}
		b := j.queue.take(spare[:0])
		j.work(b)
		// The functions hold params of events.
		clear(b.items)
		spare = b.items
		j.tend(now, b.closed)
		if now.Sub(swept) > time.Minute {
			swept = now
			j.sweep(now)
		}
		if b.closed {
			return
		}
	}
}

// tickEvery is how often the Journal looks for what has become due: the end of
// typing, a picture, writing to files.
const tickEvery = 250 * time.Millisecond

// work takes a batch from the queue. It takes the lock anew for each item, so that
// readers of timelines wait for one item at most.
func (j *Journal) work(b batch) {
	j.mu.Lock()
	for _, key := range b.blind { // first: the page may say in the next item what was typed
		j.lineLocked(key, quota.Payer{}, time.Now()).typed.unknown = mostTyped
	}
	j.mu.Unlock()
	for _, i := range b.items {
		j.mu.Lock()
		if !i.ends || j.lines[i.key] != nil {
			i.do(j, j.lineLocked(i.key, i.payer, time.Now()))
		}
		j.mu.Unlock()
		j.askHubs()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for key, n := range b.lost {
		j.keepLocked(j.lineLocked(key, quota.Payer{}, time.Now()), leftOut(n), nil)
	}
}

// tend does what has become due: the end of waiting and of typing, pictures, and
// writing to files.
func (j *Journal) tend(now time.Time, closed bool) {
	j.mu.Lock()
	for _, l := range j.lines {
		l.settle(j)
		if l.typing != nil && (closed || now.Sub(l.typing.newest) > typingPause) {
			l.endTyping(j)
		}
	}
	j.mu.Unlock()
	j.takePictures(now)
	j.readPages(now)
	j.askHubs()
	if j.files != nil {
		j.files.flush(now, closed)
	}
}
