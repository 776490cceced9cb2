package cluster

import (
	"errors"
	"testing"
)

func TestMemoryClaims(t *testing.T) {
	ctx := t.Context()
	var m Memory
	a, b := m.Join(Node{ID: "a"}), m.Join(Node{ID: "b"})
	if o, err := a.Owner(ctx, "x"); !errors.Is(err, ErrNoOwner) || o.Epoch != 0 {
		t.Fatalf("the owner of a hub without a claim: %v, %v", o, err)
	}
	first, err := a.Claim(ctx, "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Claim(ctx, "x", 0); !errors.Is(err, ErrTaken) {
		t.Fatalf("a claim after an old epoch: %v, want ErrTaken", err)
	}
	o, err := b.Owner(ctx, "x")
	if err != nil || o.Node.ID != "a" || o.Epoch != first.Epoch() || o.Node.Hubs != 1 {
		t.Fatalf("owner %+v, %v; want a with one hub", o, err)
	}
	second, err := b.Claim(ctx, "x", o.Epoch)
	if err != nil || second.Epoch() <= first.Epoch() || !isLost(first) || isLost(second) {
		t.Fatalf("takeover: %v; lost %v and %v", err, isLost(first), isLost(second))
	}
	if err := first.Release(ctx); err != nil { // too late to matter
		t.Fatal(err)
	}
	if o, _ := a.Owner(ctx, "x"); o.Node.ID != "b" {
		t.Errorf("owner %+v, want b", o)
	}
	if err := second.Release(ctx); err != nil {
		t.Fatal(err)
	}
	o, err = a.Owner(ctx, "x")
	if !errors.Is(err, ErrNoOwner) || isLost(second) {
		t.Errorf("after the release: %v, lost %v", err, isLost(second))
	}
	if third, err := a.Claim(ctx, "x", o.Epoch); err != nil || third.Epoch() <= second.Epoch() {
		t.Errorf("a claim after a release: %v", err)
	}
}

func TestMemoryPartition(t *testing.T) {
	ctx := t.Context()
	var m Memory
	a, b := m.Join(Node{ID: "a"}), m.Join(Node{ID: "b"})
	kept, _ := a.Claim(ctx, "kept", 0)
	taken, _ := a.Claim(ctx, "taken", 0)
	a.Sever(true)
	if err := kept.Certain(ctx); !errors.Is(err, ErrUncertain) || isLost(kept) {
		t.Errorf("a node that is cut off: %v, lost %v", err, isLost(kept))
	}
	if _, err := a.Claim(ctx, "new", 0); !errors.Is(err, ErrUncertain) {
		t.Errorf("its claim: %v, want ErrUncertain", err)
	}
	o, err := b.Owner(ctx, "taken")
	if !errors.Is(err, ErrNoOwner) {
		t.Fatalf("the owner is %+v, %v; want none", o, err)
	}
	if _, err := b.Claim(ctx, "taken", o.Epoch); err != nil || isLost(taken) {
		t.Fatalf("%v, lost %v before it can know", err, isLost(taken))
	}
	a.Sever(false)
	if !isLost(taken) || isLost(kept) || kept.Certain(ctx) != nil {
		t.Errorf("after the partition: taken lost %v, kept lost %v", isLost(taken), isLost(kept))
	}
	if len(a.Nodes()) != 2 {
		t.Errorf("nodes: %v", a.Nodes())
	}
	if err := a.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Claim(ctx, "kept", 0); !errors.Is(err, ErrClosed) || isLost(kept) {
		t.Errorf("a claim after the end: %v, want ErrClosed; lost %v", err, isLost(kept))
	}
	if _, err := b.Owner(ctx, "kept"); !errors.Is(err, ErrNoOwner) {
		t.Errorf("the hub of a closed node: %v, want ErrNoOwner", err)
	}
}

// Nodes that are cut off, or end by themselves, do not stay.
func TestMemoryMayEnd(t *testing.T) {
	ctx := t.Context()
	var m Memory
	a, b, c := m.Join(Node{ID: "a"}), m.Join(Node{ID: "b"}), m.Join(Node{ID: "c"})
	c.Sever(true)
	if err := c.MayEnd(ctx); !errors.Is(err, ErrUncertain) {
		t.Errorf("a node that is cut off: %v", err)
	}
	for range 2 {
		if err := a.MayEnd(ctx); err != nil {
			t.Errorf("the first: %v", err)
		}
		if err := b.MayEnd(ctx); !errors.Is(err, ErrLast) {
			t.Errorf("the last: %v", err)
		}
	}
	c.Sever(false)
	if err := b.MayEnd(ctx); err != nil {
		t.Errorf("beside a node that is back: %v", err)
	}
	d := m.Join(Node{ID: "d"})
	if err := d.Drain(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.MayEnd(ctx); !errors.Is(err, ErrLast) {
		t.Errorf("beside one that ends by itself: %v", err)
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

func TestMemoryNotes(t *testing.T) {
	ctx := t.Context()
	var m Memory
	a, b := m.Join(Node{ID: "a"}), m.Join(Node{ID: "b"})
	left := func(want string) {
		t.Helper()
		if text, err := b.Left(ctx, "x"); err != nil || string(text) != want {
			t.Errorf("the note is %q, %v; want %q", text, err, want)
		}
	}
	first, err := a.Claim(ctx, "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Note(ctx, make([]byte, MaxNote+1)); !errors.Is(err, ErrLongNote) {
		t.Errorf("a note that is too long: %v", err)
	}
	if err := first.Note(ctx, []byte("of a")); err != nil {
		t.Fatal(err)
	}
	a.Sever(true)
	if err := first.Note(ctx, []byte("cut off")); !errors.Is(err, ErrUncertain) {
		t.Errorf("a note of a node that is cut off: %v", err)
	}
	left("of a")
	second, err := b.Claim(ctx, "x", first.Epoch())
	if err != nil {
		t.Fatal(err)
	}
	a.Sever(false)
	if err := first.Note(ctx, []byte("late")); !errors.Is(err, ErrTaken) {
		t.Errorf("a late note: %v", err)
	}
	left("of a")
	if err := second.Note(ctx, nil); err != nil {
		t.Fatal(err)
	}
	left("")
}
