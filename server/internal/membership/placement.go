package membership

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/cluster"
)

// A hub that is to have a browser, and that nobody owns, goes to the node with the most
// room for one. Nodes say in the directory which hubs have a browser there, how many
// browsers they have, and how many they may have.

const (
	// placedFor is how long a hub that was placed counts beside what its node says: the
	// directory may not know of the browser yet.
	placedFor = 5 * time.Second
	// avoidedFor is how long no hub goes to a node that could not be reached.
	avoidedFor = 10 * time.Second
	// reserveEvery is how often a place for a browser is asked for again, and evictWithin
	// how long an idle browser may take to end that makes one free.
	reserveEvery = 200 * time.Millisecond
	evictWithin  = 5 * time.Second
)

// placement is that a hub was sent to a node, which at that time said that it had so
// many browsers.
type placement struct {
	at      time.Time
	running int
}

// placements are what this node has decided lately.
type placements struct {
	mu      sync.Mutex             `stays:"forgotten within seconds"` // guards everything below
	placed  map[string][]placement // by node
	avoided map[string]time.Time
}

// add counts a hub that is sent to a node, until the directory knows of its browser.
func (p *placements) add(n cluster.Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.placed == nil {
		p.placed = make(map[string][]placement)
	}
	p.placed[n.ID] = append(p.placed[n.ID], placement{time.Now(), n.Browsers.Running})
}

// Avoid has no hubs go to a node for avoidedFor.
func (p *placements) Avoid(node string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.avoided == nil {
		p.avoided = make(map[string]time.Time)
	}
	p.avoided[node] = time.Now()
}

// of returns how many browsers a node has, and whether it is avoided. It adds the
// hubs placed within the last placedFor to what the node said before the first of
// them, so that a burst of hubs does not all go to one node.
func (p *placements) of(node string, running int) (has int, avoided bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	late := slices.DeleteFunc(p.placed[node], func(one placement) bool { return time.Since(one.at) > placedFor })
	if delete(p.placed, node); len(late) > 0 {
		p.placed[node] = late
		// The larger of both: the node may have reported some of the late browsers by
		// now.
		running = max(running, late[0].running+len(late))
	}
	if at, is := p.avoided[node]; is && time.Since(at) > avoidedFor {
		delete(p.avoided, node)
	}
	_, avoided = p.avoided[node]
	return running, avoided
}

// candidate is a node that may have the browser of a hub.
type candidate struct {
	node  cluster.Node
	class int     // 0: there is room; 1: an idle browser must end; 2: none is free; 3: none can be had now
	load  float64 // browsers, of those that it may have
	away  bool    // it is not this node
	tie   int     // random, where all else is equal
}

// candidate says how well a node suits. n.Browsers must not be nil.
func (m *Member) candidate(n cluster.Node) candidate {
	b := *n.Browsers
	has, avoided := m.Placements.of(n.ID, b.Running)
	if n.ID == m.ID { // as it is now
		b = m.browsersNow()
		has, avoided = b.Running, false
	}
	p := candidate{node: n, load: float64(has) / float64(max(b.Max, 1)), away: n.ID != m.ID, tie: rand.Int()}
	switch {
	case b.Broken, avoided:
		p.class = 3
	case has-b.Idle >= b.Max:
		p.class = 2
	case has >= b.Max:
		p.class = 1
	}
	return p
}

// choose finds the node that is to have the browser of a hub: the best class, then the
// lowest load, then this node, then by chance. It returns false when no node has a
// browser for the hub.
func (m *Member) choose(hub string) (cluster.Node, bool) {
	var list []candidate
	for _, n := range m.Directory.Nodes() {
		if n.Browsers != nil && !n.Draining && browsers.Matches(n.Browsers.Hubs, hub) {
			list = append(list, m.candidate(n))
		}
	}
	if len(list) == 0 {
		return cluster.Node{}, false
	}
	best := slices.MinFunc(list, func(a, b candidate) int {
		nearer := 0
		if a.away != b.away {
			nearer = map[bool]int{true: 1, false: -1}[a.away]
		}
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.load, b.load), nearer, cmp.Compare(a.tie, b.tie))
	})
	return best.node, true
}

