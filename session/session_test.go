package session

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
)

// TestR28SessionIDsAreRandom wants ids whose beginnings differ: of 10,000 that
// are random two share 8 digits in one of 86 rounds, so there are several.
func TestR28SessionIDsAreRandom(t *testing.T) {
	shape := regexp.MustCompile(`^[0-9A-F]{32}$`)
	var shared string
	for range 5 {
		seen := map[string]bool{}
		shared = ""
		for range 10_000 {
			id := NewID()
			if !shape.MatchString(id) {
				t.Fatalf("id %q is not 32 upper-case hexadecimal digits", id)
			}
			if seen[id[:12]] {
				t.Fatalf("two ids begin with %s", id[:12])
			}
			if seen[id[:8]] {
				shared = id[:8]
			}
			seen[id[:12]], seen[id[:8]] = true, true
		}
		if shared == "" {
			return
		}
	}
	t.Errorf("in each round two ids begin alike, at last with %s", shared)
}

// TestR28SessionIDsHave122RandomBits wants every bit of an id to take both
// values, but for the version and the variant of a UUID.
func TestR28SessionIDsHave122RandomBits(t *testing.T) {
	var ones, zeros [16]byte
	for range 1000 {
		raw, err := hex.DecodeString(NewID())
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range raw {
			ones[i] |= b
			zeros[i] |= ^b
		}
	}
	same := [16]byte{6: 0xf0, 8: 0xc0} // RFC 9562, section 5.4
	for i := range ones {
		if ones[i]&zeros[i] != ^same[i] {
			t.Errorf("byte %d has bits that never change: %08b, want %08b", i, ^(ones[i] & zeros[i]), same[i])
		}
	}
}

func TestTail(t *testing.T) {
	s := New(`a"b`, "T", nil)
	if got, want := string(s.Tail()), `,"sessionId":"a\"b"}`; got != want {
		t.Errorf("Tail = %s, want %s", got, want)
	}
	if got, implicit := s.Name(), NewImplicit("I", "T", nil).Name(); got != `a"b` || implicit != "" || (*Session)(nil).Name() != "" {
		t.Errorf("Name = %q, that of an implicit one %q", got, implicit)
	}
}

// TestTable adds and removes at random and compares with a plain list.
func TestTable(t *testing.T) {
	var table Table
	all := map[string]*Session{}
	parents := []*Session{nil, New("P1", "T0", nil), New("P2", "T0", nil)}
	for i := range 2000 {
		if rand.IntN(3) > 0 || len(all) == 0 {
			s := New(fmt.Sprint(i), fmt.Sprint("T", rand.IntN(5)), nil)
			s.Parent = parents[rand.IntN(len(parents))]
			table.Add(s)
			all[s.ID] = s
		} else {
			for id, s := range all {
				table.Remove(s)
				delete(all, id)
				break
			}
		}
		if table.Len() != len(all) {
			t.Fatalf("Len = %d, want %d", table.Len(), len(all))
		}
	}
	for id, s := range all {
		if table.Get(id) != s {
			t.Fatalf("Get(%s) does not find its session", id)
		}
	}
	found := 0
	for i := range 5 {
		target := fmt.Sprint("T", i)
		for _, s := range table.OfTarget(target) {
			if s.TargetID != target || all[s.ID] != s {
				t.Fatalf("OfTarget(%s) has session %s of %s", target, s.ID, s.TargetID)
			}
			found++
		}
	}
	if found != len(all) {
		t.Errorf("OfTarget finds %d sessions, want %d", found, len(all))
	}
	found = 0
	for _, s := range all {
		if s.Parent == nil {
			found++
		}
	}
	for _, parent := range parents[1:] {
		for _, s := range parent.Inside() {
			if s.Parent != parent || all[s.ID] != s {
				t.Fatalf("Inside has session %s of another parent", s.ID)
			}
			found++
		}
	}
	if found != len(all) {
		t.Errorf("Inside finds %d sessions, want %d", found, len(all))
	}
	for _, s := range all {
		table.Remove(s)
	}
	if table.Len() != 0 || len(table.noSide.lists) != 0 || len(parents[1].Inside()) != 0 {
		t.Error("an emptied table still holds something")
	}
}
