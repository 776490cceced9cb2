package wsconn

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

// TestR240TooLargeIsDiscarded has a client with a handler for messages that are too large,
// whole and in fragments, between messages that are not.
func TestR240TooLargeIsDiscarded(t *testing.T) {
	near, far := Pipe(Limits{MaxMessage: 1 << 10}, Limits{})
	var got []string
	near.HandleTooLarge(func(head, tail []byte, size int64) {
		got = append(got, fmt.Sprintf("cut %.5s…%s %d", head, tail[len(tail)-4:], size))
	})
	done := make(chan Reason)
	go func() {
		done <- near.Serve(t.Context(), func(m []byte) { got = append(got, fmt.Sprintf("%.1s %d", m, len(m))) })
	}()
	go far.Serve(t.Context(), func([]byte) {})
	long := "first" + strings.Repeat("x", 1<<20) + "last"
	for _, m := range []string{strings.Repeat("a", 1<<10), long, "b", strings.Repeat("c", 1<<10+1<<9) + "last", "d"} {
		if !far.Deliver(Frame{Body: []byte(m)}) {
			t.Fatal("not taken")
		}
	}
	far.Close(ReasonNormal)
	if r := <-done; r != ReasonNormal {
		t.Errorf("it ended with %v", r)
	}
	want := []string{"a 1024", fmt.Sprint("cut first…last ", len(long)), "b 1", "cut ccccc…last 1540", "d 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestR240FragmentsAreDiscarded has a message become too large with any of its fragments,
// with pings between them. What is discarded does not count for the memory.
func TestR240FragmentsAreDiscarded(t *testing.T) {
	l := Limits{MaxMessage: 16 << 10}.withDefaults()
	x := strings.Repeat("x", 14<<10)
	in := join(text("a"), raw(false, ws.OpText, "first"+x), raw(true, ws.OpPing, "p"), raw(false, ws.OpContinuation, x), raw(false, ws.OpContinuation, "y"),
		raw(true, ws.OpPing, "p"), raw(true, ws.OpContinuation, x+"last"), text(strings.Repeat("b", 16<<10)), raw(false, ws.OpText, x), raw(true, ws.OpContinuation, "z"))
	for _, step := range []int{1, 7, len(in)} {
		var got []string
		c := newConn(&replay{in: in, step: step}, &l)
		c.memory.budget = NewBudget(1 << 20)
		c.HandleTooLarge(func(head, tail []byte, size int64) {
			got = append(got, fmt.Sprintf("cut %.5s…%s %d", head, tail[len(tail)-4:], size))
			if n := c.memory.budget.Used(); n != 0 {
				t.Errorf("in steps of %d: %d bytes count", step, n)
			}
		})
		c.read(func(m []byte) { got = append(got, fmt.Sprintf("%.1s %d", m, len(m))) })
		if want := []string{"a 1", fmt.Sprint("cut first…last ", 3*len(x)+10), "b 16384", "x 14337"}; !slices.Equal(got, want) {
			t.Errorf("in steps of %d: got %q, want %q", step, got, want)
		}
	}
}
