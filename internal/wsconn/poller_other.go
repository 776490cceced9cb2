//go:build !linux

package wsconn

import "time"

// Poller watches idle connections on Linux. On this system there is none, and
// each connection keeps its goroutine.
type Poller struct{ idleAfter time.Duration }

// NewPoller returns nil, which every method takes.
func NewPoller(time.Duration) *Poller { return nil }

// Close does nothing.
func (*Poller) Close() {}

// add reports that the connection is not watched.
func (*Poller) add(*Conn) bool { return false }

// remove does nothing.
func (*Poller) remove(*Conn) {}
