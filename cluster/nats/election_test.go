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
