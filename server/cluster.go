package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/browsers"
	"github.com/cdphub/cdphub/cluster"
	"github.com/cdphub/cdphub/wsconn"
)

// Cluster joins a server to others that serve the same hubs. A hub belongs to the node
// that used it first; all other nodes pass requests for it on to that one.
type Cluster struct {
	// Directory says which node owns which hub. The server closes it when it ends.
	Directory cluster.Directory
	// Listener is where other nodes reach this one, by TCP and without TLS of its own:
	// at the address that Directory.Self names.
	Listener net.Listener
	// Certificate is shown to other nodes, and CA has signed those of all nodes. It must
	// sign for nothing else: whoever has a certificate of it, and Key, is a node.
	Certificate tls.Certificate
	CA          *x509.CertPool
	// Key signs what one node tells another of who has sent a request (HMAC-SHA256).
	// All nodes have the same, of at least 32 bytes.
	Key []byte
	// MaxBrowsers is how many browsers all nodes may have together; 0: as many as each
	// may have.
	MaxBrowsers int
}

// minClusterKey is the least length of Cluster.Key in bytes (RFC 7518, section 3.2).
const minClusterKey = 32

func (c *Cluster) check() error {
	switch {
	case c.Directory == nil || c.Listener == nil:
		return errors.New("a cluster needs a directory, and a listener for the other nodes")
	case len(c.Certificate.Certificate) == 0 || c.CA == nil:
		return errors.New("a cluster needs a certificate for this node, and that of the authority that has signed it")
	case len(c.Key) < minClusterKey:
		return fmt.Errorf("the key of the cluster has %d bytes, which could be guessed: it needs at least %d", len(c.Key), minClusterKey)
	case c.MaxBrowsers < 0:
		return fmt.Errorf("all nodes together cannot have %d browsers", c.MaxBrowsers)
	}
	return nil
}

// membership is what a server does as one node of a cluster.
type membership struct {
	dir      cluster.Directory // static, as is all down to mu
	id       string
	hubs     interface{ Has(hub string) bool }
	log      *zap.Logger
	forwards *forwards
	signer   verdicts
	seed     maphash.Seed
	restore  func(ctx context.Context, hub string) // what there is of a hub of another node
	dropped  func(hub string)                      // another node has it
	claim    [256]sync.Mutex                       // by hash of the hub: one claim of a hub at a time
	pool     *browsers.Pool
	most     int           // browsers of all nodes; 0: there is no limit
	patience time.Duration // of who waits for one

	placements placements
	links      linkStats

	mu   sync.Mutex // guards everything below
	held map[string]*holding
	lost uint64 // claims that other nodes have taken
	// leaving are Hosts of hubs that no other node has taken from this one.
	leaving []*hubUser
}

// holding is a hub that this node owns. The lock of the membership guards it.
type holding struct {
	claim cluster.Claim
	used  time.Time
	users map[*hubUser]struct{}
	done  chan struct{} // closed when it is no longer held
}

// hubUser is a connection to a hub.
type hubUser struct {
	host bool
	end  func(wsconn.Reason)
}

var errElsewhere = errors.New("another node of the cluster has this hub: try again")

const (
	// claimWithin is how long it may take to find or claim the owner of a hub.
	claimWithin = 10 * time.Second
	// claimTries is how often a claim is begun anew because another was faster.
	claimTries = 5
	// keepHub is how long a hub that nobody uses stays with its node.
	keepHub = 30 * time.Second
	// sweepEvery is how often hubs that nobody uses, and nodes that are dead, are looked for.
	sweepEvery = time.Second
	// drainRate is how many Hosts a node sends away in a second when it ends: they all
	// come to other nodes, which claim their hubs.
	drainRate = 5000
	// drainSpread is how long it may take to send them all away.
	drainSpread = 10 * time.Second
	// orderWithin is how long another node may take for what it is asked to do, and
	// maxOrderAnswer how many bytes it may say of that.
	orderWithin    = 5 * time.Second
	maxOrderAnswer = 4 << 10
)

