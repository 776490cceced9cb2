package chrome

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
)

// joined is so many lanes of one account.
func joined(o *outbox, account string, count int) []lane {
	lanes := make([]lane, count)
	for i := range lanes {
		o.Join(&lanes[i], account)
	}
	return lanes
}

// TestR243AccountsTakeTurns has one account send with many Clients at once, messages of each
// size. The one message of another account has at most two quanta in front of it.
func TestR243AccountsTakeTurns(t *testing.T) {
	for _, size := range []int{20, 1000, quantum / 2, quantum - 100} {
		for _, account := range []string{"", "B"} {
			t.Run(fmt.Sprintf("%d bytes, account %q", size, account), func(t *testing.T) {
				o := newOutbox()
				many, other := joined(o, "A", 17), joined(o, account, 1)
				for n := range min(1000, 4*quantum/size) {
					for i := range many {
						if err := o.Offer(&many[i], sized(fmt.Sprintf("%d.%d", i, n), size)); err != nil {
							t.Fatal(err)
						}
					}
				}
				if err := o.Offer(&other[0], sized("other", 10)); err != nil {
					t.Fatal(err)
				}
				front := 0
				for {
					m, _ := o.next(nil)
					before, _, found := strings.Cut("\x00"+string(m), "\x00other ")
					if front += len(before); found {
						break
					}
					if m == nil {
						t.Fatal("the other's message has not come")
					}
				}
				if front > 2*quantum {
					t.Errorf("%d bytes are in front of the other's message, want at most %d", front, 2*quantum)
				}
			})
		}
	}
}

// TestR243LanesShareTheirAccount has the Clients of one account always have something that
// waits: each comes within so many batches, whatever the others send.
func TestR243LanesShareTheirAccount(t *testing.T) {
	type sender struct{ size, waiting int }
	const whole = quantum/16 - len("6 \x00") // of which 16 fill a batch
	few := []sender{{10, 1}, {10, 1}, {10, 1}, {10, 1}, {10, 1}, {10, 1}}
	most := []sender{{1000, 20}, {quantum - 100, 20}, {quantum / 3, 20}}
	for name, c := range map[string]struct {
		senders []sender
		within  int
	}{
		"few messages beside many":      {slices.Concat(few, []sender{{whole, 40}, {whole, 40}}), 1},
		"few messages beside long ones": {slices.Concat(few, []sender{{quantum - 10, 3}}), 2},
		"all send as much as they can":  {slices.Concat(most, most, most), 9},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOutbox()
			lanes := joined(o, "A", len(c.senders))
			came := make([]int, len(lanes)) // in which batch the last one came
			for number := range 100 {
				for i, s := range c.senders {
					for len(lanes[i].waiting) < s.waiting {
						if err := o.Offer(&lanes[i], sized(fmt.Sprint(i), s.size)); err != nil {
							t.Fatal(err)
						}
					}
				}
				m, _ := o.next(nil)
				if len(m) > quantum {
					t.Fatalf("a batch of one account has %d bytes, want at most %d", len(m), quantum)
				}
				batch := "\x00" + string(m)
				for i := range lanes {
					if number == 0 || strings.Contains(batch, fmt.Sprintf("\x00%d ", i)) {
						came[i] = number // the first was full before the others came
					}
					if number-came[i] >= c.within {
						t.Fatalf("Client %d does not come within %d batches", i, c.within)
					}
				}
			}
		})
	}
}

// TestR243AccountsShareHeavyMessages has three Clients of one account and one of another
// send heavy messages: the accounts take turns, and so do the Clients of one.
func TestR243AccountsShareHeavyMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWritten(t, nil)
		a, b := joined(w.outbox, "A", 3), joined(w.outbox, "B", 1)
		for n := range 2 {
			for i := range a {
				w.Offer(&a[i], sized(fmt.Sprintf("a%d.%d", i, n), heavySize))
			}
		}
		for n := range 3 {
			w.Offer(&b[0], sized(fmt.Sprintf("b.%d", n), heavySize))
		}
		for range 12 {
			synctest.Wait()
			w.Handled()
			time.Sleep(time.Second)
		}
		w.wants(t, "a0.0 b.0 a1.0 b.1 a2.0 b.2 a0.1 a1.1 a2.1")
	})
}

