package membership

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"
)

// FuzzR210Assertions reads what a node without the key may send.
func FuzzR210Assertions(f *testing.F) {
	other := NewSigner("b", []byte("another key, which is long enough"))
	good, err := other.Sign(&Assertion{Method: "GET", URI: "/", Host: "example.com"}, "a")
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"", ".", "..", "eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJIUzI1NiJ9.e30.AAAA", good} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := NewSigner("a", []byte("the key of this cluster, long enough"))
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set(AssertionHeader, text)
		if v, err := s.Verify(r); err == nil {
			t.Errorf("%q is taken for %+v", text, v)
		}
		if r.Header.Get(AssertionHeader) != "" || len(s.seen) > 0 {
			t.Error("what is not signed leaves something behind")
		}
	})
}

// each assertion counts once, whatever order they come in; what is remembered of
// them has an end, and a flood of them keeps no newer one out.
func TestR210RememberedAssertionsAreBounded(t *testing.T) {
	s := new(Signer)
	good := func(ids ...string) {
		t.Helper()
		for _, id := range ids {
			if err := s.once(id); err != nil {
				t.Error(id, err)
			}
		}
	}
	bad := func(ids ...string) {
		t.Helper()
		for _, id := range ids {
			if err := s.once(id); err == nil {
				t.Errorf("%q counts", id)
			}
		}
	}
	bad("", ".", "a", ".1", "a.", "a.-1", "a.0x1", "a.1.2", "a.18446744073709551616")
	good("a.3", "a.1", "b.1", "a.2", "a.70")
	bad("a.3", "a.1", "a.2", "b.1", "a.70")
	good("a.5", "a.69")
	for i := range 3 * windowSize {
		if err := s.once(fmt.Sprint("a.", 71+i)); err != nil {
			t.Fatal(i, err)
		}
	}
	const newest = 70 + 3*windowSize
	bad("a.70", "a.4", fmt.Sprint("a.", newest), fmt.Sprint("a.", newest-windowSize+1), fmt.Sprint("a.", newest-windowSize))
	good("b.2", fmt.Sprint("a.", newest+windowSize-1))
	bad(fmt.Sprint("a.", newest), fmt.Sprint("a.", newest+windowSize-1))
	good(fmt.Sprint("a.", newest+1), "a.18446744073709551615")
	bad(fmt.Sprint("a.", newest+2), "a.18446744073709551615")
	for _, w := range s.seen {
		w.used = time.Now().Add(-time.Hour)
	}
	if good("c.1"); len(s.seen) != 1 {
		t.Errorf("%d nodes are remembered that have ended", len(s.seen)-1)
	}
}
