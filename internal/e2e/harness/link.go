package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
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
	Seed              uint64        // of what is random
}

// FaultsOf are the faults of a test, and for how long it lets the network fail at least: a
// few times, or for CDPHUB_LINK_FAULTS, such as 30m, and then each time for up to 20 s.
// CDPHUB_LINK_SEED is their seed.
func FaultsOf(t testing.TB) (f Faults, long time.Duration) {
	t.Helper()
	f, long = Faults{Every: 5 * time.Second, Shortest: 100 * time.Millisecond, Longest: 3 * time.Second, Seed: 1}, 12*time.Second
	var err error
	if said := os.Getenv("CDPHUB_LINK_SEED"); said != "" {
		if f.Seed, err = strconv.ParseUint(said, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if LongFaults() {
		f.Longest = 20 * time.Second
		if long, err = time.ParseDuration(os.Getenv("CDPHUB_LINK_FAULTS")); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("the network fails every %v for %v to %v, with the seed %d", f.Every, f.Shortest, f.Longest, f.Seed)
	return f, long
}

// Patience is what anything may take that a Client does while the network is away for up to
// 20 s and there for 5 s: it may meet several outages.
const Patience = 2 * time.Minute

// LongFaults says whether CDPHUB_LINK_FAULTS is set.
func LongFaults() bool { return os.Getenv("CDPHUB_LINK_FAULTS") != "" }

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
	random := rand.New(rand.NewPCG(f.Seed, 0)) //nolint:gosec // the same faults for the same seed
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-time.After(f.Every):
			}
			n.fail(f.Shortest+time.Duration(random.Int64N(int64(f.Longest-f.Shortest))), random.IntN(2) == 0)
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// WithFaults runs checks again and again, by way of `cdphub connect` to the Clients' listener
// of a hub, for as long as FaultsOf says. PATIENCE is in their environment where the network
// is away for longer than they wait otherwise.
func WithFaults(t *testing.T, clientAddr string, checks func(port string)) {
	t.Helper()
	f, long := FaultsOf(t)
	if LongFaults() {
		t.Setenv("PATIENCE", fmt.Sprint(Patience.Milliseconds()))
	}
	n := NewNetwork(t, clientAddr)
	port := Connect(t, n)
	defer n.Fail(f)()
	runs := 0
	for end := time.Now().Add(long); time.Now().Before(end) && !t.Failed(); runs++ {
		checks(port)
	}
	t.Logf("%d runs, and the network was cut %d times", runs, n.Cuts())
}

// fail is one fault: a reset, or a silence before it.
func (n *Network) fail(away time.Duration, silent bool) {
	n.Refuse(true)
	defer n.Refuse(false)
	if silent {
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
