package server

import (
	"context"
	"hash/maphash"
	"testing"

	"go.uber.org/zap"

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

// TestRestoreWithoutItsAsker has a Client leave while its hub is claimed for it: what the node
// before has left of the hub is restored all the same, since the claim stays.
func TestRestoreWithoutItsAsker(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	dir := leftDirectory{new(cluster.Memory).Join(cluster.Node{Name: "a"}), leave}
	restored := context.Canceled
	m := &membership{
		dir: dir, id: dir.Self().ID, log: zap.NewNop(), seed: maphash.MakeSeed(), held: make(map[string]*holding),
		restore: func(ctx context.Context, _ string) { restored = ctx.Err() },
	}
	_, here, err := m.own(ctx, "x")
	if !here || restored != nil {
		t.Errorf("the hub is here: %v (%v); its sessions cannot be read: %v", here, err, restored)
	}
	if h := m.holdingOf("x"); h != nil {
		h.claim.Release(t.Context()) // the directory ends with the test
	}
}
