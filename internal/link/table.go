package link

import (
	"context"
	"crypto/sha256"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay/quota"
)

// Why a Table has no link for a handshake.
var (
	ErrGone  = errors.New("the link does not exist (it may have ended)")
	ErrOther = errors.New("the link belongs to another token")
	ErrFull  = errors.New("too many links with this token, or from this address, are open: close some, or allow more with --max-links")
)

// Table has the links of a hub.
//
//	j, err := table.Join(hello, peer) // an error refuses the handshake
//	conn, err := wsconn.Upgrade(w, r, wsconn.Options{Subprotocol: link.Protocol, Header: j.Answer})
//	err = j.Attach(conn)
//	j.Detach(conn, conn.Serve(ctx, j.Pipe.Text))
type Table struct {
	Grace  time.Duration  // for which a link may be lost
	Most   int            // of one Peer
	Budget *wsconn.Budget // of what they keep; nil: no limit
	Node   string         // of a cluster; "" where there is none

	mu     sync.Mutex // guards everything below
	ended  bool
	links  map[[sha256.Size]byte]*owned `held:"links"`           // by the hash of the key, which takes the same time for all
	counts map[string]int               `held:"owners of links"` // links by owner, or by place for those without one
}

// owned is a link of a Table.
type owned struct {
	*Pipe
	owner string
}

// Peer is the asker of a link, as the hub knows it.
type Peer struct {
	Owner         string      // alone may go on with the link; "" for every peer that knows the key
	Place         string      // counts where there is no owner
	Payer         quota.Payer // for whom its memory counts
	Local, Remote net.Addr    // of the Pipe
}

// counted is what the links of a Peer are counted by (Table.Most).
func (p Peer) counted() string {
	if p.Owner == "" {
		return "at " + p.Place
	}
	return p.Owner
}

// Joined is a handshake that has found its link. The caller answers the handshake with
// Answer and then calls Attach; or it calls Refuse.
type Joined struct {
	Pipe   *Pipe
	Fresh  bool        // the link is new
	Answer http.Header // for the answer of the handshake

	hello Hello
}

// Join finds the link of a handshake, or makes one. What older WebSockets of the link
// send is dropped from then on. With ErrStale, Joined has the link and is not to be
// attached: the peer has been faster over another WebSocket.
func (t *Table) Join(hello Hello, from Peer) (j Joined, err error) {
	key := sha256.Sum256([]byte(hello.Key))
	t.mu.Lock()
	l := t.links[key]
	switch {
	case l != nil && l.owner != from.Owner:
		err = ErrOther
	case l != nil:
	// The asker has had a link that this hub does not know, as after a restart: its bytes
	// are lost.
	case hello.Epoch > 1 || t.ended:
		err = ErrGone
	case t.counts[from.counted()] >= t.Most:
		err = ErrFull
	default:
		l, j.Fresh = t.addLocked(key, from), true
	}
	t.mu.Unlock()
	if err != nil {
		return j, err
	}
	received, err := l.fence(hello.Epoch)
	// It has ended between the two locks.
	if err != nil && !errors.Is(err, ErrStale) {
		err = ErrGone
	}
	j.Pipe, j.Answer, j.hello = l.Pipe, answerHeaders(received, t.Grace, t.Node), hello
	return j, err
}

// addLocked makes a link. It leaves the table by itself when its pipe ends.
func (t *Table) addLocked(key [sha256.Size]byte, from Peer) *owned {
	if t.links == nil {
		t.links, t.counts = make(map[[sha256.Size]byte]*owned), make(map[string]int)
	}
	l, counted := &owned{owner: from.Owner}, from.counted()
	l.Pipe = newPipe(from.Local, from.Remote, t.Grace, t.Budget, from.Payer, func(error) {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.links, key)
		if t.counts[counted]--; t.counts[counted] == 0 {
			delete(t.counts, counted)
		}
	})
	t.links[key] = l
	t.counts[counted]++
	return l
}

// Attach lets the link go on over the WebSocket of the handshake, which the caller
// then serves with Text as its handler; it calls Detach when the WebSocket has ended.
func (j Joined) Attach(c *wsconn.Conn) error {
	err := j.Pipe.attach(c, j.hello.Epoch, j.hello.Received)
	if err != nil {
		c.Close(wsconn.ReasonLinkMoved)
	}
	return err
}

// Refuse ends a link that was new with a handshake which has failed, unless the peer
// has come back over another WebSocket since.
func (j Joined) Refuse() {
	p := j.Pipe
	p.mu.Lock()
	defer p.unlock()
	if j.Fresh && p.epoch == j.hello.Epoch {
		p.endLocked(ErrGone, wsconn.ReasonGone)
	}
}

// Text is the handler of text messages: links have none.
func (p *Pipe) Text([]byte) { p.End(ErrProtocol, wsconn.ReasonProtocol) }

// Detach lets the link wait for another WebSocket, or ends it where the peer has
// said so.
func (j Joined) Detach(c *wsconn.Conn, why wsconn.Reason) { j.Pipe.detach(c, why) }

// Len is the number of links.
func (t *Table) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.links)
}

// Close ends all links, and lets no more come. What was written to them before may
// take until ctx ends to arrive. It looks every 10 ms whether links have ended. It returns
// after ctx ends, or earlier.
func (t *Table) Close(ctx context.Context, why error, reason wsconn.Reason) {
	t.mu.Lock()
	t.ended = true
	var all []*Pipe
	for _, l := range t.links {
		all = append(all, l.Pipe)
	}
	t.mu.Unlock()
	for _, p := range all {
		p.Close() //nolint:errcheck // it never fails
	}
	for tick := time.NewTicker(10 * time.Millisecond); t.Len() > 0 && ctx.Err() == nil; {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	for _, p := range all {
		p.End(why, reason)
	}
}
