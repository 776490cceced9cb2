package natsdir

import (
	"slices"
	"testing"
	"time"
)

// The times are those of nats-server: had it other names for them, they would be 0 here.
func TestElectionsAreSooner(t *testing.T) {
	var got []time.Duration
	for _, one := range raftTimes() {
		got = append(got, *one*sooner)
	}
	if want := []time.Duration{time.Second, 4 * time.Second, 9 * time.Second, 10 * time.Second, 10 * time.Second}; !slices.Equal(got, want) {
		t.Errorf("nats-server's own times are %v, want %v: see raft.go", got, want)
	}
}

// What a leader says that is none any more takes no claim of this node.
func TestOlderEpochsTakeNothing(t *testing.T) {
	d := open(t, startServers(t, 1)[0], "a", func(o *Options) { o.Replicas = 1 })
	first, err := d.Claim(t.Context(), "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	newer := &claim{d: d, hub: "x", epoch: first.Epoch() + 1000, lost: make(chan struct{})}
	d.mu.Lock()
	d.held["x"] = newer
	d.mu.Unlock()
	if err := newer.Certain(t.Context()); err != nil || isLost(newer) {
		t.Errorf("a claim is lost to an older one: %v", err)
	}
	late, err := d.Claim(t.Context(), "x", first.Epoch())
	if err != nil || !isLost(late) || isLost(newer) {
		t.Errorf("%v: of two claims of one node, the older one is lost: %v, the newer one: %v", err, isLost(late), isLost(newer))
	}
}
