package siege

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// attack is one row of the table.
type attack struct {
	name  string
	scope string // of the attacker's token; "" for an attack without one
	in    setup  // the set-ups in which it runs
	quick bool   // it runs by default, too
	// slow are the set-ups in which the victim may lose more than half of its speed while the
	// attack lasts, though no command and no browser, and why says why.
	slow setup
	why  string
	// begin attacks until ctx ends, or for less time. It reports nothing: an attack may
	// be refused, and its connections may be closed.
	begin func(ctx context.Context, a *attacker)
}

// table is all rows.
func table() (rows []attack) {
	for _, part := range [][]attack{commandAttacks(), floodAttacks(), pageAttacks(), doorAttacks(), hostAttacks()} {
		rows = append(rows, part...)
	}
	for i := range rows {
		if s, is := slowRows[rows[i].name]; is {
			rows[i].slow, rows[i].why = s.in, s.why
		}
	}
	return rows
}

// slowRows are the rows during which the victim may be slow.
var slowRows = map[string]struct {
	in  setup
	why string
}{
	"three sockets with commands of 100 MB":              {shared | frames, "a message of 100 MB keeps the one connection to the Host for its own transfer"},
	"sessions of MCP without an end":                     {frames, "HTTP requests of one token take no turns with messages of others on the CPUs"},
	"a command of 100 MiB":                               {frames, "a message of 100 MB keeps the one connection to the Host for its own transfer"},
	"17 sockets with calls that never end":               {shared, ownThread},
	"a loop of history.replaceState with long addresses": {shared, floods},
	"a loop of document.title":                           {shared, floods},
	"a loop of document.title with long titles":          {shared, floods},
	"a loop of location.hash":                            {shared, floods},
	"a loop of history.back and forward":                 {shared, floods},
	"a loop of console.log":                              {shared, floods},
	"a loop of console.log with long texts":              {shared, floods},
	"sessions of one page":                               {shared, ownThread},
	"sessions of the browser":                            {shared, ownThread},
	"contexts":                                           {shared, ownThread},
	"a hundred pages":                                    {shared, ownThread},
	"console.log of 300 MB":                              {shared, floods},
	"cookies without an end":                             {shared, floods},
	"moves of the window":                                {shared, floods},
	"new pages by HTTP":                                  {shared, ownThread},
	"animations without an end":                          {shared, "one process draws for all pages of a browser"},
}

// floods is why a page that floods slows the others down: what its process has sent is in the
// browser's queue before the hub can know.
const floods = "the browser's own thread handles what the page has sent before the hub ends the page"

// ownThread is why commands that make something in the browser slow the others down.
const ownThread = "the browser makes contexts, pages and sessions in its own thread, in the order in which it has read the commands"

// fewestRows is how many rows the table must have.
const fewestRows = 60

// TestR270TableOfAttacks holds the table to its own rules.
func TestR270TableOfAttacks(t *testing.T) {
	rows, seen := table(), map[string]bool{}
	if len(rows) < fewestRows {
		t.Errorf("the table has %d rows, want %d at least", len(rows), fewestRows)
	}
	for _, row := range rows {
		if seen[row.name] {
			t.Errorf("two rows are named %q", row.name)
		}
		seen[row.name] = true
		if row.slow&own != 0 || row.slow&^row.in != 0 || (row.slow != 0) != (row.why != "") {
			t.Errorf("%s: say why the victim is slow, in set-ups that the row has; with a browser of its own it never is", row.name)
		}
		if row.in&browsers == own {
			t.Errorf("%s: the row leaves out the browser that both share", row.name)
		}
	}
}

// TestR270Siege runs the table.
func TestR270Siege(t *testing.T) {
	long := os.Getenv("CDPHUB_LONG") != ""
	for _, in := range []setup{own, shared, frames} {
		t.Run(setupNames[in], func(t *testing.T) {
			w := newWorld(t, in)
			b := &battle{world: w}
			for _, row := range table() {
				if row.in&in != 0 && (long || row.quick) {
					t.Run(strings.ReplaceAll(row.name, " ", "_"), func(t *testing.T) { b.fight(t, row) })
				}
			}
		})
	}
}

