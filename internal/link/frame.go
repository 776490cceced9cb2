package link

import (
	"encoding/binary"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// Protocol is the subprotocol of the WebSockets, with the version of the frames.
//
// Each binary message is one frame, whose numbers are unsigned and big-endian. A
// position is the number of bytes before it in one direction; the end of the bytes
// takes one more.
//
//	1 byte   1 when the sender writes nothing behind these bytes, else 0
//	8 bytes  the position up to which the sender has received
//	8 bytes  the position up to which it takes bytes
//	8 bytes  the position of the first byte below
//	         the bytes, 32 KiB at most
const Protocol = "link.cdphub.1"

// The sizes of a link, in bytes. An end keeps 8 MiB at most for as long as the peer
// does not acknowledge them, also while the link is lost: then Write waits.
const (
	maxKept  = 8 << 20  // written and not acknowledged: Write waits
	window   = 1 << 20  // received and not read
	chunk    = 32 << 10 // of one frame
	ackEvery = 64 << 10 // received without an acknowledgement
	headSize = 25
)

// Limits are those of a link's WebSockets. A link that is silent is noticed to be
// dead after 10 s.
func Limits() wsconn.Limits {
	return wsconn.Limits{
		MaxMessage: headSize + chunk, MaxPending: 1 << 20,
		PingEvery: 5 * time.Second, PongWithin: 5 * time.Second, FlushTimeout: 2 * time.Second,
	}
}

// frame is one message.
type frame struct {
	end                bool
	ack, limit, offset uint64
	data               []byte
}

// head is the frame without its data.
func (f frame) head() []byte {
	b := make([]byte, 1, headSize)
	if f.end {
		b[0] = 1
	}
	b = binary.BigEndian.AppendUint64(b, f.ack)
	b = binary.BigEndian.AppendUint64(b, f.limit)
	return binary.BigEndian.AppendUint64(b, f.offset)
}

// readFrame reads a message; the data are part of it. ok is false for a frame that is too
// short or too long, or whose first byte is neither 0 nor 1.
func readFrame(b []byte) (f frame, ok bool) {
	if len(b) < headSize || len(b) > headSize+chunk || b[0] > 1 {
		return f, false
	}
	return frame{
		end: b[0] == 1,
		ack: binary.BigEndian.Uint64(b[1:]), limit: binary.BigEndian.Uint64(b[9:]), offset: binary.BigEndian.Uint64(b[17:]),
		data: b[headSize:],
	}, true
}
