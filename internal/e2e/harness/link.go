package harness

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// Faults are those of a network between `cdphub connect` and its hub.
type Faults struct {
	Every             time.Duration // the network fails
	Shortest, Longest time.Duration // and is away for a random time of these
}

// Network is a network that fails now and then: by resets, or by silence that ends in a
// reset. Meanwhile nobody can connect.
type Network struct {
	*hubtest.Network
	cuts atomic.Int32
}

// NewNetwork starts one in front of an address. It ends with the test.
func NewNetwork(t testing.TB, to string) *Network {
	t.Helper()
	return &Network{Network: hubtest.NewNetwork(t, to)}
}

// Cuts is how often the network was cut.
func (n *Network) Cuts() int { return int(n.cuts.Load()) }

// Fail cuts the network as the faults say, until stop is called.
func (n *Network) Fail(f Faults) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-time.After(f.Every):
			}
			n.fail(f.Shortest + rand.N(f.Longest-f.Shortest))
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// fail is one fault.
func (n *Network) fail(away time.Duration) {
	n.Refuse(true)
	defer n.Refuse(false)
	if rand.IntN(2) == 0 {
		defer n.Silence()()
		time.Sleep(away)
		n.Cut()
	} else {
		n.Cut()
		time.Sleep(away)
	}
	n.cuts.Add(1)
}

// Connect runs `cdphub connect` to the Clients' listener of a hub, by way of a
// network, and returns the port where Clients connect. It ends with the test.
func Connect(t testing.TB, n *Network, args ...string) (port string) {
	t.Helper()
	path, err := CDPHub()
	if err != nil {
		t.Fatal(err)
	}
	h := &Hub{}
	cmd := exec.Command(path, append([]string{"connect", "ws://" + n.Addr, "--listen", "127.0.0.1:0", "--log-json"}, args...)...)
	cmd.Stdout, cmd.Stderr = h, h
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("cdphub connect ended with %v after SIGTERM", err)
		}
		if t.Failed() {
			t.Logf("cdphub connect said:\n%s", h.Log())
		}
	})
	Eventually(t, Started, func() error {
		for line := range strings.Lines(h.Log()) {
			var l struct{ Msg, Addr string }
			if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "linked" {
				_, port, err = net.SplitHostPort(l.Addr)
				return err
			}
		}
		return errors.New("cdphub connect has not linked")
	})
	return port
}
