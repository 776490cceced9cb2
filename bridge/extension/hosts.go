package extension

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/held"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

const (
	longestWait  = 10 * time.Millisecond // for the queue
	helloTimeout = 10 * time.Second      // from the handshake to the hello
	aliveEvery   = 20 * time.Second      // Chromium 156 ends a worker after 30 s without a message
	warnEvery    = time.Minute           // between two warnings about one connection
)

// Options say how extensions are served. The zero value works.
type Options struct {
	Log   *zap.Logger   // discarded when nil
	Grace time.Duration // how long the tabs of a lost connection stay; 30 s
	// Own are host and port of the server's own pages, such as its dashboard, which no tab may show that is shared.
	Own func() []string
}

// Hosts are the extensions of a server: of those that are connected, and of those that may return.
type Hosts struct {
	log   *zap.Logger     // static
	grace time.Duration   // static
	own   func() []string // static

	mu sync.Mutex    // guards what follows; it comes after Host.turn and before no other
	by map[key]*Host `held:"extensions"`
}

// key names an extension on a hub.
type key struct {
	hub     bridge.Hub
	install string
}

// NewHosts makes one without extensions.
func NewHosts(o Options) *Hosts {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Own == nil {
		o.Own = func() []string { return nil }
	}
	return &Hosts{log: o.Log.Named("extension"), grace: cmp.Or(o.Grace, 30*time.Second), own: o.Own, by: make(map[key]*Host)}
}

// Held counts the extensions.
func (hs *Hosts) Held() map[string]int { return held.Of(hs) }

// find returns the Host of an extension, which is new if there is none.
func (hs *Hosts) find(k key) *Host {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h := hs.by[k]
	if h == nil {
		h = newHost(hs, k)
		hs.by[k] = h
	}
	return h
}

// forget drops a Host that is over.
func (hs *Hosts) forget(h *Host) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if hs.by[h.key] == h {
		delete(hs.by, h.key)
	}
}

// Start serves an extension over conn, which should have the limits of a Host page, without a goroutine of its own, and calls ended when the
// connection has ended. guard survives a panic of the handler that it is given. release is called
// once nothing of the connection is on the hub any more, which may be Options.Grace later.
func (hs *Hosts) Start(ctx context.Context, conn *wsconn.Conn, hub bridge.Hub, guard func(handle func([]byte)) func([]byte), ended func(wsconn.Reason), release func()) {
	l := &link{hosts: hs, conn: conn, hub: hub, release: release}
	l.setTimer(helloTimeout, func() { conn.Close(wsconn.ReasonNoReady) })
	conn.Start(ctx, guard(l.receive), func(why wsconn.Reason) {
		l.end(why)
		ended(why)
	})
}

// link is one connection of an extension.
type link struct {
	hosts   *Hosts
	conn    *wsconn.Conn
	hub     bridge.Hub
	release func()

	host   *Host // the reader's, as is what follows; nil before hello
	warned time.Time

	mu    sync.Mutex  // guards what follows
	timer *time.Timer `held:"timers of extensions"` // of the hello that is owed, and then of alive; nil once the connection has ended
}

// send queues a message. An extension that does not read is disconnected: it would be wrong about its tabs for ever.
func (l *link) send(head, body []byte) {
	f := wire.Frame{Head: head, Tail: wire.End}
	if body != nil {
		f.Body = body
	}
	l.conn.Deliver(f)
}

// keepAlive says something, again and again.
func (l *link) keepAlive() {
	l.setTimer(aliveEvery, func() {
		l.send([]byte(`{"kind":"alive"`), nil)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.timer != nil {
			l.timer.Reset(aliveEvery)
		}
	})
}

// setTimer replaces the timer.
func (l *link) setTimer(after time.Duration, fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = nil
	if fn != nil {
		l.timer = time.AfterFunc(after, fn)
	}
}

// warn logs at most one warning a minute.
func (l *link) warn(message string, more ...zap.Field) {
	if now := time.Now(); now.Sub(l.warned) >= warnEvery {
		l.warned = now
		l.hosts.log.Warn(message, more...)
	}
}

// hello makes the connection that of its extension, and the extension a Host of the hub unless it is one.
func (l *link) hello(m *message) {
	install, _ := wire.Text(m.install)
	if v, _ := wire.Int(m.v); v != 1 || !isInstall(install) || l.host != nil {
		l.warn("hello refused: it is of another version than 1, or its install is not usable")
		l.conn.Close(wsconn.ReasonNoReady)
		return
	}
	k := key{l.hub, string([]byte(install))}
	for {
		h := l.hosts.find(k)
		switch err := h.enter(l, m.version()); {
		case errors.Is(err, errOver): // it has ended meanwhile
		case err != nil:
			l.hosts.log.Warn("extension refused", zap.Error(err))
			why := wsconn.ReasonTryAgain
			errors.As(err, &why)
			l.conn.Close(why)
			return
		default:
			l.host = h
			l.keepAlive()
			return
		}
	}
}

// isInstall reports whether a text is long enough to be a secret.
func isInstall(text string) bool { return len(text) >= minInstall && len(text) <= maxInstall }

// end takes the connection from its Host.
func (l *link) end(why wsconn.Reason) {
	l.setTimer(0, nil)
	if l.host == nil || !l.host.lose(l, why) {
		l.release()
	}
}

// mayReturn reports whether an extension whose connection has ended so may come back to its tabs. 1001 without
// words is how a browser says that it has ended the worker.
func mayReturn(why wsconn.Reason) bool {
	switch why {
	case wsconn.Reason{Code: 1001}, wsconn.ReasonTooSlow, wsconn.ReasonTokenChanged:
		return true
	}
	return why.Code == 1005 || why.Code == 1006 || why.Code == 1013
}