// TestR243OneAccountDoesNotRest has only others' messages make heavy ones rest: those of
// another Client of the account do not.
func TestR243OneAccountDoesNotRest(t *testing.T) {
	for account, want := range map[string]string{"A": "a1", "B": ""} {
		synctest.Test(t, func(t *testing.T) {
			w := newWritten(t, nil)
			a, b := joined(w.outbox, "A", 1), joined(w.outbox, account, 1)
			w.Offer(&a[0], sized("a0", heavySize))
			w.Offer(&a[0], sized("a1", heavySize))
			w.wants(t, "a0")
			w.Offer(&b[0], sized("b", 10))
			w.wants(t, "b")
			time.Sleep(time.Second)
			w.Handled()
			w.wants(t, want)
		})
	}
}

// TestR243HeavyMessagesEndAtOnce wants what the Host asks behind a heavy message to leave
// with the next batch, since the heavy messages of all accounts wait for its answer, and not
// to take turns with what the account's other Clients have sent.
func TestR243HeavyMessagesEndAtOnce(t *testing.T) {
	o := newOutbox()
	a := joined(o, "A", 50)
	o.Offer(&a[49], sized("heavy", heavySize))
	o.OfferOwn(&a[49], sized("follow", 10))
	for i := range a[:49] {
		o.Offer(&a[i], sized("x", quantum-len("x \x00"))) // nothing else fits into the batch
	}
	var came []bool
	for len(came) == 0 || !came[len(came)-1] {
		m, heavy := o.next(nil)
		if m == nil {
			t.Fatal("the Host's question has not come")
		}
		if heavy || len(came) > 0 {
			came = append(came, strings.Contains(string(m), "follow "))
		}
	}
	if len(came) > 3 { // the heavy message, the batch that was ready, and the next
		t.Errorf("%d writes until the Host's question, want 3", len(came))
	}
}

// TestR242AccountsHaveParts fills an outbox with as many Clients of one account as it takes:
// there is room for another account, for however large a command, and whatever the first
// account's commands wait for.
func TestR242AccountsHaveParts(t *testing.T) {
	for name, put := range map[string]func(o *outbox, l *lane, size int) error{
		"sent": func(o *outbox, l *lane, size int) error { return o.Offer(l, sized("x", size)) },
		"held": func(o *outbox, l *lane, size int) error { return o.Hold(l, size) },
	} {
		for _, c := range []struct{ clients, size int }{{4, 60 << 20}, {8, 8 << 20}, {700, reserved - 100}, {2, 98 << 20}} {
			t.Run(fmt.Sprintf("%s by %d, %d bytes", name, c.clients, c.size), func(t *testing.T) {
				o := newOutbox() // without a writer
				var refused error
				for range 8 {
					lanes := joined(o, "A", c.clients)
					for i := range lanes {
						if err := put(o, &lanes[i], c.size); err != nil {
							refused = err
						}
						o.Leave(&lanes[i]) // a new connection has no more room
					}
				}
				if !errors.Is(refused, errPartFull) {
					t.Errorf("the account is refused with %v, want %v", refused, errPartFull)
				}
				if o.bytes > maxPending/2 {
					t.Errorf("one account has %d bytes, want at most half of %d", o.bytes, maxPending)
				}
				for _, account := range []string{"B", ""} {
					other := joined(o, account, 1)
					if err := o.Offer(&other[0], sized("x", 1<<20)); err != nil {
						t.Errorf("1 MiB of account %q: %v", account, err)
					}
				}
				if err := o.Hold(&joined(o, "C", 1)[0], 99<<20); err != nil {
					t.Errorf("99 MiB of a third account: %v", err)
				}
			})
		}
	}
}

// TestR242HostJoinsAccounts wants sessions of one account to be one in the outbox, until the
// last of them has gone, and sessions without an account to be apart.
func TestR242HostJoinsAccounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		for _, at := range []bridge.Attachment{{SessionID: "a1", Account: "A"}, {SessionID: "a2", Account: "A"}, {SessionID: "b", Account: "B"}, {SessionID: "c"}, {SessionID: "d"}} {
			r.hub.mu.Lock()
			r.hub.host.(bridge.Announcer).Attached(at)
			r.hub.mu.Unlock()
		}
		h := r.hub.host.(*Host)
		of := func(id string) *account { return h.sessions[id].lane.accountLocked() }
		if of("a1") != of("a2") || of("a1") == of("b") || of("c") == of("d") {
			t.Error("the sessions are not in the accounts of their tokens")
		}
		a := of("a1")
		for left, id := range []string{"a1", "a2"} {
			r.hub.release(id)
			if a.joined != 1-left {
				t.Errorf("%d sessions of the account are known, want %d", a.joined, 1-left)
			}
		}
	})
}
