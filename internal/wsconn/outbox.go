package wsconn

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/wire"
)

// outbox is a queue of frames with their WebSocket headers, in chunks from a
// pool. An idle connection has no chunk, and a byte is copied only once: a full
// queue gets another chunk. The first chunk is small, so that one event for
// thousands of connections takes little memory.
type outbox struct {
	chunks  [][]byte
	bytes   int
	frames  int
	largest int           // bytes of the largest frame, which does not count against the limits
	room    chan struct{} // closed when the writer takes the chunks; nil unless a goroutine waits
}

// The sizes of chunks, in bytes. recycle tells them apart by their capacity.
const (
	smallChunk = 4 << 10
	largeChunk = 64 << 10
)

var (
	smallChunks = sync.Pool{New: func() any { return new([smallChunk]byte) }}
	largeChunks = sync.Pool{New: func() any { return new([largeChunk]byte) }}
)

// newChunk borrows an empty chunk: a small one if it is the first of the queue.
func newChunk(first bool) []byte {
	if first {
		return smallChunks.Get().(*[smallChunk]byte)[:0]
	}
	return largeChunks.Get().(*[largeChunk]byte)[:0]
}

// recycleChunks gives chunks back to their pools.
func recycleChunks(chunks [][]byte) {
	for i, b := range chunks {
		switch cap(b) {
		case smallChunk:
			smallChunks.Put((*[smallChunk]byte)(b[:smallChunk]))
		case largeChunk:
			largeChunks.Put((*[largeChunk]byte)(b[:largeChunk]))
		}
		chunks[i] = nil
	}
}

// add copies p to the end of the queue. With a mask, offset is the index of p in
// the frame's payload.
func (o *outbox) add(p []byte, mask *[4]byte, offset int) {
	o.bytes += len(p)
	for len(p) > 0 {
		last := len(o.chunks) - 1
		if last < 0 || len(o.chunks[last]) == cap(o.chunks[last]) {
			o.chunks = append(o.chunks, newChunk(last < 0))
			last++
		}
		b := o.chunks[last]
		n := min(len(p), cap(b)-len(b))
		to := b[len(b) : len(b)+n]
		copy(to, p)
		if mask != nil {
			ws.Cipher(to, *mask, offset)
			offset += n
		}
		o.chunks[last] = b[:len(b)+n]
		p = p[n:]
	}
}

// addFrame queues one whole frame (RFC 6455, section 5.2). The mask of a client's frame
// must not be predictable (section 5.3), so that no page can make a frame look like HTTP to
// a proxy on the way (section 10.3). The generator of math/rand/v2 is ChaCha8, seeded by
// the system.
func (o *outbox) addFrame(op ws.OpCode, f wire.Frame, masked bool) {
	o.largest = max(o.largest, f.Len())
	o.frames++
	if !masked && o.addSmall(op, f) {
		return
	}
	var head [ws.MaxHeaderSize]byte
	var mask *[4]byte
	h := appendHeader(head[:0], op, f.Len(), masked)
	if masked {
		mask = new([4]byte)
		binary.NativeEndian.PutUint32(mask[:], rand.Uint32())
		h = append(h, mask[:]...)
	}
	o.add(h, nil, 0)
	o.add(f.Head, mask, 0)
	o.add(f.Body, mask, len(f.Head))
	o.add(f.Tail, mask, len(f.Head)+len(f.Body))
}

// addSmall queues a whole frame without a mask, if it fits into the last chunk. Most do.
func (o *outbox) addSmall(op ws.OpCode, f wire.Frame) bool {
	last := len(o.chunks) - 1
	if last < 0 {
		return false
	}
	b := o.chunks[last]
	before := len(b)
	if cap(b)-before < ws.MaxHeaderSize+f.Len() {
		return false
	}
	b = f.AppendTo(appendHeader(b, op, f.Len(), false))
	o.chunks[last] = b
	o.bytes += len(b) - before
	return true
}

