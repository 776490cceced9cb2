package journal

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/cdphub/cdphub/relay/quota"
)

// act keeps entries of some kilobytes on a target, on behalf of a token. The Journal does
// nothing else meanwhile.
func (s *stage) act(token, target string, kilobytes int) {
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	for range kilobytes {
		noise := make([]byte, 1<<10)
		rand.Read(noise)
		s.j.keepLocked(s.j.lineLocked(lineKey{"h", target}, quota.Payer{ID: token}, time.Now()), Entry{Kind: Console, Text: "noise"}, noise)
	}
}

// of counts the recordings of a target in a folder.
func of(t *testing.T, dir, target string) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*-"+target+Extension))
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// TestR249RecordingsOfOthersStay has one token record much more than there is room for,
// in old and in new recordings, in one and in many.
func TestR249RecordingsOfOthersStay(t *testing.T) {
	dir := t.TempDir()
	play(t, Options{Record: &Record{Dir: dir, Size: 300 << 10}}, func(s *stage) {
		s.act("B", "quiet", 20)
		s.pass(2 * time.Minute)
		for n := range 10 {
			s.act("A", fmt.Sprint("noise", n), 50)
			s.pass(2 * time.Minute)
		}
		if of(t, dir, "quiet") != 1 || of(t, dir, "noise0") != 0 || of(t, dir, "noise9") != 1 {
			t.Errorf("B has %d recordings; of A's the oldest %d, the newest %d", of(t, dir, "quiet"), of(t, dir, "noise0"), of(t, dir, "noise9"))
		}
		s.act("A", "noise0", 1) // whose recording has made room: another one begins
		for range 20 {          // in one recording that goes on, for more than a minute
			s.act("A", "loud", 50)
			s.pass(10 * time.Second)
		}
		s.act("C", "late", 20)
		s.pass(2 * time.Second)
		if of(t, dir, "quiet") != 1 || of(t, dir, "late") != 1 {
			t.Errorf("B has %d recordings, and C, who came later, %d", of(t, dir, "quiet"), of(t, dir, "late"))
		}
	})
	// A restart does not make them everybody's.
	play(t, Options{Record: &Record{Dir: dir, Size: 300 << 10}}, func(s *stage) {
		for n := range 10 {
			s.act("A", fmt.Sprint("again", n), 50)
			s.pass(2 * time.Minute)
		}
		if of(t, dir, "quiet") != 1 || of(t, dir, "late") != 1 {
			t.Errorf("after a restart B has %d recordings, C %d", of(t, dir, "quiet"), of(t, dir, "late"))
		}
	})
}

// TestR249ARecordingStaysItsPayers has another token add noise to somebody's page: what it
// adds counts for itself.
func TestR249ARecordingStaysItsPayers(t *testing.T) {
	dir := t.TempDir()
	play(t, Options{Record: &Record{Dir: dir, Size: 300 << 10}}, func(s *stage) {
		s.act("B", "old", 50)
		s.pass(2 * time.Minute)
		s.act("B", "page", 10)
		for n := range 10 {
			s.act("A", "page", 50)
			s.act("A", fmt.Sprint("own", n), 10)
			s.pass(2 * time.Minute)
		}
		if of(t, dir, "old") != 1 {
			t.Error("B has lost a recording by A's noise on B's page")
		}
	})
}

// TestR249TimelinesOfOthersStay fills the memory of timelines, and then their number.
func TestR249TimelinesOfOthersStay(t *testing.T) {
	play(t, Options{Size: 1 << 20, Memory: 300 << 10}, func(s *stage) {
		s.act("B", "large", 60)
		for n := range 50 {
			s.act("A", fmt.Sprint("small", n), 20)
		}
		s.j.mu.Lock()
		if n := len(s.j.lines[lineKey{"h", "large"}].ring.kept); n != 60 {
			t.Errorf("B has %d of 60 entries", n)
		}
		s.j.mu.Unlock()
		for n := range quota.Table[quota.Timelines].Total + 10 {
			s.act("A", fmt.Sprint("line", n), 1)
		}
		s.j.mu.Lock()
		defer s.j.mu.Unlock()
		if s.j.lines[lineKey{"h", "large"}] == nil || len(s.j.lines) > int(quota.Table[quota.Timelines].Total) {
			t.Errorf("of %d timelines, B's is %v", len(s.j.lines), s.j.lines[lineKey{"h", "large"}])
		}
	})
}

// TestR291TimelineThatMakesRoom has more timelines than there may be, each with an entry of
// the token that began it, and of another.
func TestR291TimelineThatMakesRoom(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		for n := range quota.Table[quota.Timelines].Total + 10 {
			s.act("A", fmt.Sprint("line", n), 1)
			s.act("B", fmt.Sprint("line", n), 1)
		}
	})
}

// TestR249EventsOfOthersAreNotLost fills the queue of a Journal, which nobody empties.
func TestR249EventsOfOthersAreNotLost(t *testing.T) {
	q := queue{woken: make(chan struct{}, 1)}
	q.share(quota.New(quota.Options{Bearers: func(string) int { return 5 }}))
	put := func(token, target string) {
		q.put(item{key: lineKey{"h", target}, payer: quota.Payer{ID: token}, size: 60 << 10, do: func(*Journal, *line) {}})
	}
	for range 1000 {
		put("A", "noise")
	}
	put("B", "quiet")
	b := q.take(nil)
	if b.lost[lineKey{"h", "noise"}] == 0 || b.lost[lineKey{"h", "quiet"}] > 0 {
		t.Errorf("lost are %v", b.lost)
	}
	put("A", "noise")
	if b := q.take(nil); len(b.items) != 1 || len(q.counts) != 0 {
		t.Errorf("%d items after it was emptied, want one", len(b.items))
	}
}
