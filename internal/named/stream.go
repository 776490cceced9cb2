package named

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/session"
)

// stream is one Client of a hub, with the messages to and from it, over one connection
// after the other. A connection that does not resume begins another one.
type stream struct {
	session *Session // static, as is what follows
	id      string
	client  *relay.Client
	kept    *account // of whose memory the ring is a part
	verdict []byte   // Begin.Verdict
	ends    []func() // what is to be called when the stream has ended

	// in is held while a message of a connection is taken, so that no connection comes
	// in between. It comes before the hub's lock.
	in       sync.Mutex
	received uint64        // messages of the Client; in guards it
	taken    atomic.Uint64 `stays:"numbers the messages"` // messages that the hub has taken from connections, for Sessions.Changed

	mu       sync.Mutex `stays:"its owner counts what it keeps"` // guards what is below; comes after the hub's lock
	conn     Conn       // nil while there is none
	over     bool
	numbered bool        // some connection may resume it: messages are kept
	unknown  bool        // sent and received are not known: the node before this one has died
	lost     bool        // the browser of the Client has ended
	sent     uint64      // messages to the Client: the number of the last one
	ring     ring        // of the messages up to sent, without gaps
	trim     *time.Timer // runs while messages are kept that were sent to conn
}

// peer is the stream as its hub knows it.
type peer struct {
	*session.Encoder
	*stream
}

var (
	_ relay.Lasting = peer{}
	_ relay.Drained = peer{}
)

// Deliver implements session.FrameWriter. It runs under the hub's lock. A message that
// the connection does not take is not lost while it is in the ring. conn.Deliver does not
// wait. A message is numbered by its place: sent counts all, and the ring has the newest of
// them.
func (st *stream) Deliver(f wire.Frame) bool {
	st.mu.Lock()
	if st.over {
		st.mu.Unlock()
		return false
	}
	st.sent++
	// Under st.mu, so that messages reach the connection in the order of their numbers.
	taken := st.conn != nil && st.conn.Deliver(f)
	if st.numbered {
		st.keepLocked(f)
	}
	taken = taken || st.numbered
	st.mu.Unlock()
	st.session.sessions.enforce(st.kept)
	return taken
}

// keepLocked puts a message into the ring.
func (st *stream) keepLocked(f wire.Frame) {
	o := &st.session.sessions.o
	before := st.ring.bytes
	if st.ring.add(f, time.Now()); st.ring.bytes > o.Bytes || st.ring.len() > o.Messages {
		st.ring.shrink(o.Bytes, o.Messages)
	}
	st.chargeLocked(before)
	// Without a connection nothing is dropped by age: the Client may need all of it.
	if st.conn != nil && st.trim == nil && st.ring.len() > 0 {
		st.trimLaterLocked()
	}
}

// chargeLocked counts what the ring has become bigger or smaller.
func (st *stream) chargeLocked(before int) { st.kept.add(st.ring.bytes - before) }

// trimLaterLocked has the messages dropped that a living connection must have passed on
// by then.
func (st *stream) trimLaterLocked() {
	every := st.session.sessions.o.Kept
	var t *time.Timer
	t = time.AfterFunc(every, func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		if st.trim != t {
			return
		}
		st.trim = nil
		before := st.ring.bytes
		st.ring.forget(time.Now().Add(-every))
		st.chargeLocked(before)
		if st.ring.len() > 0 {
			st.trimLaterLocked()
		}
	})
	st.trim = t
}

// stopTrimLocked is for a stream without a connection: from then on nothing can have been
// passed on.
func (st *stream) stopTrimLocked() {
	if st.trim != nil {
		st.trim.Stop()
		st.trim = nil
	}
}

// hold keeps what the stream needs, until it ends. The end comes in a goroutine of its own:
// it takes Session.turn, which the caller may hold.
func (st *stream) hold(b *Begin) {
	s := st.session
	st.ends = append(st.ends, b.Hold(func(why wsconn.Reason) { go s.end(st, ending{revoked.text, why}) }), b.Release)
}

// start gives the stream its first connection.
func (st *stream) start(conn Conn, numbered bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.conn = conn
	if st.numbered = numbered; numbered {
		st.tellLocked(0)
	}
}

