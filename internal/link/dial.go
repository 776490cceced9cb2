package link

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay/quota"
)

// Dialer connects to a hub.
type Dialer struct {
	URL       string          // ws or wss, of the hub's path for links
	Header    http.Header     // of each handshake, such as Authorization
	Transport *http.Transport // with proxies and TLS; nil: neither
	Limits    wsconn.Limits   // of the WebSockets; Limits() where it is zero

	// Changed is called when a link is lost, with why, and when it is back, with
	// nil. It must not wait. It may be nil.
	Changed func(lost error)

	first, most time.Duration // between attempts; tests alone set it
}

// attempt is how long a handshake may take.
const attempt = 10 * time.Second

// Dial makes a link. It tries again until ctx ends, unless the hub refuses, which
// yields an error that wraps a wsconn.StatusError. Afterwards ctx has no effect.
func (d Dialer) Dial(ctx context.Context) (*Pipe, error) {
	if d.Transport == nil {
		d.Transport = &http.Transport{}
	}
	if d.Limits == (wsconn.Limits{}) {
		d.Limits = Limits()
	}
	if d.Changed == nil {
		d.Changed = func(error) {}
	}
	d.first, d.most = cmp.Or(d.first, 100*time.Millisecond), cmp.Or(d.most, 3*time.Second)
	a := again{Dialer: d}
	for {
		// The hub has never answered for this key: it may be new once more.
		s := &side{Dialer: d, key: rand.Text()}
		s.live, s.end = context.WithCancel(context.Background())
		s.p = newPipe(address("connect"), address("hub"), 24*time.Hour, nil, quota.Payer{}, func(error) { s.end() })
		c, err := s.connect(ctx)
		if err == nil {
			go s.keep(c)
			return s.p, nil
		}
		s.p.End(err, wsconn.ReasonGone)
		if isRefused(err) {
			return nil, err
		}
		if a.wait(ctx) != nil {
			return nil, err
		}
	}
}

// side is the dialling end of a link.
type side struct {
	Dialer
	key   string
	node  string // of a cluster, that has the link
	epoch uint64
	p     *Pipe
	live  context.Context // ends with p
	end   func()
}

// connect makes one attempt. It uses up one epoch, also if it fails.
func (s *side) connect(ctx context.Context) (*wsconn.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, attempt, errors.New("the hub does not answer"))
	defer cancel()
	s.epoch++
	received, err := s.p.fence(s.epoch)
	if err != nil {
		return nil, err
	}
	header := s.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	Hello{s.key, s.epoch, received, s.node}.set(header)
	c, said, err := wsconn.DialThrough(ctx, s.Transport, s.URL, header, s.Limits)
	if err != nil {
		return nil, err
	}
	peerHas, grace, err := readAnswer(said)
	if err == nil {
		s.node = said.Get(headerNode)
		s.p.keepFor(grace)
		err = s.p.attach(c, s.epoch, peerHas)
	}
	if err != nil {
		// Serve closes the socket, which Close alone does not.
		c.Close(wsconn.ReasonProtocol)
		c.Serve(ctx, func([]byte) {})
		return nil, err
	}
	return c, nil
}

// keepFor sets the grace time. It is the hub's, so that both ends give up at about the same
// time.
func (p *Pipe) keepFor(grace time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grace = grace
}

// keep serves the WebSocket, and connects again each time that it is lost, until the
// link has ended.
func (s *side) keep(c *wsconn.Conn) {
	for {
		why := c.Serve(context.Background(), s.p.Text)
		if !s.p.detach(c, why) {
			return
		}
		s.Changed(why)
		var ok bool
		if c, ok = s.reconnect(); !ok {
			return
		}
		s.Changed(nil)
	}
}

// reconnect tries until the link has ended.
func (s *side) reconnect() (*wsconn.Conn, bool) {
	a := again{Dialer: s.Dialer}
	for a.wait(s.live) == nil {
		c, err := s.connect(s.live)
		if err == nil {
			return c, true
		}
		if isRefused(err) {
			s.p.End(err, wsconn.ReasonGone)
		}
	}
	return nil, false
}

// isRefused reports whether another attempt would be answered the same. A proxy's error while
// its hub is away is no refusal, nor is a status that is for now only. A status below 500
// is one, but for those that are for now only: 408, 409 and 429 (RFC 9110, sections 15.5.9
// and 15.5.10; RFC 6585, section 4). A certificate that cannot be verified does not become
// good by itself.
func isRefused(err error) bool {
	status, is := errors.AsType[wsconn.StatusError](err)
	if !is {
		_, unknown := errors.AsType[*tls.CertificateVerificationError](err)
		return unknown || errors.Is(err, errNoHub)
	}
	switch int(status) {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return false
	}
	return status < http.StatusInternalServerError
}

// again says when to try again: at once, and then after a random part of a time that
// grows, so that not all come at the same moment when a hub is back.
type again struct {
	Dialer
	next time.Duration
}

// wait waits for the next attempt. The upper bound grows by half each time, from 100 ms to
// 3 s; a wait is half of it or more.
func (a *again) wait(ctx context.Context) error {
	if a.next > 0 {
		part := a.next/2 + mathrand.N(a.next/2)
		select {
		case <-ctx.Done():
		case <-time.After(part):
		}
	}
	a.next = min(max(a.next+a.next/2, a.first), a.most)
	return ctx.Err()
}

// address is an end that has no address of its own.
type address string

// Network implements net.Addr.
func (address) Network() string { return "link" }

// String implements net.Addr.
func (a address) String() string { return string(a) }

var _ net.Conn = (*Pipe)(nil)