// Place chooses the node of a new hub. elsewhere is false if it is this one, or if no node has a
// browser for the hub.
func (m *Member) Place(hub string) (n cluster.Node, elsewhere bool) {
	n, ok := m.choose(hub)
	if ok {
		m.Placements.add(n)
	}
	return n, ok && n.ID != m.ID
}

// PlaceUnowned finds another node that is to claim a hub: one that nobody owns, and that is
// to have a browser. elsewhere is false if this node is to have it, or if the hub has
// an owner.
func (m *Member) PlaceUnowned(ctx context.Context, hub string) (at cluster.Owner, elsewhere bool) {
	if m.owns(hub) {
		return at, false
	}
	n, ok := m.choose(hub)
	if !ok {
		return at, false
	}
	ctx, cancel := context.WithTimeout(ctx, claimWithin)
	defer cancel()
	owner, err := m.Directory.Owner(ctx, hub)
	if !errors.Is(err, cluster.ErrNoOwner) {
		return at, false
	}
	m.Placements.add(n)
	return cluster.Owner{Node: n, Epoch: owner.Epoch}, n.ID != m.ID
}

// ReleaseSoon has a hub that got no browser given back by the next sweep, unless
// a connection uses it: the next request may find room at another node.
func (m *Member) ReleaseSoon(hub string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if h := m.owned[hub]; h != nil && len(h.users) == 0 {
		// The zero time is longer ago than keepHub.
		h.used = time.Time{}
	}
}

func (m *Member) browsersNow() cluster.Browsers {
	n := m.Browsers.Numbers()
	return cluster.Browsers{Hubs: m.Browsers.Hubs(), Max: m.Browsers.Most(), Running: n.Running, Idle: n.Idle, Broken: m.Browsers.Health() != nil, Divided: m.Browsers.Divided()}
}

// TellBrowsers has the other nodes know of the browsers of this one, if that is news.
func (m *Member) TellBrowsers() {
	if m == nil || m.Browsers.Most() == 0 {
		return
	}
	b := m.browsersNow()
	if told := m.Directory.Self().Browsers; told == nil || !reflect.DeepEqual(*told, b) {
		m.Directory.Tell(&b)
	}
}

// ReserveBrowser waits until all nodes together may have one browser more. It waits
// as long as Browsers.Queue allows, and longer by evictWithin once it has asked for
// an idle browser to end. Then it returns browsers.ErrAllFull. left gives the place
// back.
func (m *Member) ReserveBrowser(ctx context.Context) (left func(), err error) {
	wait, evicted := m.Queue, false
	for begun := time.Now(); ; {
		once, cancel := context.WithTimeout(ctx, claimWithin)
		err := m.Directory.ReserveBrowser(once, m.MaxBrowsers)
		cancel()
		switch {
		case err == nil:
			return m.Directory.ReleaseBrowser, nil
		case !errors.Is(err, cluster.ErrNoBrowser):
			return nil, err
		}
		// One eviction for each request: more would end browsers that others need.
		if !evicted && m.evictIdle(ctx) {
			evicted, wait = true, max(wait, evictWithin)
		}
		if time.Since(begun) >= wait {
			return nil, browsers.ErrAllFull
		}
		select {
		case <-time.After(min(reserveEvery, wait)):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// evictIdle ends an idle browser, first one of this node, and reports whether there
// was one. Other nodes are asked one after the other.
func (m *Member) evictIdle(ctx context.Context) bool {
	if m.Browsers.Evict() {
		return true
	}
	for _, n := range m.Directory.Nodes() {
		if n.ID == m.ID || n.Browsers == nil || n.Browsers.Idle == 0 {
			continue
		}
		status, err := m.Ask(ctx, n, EvictPath)
		if err != nil {
			m.Log.Info("a node could not be asked to end an idle browser", zap.String("node", n.Name), zap.Error(err))
		}
		if status == http.StatusNoContent {
			return true
		}
	}
	return false
}

// Divides reports whether a node of the cluster has a divided browser for a hub.
func (m *Member) Divides(hub string) bool {
	if m == nil {
		return false
	}
	for _, n := range m.Directory.Nodes() {
		if n.Browsers != nil && n.Browsers.Divided && browsers.Matches(n.Browsers.Hubs, hub) {
			return true
		}
	}
	return false
}
