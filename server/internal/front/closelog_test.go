package front

import (
	"sync"
	"testing"

	"github.com/cdphub/cdphub/internal/uiwire"
)

func TestCloseLog(t *testing.T) {
	var log closeLog
	if list := log.Last(); list == nil || len(list) != 0 {
		t.Errorf("without an end: %v, want an empty list", list)
	}
	for n := range 3*maxCloses + 5 {
		log.add(uiwire.Close{Code: uint16(n)})
		list := log.Last()
		if len(list) != min(n+1, maxCloses) {
			t.Fatalf("after %d ends: %d, want %d", n+1, len(list), min(n+1, maxCloses))
		}
		for i, c := range list {
			if int(c.Code) != n-i {
				t.Fatalf("after %d ends, place %d has %d, want %d", n+1, i, c.Code, n-i)
			}
		}
	}
	log.Last()[0].Code = 1
	if c := log.Last()[0]; c.Code != 3*maxCloses+4 {
		t.Error("a list shares memory with the log")
	}
}

func TestCloseLogRaces(t *testing.T) {
	var log closeLog
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2 * maxCloses {
				log.add(uiwire.Close{})
				log.Last()
			}
		})
	}
	wg.Wait()
}
