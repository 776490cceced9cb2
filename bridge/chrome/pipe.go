package chrome

import (
	"bytes"
	"os"

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
	*outbox
	in, out *os.File // static
	limit   int      // of a message with its NUL, in bytes; static

	written chan struct{} // closed when the writer has ended
}

// newPipe returns a pipe that owns both files. Whoever makes one must close it.
func newPipe(in, out *os.File, limit int) *pipe {
	p := &pipe{outbox: newOutbox(), in: in, out: out, limit: limit, written: make(chan struct{})}
	go func() {
		defer close(p.written)
		// A write to a pipe that the browser does not read blocks until the pipe is closed.
		if err := p.run(p.write); err != nil {
			p.hangUp() // so that reading ends too
		}
	}()
	return p
}

// write writes messages with their NULs.
func (p *pipe) write(messages []byte) error {
	_, err := p.out.Write(messages)
	return err
}

// serve hands each message to the receiver until the pipe ends, and returns why:
// io.EOF when the other end has closed it, an error of os when this one has. What the
// receiver gets is part of the buffer, and is overwritten once it returns. Of a message
// above the limit it gets the ends: the rest is discarded as it is read.
func (p *pipe) serve(to receiver) error {
	buf := make([]byte, firstBuffer)
	unread := 0 // bytes of buf, of a message whose end has not come
	for {
		n, err := p.in.Read(buf[unread:])
		unread = deliverMessages(buf[:unread+n], unread, to.receive)
		if err == nil && unread == p.limit {
			var cut wire.Cut
			cut.Add(buf)
			buf = make([]byte, firstBuffer)
			unread, err = p.discard(buf, &cut, to)
		}
		if err != nil {
			return err
		}
		buf = fitBuffer(buf, unread, p.limit)
	}
}

// discard reads a message to its end, with a buffer that is small, and hands over what it
// keeps of it. It returns what is unread in the buffer behind that.
func (p *pipe) discard(buf []byte, cut *wire.Cut, to receiver) (unread int, err error) {
	for {
		n, err := p.in.Read(buf)
		end := bytes.IndexByte(buf[:n], 0)
		if end >= 0 {
			cut.Add(buf[:end])
			to.receiveCut(cut)
			rest := copy(buf, buf[end+1:n])
			return deliverMessages(buf[:rest], 0, to.receive), err
		}
		cut.Add(buf[:n])
		if err != nil {
			return 0, err
		}
	}
}

// deliverMessages passes each complete message in buf to receive, moves the rest to the
// front and returns its length. The first known bytes contain no NUL.
func deliverMessages(buf []byte, known int, receive func(message []byte)) int {
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

// fitBuffer returns a buffer with room behind the unread bytes: a larger one when
// there is none, a small one when a large one is empty.
func fitBuffer(buf []byte, unread, limit int) []byte {
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

// hangUp closes both files, and thereby ends reading and writing. What waits is lost.
func (p *pipe) hangUp() {
	if p.outbox.close() {
		p.in.Close() // first, so that serve knows whose doing it is
		p.out.Close()
	}
}

// close closes the pipe and waits for the writer.
func (p *pipe) close() {
	p.hangUp()
	<-p.written
}
