//go:build !race

package cluster

import (
	"fmt"
	"slices"
	"testing"
)

// The model of the protocol of claims, leases and passing on: three nodes, two Hosts,
// two Clients that come to any node, one partition between a node and the directory. Each
// step is one message or one decision, and the explorer tries all orders of them.
//
// A state holds what the directory says, and what each node believes. The rules are those
// of server (own, takeOver, moved, holds) and internal/cluster/nats (Claim, Certain). What happens to
// named sessions when a node is drained is in model_drain_test.go, and when it dies in
// model_notes_test.go.

const (
	modelNodes   = 3
	modelHosts   = 2
	modelClients = 1
	noNode       = -1
)

// modelClaim is a claim of the one hub: epoch 0 is none.
type modelClaim struct{ node, epoch int8 }

// modelConn is a Host or a Client. It goes from its entry node to the owner that the
// entry node believes in, with the epoch that the entry node believes in.
type modelConn struct {
	state modelState
	entry int8
	owner modelClaim
	done  bool // it was served once, and does not come again
}

type modelState int8

const (
	away   modelState = iota
	coming            // it has reached an entry node, which has asked the directory
	joined            // it is served by owner
)

// modelWorld is one state. It is a value, so that it can be a key of a map.
type modelWorld struct {
	directory modelClaim
	held      [modelNodes]modelClaim // what each node believes to own
	reaches   [modelNodes]bool       // the directory
	certain   [modelNodes]bool       // its lease is not over, by its own clock
	alive     [modelNodes]bool       // its lease is not over, by the directory's clock
	hosts     [modelHosts]modelConn
	clients   [modelClients]modelConn
	cut       bool               // the partition has been
	claims    int8               // so far
	ran       [modelClients]int8 // how often the one command of each Client was carried out

	drained [modelNodes]bool       // it hands its hub over, and serves nothing more
	named   [modelNodes]modelNamed // the named session of the Client, where nodes have it
	moving  modelMove
	begun   bool // the Client has its named session

	noting bool // nodes write notes
	note   modelNote
	pens   [modelNodes]modelPen
}

func firstWorld() (w modelWorld) {
	for n := range modelNodes {
		w.reaches[n], w.certain[n], w.alive[n], w.held[n].node = true, true, true, int8(n)
	}
	w.directory.node = noNode
	return w
}

const maxModelClaims = 3 // so that the states have an end

// steps calls next with all that can happen next.
func (w modelWorld) steps(next func(string, modelWorld)) {
	for n := range int8(modelNodes) {
		w.partition(n, next)
		w.hears(n, next)
		w.drains(n, next)
		w.notes(n, next)
	}
	for i := range modelHosts {
		w.arrives("host", true, func(w *modelWorld) *modelConn { return &w.hosts[i] }, next)
	}
	for i := range modelClients {
		w.arrives("client", false, func(w *modelWorld) *modelConn { return &w.clients[i] }, next)
		w.commands(i, next)
	}
}

// partition cuts a node off, lets its lease end, first by its own clock, and joins it again.
func (w modelWorld) partition(n int8, next func(string, modelWorld)) {
	switch {
	case n == 0 && w.reaches[n] && !w.cut && !w.drained[n]: // the nodes are alike
		v := w
		v.reaches[n], v.cut = false, true
		next("cut off ", v)
	case !w.reaches[n]:
		v := w
		v.reaches[n] = true
		if w.alive[n] { // a renewal comes through
			v.certain[n] = true
		}
		next("reaches again ", v)
		if w.certain[n] {
			v := w
			v.certain[n] = false
			next("uncertain ", v)
		} else if w.alive[n] { // the directory waits for longer than the node
			v := w
			v.alive[n] = false
			next("lease over ", v)
		}
	case !w.certain[n] || !w.alive[n]:
		v := w
		v.certain[n], v.alive[n] = true, true
		next("renews ", v)
	}
}

// hears has a node that reaches the directory compare its claim with it.
func (w modelWorld) hears(n int8, next func(string, modelWorld)) {
	if !w.reaches[n] || w.held[n].epoch == 0 || w.held[n] == w.directory {
		return
	}
	v := w
	v.lose(n)
	next("hears of its loss ", v)
}

func (w *modelWorld) lose(n int8) {
	old := w.held[n]
	w.held[n].epoch, w.named[n] = 0, modelNamed{}
	for _, c := range w.conns() {
		if c.state == joined && c.owner == old {
			c.state = away // with 4500 or 1012; it may come again
		}
	}
}

func (w *modelWorld) conns() (all []*modelConn) {
	for i := range w.hosts {
		all = append(all, &w.hosts[i])
	}
	for i := range w.clients {
		all = append(all, &w.clients[i])
	}
	return all
}

// arrives moves a connection on: to an entry node, to the owner, or away.
func (w modelWorld) arrives(name string, host bool, at func(*modelWorld) *modelConn, next func(string, modelWorld)) {
	c := *at(&w)
	switch c.state {
	case away:
		if c.done {
			return
		}
		for entry := range int8(modelNodes) {
			v := w
			if owner, ok := v.find(entry); ok {
				*at(&v) = modelConn{state: coming, entry: entry, owner: owner}
				next(name+" comes", v)
			}
		}
	case coming:
		v := w
		switch {
		case v.admits(c.owner) && (host || v.joinsNamed(c.owner.node)):
			at(&v).state = joined
			if host {
				v.replaceHost(at(&v))
			}
			next(name+" joins", v)
		default: // 409 or 503: it asks again
			*at(&v) = modelConn{}
			next(name+" is refused", v)
		}
		if host && c.entry != c.owner.node { // the owner cannot be reached: the entry node takes the hub over
			v := w
			if owner, ok := v.claim(c.entry, c.owner.epoch); ok {
				at(&v).owner = owner
				next(name+" takes over", v)
			}
		}
	case joined:
		v := w
		*at(&v) = modelConn{done: true}
		next(name+" leaves", v)
	}
}