// own finds where a hub is served: here, or at the owner that is returned. When no
// node owns it, this one claims it. Nil is no cluster: every hub is here.
func (m *membership) own(ctx context.Context, hub string) (owner cluster.Owner, here bool, err error) {
	if m == nil {
		return owner, true, nil
	}
	ctx, cancel := context.WithTimeout(ctx, claimWithin)
	defer cancel()
	if c := m.touch(hub); c != nil {
		return owner, true, c.Certain(ctx)
	}
	lock := m.claimLock(hub)
	for try := range claimTries {
		if try > 0 { // whoever was faster has it in a moment
			select {
			case <-time.After(time.Duration(rand.Int64N(int64(20 * time.Millisecond)))):
			case <-ctx.Done():
				return owner, false, ctx.Err()
			}
		}
		lock.Lock()
		owner, here, err = m.ownOnce(ctx, hub)
		lock.Unlock()
		if !errors.Is(err, cluster.ErrTaken) {
			return owner, here, err
		}
		m.dir.Forget(hub)
	}
	return owner, here, err
}

func (m *membership) ownOnce(ctx context.Context, hub string) (owner cluster.Owner, here bool, err error) {
	if c := m.touch(hub); c != nil {
		return owner, true, c.Certain(ctx)
	}
	owner, err = m.dir.Owner(ctx, hub)
	switch {
	case errors.Is(err, cluster.ErrNoOwner), err == nil && owner.Node.ID == m.id: // and it has given the hub back
		return owner, true, m.take(ctx, hub, owner.Epoch)
	case err != nil:
		return owner, false, err
	}
	return owner, false, nil
}

// elsewhere finds the owner of a hub if that is another node. It claims nothing.
func (m *membership) elsewhere(ctx context.Context, hub string) (owner cluster.Owner, is bool) {
	if m == nil || m.holdsNow(hub) {
		return owner, false
	}
	owner, err := m.dir.Owner(ctx, hub)
	return owner, err == nil && owner.Node.ID != m.id
}

func (m *membership) holdsNow(hub string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held[hub] != nil
}

// takeOver claims a hub from a node that cannot be reached. When another node was
// faster, the error is cluster.ErrTaken.
func (m *membership) takeOver(ctx context.Context, hub string, from cluster.Owner) error {
	lock := m.claimLock(hub)
	lock.Lock()
	defer lock.Unlock()
	if c := m.touch(hub); c != nil {
		return c.Certain(ctx)
	}
	m.log.Warn("the owner of a hub cannot be reached: this node takes the hub over", zap.String("hub", hub), zap.String("node", from.Node.Name))
	m.dir.Forget(hub)
	return m.take(ctx, hub, from.Epoch)
}

func (m *membership) claimLock(hub string) *sync.Mutex {
	return &m.claim[maphash.String(m.seed, hub)%uint64(len(m.claim))]
}

// take claims a hub, of whose owner there may be something left.
func (m *membership) take(ctx context.Context, hub string, after cluster.Epoch) error {
	return m.takeWith(ctx, hub, after, func() { m.restore(ctx, hub) })
}

// takeWith claims a hub. restore runs before the hub is served.
func (m *membership) takeWith(ctx context.Context, hub string, after cluster.Epoch, restore func()) error {
	c, err := m.dir.Claim(ctx, hub, after)
	if err != nil {
		return err
	}
	restore()
	h := &holding{claim: c, used: time.Now(), users: make(map[*hubUser]struct{}), done: make(chan struct{})}
	m.mu.Lock()
	m.held[hub] = h
	m.mu.Unlock()
	go func() {
		select {
		case <-c.Lost():
			m.moved(hub, h)
		case <-h.done:
		}
	}()
	return nil
}

// touch returns the claim of a hub that this node holds, and notes that the hub is used.
func (m *membership) touch(hub string) cluster.Claim {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.held[hub]
	if h == nil {
		return nil
	}
	h.used = time.Now()
	return h.claim
}

// holds fails unless this node owns the hub with that epoch.
func (m *membership) holds(ctx context.Context, hub string, epoch cluster.Epoch) error {
	c := m.touch(hub)
	if c == nil || c.Epoch() != epoch {
		return errElsewhere
	}
	return c.Certain(ctx)
}

