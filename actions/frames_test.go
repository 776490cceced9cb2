package actions_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
)

func TestFrames(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/frames.html")
		list, err := p.Frames(t.Context())
		if err != nil || len(list) < 3 || list[0].Parent != "" || list[0].URL != shared.app.URL+"/frames.html" {
			t.Fatalf("the frames are %+v, %v", list, err)
		}
		for _, c := range []struct {
			name   string
			choice actions.FrameChoice
		}{
			{"by element", actions.FrameChoice{Element: actions.CSS("[name=same]")}},
			{"by address", actions.FrameChoice{URL: shared.other}},
			{"by element, of another site", actions.FrameChoice{Element: actions.CSS("[name=apart]")}},
		} {
			t.Run(c.name, func(t *testing.T) {
				f, err := p.SetFrame(t.Context(), c.choice)
				if err != nil || !strings.HasSuffix(f.URL, "/form.html") {
					t.Fatalf("%+v, %v", f, err)
				}
				is(t, p, "location.href", `"`+f.URL+`"`)
				value(t, p, "void (seen.length = 0)")
				if _, err := p.Click(t.Context(), actions.CSS("#save"), actions.ClickOptions{}); err != nil {
					t.Fatal(err)
				}
				is(t, p, "seen.filter((s) => s === 'click save').length", "1")
				s, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{})
				if err != nil || !strings.Contains(s.Text, `heading "Sign up"`) {
					t.Errorf("%v\n%s", err, s.Text)
				}
				if _, err := p.SetFrame(t.Context(), actions.FrameChoice{}); err != nil {
					t.Fatal(err)
				}
			})
		}
		is(t, p, "document.title", `"Frames"`)
		_, err = p.SetFrame(t.Context(), actions.FrameChoice{URL: "nowhere.html"})
		fails(t, err, actions.FrameNotFound)
		_, err = p.SetFrame(t.Context(), actions.FrameChoice{Element: actions.CSS("p")})
		fails(t, err, actions.FrameNotFound)
	})
}

func TestSnapshotYAMLOfFramesApart(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/frames.html")
		s, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(s.Text, `heading "Sign up"`); n != 2 {
			t.Fatalf("%d of two frames are there\n%s", n, s.Text)
		}
		_, apart, _ := strings.Cut(s.Text, `iframe "Apart"`)
		_, ref, _ := strings.Cut(apart, `button "Save all" [ref=`)
		ref, _, _ = strings.Cut(ref, "]")
		if _, err := p.Click(t.Context(), actions.SnapshotRef{Scheme: actions.YAML, ID: ref}, actions.ClickOptions{}); err != nil {
			t.Fatalf("click on %s: %v", ref, err)
		}
		if _, err := p.SetFrame(t.Context(), actions.FrameChoice{URL: shared.other}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "seen.filter((s) => s === 'click save').length", "1")
	})
}

// TestSnapshotYAMLLeavesOutFramesThatMayNotBe has a page show a frame of where
// no page may be: what is in it cannot be read, nor clicked by a ref that is
// guessed.
func TestSnapshotYAMLLeavesOutFramesThatMayNotBe(t *testing.T) {
	for _, kind := range []actions.TargetKind{actions.BrowserTarget, actions.FrameTarget} {
		t.Run(string(kind), func(t *testing.T) {
			b := connect(t, kind, actions.Options{URLs: only(t, "127.0.0.1")})
			p := visit(t, b, "/frames.html")
			s, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(s.Text, `heading "Sign up"`); n != 1 || !strings.Contains(s.Text, `iframe "Apart"`) {
				t.Errorf("%d of one frame that may be read is there\n%s", n, s.Text)
			}
			for _, guess := range []string{"f3e1", "f3e2", "f3f1e1"} {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				state, err := p.ElementState(ctx, actions.SnapshotRef{Scheme: actions.YAML, ID: guess}, []string{"text"})
				cancel()
				if err == nil && state["found"] != false {
					t.Errorf("%s is %v", guess, state)
				}
			}
		})
	}
}