// find is membership.own at an entry node: its own claim, the owner by the directory, or
// a new claim where there is none.
func (w *modelWorld) find(entry int8) (modelClaim, bool) {
	if w.drained[entry] {
		return modelClaim{}, false
	}
	if w.held[entry].epoch != 0 {
		return w.held[entry], w.certain[entry]
	}
	if !w.reaches[entry] || !w.certain[entry] {
		return modelClaim{}, false
	}
	if w.directory.node != noNode && w.alive[w.directory.node] && w.directory.node != entry {
		return w.directory, true
	}
	return w.claim(entry, w.directory.epoch)
}

// claim is Directory.Claim: compare and set.
func (w *modelWorld) claim(n, after int8) (modelClaim, bool) {
	if !w.reaches[n] || !w.certain[n] || w.directory.epoch != after || w.claims == maxModelClaims {
		return modelClaim{}, false
	}
	if w.held[n].epoch != 0 {
		w.lose(n)
	}
	w.claims++
	w.directory = modelClaim{n, w.directory.epoch + 1}
	w.held[n] = w.directory
	w.restores(n)
	return w.directory, true
}

// admits is membership.holds at the owner: its own epoch, and certain of it. Where it
// reaches the directory it has asked.
func (w *modelWorld) admits(c modelClaim) bool {
	n := c.node
	return w.held[n] == c && w.certain[n] && (!w.reaches[n] || w.directory == c)
}

// replaceHost ends the other Hosts of the same owner and epoch.
func (w *modelWorld) replaceHost(newest *modelConn) {
	for i := range w.hosts {
		if h := &w.hosts[i]; h != newest && h.state == joined && h.owner == newest.owner {
			*h = modelConn{}
		}
	}
}

// commands has a Client that is joined send its one command, unless its session says that
// the command has come already. The Host of the same owner carries it out.
func (w modelWorld) commands(i int, next func(string, modelWorld)) {
	c := w.clients[i]
	if c.state != joined {
		return
	}
	n := c.owner.node
	if !w.named[n].received {
		v := w
		v.named[n].received, v.named[n].waits = true, true
		next("command", v)
	}
	if w.named[n].waits && slices.ContainsFunc(w.hosts[:], func(h modelConn) bool { return h.state == joined && h.owner == c.owner }) {
		v := w
		v.named[n].waits = false
		v.ran[i]++
		next("command is carried out", v)
	}
}

// broken is what must never be in a state that a step has led to.
func broken(before, w modelWorld) string {
	owners := map[int8]int8{}
	for _, h := range w.held {
		if h.epoch == 0 {
			continue
		}
		if other, twice := owners[h.epoch]; twice {
			return fmt.Sprintf("epoch %d has two owners, %d and %d", h.epoch, other, h.node)
		}
		owners[h.epoch] = h.node
		if h.epoch > w.directory.epoch {
			return "a node has an epoch that the directory has not given"
		}
	}
	joinedHosts := map[modelClaim]int{}
	for _, h := range w.hosts {
		if h.state == joined {
			joinedHosts[h.owner]++
		}
	}
	for c, n := range joinedHosts {
		if n > 1 {
			return fmt.Sprintf("owner %v has %d Hosts", c, n)
		}
	}
	for i, c := range w.clients {
		if w.ran[i] > 1 {
			return "a command has run twice"
		}
		if c.state != joined {
			continue
		}
		if w.held[c.owner.node] != c.owner {
			return "a Client is with a node that has lost the hub and knows it"
		}
		if before.clients[i].state != joined && before.directory != c.owner && before.reaches[c.owner.node] {
			return "a Client has joined an older owner, which could know of the newer one"
		}
		if before.clients[i].state != joined && !before.certain[c.owner.node] {
			return "a Client has joined an owner whose lease may be over"
		}
	}
	if w.directory.epoch < before.directory.epoch {
		return "epochs fall"
	}
	if w.note.epoch < before.note.epoch {
		return "a note of an older owner is in the place of a newer one's"
	}
	return ""
}

// TestModel explores every state that three nodes can get into, and wants the rules of
// the cluster to hold in each: one owner an epoch, no Client joins an owner that could
// know of a newer one or whose lease may be over, no command runs twice, and no note of
// an older owner replaces a newer one's.
func TestModel(t *testing.T) {
	t.Run("two Hosts", func(t *testing.T) { explore(t, firstWorld()) })
	t.Run("one Host, and notes", func(t *testing.T) { // with two Hosts they have 9 million states
		w := firstWorld()
		w.noting, w.hosts[1].done = true, true
		explore(t, w)
	})
}

func explore(t *testing.T, first modelWorld) {
	t.Helper()
	seen := map[modelWorld]bool{first: true}
	queue := []modelWorld{first}
	for len(queue) > 0 {
		w := queue[0]
		queue = queue[1:]
		w.steps(func(step string, v modelWorld) {
			if why := broken(w, v); why != "" {
				t.Fatalf("%s: %+v after %q of %+v", why, v, step, w)
			}
			if !seen[v] {
				seen[v] = true
				queue = append(queue, v)
			}
		})
	}
	t.Logf("%d states", len(seen))
}
