package membership

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/cluster"
)

// leftDirectory has the asker leave as soon as a hub is claimed.
type leftDirectory struct {
	cluster.Directory
	leave func()
}

func (d leftDirectory) Claim(ctx context.Context, hub string, after cluster.Epoch) (cluster.Claim, error) {
	defer d.leave()
	return d.Directory.Claim(ctx, hub, after)
}

// TestRestoreWithoutItsClient has a Client leave while its hub is claimed for it: what the node
// before has left of the hub is restored all the same, since the claim stays.
func TestRestoreWithoutItsClient(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	dir := leftDirectory{new(cluster.Memory).Join(cluster.Node{Name: "a"}), leave}
	restored := context.Canceled
	m := New(Options{
		Directory: dir, Browsers: browsers.None(nil), Log: zap.NewNop(),
		Restore: func(ctx context.Context, _ string) { restored = ctx.Err() },
	})
	_, here, err := m.Locate(ctx, "x")
	if !here || restored != nil {
		t.Errorf("the hub is here: %v (%v); its sessions cannot be read: %v", here, err, restored)
	}
	if h := m.owned["x"]; h != nil {
		h.claim.Release(t.Context()) // the directory ends with the test
	}
}

type noHubs struct{}

func (noHubs) Has(string) bool { return false }

// A node gives back a hub that has no connection.
func TestSweepReleasesHubs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := new(cluster.Memory)
		other := all.Join(cluster.Node{ID: "b"})
		m := New(Options{
			Directory: all.Join(cluster.Node{ID: "a"}), Browsers: browsers.None(nil), Log: zap.NewNop(), Hubs: noHubs{},
			Restore: func(context.Context, string) {},
		})
		if err := m.ClaimHere(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go m.Sweep(ctx)
		time.Sleep(keepHub + 2*sweepEvery)
		if o, err := other.Owner(ctx, "x"); !errors.Is(err, cluster.ErrNoOwner) {
			t.Errorf("the hub is %v's, %v", o.Node.ID, err)
		}
	})
}

func BenchmarkClusterOwn(b *testing.B) {
	m := New(Options{
		Directory: new(cluster.Memory).Join(cluster.Node{ID: "a"}), Browsers: browsers.None(nil), Log: zap.NewNop(),
		Restore: func(context.Context, string) {},
	})
	ctx := context.Background()
	for b.Loop() {
		if _, here, err := m.Locate(ctx, "x"); err != nil || !here {
			b.Fatal(err)
		}
	}
}

// A node counts what it forwards for so many nodes alone, whatever their names are.
func TestForwardStatsAreBounded(t *testing.T) {
	var s forwardStats
	for i := range 3 * maxNodeSeries {
		s.add(fmt.Sprint("renamed-", i), 0, errors.New("no"))
	}
	if n := len(s.link); n > 2*maxNodeSeries {
		t.Errorf("%d nodes are counted", n)
	}
}
