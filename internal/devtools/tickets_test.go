package devtools

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestR181TicketsWorkOnceWithinAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tickets Tickets[string]
		here := Place{"h", "T1"}
		use := func(text string, p Place, want string) {
			t.Helper()
			if holder, ok := tickets.Use(text, p); holder != want || ok != (want != "") {
				t.Errorf("Use(%+v) = %q, %v; want %q", p, holder, ok, want)
			}
		}
		one := tickets.Make(here, "", "ann")
		use(one, here, "ann")
		use(one, here, "") // used

		for _, other := range []Place{{"h", "T2"}, {"", "T1"}} {
			two := tickets.Make(here, "", "ann")
			use(two, other, "")
			use(two, here, "") // used at the wrong place
		}

		young, old := tickets.Make(here, "", "bob"), tickets.Make(here, "", "bob")
		time.Sleep(Life - 1)
		use(young, here, "bob")
		time.Sleep(time.Nanosecond)
		use(old, here, "")
		use("", here, "")
	})
}

// TestTicketsAreBounded wants the newest to be kept, however many there are.
func TestTicketsAreBounded(t *testing.T) {
	var tickets Tickets[int]
	first := tickets.Make(Place{}, "", 1)
	last := ""
	for range 2 * maxTickets {
		last = tickets.Make(Place{}, "", 2)
	}
	if n := len(tickets.made); n > maxTickets {
		t.Errorf("%d tickets are kept, want %d at most", n, maxTickets)
	}
	if _, ok := tickets.Use(first, Place{}); ok {
		t.Error("the oldest ticket is kept")
	}
	if _, ok := tickets.Use(last, Place{}); !ok {
		t.Error("the newest ticket is not kept")
	}
}

// TestR181TicketsOfOthersStay has somebody ask for more tickets than are kept.
func TestR181TicketsOfOthersStay(t *testing.T) {
	var tickets Tickets[int]
	mine := tickets.Make(Place{}, "me", 1)
	for range 2 * maxTickets {
		tickets.Make(Place{}, "somebody", 2)
	}
	if _, ok := tickets.Use(mine, Place{}); !ok {
		t.Error("the tickets of one asker end those of another")
	}
	if len(tickets.made) > maxTickets || tickets.queued > maxTickets {
		t.Errorf("%d tickets are kept, %d queued, want %d at most", len(tickets.made), tickets.queued, maxTickets)
	}
}
