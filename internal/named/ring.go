package named

import (
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// ring holds the newest messages of a stream, without gaps. Its zero value is empty.
type ring struct {
	messages []message // the oldest first; those before head were dropped
	head     int
	bytes    int
}

// message is one CDP message to the Client, as it was or will be sent.
type message struct {
	text []byte
	at   time.Time // when it was last sent
}

// messageCost is what a message costs beside its text, in bytes.
const messageCost = 64

// cost is what a message counts for, in bytes.
func (m *message) cost() int { return len(m.text) + messageCost }

// len is the number of messages.
func (r *ring) len() int { return len(r.messages) - r.head }

// all are the messages, the oldest first, until the next change.
func (r *ring) all() []message { return r.messages[r.head:] }

// add copies a message to the end.
func (r *ring) add(f wire.Frame, now time.Time) {
	m := message{f.AppendTo(make([]byte, 0, f.Len())), now}
	r.messages = append(r.messages, m)
	r.bytes += m.cost()
}

// drop removes the n oldest.
func (r *ring) drop(n int) {
	for range n {
		m := &r.messages[r.head]
		r.bytes -= m.cost()
		*m = message{}
		r.head++
	}
	if r.head > len(r.messages)/2 { // the memory before head is worth a copy
		kept := copy(r.messages, r.messages[r.head:])
		clear(r.messages[kept:])
		r.messages, r.head = r.messages[:kept], 0
	}
	if len(r.messages) == 0 {
		*r = ring{}
	}
}

// shrink drops the oldest until at most that many bytes and messages are left.
func (r *ring) shrink(bytes, messages int) {
	n, left := 0, r.bytes
	for n < r.len() && (left > bytes || r.len()-n > messages) {
		left -= r.all()[n].cost()
		n++
	}
	r.drop(n)
}

// forget drops the messages that were sent before a time.
func (r *ring) forget(before time.Time) {
	n := 0
	for n < r.len() && r.all()[n].at.Before(before) {
		n++
	}
	r.drop(n)
}
