package server

import (
	"net/http/httptest"
	"testing"
)

// FuzzR210Verdicts reads what a node without the key may send.
func FuzzR210Verdicts(f *testing.F) {
	other := verdicts{self: "b", key: []byte("another key, which is long enough")}
	good, err := other.sign(&verdict{Method: "GET", URI: "/", Host: "example.com"}, "a")
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"", ".", "..", "eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJIUzI1NiJ9.e30.AAAA", good} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := verdicts{self: "a", key: []byte("the key of this cluster, long enough")}
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set(verdictHeader, text)
		if v, err := s.read(r); err == nil {
			t.Errorf("%q is taken for %+v", text, v)
		}
		if r.Header.Get(verdictHeader) != "" || len(s.seen) > 0 {
			t.Error("what is not signed leaves something behind")
		}
	})
}
