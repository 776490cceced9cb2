package chrome

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// written is the other end of an outbox: what was written, and how fast.
type written struct {
	*outbox

	mu       sync.Mutex
	messages []string
	pass     chan struct{} // each write takes one; nil when writes do not wait
}

func (w *written) write(messages []byte) error {
	if w.pass != nil {
		if _, more := <-w.pass; !more {
			return errors.New("over")
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for m := range strings.SplitSeq(strings.TrimSuffix(string(messages), "\x00"), "\x00") {
		name, _, _ := strings.Cut(m, " ")
		w.messages = append(w.messages, name)
	}
	return nil
}

// newWritten runs an outbox in a bubble until the test ends.
func newWritten(t *testing.T, pass chan struct{}) *written {
	w := &written{outbox: newOutbox(), pass: pass}
	go w.run(w.write)
	t.Cleanup(func() {
		w.close()
		if pass != nil {
			close(pass)
		}
		synctest.Wait()
	})
	return w
}

// wants compares what was written since the last look.
func (w *written) wants(t *testing.T, want string) {
	t.Helper()
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if got := strings.Join(w.messages, " "); got != want {
		t.Errorf("written was %q, want %q", got, want)
	}
	w.messages = nil
}

// filler is what messages consist of. An outbox copies what it takes.
var filler = sync.OnceValue(func() []byte { return bytes.Repeat([]byte("x"), maxSent) })

// sized is a message with a name and a size.
func sized(name string, size int) wire.Frame {
	return wire.Frame{Head: []byte(name + " "), Body: filler()[:size]}
}

const heavySize = quantum + 1

// TestR243HeavyMessagesLetOthersPass queues heavy messages of two Clients in front of small
// ones of a third.
func TestR243HeavyMessagesLetOthersPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWritten(t, nil)
		var a, b, c lane
		for _, name := range []string{"a1", "a2"} {
			w.Offer(&a, sized(name, heavySize))
		}
		w.Offer(&a, sized("a3", 10))
		w.Offer(&b, sized("b1", heavySize))
		w.wants(t, "a1")
		w.Offer(&c, sized("c1", 10))
		w.OfferOwn(nil, sized("own", 10))
		w.wants(t, "c1 own") // at once
		w.Handled()
		w.wants(t, "b1") // the lanes take turns; a3 waits behind a2
		w.Handled()
		w.wants(t, "a2 a3")
	})
}

// TestR243OthersHaveHalfOfTheTime has a browser that takes a second for each heavy message.
func TestR243OthersHaveHalfOfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWritten(t, nil)
		var a, b lane
		for n := range 3 {
			w.Offer(&a, sized(fmt.Sprint("a", n), heavySize))
		}
		w.wants(t, "a0")
		time.Sleep(time.Second)
		w.Handled()
		w.wants(t, "a1") // nobody else has sent anything
		w.Offer(&b, sized("b", 10))
		w.wants(t, "b")
		time.Sleep(time.Second)
		w.Handled()
		time.Sleep(time.Second - time.Nanosecond)
		w.wants(t, "")
		time.Sleep(time.Nanosecond)
		w.wants(t, "a2")
	})
}

// TestR243BatchesAreSharedOut has a Client send so much at once that others would wait.
func TestR243BatchesAreSharedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pass := make(chan struct{})
		w := newWritten(t, pass)
		var a, b lane
		w.OfferOwn(nil, sized("first", 10))
		synctest.Wait() // it is being written
		for n := range 8 {
			w.Offer(&a, sized(fmt.Sprint("a", n), quantum/2-100))
		}
		w.Offer(&b, sized("b", 10))
		pass <- struct{}{}
		w.wants(t, "first")
		pass <- struct{}{}
		w.wants(t, "a0 a1 b")
		for range 3 {
			pass <- struct{}{}
		}
		w.wants(t, "a2 a3 a4 a5 a6 a7")
	})
}

