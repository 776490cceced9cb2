package page

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// A Host sends a large message in chunks, so that other messages go between them. Each
// chunk is one frame: an object, a line break, and a piece of the message's text.
//
//	{"kind":"chunk","last":false}
//	{"kind":"response","sessionId":"S","id":7,"result":{"data":"…
//
// The hub answers each one by {"kind":"chunkTaken"}.

var (
	chunkBegins = []byte(`{"kind":"chunk"`)
	lineBreak   = []byte("\n")
	spoiled     = []byte{0} // no JSON text may contain it (RFC 8259, section 7), so the message is refused
)

// errNoChunk says what is wrong with a chunk, for the log.
var errNoChunk = errors.New("not an object of the kind \"chunk\" with a line break and a piece after it")

// receiveChunk appends the piece of a chunk to p.pieces, and reports whether the message
// is complete. It has the limits of a message in one frame: size, and the memory of its
// connection. A chunk that is not valid spoils its message, which is refused once its last
// chunk has come.
func (p *Host) receiveChunk(frame []byte) (complete bool) {
	head, piece, found := bytes.Cut(frame, lineBreak)
	last, err := readChunk(head)
	if err != nil || !found {
		p.warn("chunk of the host is not valid", zap.Error(cmp.Or(err, errNoChunk)))
		piece = spoiled
	}
	if int64(len(p.pieces)+len(piece)) > p.conn.MaxMessage() {
		p.conn.Close(wsconn.ReasonTooBig)
		return false
	}
	// The memory counts by what is allocated, not by what is used.
	before := cap(p.pieces)
	p.pieces = append(slices.Grow(p.pieces, len(piece)), piece...)
	p.conn.Hold(cap(p.pieces) - before)
	p.amidst.Store(!last)
	p.conn.Deliver(wire.Frame{Head: []byte(`{"kind":"chunkTaken"`), Tail: wire.End})
	return last
}

// readChunk reads what stands before the piece.
func readChunk(head []byte) (last bool, err error) {
	f := read.Get().(*fields)
	defer f.free()
	if err := wire.ReadObject(head, f.by); err != nil {
		return false, err
	}
	if f.kind != "chunk" {
		return false, errNoChunk
	}
	return string(f.last) == "true", nil
}

// freePieces frees the memory of a message that came in chunks.
func (p *Host) freePieces() {
	p.conn.Hold(-cap(p.pieces))
	p.pieces = nil
}
