package forward

import (
	"net"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/tcpstate/tcptest"
)

// TestR315WatchEnds looks at forwarded connections whose Client reads nothing.
func TestR315WatchEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		end  func(t *testing.T, cut, done chan struct{}, owner, client *net.TCPConn)
		ends bool // the Client's connection
	}{
		"it stands still": {func(*testing.T, chan struct{}, chan struct{}, *net.TCPConn, *net.TCPConn) {}, false},
		"its system is gone": {func(t *testing.T, _, _ chan struct{}, _, client *net.TCPConn) {
			tcptest.Deafen(t, client)
		}, true},
		"the owner resets": {func(_ *testing.T, _, _ chan struct{}, owner, _ *net.TCPConn) {
			owner.SetLinger(0)
			owner.Close()
		}, true},
		"the owner has sent all": {func(_ *testing.T, _, _ chan struct{}, owner, _ *net.TCPConn) { owner.Close() }, false},
		"it is cut":              {func(_ *testing.T, cut, _ chan struct{}, _, _ *net.TCPConn) { close(cut) }, true},
		"it is answered":         {func(_ *testing.T, _, done chan struct{}, _, _ *net.TCPConn) { close(done) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, far := tcptest.Pair(t)
			owner, node := tcptest.Pair(t)
			tcptest.Fill(t, client)
			node.Write([]byte("more")) // it waits to be read
			cut, done := make(chan struct{}), make(chan struct{})
			j := &hijackedAnswer{owner: owner, cut: cut, done: done}
			ended := make(chan struct{})
			go func() { defer close(ended); j.watchEnds(client, 100*time.Millisecond) }()
			tt.end(t, cut, done, node, far)
			if tt.ends {
				<-ended
			} else {
				select {
				case <-ended:
				case <-time.After(2 * time.Second): // many looks
				}
			}
			client.SetWriteDeadline(time.Now())
			_, err := client.Write([]byte("x"))
			if closed := err != nil && !isTimeout(err); closed != tt.ends {
				t.Errorf("the Client's connection: %v, want it ended: %v", err, tt.ends)
			}
			if name != "it is answered" && !tt.ends {
				close(done)
			}
			far.Close()
			<-ended
		})
	}
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error) //nolint:errorlint // as net returns it
	return ok && timeout.Timeout()
}