// battle is the two who work, and what they have left of their connections.
type battle struct {
	*world
	victim, control *worker
}

// enough is how many commands of the control a comparison needs.
const enough = 60

// fight runs one row: victim and control work for the same seconds, on the same machine, and
// only the hub of one is attacked.
func (b *battle) fight(t *testing.T, row attack) {
	if b.victim == nil {
		b.victim, b.control = newWorker(b.t, b.world, b.hub), newWorker(b.t, b.world, b.spare)
	}
	share := "victim"
	if b.setup == shared {
		share = team
	}
	before := len(ends(b.hub, share))
	err, spareErr := b.compare(t, row)
	if now := ends(b.hub, share); len(now) > before {
		t.Errorf("the victim's browser has ended: %s", strings.Join(now[before:], "; "))
	}
	if err != nil || spareErr != nil || !b.recover(t) {
		b.victim.close()
		b.control.close()
		b.victim = nil
	}
}

// rounds are how often a row is measured at most. What else the machine does slows down one of
// the two by chance; an attack that starves the victim does so in each round.
const rounds = 3

// compare has both work while the row's attack lasts, and wants half of the control's speed from
// the victim in one of the rounds, unless the row is known to be slow.
func (b *battle) compare(t *testing.T, row attack) (victimErr, controlErr error) {
	for range rounds {
		if b.setup == frames {
			b.victim.awaitTarget(t, b.attackersApp())
		}
		a := newAttacker(t, b.world, row.scope)
		victimErr, controlErr = b.workDuring(t, func(ctx context.Context) { row.begin(ctx, a) })
		a.leave()
		if b.setup == frames {
			b.renew()
		}
		done, want := b.victim.done.Load(), b.control.done.Load()
		t.Logf("the victim's commands: %d, the control's: %d (%.2f)", done, want, float64(done)/float64(max(want, 1)))
		switch {
		case controlErr != nil:
			t.Errorf("the control: %v", controlErr)
			return victimErr, controlErr
		case victimErr != nil:
			t.Errorf("after %d commands the victim got: %v", done, victimErr)
			return victimErr, controlErr
		case 2*done >= want || row.slow&b.setup != 0:
			return nil, nil
		}
	}
	t.Error("the victim has less than half of the speed of the control")
	return nil, nil
}

// workDuring has both work while the attack lasts: for a window, and until the control has done
// enough to be compared with.
func (b *battle) workDuring(t *testing.T, attack func(context.Context)) (victimErr, controlErr error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.victim.done.Store(0)
	b.control.done.Store(0)
	var attacked, worked sync.WaitGroup
	stop := make(chan struct{})
	attacked.Go(func() { attack(ctx) })
	worked.Go(func() { victimErr = b.victim.work(ctx, stop) })
	worked.Go(func() { controlErr = b.control.work(ctx, stop) })
	ended := time.After(window())
	for limit := time.Now().Add(harness.Started); ; {
		<-ended
		if b.control.done.Load() >= enough || time.Now().After(limit) {
			break
		}
		ended = time.After(50 * time.Millisecond)
	}
	close(stop)
	worked.Wait()
	cancel()
	attacked.Wait()
	return victimErr, controlErr
}

// recover waits until what the attack has left is gone, so that each row begins alike: until
// the victim is about as fast as the control. It reports whether the victim can go on.
func (b *battle) recover(t *testing.T) bool {
	t.Helper()
	steps := func(k *worker) time.Duration {
		began := time.Now()
		for n := range 10 {
			if err := k.step(t.Context(), n); err != nil {
				t.Errorf("after the attack: %v", err)
				return -1
			}
		}
		return time.Since(began)
	}
	for limit := time.Now().Add(2 * harness.Started); time.Now().Before(limit); {
		took, should := steps(b.victim), steps(b.control)
		if took < 0 || should < 0 {
			return false
		}
		if 2*took < 3*should {
			return true
		}
	}
	t.Error("the victim is slow long after the attack")
	return false
}
