package wsconn

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gobwas/httphead"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"
)

// This file is permessage-deflate (RFC 7692) for a server, without context
// takeover: what a connection needs to compress or inflate it borrows for one
// message. Connections that have not negotiated it use none of this.

const (
	compressFrom = 1 << 10 // bytes of a message that is worth it
	rsv1         = 0b100   // in a header's RSV bits: the message is compressed
	// tail is what a flush ends with, an empty stored block without its first
	// byte. The sender removes it (RFC 7692, section 7.2.1), and the receiver adds it again (7.2.2).
	tail      = "\x00\x00\xff\xff"
	lastBlock = "\x01" + tail // an empty stored block with BFINAL set (RFC 1951, section 3.2.3), so that inflating ends
)

// negotiateDeflate returns the answer to the first offer of a handshake that
// can be met, or "" when there is none. Offers are tried in the order of the header. Both
// parameters of the answer may be in it without being in the offer (RFC 7692, sections
// 7.1.1.1 and 7.1.1.2).
func negotiateDeflate(h http.Header) string {
	offers, ok := httphead.ParseOptions([]byte(strings.Join(h.Values("Sec-WebSocket-Extensions"), ",")), nil)
	if !ok {
		return ""
	}
	ext := wsflate.Extension{Parameters: wsflate.Parameters{ServerNoContextTakeover: true, ClientNoContextTakeover: true}}
	for _, offer := range offers {
		if _, err := ext.Negotiate(offer); err != nil {
			continue // another may do
		}
		if _, met := ext.Accepted(); met {
			return "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
		}
	}
	return ""
}

// misplacedRSV reports whether a header sets RSV bits other than that of a
// compressed message, on its first frame. A control frame or a later fragment must not set
// RSV1 (RFC 7692, section 6). RSV2 and RSV3 belong to extensions that are not
// negotiated here.
func misplacedRSV(h ws.Header) bool {
	return h.Rsv != 0 && (h.Rsv != rsv1 || h.OpCode != ws.OpText && h.OpCode != ws.OpBinary)
}

var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// restartInflater makes an inflater begin with a message.
func restartInflater(z io.Reader, data []byte) error {
	return z.(flate.Resetter).Reset(io.MultiReader(bytes.NewReader(data), strings.NewReader(tail+lastBlock)), nil)
}

// inflate replaces a compressed message with the inflated one. A message that is not small
// is inflated twice, first to learn its size: so memory is taken once, and none at all for
// a message that exceeds the limit. Its errors are Reasons.
func (c *Conn) inflate(m *message) error {
	z := inflaters.Get().(io.Reader)
	defer inflaters.Put(z)
	if err := restartInflater(z, m.data); err != nil {
		return ReasonInternal
	}
	// The limit is for the inflated size. Deflate reaches about 1000:1, so that a
	// compressed message of 100 KiB may stand for 100 MiB.
	out, most := message{binary: m.binary}, c.maxMessage.Load()
	n, err := readFull(z, out.space(firstSize, true))
	again := err == nil
	if again {
		rest, err := io.Copy(io.Discard, io.LimitReader(z, most-int64(n)+1))
		switch {
		case err != nil:
			return ReasonBadDeflate
		case int64(n)+rest > most:
			return ReasonTooBig
		}
		out.free()
		out.data = make([]byte, int64(n)+rest)
	}
	c.memory.Add(bufferCost(out.data))
	c.memory.Enforce()
	if again {
		if err := restartInflater(z, m.data); err != nil {
			return ReasonInternal
		}
		n, err = readFull(z, out.data)
	}
	out.data = out.data[:n]
	switch {
	case int64(n) > most:
		return ReasonTooBig
	case err != nil && !errors.Is(err, io.EOF):
		return ReasonBadDeflate
	case !m.binary && !utf8.Valid(out.data):
		return ReasonInvalidUTF8
	}
	c.memory.Add(-bufferCost(m.data))
	m.free()
	*m = out
	return nil
}

