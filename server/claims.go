package server

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

// holding is a hub that this node owns. membership.mu guards it. Closing done ends
// the goroutine of takeWith.
type holding struct {
	claim cluster.Claim
	used  time.Time
	users map[*hubUser]struct{}
	done  chan struct{}     // closed when it is no longer held
	noted [sha256.Size]byte // hash of its note, once there is one; keepNotes alone uses it
}

// hubUser is a connection to a hub. It has a pointer as its identity in
// holding.users.
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
)

// own finds where a hub is served: here, or at the owner that is returned. When no
// node owns it, this node claims it. A nil membership is a server without a cluster:
// every hub is here. Errors are those of cluster.Claim.Certain and of the directory;
// a claim that other nodes win again and again is cluster.ErrTaken.
func (m *membership) own(ctx context.Context, hub string) (owner cluster.Owner, here bool, err error) {
	if m == nil {
		return owner, true, nil
	}
	ctx, cancel := context.WithTimeout(ctx, claimWithin)
	defer cancel()
	// The fast path: it takes neither the claim's lock nor asks the directory.
	if c := m.touch(hub); c != nil {
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
		owner, here, err = m.ownOnce(ctx, hub)
		lock.Unlock()
		if !errors.Is(err, cluster.ErrTaken) {
			return owner, here, err
		}
		// The owner that the directory remembers is outdated.
		m.dir.Forget(hub)
	}
	return owner, here, err
}

// ownOnce is one try of own. The caller holds the claim lock of the hub, so that
// another request of this node may just have claimed it.
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

// holdsNow does not count as a use of the hub, as touch does.
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

// claimLock is one of a fixed number of locks, by the hash of the hub's name: a lock
// for each hub would have to be freed, and two hubs that share a lock only wait for
// each other. It is taken before membership.mu.
func (m *membership) claimLock(hub string) *sync.Mutex {
	return &m.claim[maphash.String(m.seed, hub)%uint64(len(m.claim))]
}

// take claims a hub, of whose owner there may be something left. Once the hub is claimed, that
// is read even if whoever asked has left: the next asker finds the hub here, and reads nothing.
func (m *membership) take(ctx context.Context, hub string, after cluster.Epoch) error {
	return m.takeWith(ctx, hub, after, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimWithin)
		defer cancel()
		m.restore(ctx, hub)
	})
}

// takeWith claims a hub. restore runs before the hub is served.
func (m *membership) takeWith(ctx context.Context, hub string, after cluster.Epoch, restore func()) error {
	c, err := m.dir.Claim(ctx, hub, after)
	if err != nil {
		return err
	}
	// The hub must have its sessions before it is in held: from then on, requests are
	// served.
	restore()
	h := &holding{claim: c, used: time.Now(), users: make(map[*hubUser]struct{}), done: make(chan struct{})}
	m.mu.Lock()
	m.held[hub] = h
	m.mu.Unlock()
	// It ends when the claim is lost, or when the hub is given back: both close one
	// of the channels.
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

// join has a connection to a hub end when another node takes the hub. end is called
// under the lock of the membership or in a goroutine of its own, and must not wait.
// The caller calls left when the connection has ended.
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

// sweep gives back hubs that nobody uses, has other nodes know of the browsers of
// this one, and cuts requests to nodes that are dead, until ctx ends.
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

// releaseUnused gives hubs back outside of the lock, since the directory may take
// long to answer. A hub that still exists in package relay is kept: it may have a
// Host in its grace time.
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
