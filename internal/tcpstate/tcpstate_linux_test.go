package tcpstate

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/tcpstate/tcptest"
)

const (
	patience = time.Minute
	within   = 100 * time.Millisecond
)

// TestAcknowledges looks at peers that stand still, and at peers that are gone, each with
// room for what is sent and without.
func TestAcknowledges(t *testing.T) {
	for name, tt := range map[string]struct{ full, gone bool }{
		"stands": {}, "stands and is full": {full: true}, "gone": {gone: true}, "gone and is full": {full: true, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := tcptest.Pair(t)
			if tt.full {
				tcptest.Fill(t, ours)
			}
			if tt.gone {
				tcptest.Deafen(t, theirs)
			}
			sent, want := time.Now(), !tt.gone
			ours.SetWriteDeadline(sent.Add(within))
			ours.Write([]byte("a ping")) // without room it waits, and is given up
			// What is gone is noticed when the system has sent twice again. By then, those
			// that stand must not have been taken for gone.
			for time.Since(sent) < 2*time.Second || Acknowledges(ours, within) != want {
				if want && !Acknowledges(ours, within) {
					t.Fatal("a peer that stands still is taken for gone")
				}
				if time.Since(sent) > patience {
					t.Fatal("a peer that is gone is not noticed")
				}
				time.Sleep(within / 10)
			}
		})
	}
}

// TestClosed resets a connection that has bytes to read.
func TestClosed(t *testing.T) {
	ours, theirs := tcptest.Pair(t)
	tcptest.Fill(t, theirs)
	if Closed(ours) {
		t.Error("an open connection is called closed")
	}
	theirs.SetLinger(0)
	theirs.Close()
	for begun := time.Now(); !Closed(ours); time.Sleep(within / 10) {
		if time.Since(begun) > patience {
			t.Fatal("the reset is not noticed")
		}
	}
	if Acknowledges(ours, within) {
		t.Error("a closed connection acknowledges")
	}
}

// TestNoSocket asks about what is no TCP connection.
func TestNoSocket(t *testing.T) {
	pipe, other := net.Pipe()
	defer pipe.Close()
	defer other.Close()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	local, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	for _, c := range []net.Conn{pipe, local} {
		if !Acknowledges(c, 0) || Closed(c) {
			t.Errorf("%T: it is taken for gone", c)
		}
	}
}
