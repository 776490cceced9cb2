package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// What a Client does, and how often.
var clientDoes = []chance{
	{"work", 9000},
	{"attach", 40},
	{"auto attach", 5},
	{"detach and command", 60},
	{"foreign session", 60},
	{"ended session", 60},
	{"malformed", 60},
	{"same id", 60},
	{"large command", 20},
	{"slow reader", 10},
	{"idle", 5},
	{"client leaves", 10},
	{"client crashes", 10},
}

// playClient is one Client after the other, until ctx ends: the last one
// stays.
func (w *world) playClient(ctx context.Context, player int) {
	r := w.chance(player)
	for n := 0; ; n++ {
		w.down.RLock()
		life := w.lives.Load()
		var c *client
		err := w.reach(r, func(at place) (err error) {
			c, err = openClient(w.b, at, fmt.Sprintf("h%d", player%manyHosts), fmt.Sprintf("c%d-%d", player, n))
			return err
		})
		w.down.RUnlock()
		if err != nil {
			w.b.fault(&w.b.lost, "client %d cannot connect: %v", player, err)
			return
		}
		c.hub = player % manyHosts
		w.mu.Lock()
		w.playing[player] = c
		w.mu.Unlock()
		for c.ended() == nil {
			if ctx.Err() != nil {
				w.stay(c)
				return
			}
			if !w.clientStep(r, c, pick(r, clientDoes)) {
				break
			}
		}
		w.bury(c, life)
	}
}

// stay makes a Client one of the last.
func (w *world) stay(c *client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clients = append(w.clients, c)
}

// bury judges a Client's end and keeps its sessions for others to try.
func (w *world) bury(c *client, life int64) {
	<-c.gone
	if !c.left {
		w.ended("client "+c.name, life, c.ended())
	}
	ids := c.some(3)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.old = append(w.old, ids...); len(w.old) > 50 {
		w.old = w.old[len(w.old)-50:]
	}
}

// clientStep does one thing, and reports false when that ends the Client.
func (w *world) clientStep(r *rand.Rand, c *client, what string) bool {
	own := c.some(4)
	if len(own) == 0 && what == "work" {
		what = "attach"
	}
	if what != "work" && what != "attach" {
		w.did(what)
	}
	switch what {
	case "work":
		c.echoes(own[r.IntN(len(own))], 1+r.IntN(32))
		c.wait(patience, func() bool { return c.waiting < window })
	case "attach":
		w.attachSome(r, c)
	case "auto attach":
		c.ask("Target.setAutoAttach", fmt.Sprintf(`{"autoAttach":%v,"flatten":true,"waitForDebuggerOnStart":false}`, r.IntN(2) == 0), nil)
	case "client leaves":
		c.left = true
		c.leave()
		return false
	case "client crashes":
		c.left = true
		c.crash()
		return false
	case "slow reader":
		c.gate.Lock()
		time.Sleep(time.Duration(r.IntN(200)) * time.Millisecond)
		c.gate.Unlock()
	case "idle": // for long enough to lose its goroutine in the hub
		time.Sleep(time.Duration(300+r.IntN(700)) * time.Millisecond)
	default:
		w.misbehave(r, c, what, own)
	}
	return true
}

// attachSome attaches to a few Targets of the Client's hub.
func (w *world) attachSome(r *rand.Rand, c *client) {
	for _, id := range w.targetsOf(c.hub, 1+r.IntN(4), r) {
		c.ask("Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, id), nil)
	}
	if _, err := c.call("Target.getTargets", "{}"); err == nil && len(c.some(1)) == 0 {
		time.Sleep(time.Millisecond) // there is no Host
	}
}

func (w *world) misbehave(r *rand.Rand, c *client, what string, own []string) {
	mine := "none" // an empty one would be the connection, as at Chromium
	if len(own) > 0 {
		mine = own[r.IntN(len(own))]
	}
	strange := w.foreign(r, c)
	c.mu.Lock()
	switch what {
	case "detach and command":
		first := r.IntN(2) == 0
		if first {
			c.echoLocked(c.seq+1, mine, "")
		}
		c.askLocked("Target.detachFromTarget", fmt.Sprintf(`{"sessionId":%q}`, mine), nil)
		if !first {
			c.echoLocked(c.seq+1, mine, "")
		}
	case "foreign session":
		c.echoLocked(c.seq+1, strange, "")
	case "ended session":
		c.echoLocked(c.seq+1, w.ancient(r), "")
	case "malformed":
		c.malformedLocked([]string{"", "5", "nonsense", "{", "[]", `{"method":"A.b"}`}[r.IntN(6)])
	case "same id":
		id := c.seq + 1
		for range 3 {
			c.echoLocked(id, mine, "")
		}
	case "large command":
		c.echoLocked(c.seq+1, mine, strings.Repeat("x", r.IntN(512<<10)))
	}
	c.mu.Unlock()
	c.s.flush()
}

// foreign is a session of another Client, on the same hub or on another.
func (w *world) foreign(r *rand.Rand, c *client) string {
	w.mu.Lock()
	other := w.playing[r.IntN(manyClients)]
	w.mu.Unlock()
	if other == nil || other == c {
		return "none"
	}
	for _, id := range other.some(1) {
		return id
	}
	return "none"
}

// ancient is a session of a Client that is gone, maybe with a hub before.
func (w *world) ancient(r *rand.Rand) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.old) == 0 {
		return "none"
	}
	return w.old[r.IntN(len(w.old))]
}

// targetsOf is some ids of a hub's Targets.
func (w *world) targetsOf(hub, n int, r *rand.Rand) (ids []string) {
	w.mu.Lock()
	h := w.hosts[hub]
	w.mu.Unlock()
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for range min(n, len(h.targets)) {
		ids = append(ids, h.targets[r.IntN(len(h.targets))].id)
	}
	return ids
}
