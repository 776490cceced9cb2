package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// What a Host does, and how often.
var hostDoes = []chance{
	{"work", 3000},
	{"target ends", 30},
	{"answers late", 10},
	{"answers too much", 30},
	{"malformed", 30},
	{"host starts over", 2},
	{"host crashes", 4},
	{"host goes", 2},
	{"host comes anew before it is missed", 2},
	{"host is replaced", 2},
}

// playHost is one Host after the other, until ctx ends: the last one stays.
func (w *world) playHost(ctx context.Context, hub int) {
	r := w.chance(1000 + hub)
	name := fmt.Sprintf("h%d", hub)
	var h *host
	for {
		w.down.RLock()
		life := w.lives.Load()
		if h != nil && h.returns {
			h = h.again()
		} else {
			h = newHost(w.b, name, fmt.Sprintf("H%d", r.Uint64()), manyTargets)
		}
		err := w.reach(r, h.connect)
		w.down.RUnlock()
		if err != nil {
			w.b.fault(&w.b.lost, "host %s cannot connect: %v", name, err)
			return
		}
		w.enthrone(hub, h)
		if !w.hostLife(ctx, r, h) {
			return
		}
		select {
		case <-h.gone:
			if !h.left {
				w.ended("host "+name, life, h.ended())
				h.returns = r.IntN(2) == 0
			}
		default: // it goes when its successor comes
		}
	}
}

func (w *world) enthrone(hub int, h *host) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hosts[hub] = h
}

// hostLife works until the Host ends, or is to be replaced, and reports false
// when ctx ends.
func (w *world) hostLife(ctx context.Context, r *rand.Rand, h *host) bool {
	for h.ended() == nil {
		if ctx.Err() != nil {
			return false
		}
		what := pick(r, hostDoes)
		if what != "work" {
			w.did(what)
		}
		if !w.hostStep(r, h, what) {
			break
		}
	}
	return true
}

// hostStep does one thing, and reports false when that ends the Host.
func (w *world) hostStep(r *rand.Rand, h *host, what string) bool {
	switch what {
	case "work":
		h.event(r.IntN(manyTargets), 1+r.IntN(16))
		time.Sleep(time.Duration(r.IntN(2000)) * time.Microsecond)
	case "target ends":
		h.destroy(r.IntN(manyTargets))
		h.create()
	case "answers late":
		h.holdAnswers(true)
		h.event(r.IntN(manyTargets), 1+r.IntN(16))
		time.Sleep(time.Duration(r.IntN(50)) * time.Millisecond)
		h.holdAnswers(false)
	case "answers too much":
		h.say(`{"kind":"response","sessionId":"none","id":%d,"result":{}}`, 1+r.IntN(1000))
	case "malformed":
		h.say("%s", []string{"", "5", "nonsense", "{", `{"kind":"event"}`, `{"kind":"targetCreated"}`}[r.IntN(6)])
	case "host starts over":
		h.reannounce(manyTargets)
	default:
		w.endHost(r, h, what)
		return false
	}
	return true
}

// endHost ends the Host, or leaves that to the one that comes next.
func (w *world) endHost(r *rand.Rand, h *host, what string) {
	h.left = true
	switch what {
	case "host crashes":
		h.crash()
		h.returns = r.IntN(3) > 0
	case "host goes":
		h.leave()
	case "host comes anew before it is missed":
		h.returns = true
	}
	time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
}
