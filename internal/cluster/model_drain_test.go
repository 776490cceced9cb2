//go:build !race

package cluster

// modelNamed is a named session as one node has it.
type modelNamed struct {
	there    bool
	received bool // the Client's command
	waits    bool // the command, for a Host
}

// modelMove is the request that hands a hub over. A node may take it and the answer be lost:
// then it goes to another one, too.
type modelMove struct {
	named modelNamed
	from  modelClaim // epoch 0: there is no such request
}

// joinsNamed gives the Client its session at the owner: a new one the first time, and later
// the one that is there, or none.
func (w *modelWorld) joinsNamed(owner int8) bool {
	if !w.begun {
		w.begun, w.named[owner].there = true, true
	}
	return w.named[owner].there
}

// drains has a node end: it lets its hub go (server, letGo), and another node takes it
// (receive). If none takes it, the node gives the hub back (leave).
func (w modelWorld) drains(n int8, next func(string, modelWorld)) {
	switch {
	case n == 0 && !w.cut && !w.drained[n] && w.held[n].epoch != 0: // the nodes are alike, and one thing happens to them
		v := w
		named := v.named[n]
		v.moving.from = v.held[n]
		v.moving.named = named
		v.lose(n)
		v.drained[n] = true
		next("drains ", v)
	case w.drained[n] && w.moving.from.epoch != 0:
		for to := range int8(modelNodes) {
			if w.drained[to] || w.held[to].epoch != 0 {
				continue
			}
			v := w
			if _, ok := v.claim(to, w.moving.from.epoch); ok {
				v.named[to] = w.moving.named
				next("takes a hub, and the answer is lost ", v)
				v.moving = modelMove{}
				next("takes a hub ", v)
			}
		}
		v := w
		v.moving = modelMove{} // it is another's by now, or there is no more time
		if v.directory == w.moving.from && v.reaches[n] {
			v.directory.node = noNode
		}
		next("gives up ", v)
	}
}
