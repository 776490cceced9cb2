package closelog

import (
	"encoding/json"
	"sync"
	"testing"
	"time"
)

func TestRing(t *testing.T) {
	var r Ring
	if list := r.Last(); list == nil || len(list) != 0 {
		t.Errorf("without an end: %v, want an empty list", list)
	}
	for n := range 3*Size + 5 {
		r.Add(Close{Code: uint16(n)})
		list := r.Last()
		if len(list) != min(n+1, Size) {
			t.Fatalf("after %d ends: %d, want %d", n+1, len(list), min(n+1, Size))
		}
		for i, c := range list {
			if int(c.Code) != n-i {
				t.Fatalf("after %d ends, place %d has %d, want %d", n+1, i, c.Code, n-i)
			}
		}
	}
	r.Last()[0].Code = 1
	if c := r.Last()[0]; c.Code != 3*Size+4 {
		t.Error("a list shares memory with the ring")
	}
}

func TestRingRaces(t *testing.T) {
	var r Ring
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2 * Size {
				r.Add(Close{})
				r.Last()
			}
		})
	}
	wg.Wait()
}

func TestJSON(t *testing.T) {
	c := Close{time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC), "client", "", "127.0.0.1:5", 4302, "token revoked"}
	const want = `{"time":"2026-01-02T15:04:05Z","side":"client","hub":"","peer":"127.0.0.1:5","code":4302,"reason":"token revoked"}`
	if got, err := json.Marshal(c); err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