// readFull reads until p is full. It returns io.EOF only when there is no more.
func readFull(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var k int
		k, err = r.Read(p[n:])
		n += k
	}
	return n, err
}

// deflater compresses one message after the other. A flate.Writer of this level has more
// than half a MiB of tables: hence the pool, and no context takeover.
type deflater struct {
	w   *flate.Writer
	buf bytes.Buffer
}

var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	return &deflater{w: w}
}}

// compressBatch returns a batch of the outbox's frames with the large text frames
// compressed. If there are any, the batch is recycled. The frames were queued before
// it was known whether compression is worth it, and the writer compresses them outside
// Conn.mu: so a slow compression delays this peer alone.
func compressBatch(batch [][]byte) [][]byte {
	if !isWorthwhile(batch) {
		return batch
	}
	z := deflaters.Get().(*deflater)
	var out outbox
	for in := (cursor{chunks: batch}); ; {
		h, size, ok := in.header()
		if !ok {
			break
		}
		// The cursor is a value: its copy is where to go on if the frame is sent as it was.
		again := in
		// A frame that does not shrink goes out as it was, with an RSV1 bit of 0: each
		// message is compressed or not (RFC 7692, section 6).
		if isLarge(h, size) && z.deflate(&in, size) {
			out.add(appendHeader(nil, ws.OpText|rsv1<<4, z.buf.Len(), false), nil, 0)
			out.add(z.buf.Bytes(), nil, 0)
			continue
		}
		in = again
		out.add(h, nil, 0)
		in.each(size, func(p []byte) { out.add(p, nil, 0) })
	}
	if z.buf.Cap() <= keptSize {
		deflaters.Put(z)
	}
	recycleChunks(batch)
	return out.chunks
}

// deflate compresses the next bytes, and reports whether it made them fewer.
func (z *deflater) deflate(in *cursor, size int) bool {
	z.buf.Reset()
	z.w.Reset(&z.buf)
	in.each(size, func(p []byte) { z.w.Write(p) }) //nolint:errcheck // into memory
	z.w.Flush()                                    //nolint:errcheck // into memory
	z.buf.Truncate(z.buf.Len() - len(tail))
	return z.buf.Len() < size
}

// isWorthwhile reports whether a batch has a frame to compress. Most batches have none and
// are written without a copy.
func isWorthwhile(batch [][]byte) bool {
	for in := (cursor{chunks: batch}); ; {
		h, size, ok := in.header()
		if !ok || isLarge(h, size) {
			return ok
		}
		in.each(size, func([]byte) {})
	}
}

// isLarge reports whether a frame is a text message of compressFrom bytes or more. The
// outbox has whole messages only, never fragments. Binary messages are mostly pictures,
// which are compressed already.
func isLarge(header []byte, size int) bool {
	return ws.OpCode(header[0]&0x0f) == ws.OpText && size >= compressFrom
}

// cursor walks over the frames in an outbox's chunks.
type cursor struct {
	chunks [][]byte
	at     int // in chunks[0]
}

// header consumes a frame's header, which is unmasked, and returns it with the
// size of the payload; ok is false at the end.
func (c *cursor) header() (h []byte, size int, ok bool) {
	read := func(n int) []byte {
		start := len(h)
		c.each(n, func(p []byte) { h = append(h, p...) })
		return h[start:]
	}
	b := read(2)
	if len(b) == 0 {
		return nil, 0, false
	}
	switch size = int(b[1]); size {
	case 126:
		size = int(binary.BigEndian.Uint16(read(2)))
	case 127:
		size = int(binary.BigEndian.Uint64(read(8)))
	}
	return h, size, true
}

// each consumes up to n bytes, piece by piece.
func (c *cursor) each(n int, use func(p []byte)) {
	for n > 0 && len(c.chunks) > 0 {
		p := c.chunks[0][c.at:]
		if len(p) > n {
			use(p[:n])
			c.at += n
			return
		}
		use(p)
		n -= len(p)
		c.chunks, c.at = c.chunks[1:], 0
	}
}