// appendHeader appends the header of an unfragmented frame, but for the mask.
func appendHeader(dst []byte, op ws.OpCode, size int, masked bool) []byte {
	var bit byte
	if masked {
		bit = 0x80
	}
	dst = append(dst, 0x80|byte(op))
	switch {
	case size < 126:
		return append(dst, bit|byte(size))
	case size <= 0xffff:
		return binary.BigEndian.AppendUint16(append(dst, bit|126), uint16(size))
	}
	return binary.BigEndian.AppendUint64(append(dst, bit|127), uint64(size))
}

// take returns all chunks and leaves spare's memory for the next ones. From then on the
// chunks belong to the writer, which recycles them.
func (o *outbox) take(spare [][]byte) [][]byte {
	batch := o.chunks
	o.chunks, o.bytes, o.frames, o.largest = spare[:0], 0, 0, 0
	o.signalRoom()
	return batch
}

// dropLocked removes all queued frames. The batch that the writer is writing is not in the
// queue any more and stays.
func (c *Conn) dropLocked() {
	o := &c.out
	c.memory.Add(-chunkCost(len(o.chunks)))
	recycleChunks(o.chunks)
	o.chunks, o.bytes, o.frames, o.largest = nil, 0, 0, 0
}

// signalRoom wakes the goroutines that wait for room in the queue.
func (o *outbox) signalRoom() {
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
}

// Deliver implements session.FrameWriter: it copies one text message into the queue
// and returns. A peer whose queue is full is closed with ReasonSlowConsumer,
// and loses everything from there on rather than something in between. It
// reports whether the message was taken.
func (c *Conn) Deliver(f Frame) bool {
	c.mu.Lock()
	if c.reason.Code != 0 {
		c.mu.Unlock()
		return false
	}
	ok := c.queueLocked(ws.OpText, f)
	if !ok {
		c.closeLocked(ReasonSlowConsumer)
	}
	c.mu.Unlock()
	c.memory.Enforce()
	return ok
}

// Offer is Deliver for a sender that can handle a full queue: when the queue is
// full or the connection closes it reports false, and does nothing else.
func (c *Conn) Offer(f Frame) bool {
	c.mu.Lock()
	queued := c.reason.Code == 0 && c.queueLocked(ws.OpText, f)
	c.mu.Unlock()
	c.memory.Enforce()
	return queued
}

// queueLocked reports false when the queue is full. The largest frame does not
// count, since a peer that has not read a large frame yet need not be slow. A single frame
// always fits. It reports true for a connection that closes: the frame is dropped, and that
// is no fault of the peer.
func (c *Conn) queueLocked(op ws.OpCode, f wire.Frame) bool {
	if c.reason.Code != 0 {
		return true
	}
	o := &c.out
	if o.frames > 0 && (o.bytes+f.Len()-max(o.largest, f.Len()) > c.limits.MaxPending || o.frames >= c.limits.MaxQueued) {
		return false
	}
	before := len(o.chunks)
	o.addFrame(op, f, c.client)
	c.memory.Add(chunkCost(len(o.chunks)) - chunkCost(before))
	c.writeLocked()
	return true
}

// MaxPending is the limit of Pending.
func (c *Conn) MaxPending() int { return c.limits.MaxPending }

// Pending is the number of bytes queued behind the current write. The batch that is being
// written does not count.
func (c *Conn) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.bytes
}

// WaitBelow waits until at most n bytes are queued, the connection closes or
// longest has passed.
func (c *Conn) WaitBelow(n int, longest time.Duration) {
	c.waitUntil(func() bool { return c.out.bytes <= n }, longest)
}

// waitUntil waits until the queue is as wanted, which is asked under the lock
// each time the writer has taken it, the connection closes or longest has
// passed.
func (c *Conn) waitUntil(wanted func() bool, longest time.Duration) {
	var timeout <-chan time.Time
	for {
		c.mu.Lock()
		if c.reason.Code != 0 || wanted() {
			c.mu.Unlock()
			return
		}
		if c.out.room == nil {
			c.out.room = make(chan struct{})
		}
		// Taken under the lock: take closes this channel and leaves none, so that a wake
		// cannot be missed.
		room := c.out.room
		c.mu.Unlock()
		if timeout == nil {
			timeout = time.After(longest)
		}
		select {
		case <-room:
		case <-timeout:
			return
		}
	}
}
