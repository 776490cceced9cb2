package cluster

import (
	"errors"
	"testing"
)

func TestMemoryNewestClaimWins(t *testing.T) {
	ctx := t.Context()
	var d Memory
	if _, err := d.Owner(ctx, "a"); !errors.Is(err, ErrNoHost) {
		t.Fatalf("the owner of a hub that nobody claims: %v, want ErrNoHost", err)
	}
	first, _ := d.Claim(ctx, "a")
	other, _ := d.Claim(ctx, "b")
	second, err := d.Claim(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	if second.Epoch() <= first.Epoch() {
		t.Errorf("epochs %d, then %d", first.Epoch(), second.Epoch())
	}
	if !isLost(first) || isLost(second) || isLost(other) {
		t.Errorf("lost: first %v, second %v, another hub's %v; want only the first", isLost(first), isLost(second), isLost(other))
	}
	if err := first.Release(ctx); err != nil { // too late to matter
		t.Fatal(err)
	}
	if o, err := d.Owner(ctx, "a"); err != nil || !o.Local || o.Epoch != second.Epoch() {
		t.Errorf("owner %+v, %v; want this node with epoch %d", o, err, second.Epoch())
	}
	if err := second.Release(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Owner(ctx, "a"); !errors.Is(err, ErrNoHost) || isLost(second) {
		t.Errorf("after the release: %v, lost %v; want ErrNoHost, and not lost", err, isLost(second))
	}
	if third, _ := d.Claim(ctx, "a"); third.Epoch() <= second.Epoch() {
		t.Errorf("epoch %d after a release, want more than %d", third.Epoch(), second.Epoch())
	}
}

func TestMemoryClose(t *testing.T) {
	ctx := t.Context()
	var d Memory
	c, _ := d.Claim(ctx, "a")
	if err := d.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if !isLost(c) {
		t.Error("a claim is not lost when its directory closes")
	}
	if _, err := d.Claim(ctx, "a"); !errors.Is(err, ErrClosed) {
		t.Errorf("a claim after the end: %v, want ErrClosed", err)
	}
}

func isLost(c Claim) bool {
	select {
	case <-c.Lost():
		return true
	default:
		return false
	}
}
