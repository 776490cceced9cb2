package actions

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestR354ElementsGetTheTimeThatTheyMayTake acts on an element that never becomes ready: for as long as the adapter says,
// else for the time of the call. Only who asks for a state waits all of the time.
func TestR354ElementsGetTheTimeThatTheyMayTake(t *testing.T) {
	click := func(ctx context.Context, p *Page) error {
		_, err := p.Click(ctx, CSS("#a"), ClickOptions{})
		return err
	}
	acts := map[string]func(context.Context, *Page) error{
		"click": click,
		"fill":  func(ctx context.Context, p *Page) error { return p.Fill(ctx, CSS("#a"), "x", FillOptions{}) },
		"select": func(ctx context.Context, p *Page) error {
			_, err := p.SelectOption(ctx, CSS("#a"), []string{"x"})
			return err
		},
		"check": func(ctx context.Context, p *Page) error { return p.SetChecked(ctx, CSS("#a"), true) },
		"hover": func(ctx context.Context, p *Page) error {
			_, err := p.Hover(ctx, CSS("#a"), HoverOptions{})
			return err
		},
		"read": func(ctx context.Context, p *Page) error {
			_, err := p.SnapshotYAML(ctx, YAMLOptions{Root: CSS("#a")})
			return err
		},
	}
	for _, kind := range []Kind{ElementNotFound, NotVisible, NotEnabled, Obscured} {
		for name, act := range acts {
			checkPatience(t, name, kind, ElementTime, act, 5*time.Second)
			checkPatience(t, name+", its time", kind, 0, act, 19*time.Second)
		}
		wait := func(ctx context.Context, p *Page) error {
			_, err := p.WaitForSelector(ctx, CSS("#a"), WaitOptions{})
			return err
		}
		checkPatience(t, "wait", kind, ElementTime, wait, 19*time.Second)
	}
}

// checkPatience carries out a call of 20 s on a page that always fails with a kind, and wants that failure after a
// time, or little more.
func checkPatience(t *testing.T, name string, kind Kind, patience time.Duration, act func(context.Context, *Page) error, want time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f, b, p, err := openFake(t.Context(), BrowserTarget)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		f.mu.Lock()
		f.takes = 50 * time.Millisecond
		f.mu.Unlock()
		f.says("script", `{"error":{"kind":"`+string(kind)+`","message":"not ready: #a"}}`)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if patience != 0 {
			ctx = WithElementTime(ctx, patience)
		}
		begun := time.Now()
		err = act(ctx, p)
		if took := time.Since(begun); KindOf(err) != kind || took < want-10*time.Millisecond || took > want+time.Second {
			t.Errorf("%s, %s: %v after %s, want it after %s", name, kind, err, took, want)
		}
	})
}
