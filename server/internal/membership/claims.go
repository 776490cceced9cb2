package membership

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// ownedHub is a hub that this node owns. Member.mu guards it. Closing done ends
// the goroutine of takeWith.
type ownedHub struct {
	claim cluster.Claim
	used  time.Time
	users map[*connection]struct{}
	done  chan struct{}     // closed when it is no longer owned
	saved [sha256.Size]byte // hash of the state in the directory; Save alone uses it
}

// connection is a connection to a hub. It has a pointer as its identity in
// ownedHub.users.
type connection struct {
	host bool
	end  func(wsconn.Reason)
}

// ErrElsewhere says that this node cannot serve a hub.
var ErrElsewhere = errors.New("another node of the cluster has this hub: try again")

const (
	// claimWithin is how long it may take to find or claim the owner of a hub.
	claimWithin = 10 * time.Second
	// claimTries is how often a claim is begun anew because another was faster.
	claimTries = 5
	// keepHub is how long a hub that nobody uses stays with its node.
	keepHub = 30 * time.Second
	// sweepEvery is how often hubs that nobody uses, and nodes that are dead, are looked for.
	sweepEvery = time.Second
)

// Locate finds where a hub is served: here, or at the owner that is returned. When no
// node owns it, this node claims it. Errors are those of cluster.Claim.Certain and of the directory;
// a claim that other nodes win again and again is cluster.ErrTaken.
func (m *Member) Locate(ctx context.Context, hub string) (owner cluster.Owner, here bool, err error) {
	if m == nil {
		return owner, true, nil
	}
	ctx, cancel := context.WithTimeout(ctx, claimWithin)
	defer cancel()
	// The fast path: it takes neither the claim's lock nor asks the directory.
	if c := m.use(hub); c != nil {
		return owner, true, c.Certain(ctx)
	}
	lock := m.claimLock(hub)
	for try := range claimTries {
		if try > 0 { // whoever was faster has it in a moment
			select {
			// A random pause keeps two nodes from colliding again at the next try.
			case <-time.After(time.Duration(rand.Int64N(int64(20 * time.Millisecond)))):
			case <-ctx.Done():
				return owner, false, ctx.Err()
			}
		}
		lock.Lock()
		owner, here, err = m.locateOnce(ctx, hub)
		lock.Unlock()
		if !errors.Is(err, cluster.ErrTaken) {
			return owner, here, err
		}
		// The owner that the directory remembers is outdated.
		m.Directory.Forget(hub)
	}
	return owner, here, err
}

// locateOnce is one try of Locate. The caller holds the claim lock of the hub, so that
// another request of this node may just have claimed it.
func (m *Member) locateOnce(ctx context.Context, hub string) (owner cluster.Owner, here bool, err error) {
	if c := m.use(hub); c != nil {
		return owner, true, c.Certain(ctx)
	}
	owner, err = m.Directory.Owner(ctx, hub)
	switch {
	case errors.Is(err, cluster.ErrNoOwner), err == nil && owner.Node.ID == m.ID: // and it has given the hub back
		return owner, true, m.take(ctx, hub, owner.Epoch)
	case err != nil:
		return owner, false, err
	}
	return owner, false, nil
}

// OwnerElsewhere finds the owner of a hub if that is another node. It claims nothing.
func (m *Member) OwnerElsewhere(ctx context.Context, hub string) (owner cluster.Owner, is bool) {
	if m == nil || m.owns(hub) {
		return owner, false
	}
	owner, err := m.Directory.Owner(ctx, hub)
	return owner, err == nil && owner.Node.ID != m.ID
}

// owns does not count as a use of the hub, as use does.
func (m *Member) owns(hub string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.owned[hub] != nil
}

// TakeOver claims a hub from a node that cannot be reached. When another node was
// faster, the error is cluster.ErrTaken.
func (m *Member) TakeOver(ctx context.Context, hub string, from cluster.Owner) error {
	lock := m.claimLock(hub)
	lock.Lock()
	defer lock.Unlock()
	if c := m.use(hub); c != nil {
		return c.Certain(ctx)
	}
	m.Log.Warn("the owner of a hub cannot be reached: this node takes the hub over", zap.String("hub", hub), zap.String("node", from.Node.Name))
	m.Directory.Forget(hub)
	return m.take(ctx, hub, from.Epoch)
}

// claimLock is one of a fixed number of locks, by the hash of the hub's name: a lock
// for each hub would have to be freed, and two hubs that share a lock only wait for
// each other. It is taken before Member.mu.
func (m *Member) claimLock(hub string) *sync.Mutex {
	return &m.claims[maphash.String(m.seed, hub)%uint64(len(m.claims))]
}

// take claims a hub, of whose owner there may be something left. Once the hub is claimed, that
// is read even if the Client has left: the next one finds the hub here, and reads nothing.
func (m *Member) take(ctx context.Context, hub string, after cluster.Epoch) error {
	return m.takeWith(ctx, hub, after, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimWithin)
		defer cancel()
		m.Restore(ctx, hub)
	})
}

// takeWith claims a hub, unless this node ends. restore runs before the hub is served.
func (m *Member) takeWith(ctx context.Context, hub string, after cluster.Epoch, restore func()) error {
	if m.Ends() {
		return ErrEnds
	}
	c, err := m.Directory.Claim(ctx, hub, after)
	if err != nil {
		return err
	}
	// The hub must have its sessions before it is in owned: from then on, requests are
	// served.
	restore()
	h := &ownedHub{claim: c, used: time.Now(), users: make(map[*connection]struct{}), done: make(chan struct{})}
	m.mu.Lock()
	m.owned[hub] = h
	m.mu.Unlock()
	// It ends when the claim is lost, or when the hub is given back: both close one
	// of the channels.
	go func() {
		select {
		case <-c.Lost():
			m.lose(hub, h)
		case <-h.done:
		}
	}()
	return nil
}

