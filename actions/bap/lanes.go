package bap

import "sync"

// lanes run what clients ask: on one page one after the other, on different
// pages side by side.
type lanes struct {
	most    int // requests at a time, with those that wait
	running sync.WaitGroup

	mu      sync.Mutex // guards what is below
	pending int
	waiting map[string][]func() // by lane; there while the lane has a goroutine
}

// add queues f, and reports whether there was room.
func (l *lanes) add(lane string, f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending >= l.most {
		return false
	}
	l.pending++
	if l.waiting == nil {
		l.waiting = make(map[string][]func())
	}
	queue, busy := l.waiting[lane]
	l.waiting[lane] = append(queue, f)
	if !busy {
		l.running.Go(func() { l.run(lane) })
	}
	return true
}

// run empties a lane.
func (l *lanes) run(lane string) {
	for {
		l.mu.Lock()
		queue := l.waiting[lane]
		if len(queue) == 0 {
			delete(l.waiting, lane)
			l.mu.Unlock()
			return
		}
		l.waiting[lane] = queue[1:]
		l.mu.Unlock()
		queue[0]()
		l.mu.Lock()
		l.pending--
		l.mu.Unlock()
	}
}

// wait waits until all is done. Nothing may be added any more.
func (l *lanes) wait() { l.running.Wait() }
