package logging

import (
	"io"
	"sync"
	"time"
)

const (
	maxUnwritten = 1 << 20     // bytes of log lines that wait for their writer
	syncWithin   = time.Second // how long the end waits for them
)

// sink writes log lines in a goroutine of its own, so that callers never wait for a
// full disk or for the reader of a pipe. Lines that find no room are left out and
// counted. The goroutine lives only while there is something to write.
type sink struct {
	to   io.Writer             // static after newSink, as is lost
	lost func(n uint64) []byte // the line that tells of n others

	mu      sync.Mutex // guards everything below
	waiting []byte
	spare   []byte        // for waiting, once it is taken
	idle    chan struct{} // closed when all is written; nil while nothing is
	missing uint64        // lines left out since the last that was not
	dropped uint64        // lines left out in all
}

// newSink writes to w. Lost makes the line that stands for n others.
func newSink(w io.Writer, lost func(n uint64) []byte) *sink {
	return &sink{to: w, lost: lost}
}

// Write implements io.Writer for whole lines. It copies p and never waits.
func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting)+len(p) > maxUnwritten {
		s.missing++
		s.dropped++
		return len(p), nil
	}
	s.waiting = append(s.waiting, p...)
	if s.idle == nil {
		s.idle = make(chan struct{})
		go s.drain()
	}
	return len(p), nil
}

// drain writes until nothing waits.
func (s *sink) drain() {
	for {
		batch := s.take()
		if len(batch) == 0 {
			return
		}
		s.to.Write(batch) //nolint:errcheck // there is nowhere to tell
	}
}

// take returns the bytes that wait. They are good until the next call, which reuses
// them.
func (s *sink) take() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missing > 0 {
		s.waiting = append(s.waiting, s.lost(s.missing)...)
		s.missing = 0
	}
	if len(s.waiting) == 0 {
		close(s.idle)
		s.idle, s.waiting, s.spare = nil, nil, nil
		return nil
	}
	s.waiting, s.spare = s.spare[:0], s.waiting
	return s.spare
}

// Sync implements zapcore.WriteSyncer: it waits until all is written, or
// gives up after a second.
func (s *sink) Sync() error {
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
	case <-time.After(syncWithin):
	}
	return nil
}

// Dropped is the number of lines that were left out.
func (s *sink) Dropped() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped
}
