package actions

import "sync"

// queue holds events until they are handled, one after the other, outside of the lock
// under which they come. put never blocks, or a slow subscriber would stop the
// connection of the hub.
type queue struct {
	wake chan struct{} // has an item when list may not be empty

	mu    sync.Mutex `stays:"goes with its caller"` // guards what is below
	list  []func()
	bytes int // that the events in list hold
	shed  int // events dropped since the queue was last empty
}

// How many events may wait, and how many bytes. Beyond it the newest events that only tell
// subscribers are dropped. Events that change the state of a page cannot be dropped: beyond
// the second limits the queue is overrun.
const (
	maxQueued      = 10_000
	maxQueuedBytes = 64 << 20
	overrun        = 10 // times as many
)

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// put adds f, which holds so many bytes of an event. One that may be dropped is, when the
// queue is full. It reports false when there is no place even for others: a page or a Host
// sends faster than anybody can take it.
func (q *queue) put(f func(), bytes int, droppable bool) (taken bool) {
	q.mu.Lock()
	full := len(q.list) >= maxQueued || q.bytes > maxQueuedBytes
	taken = len(q.list) < overrun*maxQueued && q.bytes < overrun*maxQueuedBytes
	switch {
	case droppable && full:
		q.shed++
		taken = true
	case taken:
		q.list, q.bytes = append(q.list, f), q.bytes+bytes
	}
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return taken
}

// run handles the events until end is closed. It takes the whole list at once, so
// that put rarely waits for the lock.
func (q *queue) run(end <-chan struct{}) {
	for {
		select {
		case <-end:
			return
		case <-q.wake:
		}
		q.mu.Lock()
		list := q.list
		q.list, q.bytes, q.shed = nil, 0, 0
		q.mu.Unlock()
		for _, f := range list {
			f()
		}
	}
}