// resume goes on with another connection. The Client gets the messages behind the last one
// that it has received. The messages are delivered under the lock, so that none that the
// hub sends meanwhile overtakes them.
func (st *stream) resume(conn Conn, req *Request) error {
	st.in.Lock() // until the connection before has been heard out
	defer st.in.Unlock()
	st.mu.Lock()
	defer st.mu.Unlock()
	if err := st.refusesLocked(req); err != nil {
		return err
	}
	after := req.After
	if st.unknown { // one number stands for all that is lost
		st.unknown, st.received = false, req.Sent
		st.sent = after + 1 + uint64(st.ring.len())
	}
	if st.conn != nil {
		st.conn.Close(wsconn.ReasonSessionTaken)
	}
	st.conn = conn
	st.tellLocked(st.received)
	// It is the number of the oldest message in the ring.
	first := st.sent - uint64(st.ring.len()) + 1
	switch {
	case after+1 < first:
		conn.Deliver(wire.Frame{Body: gapEvent(after+1, first-1)})
	default:
		before := st.ring.bytes
		st.ring.drop(int(after + 1 - first))
		st.chargeLocked(before)
	}
	now := time.Now()
	for i := range st.ring.all() {
		m := &st.ring.all()[i]
		m.at = now
		conn.Deliver(wire.Frame{Body: m.text})
	}
	if st.stopTrimLocked(); st.ring.len() > 0 {
		st.trimLaterLocked()
	}
	return nil
}

// refusesLocked says why there is nothing to resume behind a message.
func (st *stream) refusesLocked(req *Request) error {
	switch {
	case st.over, !st.numbered, st.unknown && !req.Counted:
		return ErrStream
	case !st.unknown && req.After > st.sent:
		return ErrNumber
	}
	return nil
}

// tellLocked tells the connection what it needs to resume.
// {"method":"CdpHub.session","params":{"session":"NAME","stream":"ID","sent":N,"received":M}}:
// sent is how many messages the stream has sent by now, received how many of the Client
// have come.
func (st *stream) tellLocked(received uint64) {
	b := wire.AppendString([]byte(`{"method":"CdpHub.session","params":{"session":`), st.session.key.Name)
	b = wire.AppendString(append(b, `,"stream":`...), st.id)
	b = strconv.AppendUint(append(b, `,"sent":`...), st.sent, 10)
	b = strconv.AppendUint(append(b, `,"received":`...), received, 10)
	st.conn.Deliver(wire.Frame{Body: append(b, "}}"...)})
}

// gapEvent is the event in the place of messages that are lost.
// {"method":"CdpHub.gap","params":{"from":N,"to":M}} takes their place. It has no number
// itself.
func gapEvent(from, to uint64) []byte {
	b := strconv.AppendUint([]byte(`{"method":"CdpHub.gap","params":{"from":`), from, 10)
	b = strconv.AppendUint(append(b, `,"to":`...), to, 10)
	return append(b, "}}"...)
}

// leave takes the connection from the stream, if it is still this one.
func (st *stream) leave(conn Conn) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.over || st.conn != conn {
		return false
	}
	st.conn = nil
	st.stopTrimLocked()
	return true
}

// end ends the stream, with its Client. Nothing is delivered to it any more. It must not be
// called with st.mu or the hub's lock: Client.Leave takes them.
func (st *stream) end(why wsconn.Reason) {
	st.mu.Lock()
	conn, before := st.conn, st.ring.bytes
	st.over, st.conn, st.ring = true, nil, ring{}
	st.chargeLocked(before)
	st.stopTrimLocked()
	st.mu.Unlock()
	if conn != nil {
		conn.Close(why)
	}
	st.client.Leave()
	for _, end := range st.ends {
		end()
	}
}

// Drained implements relay.Drained. It runs under the hub's lock, hence the goroutine.
// While hubs go on elsewhere, the session is kept for Take. Else it ends: if its connection
// alone did, it would last for its grace time, and so would its Client in the hub.
func (st *stream) Drained() {
	st.mu.Lock()
	conn := st.conn
	st.mu.Unlock()
	if conn != nil {
		conn.Close(wsconn.ReasonShutdown)
	}
	if !st.session.sessions.departing.Load() {
		go st.session.end(st, shutdown)
	}
}

// BrowserEnded implements relay.Lasting: what the session was for is lost. It runs under
// the hub's lock.
func (st *stream) BrowserEnded() {
	st.mu.Lock()
	st.lost = true
	st.mu.Unlock()
	go st.session.end(st, browserEnded)
}

// receive takes a message of a connection. It may wait as relay.Client.Receive does, with
// in held: the next connection waits for that.
func (st *stream) receive(conn Conn, m []byte) {
	st.in.Lock()
	defer st.in.Unlock()
	st.mu.Lock()
	current := st.conn == conn && (!st.numbered || !st.session.sessions.departing.Load())
	st.mu.Unlock()
	if !current {
		return // it is being closed, and a Client that resumes sends this again
	}
	st.received++
	whole := false
	defer func() {
		if !whole { // a fault of the hub: the message may never be answered, and the Client would not learn of it by resuming
			go st.session.end(st, fault)
		}
	}()
	st.client.Receive(m)
	st.taken.Add(1)
	whole = true
}

// shed makes the ring half as big, since all rings together are too big.
func (st *stream) shed() {
	st.mu.Lock()
	defer st.mu.Unlock()
	before := st.ring.bytes
	st.ring.shrink(before/2, st.ring.len())
	st.chargeLocked(before)
}

// held is how many bytes the ring has.
func (st *stream) held() int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.ring.bytes
}
