package session

import (
	"encoding/hex"
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
	s := New(`a"b`, "T")
	if got, want := string(s.Tail()), `,"sessionId":"a\"b"}`; got != want {
		t.Errorf("Tail = %s, want %s", got, want)
	}
	unnamed := NewImplicit("I", "T")
	if got, implicit := s.Name(), unnamed.Name(); got != `a"b` || implicit != "" || (*Session)(nil).Name() != "" {
		t.Errorf("Name = %q, that of an implicit one %q", got, implicit)
	}
}
