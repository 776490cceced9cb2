package journal

import (
	"slices"
	"sync"
	"time"
)

// queue takes what hubs tell under their locks, for the Journal's goroutine to read.
// Its lock comes after a hub's lock, and is held only for a moment.
type queue struct {
	woken chan struct{} // holds one item while there is something to do

	mu     sync.Mutex // guards everything below
	items  []item
	bytes  int
	lost   map[lineKey]int // items that there was no room for
	blind  []lineKey       // targets for which one of them was about what is typed
	closed bool
}

// item is one thing to do for the timeline of a target. do runs in the Journal's
// goroutine, under Journal.mu.
type item struct {
	key  lineKey
	size int // bytes that it holds
	// typed says that it is about what is typed: a flood of events must not have that
	// forgotten which is to be taken out of them.
	typed bool
	ends  bool // nothing is to be done where there is no timeline
	do    func(j *Journal, l *line)
}

// Limits of what waits. What comes beyond them is only counted. Items about typed
// text have twice the room.
const (
	mostItems = 16 << 10
	mostBytes = 32 << 20
)

// put adds an item. It never blocks: its caller has a hub's lock. A full queue counts
// the item as lost.
func (q *queue) put(i item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	room := 1
	if i.typed {
		room = 2
	}
	switch {
	case q.closed:
		return
	case len(q.items) >= room*mostItems || q.bytes+i.size > room*mostBytes:
		if q.lost == nil {
			q.lost = make(map[lineKey]int)
		}
		if len(q.lost) < mostLines {
			q.lost[i.key]++
		}
		if i.typed && !slices.Contains(q.blind, i.key) {
			q.blind = append(q.blind, i.key)
		}
		return
	}
	q.items = append(q.items, i)
	q.bytes += i.size
	q.wakeLocked()
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
	q.items, q.lost, q.blind, q.bytes = spare, nil, nil, 0
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
		j.lineLocked(key, time.Now()).typed.unknown = mostTyped
	}
	j.mu.Unlock()
	for _, i := range b.items {
		j.mu.Lock()
		if !i.ends || j.lines[i.key] != nil {
			i.do(j, j.lineLocked(i.key, time.Now()))
		}
		j.mu.Unlock()
		j.askHubs()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for key, n := range b.lost {
		j.keepLocked(j.lineLocked(key, time.Now()), leftOut(n), nil)
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
	j.askHubs()
	if j.files != nil {
		j.files.flush(now, closed)
	}
}
