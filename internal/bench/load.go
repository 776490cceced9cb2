package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// stuckAfter is how long a load may make no progress.
const stuckAfter = 20 * time.Second

// connect dials a WebSocket and hands its messages to handle until ctx ends.
// Its limits are wide, so that it is never the generator that gives way.
func connect(ctx context.Context, url string, handle func(*wsconn.Conn, []byte)) (*wsconn.Conn, error) {
	conn, err := wsconn.Dial(ctx, url, nil, wsconn.Limits{
		MaxMessage: 256 << 20, MaxPending: 256 << 20, MaxQueued: 1 << 20,
	})
	if err != nil {
		return nil, err
	}
	go conn.Serve(ctx, func(message []byte) { handle(conn, message) })
	return conn, nil
}

// text makes a frame of one piece.
func text(b []byte) wire.Frame { return wire.Frame{Body: b} }

// loop is a load in bursts: a number of operations begin together, and when
// all have ended the next burst begins. So both programs get their frames in
// equal batches, whatever their speed and that of the generator.
type loop struct {
	begin func()                    // sends what begins an operation
	ended func(message []byte) bool // whether a message to the Client ends one

	mu     sync.Mutex // guards everything below
	burst  int        // operations that begin together
	ending int        // those of the burst that have not ended
	total  int        // operations ended
	left   int        // operations that may still begin
	idle   chan struct{}
}

// receive takes a message to the Client.
func (l *loop) receive(message []byte) {
	if !l.ended(message) {
		return
	}
	l.mu.Lock()
	next := 0
	l.total++
	if l.ending--; l.ending == 0 {
		if next = l.nextLocked(); next == 0 {
			close(l.idle)
		}
	}
	l.mu.Unlock()
	for range next {
		l.begin()
	}
}

// nextLocked is how many operations begin now.
func (l *loop) nextLocked() int {
	n := min(l.burst, l.left)
	l.ending = n
	l.left -= n
	return n
}

// run runs bursts until count operations have begun or the time is up, waits
// for those under way, and returns how many have ended.
func (l *loop) run(ctx context.Context, burst, count int, longest time.Duration) (int, error) {
	idle := make(chan struct{})
	l.mu.Lock()
	l.burst, l.total, l.left, l.idle = burst, 0, count, idle
	first := l.nextLocked()
	l.mu.Unlock()
	for range first {
		l.begin()
	}
	select {
	case <-idle:
	case <-time.After(longest):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	l.mu.Lock()
	l.left = 0
	l.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(stuckAfter):
		return 0, fmt.Errorf("%d operations of a burst of %d did not end", l.ending, burst)
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return l.total, nil
}