// here fails unless this node owns the hub, or can claim it.
func (m *membership) here(ctx context.Context, hub string) error {
	_, here, err := m.own(ctx, hub)
	if err == nil && !here {
		err = errElsewhere
	}
	return err
}

// moved ends what is connected to a hub that another node has taken: first its Hosts,
// so that commands in flight are answered.
func (m *membership) moved(hub string, h *holding) {
	m.mu.Lock()
	if m.held[hub] != h { // it was given back, or handed over
		m.mu.Unlock()
		return
	}
	delete(m.held, hub)
	close(h.done)
	m.lost++
	users := h.users
	h.users = nil
	m.mu.Unlock()
	defer m.pool.End(hub) // its browser is that of the newer owner
	m.log.Info("another node has this hub now", zap.String("hub", hub), zap.Int("connections", len(users)))
	for u := range users {
		if u.host {
			u.end(wsconn.ReasonReplaced)
		}
	}
	for u := range users {
		if !u.host {
			u.end(wsconn.ReasonMoved)
		}
	}
	m.dropped(hub)
}

// join has a connection to a hub end when another node takes the hub. end must not
// wait. left is to be called when the connection has ended.
func (m *membership) join(hub string, host bool, end func(wsconn.Reason)) (left func()) {
	if m == nil {
		return func() {}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.held[hub]
	if h == nil { // it has just moved
		end(wsconn.ReasonMoved)
		return func() {}
	}
	u := &hubUser{host, end}
	h.users[u] = struct{}{}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(h.users, u)
		h.used = time.Now()
	}
}

// sweep gives back hubs that nobody uses, and cuts links to nodes that are dead,
// until ctx ends.
func (m *membership) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			m.releaseUnused(ctx)
			m.tellBrowsers()
			m.forwards.cutAllBut(m.dir.Nodes())
		case <-ctx.Done():
			return
		}
	}
}

func (m *membership) releaseUnused(ctx context.Context) {
	var unused []cluster.Claim
	m.mu.Lock()
	for hub, h := range m.held {
		if len(h.users) == 0 && time.Since(h.used) > keepHub && !m.hubs.Has(hub) {
			unused = append(unused, h.claim)
			delete(m.held, hub)
			close(h.done)
		}
	}
	m.mu.Unlock()
	for _, c := range unused {
		if err := c.Release(ctx); err != nil {
			m.log.Debug("a claim could not be given back: it ends with this node", zap.Error(err))
		}
	}
}

// drain tells the other nodes that this one ends.
func (m *membership) drain() {
	if m == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	if err := m.dir.Drain(ctx); err != nil {
		m.log.Warn("the other nodes do not hear that this one ends", zap.Error(err))
	}
}

// leave gives all hubs back, and then sends their Hosts away, which find a node that
// is free to claim them.
func (m *membership) leave() {
	if m == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	m.mu.Lock()
	hosts := m.leaving
	for hub, h := range m.held {
		for u := range h.users {
			if u.host {
				hosts = append(hosts, u)
			}
		}
		delete(m.held, hub)
		close(h.done)
	}
	m.mu.Unlock()
	if err := m.dir.Close(ctx); err != nil {
		m.log.Warn("the hubs of this node could not be given back: other nodes wait for the end of its lease", zap.Error(err))
	}
	pause := min(time.Second/drainRate, drainSpread/time.Duration(max(len(hosts), 1)))
	const atOnce = 50
	for i, u := range hosts {
		if i > 0 && i%atOnce == 0 {
			time.Sleep(atOnce * pause)
		}
		u.end(wsconn.ReasonShutdown)
	}
}

// clusterStatus is the answer of /cluster of the listener for operators.
type clusterStatus struct {
	Self  string         `json:"self"` // the id of this node
	Nodes []cluster.Node `json:"nodes"`
	Links int            `json:"links"` // connections that this node passes on
	Lost  uint64         `json:"lost"`  // hubs that other nodes have taken
}

func (m *membership) status() clusterStatus {
	m.mu.Lock()
	lost := m.lost
	m.mu.Unlock()
	return clusterStatus{m.id, m.dir.Nodes(), m.forwards.len(), lost}
}

func (m *membership) serveStatus(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, m.status())
}
