package server

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestR68SilentConnections opens connections that send nothing.
func TestR68SilentConnections(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	conns := make([]net.Conn, hubtest.Amount(500, 5000))
	begun := time.Now()
	for i := range conns {
		nc, err := net.Dial("tcp", s.addr(i%2 == 0))
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		conns[i] = nc
	}
	for i, nc := range conns {
		nc.SetReadDeadline(time.Now().Add(within))
		if got, err := io.ReadAll(nc); err != nil || len(got) > 0 {
			t.Fatalf("connection %d was not closed: %q, %v", i, got, err)
		}
	}
	if took := time.Since(begun); took < 4*time.Second {
		t.Errorf("they were closed after %v, want 5 s", took)
	}
}
