package natsdir

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
)

// TestNotes has a node leave a note, and its follower; the node that was first comes late.
func TestNotes(t *testing.T) {
	_, dirs := openAll(t)
	ctx := t.Context()
	a, b, c := dirs[0], dirs[1], dirs[2]
	left := func(want string) {
		t.Helper()
		if text, err := c.Left(ctx, "x"); err != nil || string(text) != want {
			t.Errorf("the note is %q, %v; want %q", text, err, want)
		}
	}
	left("")
	first, err := a.Claim(ctx, "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Note(ctx, []byte(strings.Repeat("x", cluster.MaxNote+1))); !errors.Is(err, cluster.ErrLongNote) {
		t.Errorf("a note that is too long: %v", err)
	}
	for _, text := range []string{"", "one", "two", strings.Repeat("x", cluster.MaxNote)} {
		if err := first.Note(ctx, []byte(text)); err != nil {
			t.Fatal(err)
		}
		left(text)
	}
	second, err := b.Claim(ctx, "x", first.Epoch())
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Note(ctx, []byte("of b")); err != nil {
		t.Fatal(err)
	}
	late := &claim{d: a, hub: "x", epoch: first.Epoch(), lost: make(chan struct{}), checked: time.Now()} // has not heard of it
	for _, text := range []string{"late", ""} {
		if err := late.Note(ctx, []byte(text)); !errors.Is(err, cluster.ErrTaken) {
			t.Errorf("a late note: %v", err)
		}
	}
	left("of b")
	if err := second.Release(ctx); err != nil {
		t.Fatal(err)
	}
	left("of b")
	if err := second.Note(ctx, []byte("released")); !errors.Is(err, cluster.ErrTaken) {
		t.Errorf("a note for a hub that was given back: %v", err)
	}
	third, err := a.Claim(ctx, "x", epochOf(t, a, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := third.Note(ctx, nil); err != nil {
		t.Fatal(err)
	}
	left("")
}

// epochOf is the epoch after which a hub without an owner is claimed.
func epochOf(t *testing.T, d *Directory, hub string) cluster.Epoch {
	t.Helper()
	d.Forget(hub)
	o, err := d.Owner(t.Context(), hub)
	if !errors.Is(err, cluster.ErrNoOwner) {
		t.Fatalf("%s is owned by %v, %v", hub, o, err)
	}
	return o.Epoch
}
