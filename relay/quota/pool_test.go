package quota

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// shared is a Ledger with a number of tokens.
func shared(n int) *Ledger {
	return New(Options{Bearers: func(role string) int {
		if role == "client" {
			return n
		}
		return 0
	}})
}

// fill takes single units until none is given.
func fill(a *Account) (got int64) {
	for a.Take(1) == nil {
		got++
	}
	return got
}

// TestR247Parts has tokens come one after the other, each of which takes all that it gets.
func TestR247Parts(t *testing.T) {
	for _, tt := range []struct {
		total  int64
		tokens int // that there may be
		want   []int64
	}{
		{total: 1024, tokens: 1, want: []int64{1024}},
		{total: 1024, tokens: 2, want: []int64{512, 260, 130}},
		{total: 1024, tokens: 32, want: []int64{392, 200, 104, 56, 32, 20, 14, 11, 10, 9, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0}},
		{total: 64, tokens: 100, want: []int64{25, 13, 7, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}},
		{total: 8, tokens: 3, want: []int64{4, 3, 1, 0}},
		{total: 4, tokens: 3, want: []int64{2, 2, 0}},
		{total: 3, tokens: 3, want: []int64{2, 1, 0}},
		{total: 2, tokens: 3, want: []int64{1, 1, 0}},
		{total: 1, tokens: 3, want: []int64{1, 0}},
	} {
		p := shared(tt.tokens).Pool(Clients, tt.total)
		for i, want := range tt.want {
			if got := fill(p.Open(Payer{ID: fmt.Sprint(i)})); got != want {
				t.Errorf("%d for %d tokens: token %d got %d, want %d", tt.total, tt.tokens, i, got, want)
			}
		}
	}
}

// TestR247EveryResource walks the Table: when one token has taken all that it gets, 30
// others still get their reserves, or a Payer is always found that loses something.
func TestR247EveryResource(t *testing.T) {
	for r, row := range Table {
		t.Run(row.Name, func(t *testing.T) {
			if row.Name == "" || row.Unit == "" || (row.One == "") != row.Evicts {
				t.Fatalf("resource %d has no row", r)
			}
			p := shared(100).Pool(Resource(r), max(row.Total, 1024))
			greedy := p.Open(Payer{ID: "greedy"})
			for n := p.total; n > 0; n /= 2 {
				for greedy.Take(n) == nil {
				}
			}
			if used := greedy.Used(); 2*used > p.total+p.reserve {
				t.Errorf("one token has %d of %d", used, p.total)
			}
			for over, part := range map[int64]bool{0: true, 1: false} {
				var e *Error
				if err := greedy.Take(p.total - p.used + over); !errors.As(err, &e) || e.Part != part || e.Used != greedy.Used() {
					t.Errorf("all that is free, and %d: %+v", over, err)
				}
			}
			if n := (&Ledger{bearers: func(string) int { return 1 }}).bearersOf(Resource(r)); n != 1+len(strings.Fields(row.Roles)) {
				t.Errorf("reserves are for %d payers, with the roles %q", n, row.Roles)
			}
			if _, err := p.Take(Payer{ID: "refused"}, p.total); err == nil || p.accounts["refused"] != nil {
				t.Errorf("all was taken, or whoever is refused keeps an account: %v", err)
			}
			others := int64(30)
			if p.total < kept*maxPlaces {
				others = p.total/kept - 1
			}
			for i := range others {
				if err := p.Open(Payer{ID: fmt.Sprint(i)}).Take(p.reserve); err != nil {
					t.Errorf("token %d has not got its reserve: %v", i, err)
				}
			}
			if most := p.Most(); most != "greedy" {
				t.Errorf("%q has most", most)
			}
			var e *Error
			if err := greedy.Take(1); !errors.As(err, &e) || !e.Part || !IsPart(err) {
				t.Errorf("one more: %v", err)
			}
		})
	}
}

// TestR247AnyOrder takes and gives back at random, and holds the Pool to the rule.
func TestR247AnyOrder(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		total, tokens := 1+random.Int64N(400), 1+random.IntN(40)
		p := shared(tokens).Pool(Clients, total)
		accounts := make([]*Account, tokens)
		for i := range accounts {
			accounts[i] = p.Open(Payer{ID: fmt.Sprint(i)})
		}
		for range 400 {
			a := accounts[random.IntN(tokens)]
			n, free, before := 1+random.Int64N(total), p.total-p.used, a.used
			if random.IntN(3) == 0 {
				a.Add(-min(n, a.used))
			} else if a.Take(n) == nil && tokens > 1 && a.used > p.reserve && 2*(a.used-p.reserve) > free+before+1 {
				t.Fatalf("seed %d: a token has %d after taking %d of %d that were free", seed, a.used, n, free)
			}
			checkPool(t, seed, p, accounts)
		}
	}
}

// checkPool counts again, and wants a reserve for everybody who has none while there are
// places.
func checkPool(t *testing.T, seed uint64, p *Pool, accounts []*Account) {
	t.Helper()
	var used, active int64
	for _, a := range accounts {
		used += a.used
		if a.used > 0 {
			active++
		}
	}
	if used != p.used || used > p.total || active != p.active {
		t.Fatalf("seed %d: counted %d used by %d of %d, the pool has %d by %d", seed, used, active, p.total, p.used, p.active)
	}
	_, places := reserveOf(p.total, len(accounts))
	for _, a := range accounts {
		if lack := p.reserve - a.used; lack > 0 && active <= places && (a.used > 0 || active < places) {
			if err := a.FitsLocked(lack); err != nil {
				t.Fatalf("seed %d: %d of %d tokens are active, and one does not get its reserve of %d: %v", seed, active, places, p.reserve, err)
			}
		}
	}
}

