package chrome

import (
	"bytes"
	"fmt"
	"os"
	"sync"

	"github.com/cdphub/cdphub/internal/wire"
)

// The sizes of the buffer that messages are read into.
const (
	firstBuffer = 64 << 10 // bytes, as many as a pipe of Linux holds: pipe(7)
	keptBuffer  = 4 << 20  // a larger one goes when it is empty
)

// pipe is a pair of pipes with JSON messages, each with a NUL byte behind it
// (Chromium's --remote-debugging-pipe).
type pipe struct {
	in, out *os.File // static
	limit   int      // of a message with its NUL, in bytes; static

	mu      sync.Mutex    // guards everything below
	pending []byte        // messages behind the write under way
	closed  bool          // nothing is taken any more
	wake    chan struct{} // holds one signal when something pends; closed with the pipe

	written chan struct{} // closed when the writer has ended
}

// newPipe returns a pipe that owns both files. Whoever makes one must close it.
func newPipe(in, out *os.File) *pipe {
	p := &pipe{in: in, out: out, limit: maxMessage, wake: make(chan struct{}, 1), written: make(chan struct{})}
	go p.write()
	return p
}

// Offer implements conn. A single message of any size is taken when nothing
// else waits. One with a NUL byte, which is not JSON, would be two messages at
// the other end, the second without a check by the hub: it is never taken.
func (p *pipe) Offer(f wire.Frame) bool {
	if hasNUL(f.Head) || hasNUL(f.Body) || hasNUL(f.Tail) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.pending) > 0 && len(p.pending)+f.Len() > maxPending {
		return false
	}
	p.pending = append(f.AppendTo(p.pending), 0)
	select {
	case p.wake <- struct{}{}:
	default: // the writer knows
	}
	return true
}

// hasNUL reports whether bytes would end a message too early.
func hasNUL(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }

// write is the writer: it takes all that pends and writes it at once. A write to a pipe
// that the browser does not read blocks until the pipe is closed.
func (p *pipe) write() {
	defer close(p.written)
	var spare []byte
	for range p.wake {
		p.mu.Lock()
		batch := p.pending
		p.pending = spare[:0]
		p.mu.Unlock()
		if _, err := p.out.Write(batch); err != nil {
			p.hangUp() // so that reading ends too
			return
		}
		if spare = batch; cap(spare) > keptBuffer {
			spare = nil
		}
	}
}

// serve hands each message to receive until the pipe ends, and returns why:
// io.EOF when the other end has closed it, an error of os when this one has. What receive
// gets is part of the buffer, and is overwritten once it returns.
func (p *pipe) serve(receive func(message []byte)) error {
	buf := make([]byte, firstBuffer)
	unread := 0 // bytes of buf, of a message whose end has not come
	for {
		n, err := p.in.Read(buf[unread:])
		unread = deliver(buf[:unread+n], unread, receive)
		switch {
		case err != nil:
			return err
		case unread == p.limit:
			return tooLong(p.limit)
		}
		buf = fit(buf, unread, p.limit)
	}
}

// tooLong says that a message has more bytes than this.
type tooLong int

// Error implements error.
func (e tooLong) Error() string {
	return fmt.Sprintf("the browser sent a message of more than %d MiB", int(e)>>20)
}

// deliver passes each complete message in buf to receive, moves the rest to the
// front and returns its length. The first known bytes contain no NUL.
func deliver(buf []byte, known int, receive func(message []byte)) int {
	rest := buf
	for {
		end := bytes.IndexByte(rest[known:], 0)
		switch {
		case end < 0 && len(rest) == len(buf):
			return len(buf) // where it is: a large message comes in a thousand pieces
		case end < 0:
			return copy(buf, rest)
		}
		if end += known; end > 0 {
			receive(rest[:end:end])
		}
		rest, known = rest[end+1:], 0
	}
}

// fit returns a buffer with room behind the unread bytes: a larger one when
// there is none, a small one when a large one is empty.
func fit(buf []byte, unread, limit int) []byte {
	size := len(buf)
	switch {
	case unread == size:
		size = min(2*size, limit)
	case unread == 0 && size > keptBuffer:
		size = firstBuffer
	default:
		return buf
	}
	fitting := make([]byte, size)
	copy(fitting, buf[:unread])
	return fitting
}

// hangUp closes both files, and thereby ends reading and writing. What pends
// is lost.
func (p *pipe) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed, p.pending = true, nil
	close(p.wake)
	p.in.Close() // first, so that serve knows whose doing it is
	p.out.Close()
}

// close closes the pipe and waits for the writer.
func (p *pipe) close() {
	p.hangUp()
	<-p.written
}
