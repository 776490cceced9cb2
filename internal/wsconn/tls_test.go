package wsconn

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/wire"
)

// tlsPair serves one end of a pipe over TLS and returns the other end.
func tlsPair(t *testing.T, cert tls.Certificate) (peer *tls.Conn, c *Conn, ended <-chan Reason) {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { theirs.Close() })
	server := tls.Server(ours, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12})
	peer = tls.Client(theirs, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}) //nolint:gosec // a test
	shaken := make(chan error, 1)
	go func() { shaken <- server.Handshake() }()
	if err := peer.Handshake(); err != nil {
		t.Fatal(err)
	}
	if err := <-shaken; err != nil {
		t.Fatal(err)
	}
	l := Limits{}.withDefaults()
	c = newConn(server, &l)
	done := make(chan Reason, 1)
	go func() {
		done <- c.Serve(t.Context(), func(m []byte) { c.Deliver(wire.Frame{Body: m}) })
	}()
	return peer, c, done
}

func testCertificate(t *testing.T) tls.Certificate {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	return s.TLS.Certificates[0]
}

// TestTLSSlowPeer reads a long message slowly: as long as each chunk is taken
// within the timeout, all of it arrives.
func TestTLSSlowPeer(t *testing.T) {
	cert := testCertificate(t)
	synctest.Test(t, func(t *testing.T) {
		peer, c, ended := tlsPair(t, cert)
		long := strings.Repeat("0123456789", 60_000) // 27 s: no pong is due yet
		c.Deliver(wire.Frame{Body: []byte(long)})
		begun := time.Now()
		f, err := ws.ReadFrame(&slowReader{peer})
		if err != nil || string(f.Payload) != long {
			t.Fatalf("got %d bytes, %v; want %d", len(f.Payload), err, len(long))
		}
		if took := time.Since(begun); took < 20*time.Second {
			t.Errorf("took %v, which no timeout notices", took)
		}
		c.Close(ReasonNormal)
		for f.Header.OpCode != ws.OpClose { // a ping may come before
			if f, err = ws.ReadFrame(peer); err != nil {
				t.Fatalf("no close frame came: %v", err)
			}
		}
		if n, err := peer.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("then %d bytes, %v; want the end of TLS", n, err)
		}
		peer.NetConn().Close()
		if r := <-ended; r != ReasonNormal {
			t.Errorf("closed with %v", r)
		}
	})
}

// slowReader takes 64 KiB in three seconds at most.
type slowReader struct{ io.Reader }

func (r *slowReader) Read(p []byte) (int, error) {
	time.Sleep(3 * time.Second / 8)
	return r.Reader.Read(p[:min(len(p), 8<<10)])
}

// TestTLSStuckPeer reads nothing: crypto/tls cannot go on after a timeout, so
// that the first one ends the connection, and its Close must not wait.
func TestTLSStuckPeer(t *testing.T) {
	cert := testCertificate(t)
	synctest.Test(t, func(t *testing.T) {
		_, c, ended := tlsPair(t, cert)
		begun := time.Now()
		c.Deliver(wire.Frame{Body: []byte(strings.Repeat("x", 1<<20))})
		if r := <-ended; r != ReasonSlowConsumer {
			t.Errorf("closed with %v, want %v", r, ReasonSlowConsumer)
		}
		if took := time.Since(begun); took < 10*time.Second || took > 12*time.Second {
			t.Errorf("closed after %v, want 10 s and little more", took)
		}
	})
}