// TestR247Alone gives one token everything, as before tokens had parts.
func TestR247Alone(t *testing.T) {
	for name, l := range map[string]*Ledger{"without tokens": New(Options{}), "one token": shared(1)} {
		if got := fill(l.Pool(Calls, 1000).Open(Payer{ID: "a"})); got != 1000 {
			t.Errorf("%s: got %d of 1000", name, got)
		}
	}
	// Nobody loses what was taken when a second one comes, and the second gets the rest.
	p := shared(1).Pool(Calls, 1000)
	p.Open(Payer{}).Add(997)
	if got := fill(p.Open(Payer{ID: "b"})); got != 3 {
		t.Errorf("the second got %d, want the rest", got)
	}
}

// TestPoolsAreListed wants the metrics to find Pools in use, and no others.
func TestPoolsAreListed(t *testing.T) {
	l := shared(2)
	one, other := l.Pool(Calls, 0), l.Pool(Calls, 0)
	release, err := one.Take(Payer{ID: "1", Name: "ann"}, 3)
	if err != nil {
		t.Fatal(err)
	}
	a := other.Open(Payer{ID: "1", Name: "ann"})
	a.Add(2)
	if got := l.Usage()[Calls].Used["ann"]; got != 5 {
		t.Errorf("ann has %d, want 5", got)
	}
	release()
	release()
	a.Add(-2)
	a.Close()
	if len(l.listed) != 0 {
		t.Errorf("%d pools are listed that nobody uses", len(l.listed))
	}
}

// TestHotPathTakesNoMemory is for what happens with each command.
func TestHotPathTakesNoMemory(t *testing.T) {
	a := shared(2).Pool(Calls, 0).Open(Payer{ID: "a"})
	if n := testing.AllocsPerRun(100, func() {
		if a.TakeLocked(1) == nil {
			a.AddLocked(-1)
		}
	}); n != 0 {
		t.Errorf("it takes memory %v times", n)
	}
}

func BenchmarkTake(b *testing.B) {
	a := shared(2).Pool(Calls, 0).Open(Payer{ID: "a"})
	for b.Loop() {
		if a.TakeLocked(1) == nil {
			a.AddLocked(-1)
		}
	}
}

// TestR350OwnLimits has a token with limits of its own, which its next account changes.
func TestR350OwnLimits(t *testing.T) {
	p := shared(1).Pool(Browsers, 8)
	limited := func(n int64) Payer {
		l, err := ReadLimits(map[string]int64{"browsers": n, "clients": 1})
		if err != nil {
			t.Fatal(err)
		}
		return Payer{ID: "a", Limits: l}
	}
	a := p.Open(limited(2))
	if got := fill(a); got != 2 {
		t.Errorf("it got %d, its limit is 2", got)
	}
	if err := a.Take(1); err == nil || err.Error() != "This token has 2 browsers in use, and its own limit is 2: close some, or have the operator raise the limit browsers in the token's entry or claims" || !IsPart(err) {
		t.Errorf("the refusal: %v", err)
	}
	if got := fill(p.Open(limited(3))); got != 1 {
		t.Errorf("it got %d more, its limit is 3 now", got)
	}
	if got := fill(p.Open(Payer{ID: "a"})); got != 5 {
		t.Errorf("it got %d more, and has no limit now", got)
	}
}

// TestReadLimits walks the Table: what is refused has a name here, and nothing else has.
func TestReadLimits(t *testing.T) {
	for r, row := range Table {
		l, err := ReadLimits(map[string]int64{row.Name: 7})
		if (err != nil) != row.Evicts || err == nil && (l.of(Resource(r)) != 7 || l.Named()[row.Name] != 7) {
			t.Errorf("%s: %q, %v", row.Name, l, err)
		}
	}
	for _, wrong := range []map[string]int64{{"browser": 1}, {"": 1}, {"tabs": -1}} {
		if _, err := ReadLimits(wrong); err == nil {
			t.Errorf("%v was taken", wrong)
		}
	}
	few, _ := ReadLimits(map[string]int64{"tabs": 5, "browsers": 0})
	more, _ := ReadLimits(map[string]int64{"tabs": 6})
	for _, tt := range []struct {
		now, old Limits
		covers   bool
	}{{"", few, true}, {few, "", false}, {more, few, true}, {few, more, false}, {few, few, true}} {
		if tt.now.Covers(tt.old) != tt.covers {
			t.Errorf("%q covers %q: want %t", tt.now, tt.old, tt.covers)
		}
	}
	if n := few.of(Clients); n < 1<<62 {
		t.Errorf("what has no limit has %d", n)
	}
}

// TestR353TextsOfOne refuses a second one of each resource, and wants the words of one.
func TestR353TextsOfOne(t *testing.T) {
	for r, row := range Table {
		if row.Evicts {
			continue
		}
		own := &Error{Resource: Resource(r), Used: 1, Total: 1, Part: true, Own: true}
		if want := "This token has 1 " + row.One + " in use, and its own limit is 1: "; !strings.HasPrefix(own.Error(), want) {
			t.Errorf("%s, want %s", own, want)
		}
		if all, want := (&Error{Resource: Resource(r), Total: 1}).Error(), "The only "+row.One+" is in use: close it"; !strings.HasPrefix(all, want) {
			t.Errorf("%s, want %s", all, want)
		}
		if row.One == row.Unit || strings.HasSuffix(strings.Fields(row.One)[0], "s") {
			t.Errorf("%q is one of %q", row.One, row.Unit)
		}
	}
}
