package chaos

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// sock is one end of a WebSocket (RFC 6455), whose TCP connection is at hand.
type sock struct {
	tcp *net.TCPConn

	r   *bufio.Reader // owned by the reader, as is what follows
	buf []byte        // of the last message

	mu sync.Mutex // guards w
	w  *bufio.Writer
}

// The opcodes of frames.
const (
	opText  = 1
	opClose = 8
	opPing  = 9
	opPong  = 10
)

// closed is the close frame that a connection ended with.
type closed struct {
	code uint16
	text string
}

func (c closed) Error() string { return fmt.Sprintf("closed with %d %q", c.code, c.text) }

// refused is the HTTP status that answered a handshake.
type refused int

func (r refused) Error() string { return fmt.Sprintf("refused with status %d", int(r)) }

const dialWithin = 20 * time.Second

// dial opens a WebSocket at HOST:PORT. Further header lines are "Name: value".
func dial(addr, path string, header ...string) (*sock, error) {
	return dialFrom(net.Dialer{Timeout: dialWithin}, addr, path, header...)
}

func dialFrom(d net.Dialer, addr, path string, header ...string) (*sock, error) {
	nc, err := d.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &sock{tcp: nc.(*net.TCPConn), r: bufio.NewReaderSize(nc, 64<<10), w: bufio.NewWriterSize(nc, 64<<10)}
	if err := s.handshake(addr, path, header); err != nil {
		nc.Close()
		return nil, err
	}
	return s, nil
}

func (s *sock) handshake(addr, path string, header []string) error {
	s.tcp.SetDeadline(time.Now().Add(dialWithin))
	fmt.Fprintf(s.w, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", path, addr)
	for _, line := range header {
		fmt.Fprintf(s.w, "%s\r\n", line)
	}
	fmt.Fprint(s.w, "\r\n")
	if err := s.w.Flush(); err != nil {
		return err
	}
	res, err := http.ReadResponse(s.r, nil)
	if err != nil {
		return err
	}
	res.Body.Close()
	if res.StatusCode != http.StatusSwitchingProtocols {
		return refused(res.StatusCode)
	}
	return s.tcp.SetDeadline(time.Time{})
}

// put queues a frame with the parts as its payload. Its mask is zero, so that
// the payload is what it is.
func (s *sock) put(op byte, parts ...[]byte) error {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.w.Write(frameHead(op, uint64(size))); err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := s.w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// frameHead is the header of a masked frame.
func frameHead(op byte, size uint64) []byte {
	h := []byte{0x80 | op, 0x80 | byte(min(size, 127))}
	switch {
	case size < 126:
	case size <= 0xffff:
		h[1] = 0x80 | 126
		h = binary.BigEndian.AppendUint16(h, uint16(size))
	default:
		h = binary.BigEndian.AppendUint64(h, size)
	}
	return append(h, 0, 0, 0, 0)
}

func (s *sock) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Flush()
}

// send writes one text message.
func (s *sock) send(m string) error {
	if err := s.put(opText, []byte(m)); err != nil {
		return err
	}
	return s.flush()
}

// next returns the next message, which is good until the next call. It
// answers pings; the error for a close frame is a closed.
func (s *sock) next() ([]byte, error) {
	for {
		op, p, err := s.frame()
		if err != nil {
			return nil, err
		}
		switch op {
		case opText:
			return p, nil
		case opPing:
			err = errors.Join(s.put(opPong, p), s.flush())
		case opClose:
			s.put(opClose, p)
			s.flush()
			if len(p) < 2 {
				return nil, closed{1005, ""}
			}
			return nil, closed{binary.BigEndian.Uint16(p), string(p[2:])}
		}
		if err != nil {
			return nil, err
		}
	}
}

// frame reads one frame, which must be whole and without a mask.
func (s *sock) frame() (op byte, payload []byte, err error) {
	var h [8]byte
	if _, err := io.ReadFull(s.r, h[:2]); err != nil {
		return 0, nil, err
	}
	if h[0]&0xf0 != 0x80 || h[1]&0x80 != 0 {
		return 0, nil, fmt.Errorf("the hub sent a frame that begins with %x", h[:2])
	}
	op = h[0] & 0x0f
	size := uint64(h[1])
	switch size {
	case 126:
		_, err = io.ReadFull(s.r, h[:2])
		size = uint64(binary.BigEndian.Uint16(h[:]))
	case 127:
		_, err = io.ReadFull(s.r, h[:])
		size = binary.BigEndian.Uint64(h[:])
	}
	if err != nil {
		return 0, nil, err
	}
	if uint64(cap(s.buf)) < size {
		s.buf = make([]byte, size)
	}
	s.buf = s.buf[:size]
	_, err = io.ReadFull(s.r, s.buf)
	return op, s.buf, err
}

// close says good-bye as a page or program does that ends.
func (s *sock) close() {
	s.put(opClose, []byte{3, 0xe8})
	s.flush()
	s.tcp.Close()
}

// reset ends the connection as a crash of the machine does: with a TCP reset.
func (s *sock) reset() {
	s.tcp.SetLinger(0)
	s.tcp.Close()
}
