package wsconn

import (
	"net"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/tcpstate/tcptest"
)

// TestR315PeerThatIsGone has the peer's system acknowledge nothing more: then a patient
// connection ends too.
func TestR315PeerThatIsGone(t *testing.T) {
	for name, stand := range standing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := make(chan *Conn, 1)
			o := Options{Limits: Limits{Patient: true, PingEvery: 10 * time.Millisecond, PongWithin: 50 * time.Millisecond}}
			addr, ended := server(t, o, func(c *Conn) func([]byte) {
				made <- c
				return func([]byte) {}
			})
			p, _ := dialRaw(t, addr, "", nil)
			c := <-made
			stand(c, p)
			tcptest.Deafen(t, p.Conn.(*net.TCPConn))
			wantReason(t, ended, ReasonDead)
		})
	}
}