// TestR242ClientsFillTheirOwnLane wants what one Client has queued to be no reason to refuse
// another's, nor the Host's own.
func TestR242ClientsFillTheirOwnLane(t *testing.T) {
	o := newOutbox() // without a writer
	fill := func(l *lane, size int) (taken int, err error) {
		for taken = 0; taken < 1000; taken++ {
			if err = o.Offer(l, sized("x", size)); err != nil {
				return taken, err
			}
		}
		return taken, nil
	}
	var a lane
	if n, err := fill(&a, 8<<20); n < 7 || n > 8 || !errors.Is(err, errLaneFull) {
		t.Errorf("%d messages of 8 MiB were taken, then %v, want 7 and %v", n, err, errLaneFull)
	}
	if err := o.Hold(&a, 1<<20+8<<20); !errors.Is(err, errLaneFull) {
		t.Errorf("what waits for a session to attach: %v, want %v", err, errLaneFull)
	}
	crowd := make([]lane, 5)
	var full error
	for i := range crowd {
		if _, err := fill(&crowd[i], 60<<20); err != nil {
			full = err
		}
	}
	if !errors.Is(full, errAllFull) {
		t.Errorf("five Clients with 60 MiB each: %v, want %v", full, errAllFull)
	}
	if o.bytes > maxPending {
		t.Errorf("%d bytes wait, want at most %d", o.bytes, maxPending)
	}
	for o.bytes+reserved+1<<10 <= maxPending { // until less than that is left
		fill(new(lane), reserved+1<<10)
	}
	var late [2]lane
	for i := range late {
		if err := o.Offer(&late[i], sized("x", 200<<10)); err != nil {
			t.Errorf("a small message of a Client that has queued nothing: %v", err)
		}
	}
	for _, l := range []*lane{nil, &a, &late[0]} {
		if err := o.OfferOwn(l, sized("own", 100)); err != nil {
			t.Errorf("the Host's own: %v", err)
		}
	}
}

// TestR242OneMessageIsTaken however large it is, from a Client that has queued nothing.
func TestR242OneMessageIsTaken(t *testing.T) {
	o := newOutbox()
	largest := maxSent - len("x ") - 1 // with its NUL
	if err := o.Offer(new(lane), sized("x", largest)); err != nil {
		t.Error(err)
	}
	if err := newOutbox().Offer(new(lane), sized("x", largest+1)); !errors.Is(err, errTooLarge) {
		t.Errorf("one byte more: %v, want %v", err, errTooLarge)
	}
}

// FuzzOutbox queues messages of any size from several Clients: each comes out once, and those of
// a Client in their order.
func FuzzOutbox(f *testing.F) {
	f.Add(uint64(1), uint8(40))
	f.Add(uint64(2), uint8(200))
	f.Fuzz(func(t *testing.T, seed uint64, count uint8) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			w := newWritten(t, nil)
			lanes := make([]lane, 6)
			for i := range lanes { // the first two have no account
				w.Join(&lanes[i], []string{"", "A", "B"}[i/2])
			}
			sent := make([]int, len(lanes))
			for range count {
				n := rnd.IntN(len(lanes))
				name := fmt.Sprintf("%d.%d", n, sent[n])
				size := []int{1, 1000, quantum / 2, quantum - 5, heavySize}[rnd.IntN(5)]
				if rnd.IntN(3) == 0 {
					synctest.Wait()
				}
				if rnd.IntN(3) == 0 {
					w.Handled()
				}
				if rnd.IntN(8) == 0 {
					w.OfferOwn(&lanes[n], sized(name, 1))
					sent[n]++
				} else if w.Offer(&lanes[n], sized(name, size)) == nil {
					sent[n]++
				}
			}
			for range 2 * int(count) {
				synctest.Wait()
				w.Handled()
				time.Sleep(time.Second)
			}
			got := make([]int, len(lanes))
			for _, m := range w.messages {
				var lane, number int
				fmt.Sscanf(m, "%d.%d", &lane, &number)
				if number != got[lane] {
					t.Fatalf("after %d messages of Client %d came %d", got[lane], lane, number)
				}
				got[lane]++
			}
			if fmt.Sprint(got) != fmt.Sprint(sent) {
				t.Fatalf("%v messages came, want %v", got, sent)
			}
			for i := range lanes {
				l := &lanes[i]
				if left := w.hasLocked(&l.load) + w.hasLocked(&l.accountLocked().load); left != 0 || l.waiting != nil || w.bytes != 0 || len(w.queue) != 0 {
					t.Fatalf("%+v is left, %d bytes, %d accounts", l, w.bytes, len(w.queue))
				}
				w.Leave(l)
			}
			w.Join(new(lane), "C")
			if len(w.accounts) != 1 {
				t.Fatalf("%d accounts are known, want 1", len(w.accounts))
			}
		})
	})
}