// use returns the claim of a hub that this node holds, and notes that the hub is used.
func (m *Member) use(hub string) cluster.Claim {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.owned[hub]
	if h == nil {
		return nil
	}
	h.used = time.Now()
	return h.claim
}

// CheckOwned fails unless this node owns the hub with that epoch.
func (m *Member) CheckOwned(ctx context.Context, hub string, epoch cluster.Epoch) error {
	c := m.use(hub)
	if c == nil || c.Epoch() != epoch {
		return ErrElsewhere
	}
	return c.Certain(ctx)
}

// ClaimHere fails unless this node owns the hub, or can claim it.
func (m *Member) ClaimHere(ctx context.Context, hub string) error {
	_, here, err := m.Locate(ctx, hub)
	if err == nil && !here {
		err = ErrElsewhere
	}
	return err
}

// lose ends what is connected to a hub that another node has taken: first its Hosts,
// so that commands in flight are answered.
func (m *Member) lose(hub string, h *ownedHub) {
	m.mu.Lock()
	if m.owned[hub] != h { // it was given back, or handed over
		m.mu.Unlock()
		return
	}
	delete(m.owned, hub)
	close(h.done)
	m.lost++
	users := h.users
	h.users = nil
	m.mu.Unlock()
	defer m.Browsers.End(hub) // its browser is that of the newer owner
	m.Log.Info("another node has this hub now", zap.String("hub", hub), zap.Int("connections", len(users)))
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
	m.Dropped(hub)
}

// Join has a connection to a hub end when another node takes the hub. end is called
// under the lock of the Member or in a goroutine of its own, and must not wait.
// The caller calls left when the connection has ended.
func (m *Member) Join(hub string, host bool, end func(wsconn.Reason)) (left func()) {
	if m == nil {
		return func() {}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.owned[hub]
	if h == nil { // it has just moved
		end(wsconn.ReasonMoved)
		return func() {}
	}
	u := &connection{host, end}
	h.users[u] = struct{}{}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(h.users, u)
		h.used = time.Now()
	}
}

// Sweep gives back hubs that nobody uses, has other nodes know of the browsers of
// this one, and cuts requests to nodes that are dead, until ctx ends.
func (m *Member) Sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			m.releaseUnused(ctx)
			m.TellBrowsers()
			m.Forwards.cutAllBut(m.Directory.Nodes())
		case <-ctx.Done():
			return
		}
	}
}

// releaseUnused gives hubs back outside of the lock, since the directory may take
// long to answer. A hub that still exists in package relay is kept: it may have a
// Host in its grace time.
func (m *Member) releaseUnused(ctx context.Context) {
	var unused []cluster.Claim
	m.mu.Lock()
	for hub, h := range m.owned {
		if len(h.users) == 0 && time.Since(h.used) > keepHub && !m.Hubs.Has(hub) {
			unused = append(unused, h.claim)
			delete(m.owned, hub)
			close(h.done)
		}
	}
	m.mu.Unlock()
	for _, c := range unused {
		if err := c.Release(ctx); err != nil {
			m.Log.Debug("a claim could not be given back: it ends with this node", zap.Error(err))
		}
	}
}

// Receive claims a hub that another node hands over. restore runs before it is served.
func (m *Member) Receive(ctx context.Context, hub string, after cluster.Epoch, restore func()) error {
	lock := m.claimLock(hub)
	lock.Lock()
	defer lock.Unlock()
	if m.use(hub) != nil {
		return cluster.ErrTaken
	}
	m.Directory.Forget(hub)
	return m.takeWith(ctx, hub, after, restore)
}

// Hosts are the Hosts of a hub that this node no longer serves.
type Hosts []*connection

// End closes their connections.
func (h Hosts) End(why wsconn.Reason) {
	for _, c := range h {
		c.end(why)
	}
}

func (h *ownedHub) hosts() (list Hosts) {
	for c := range h.users {
		if c.host {
			list = append(list, c)
		}
	}
	return list
}

// Release takes a hub out of the hubs that this node serves. In the directory the claim
// stays, so that no third node takes the hub while it is handed over.
func (m *Member) Release(hub string) (epoch cluster.Epoch, hosts Hosts, owned bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.owned[hub]
	if h == nil {
		return 0, nil, false
	}
	delete(m.owned, hub)
	close(h.done)
	return h.claim.Epoch(), h.hosts(), true
}

// EndLater has Leave end Hosts: before, no node could claim their hub.
func (m *Member) EndLater(hosts Hosts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leaving = append(m.leaving, hosts...)
}

// Save writes the state of a hub for its next owner into the directory, if this node owns the
// hub. It leaves out a state that is already there, unless again says otherwise. One goroutine
// may call it. The error is cluster.ErrTaken when a newer owner has written one.
func (m *Member) Save(ctx context.Context, hub string, state func() []byte, again bool) error {
	m.mu.Lock()
	h := m.owned[hub]
	m.mu.Unlock()
	if h == nil {
		return nil
	}
	text := state()
	sum := sha256.Sum256(text)
	if sum == h.saved && !again {
		return nil
	}
	// A write that fails may still have come through, and one that again asks for is to be
	// tried again.
	h.saved = [sha256.Size]byte{}
	err := h.claim.Note(ctx, text)
	if err == nil {
		h.saved = sum
	}
	return err
}
