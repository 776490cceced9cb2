package chaos

import (
	"syscall"
	"testing"
	"time"
)

// F-19: the clock jumps: the hub does not run for longer than its peers may
// be silent. They have answered all the while, and nobody loses a connection.
func TestF19ClockJumps(t *testing.T) {
	b, p := newBooks(t), startHub(t, "--ping-every=200ms", "--pong-within=2s")
	h := startHost(t, b, p.place, "a", "H", 1)
	busy, idle := startClient(t, b, p.place, "a", "busy"), startClient(t, b, p.place, "a", "idle")
	one, two := busy.mustAttach(t, h.target(0)), idle.mustAttach(t, h.target(0))
	for range 2 {
		p.jump(2500 * time.Millisecond)
		busy.echoes(one, 10)
		idle.echoes(two, 1)
		h.event(0, 10)
		for _, c := range []*client{busy, idle} {
			c.quiet(t)
			c.sawAll(t, h)
		}
	}
}

// jump keeps the hub from running for some time.
func (h *hub) jump(d time.Duration) {
	h.signal(syscall.SIGSTOP)
	time.Sleep(d)
	h.signal(syscall.SIGCONT)
}
