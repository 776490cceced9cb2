package wsconn

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/wire"
)

// standing are the states in which the process of a peer can come to a halt.
var standing = map[string]func(c *Conn, peer net.Conn){
	"idle":                func(*Conn, net.Conn) {},
	"within a message":    func(_ *Conn, peer net.Conn) { peer.Write(greeting[:8]) },
	"with much to read":   func(c *Conn, _ net.Conn) { deliverMany(c, 7<<20) },
	"with both":           func(c *Conn, peer net.Conn) { peer.Write(greeting[:8]); deliverMany(c, 7<<20) },
	"with pings unopened": func(_ *Conn, peer net.Conn) { peer.Write(ping("p")) },
}

var greeting = text("hello")

// deliverMany sends messages of 64 KiB.
func deliverMany(c *Conn, size int) {
	for ; size > 0; size -= 64 << 10 {
		c.Deliver(wire.Frame{Body: []byte(strings.Repeat("x", 64<<10))})
	}
}

// TestR315StandingPeer has a patient connection wait an hour for a peer that neither reads nor
// writes, and wants everything to arrive then, in both directions.
func TestR315StandingPeer(t *testing.T) {
	for name, stand := range standing {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, peer := net.Pipe()
				defer peer.Close()
				l := Limits{Patient: true, MessageTimeout: time.Second, WriteTimeout: time.Second}.withDefaults()
				c := newConn(ours, &l)
				got, ended := make(chan string, 1), make(chan Reason, 1)
				go func() { ended <- c.Serve(context.Background(), func(m []byte) { got <- string(m) }) }()
				stand(c, peer)
				time.Sleep(time.Hour)
				select {
				case r := <-ended:
					t.Fatalf("the connection ended with %v", r)
				default:
				}
				large := 0
				done := make(chan struct{})
				go func() {
					defer close(done)
					for {
						f, err := ws.ReadFrame(peer)
						if err != nil || f.Header.OpCode == ws.OpClose {
							return
						}
						if f.Header.OpCode == ws.OpText {
							large++
						}
					}
				}()
				if name == "within a message" || name == "with both" {
					peer.Write(greeting[8:])
				} else {
					peer.Write(greeting)
				}
				if m := <-got; m != "hello" {
					t.Errorf("%q came", m)
				}
				c.Close(ReasonNormal)
				<-done
				want := 0
				if name == "with much to read" || name == "with both" {
					want = 7 << 4
				}
				if large != want {
					t.Errorf("%d large messages came, want %d", large, want)
				}
				<-ended
			})
		})
	}
}
