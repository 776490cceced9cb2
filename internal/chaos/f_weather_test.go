package chaos

import (
	"bytes"
	"fmt"
	"os"
	"strings"
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

// F-19: nobody reads the log.
func TestF19LogIsStuck(t *testing.T) {
	b, p := newBooks(t), startHub(t, "--log-level=debug")
	h := startHost(t, b, p.place, "a", "H", 1)
	c := startClient(t, b, p.place, "a", "c")
	id := c.mustAttach(t, h.target(0))
	p.gate.Lock()
	pipe, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/2", p.cmd.Process.Pid), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	filled := make(chan struct{})
	go func() {
		defer close(filled)
		pipe.Write(bytes.Repeat([]byte{'\n'}, 256<<10)) // more than a pipe holds
		pipe.Close()
	}()
	for i := range 300 {
		d, err := openClient(b, p.place, "a", fmt.Sprintf("d%d", i))
		if err != nil {
			t.Fatal(err)
		}
		d.crash()
		h.say("nonsense")
		h.event(0, 1)
		c.echoes(id, 1)
		c.quiet(t)
	}
	c.sawAll(t, h)
	select {
	case <-filled:
		t.Error("the pipe was not full")
	default:
	}
	p.gate.Unlock()
	<-filled
	p.stop()
	if status := p.ended(); status != 0 {
		t.Errorf("the hub ended with status %d", status)
	}
}

// F-20: memory runs short: the largest queue is cut, and the others are not.
func TestF20MemoryPressure(t *testing.T) {
	b, p := newBooks(t), startHub(t, "--memory-budget=16MiB")
	h := startHost(t, b, p.place, "a", "H", 2)
	large, small, reads := startClient(t, b, p.place, "a", "large"), startClient(t, b, p.place, "a", "small"), startClient(t, b, p.place, "a", "reads")
	for range 3 {
		large.mustAttach(t, h.target(0)) // each event three times
	}
	small.mustAttach(t, h.target(0))
	id := reads.mustAttach(t, h.target(1))
	large.gate.Lock()
	small.gate.Lock()
	for range 25 { // 8 MB for the small one, of which the kernel takes some
		h.paddedEvent(0, 5, strings.Repeat("x", 64<<10))
		h.event(1, 1)
		reads.echoes(id, 1)
		reads.quiet(t)
	}
	large.gate.Unlock()
	small.gate.Unlock()
	eventually(t, "that the largest queue is cut", func() bool { return large.ended() != nil })
	small.sawAll(t, h)
	reads.sawAll(t, h)
	eventually(t, "that the log says why", func() bool { return strings.Contains(p.said(), "slow consumer: memory budget") })
	if small.ended() != nil || reads.ended() != nil {
		t.Errorf("the others were closed, too: %v, %v", small.ended(), reads.ended())
	}
}
