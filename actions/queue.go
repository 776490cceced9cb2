package actions

import "sync"

// queue holds events until they are handled, one after the other, outside of the lock
// under which they come. put never blocks, or a slow subscriber would stop the
// connection of the hub.
type queue struct {
	wake chan struct{} // has an item when list may not be empty

	mu   sync.Mutex // guards list
	list []func()
	shed int // events dropped since the queue was last empty
}

// maxQueued is how many events may wait. Beyond it the newest events that only tell
// subscribers are dropped. Events that change the state of a page are never dropped.
const maxQueued = 10_000

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// put adds f. One that may be dropped is, when the queue is full.
func (q *queue) put(f func(), droppable bool) {
	q.mu.Lock()
	if droppable && len(q.list) >= maxQueued {
		q.shed++
	} else {
		q.list = append(q.list, f)
	}
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
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
		q.list, q.shed = nil, 0
		q.mu.Unlock()
		for _, f := range list {
			f()
		}
	}
}
