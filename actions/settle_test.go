package actions_test

import (
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
)

func TestSettle(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		if _, err := p.Click(t.Context(), actions.Text{Text: "Second page"}, actions.ClickOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := p.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := p.Settle(t.Context()); err != nil { // nothing happens
			t.Fatal(err)
		}
		if s, err := p.SnapshotTagged(t.Context(), actions.TaggedOptions{}); err != nil || s.Title != "Second page" {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

// TestFollow has actions lead to other documents, or not, while events are
// handled late.
func TestFollow(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		defer b.Subscribe(actions.PageEvents, func(actions.Event) { time.Sleep(20 * time.Millisecond) }).Cancel()
		p := visit(t, b, "/follow.html")
		follow := func(name, text, path, title string) {
			t.Helper()
			began := time.Now()
			if _, err := p.Click(t.Context(), actions.Text{Text: text, Exact: true}, actions.ClickOptions{}); err != nil {
				t.Fatal(err)
			}
			// On a busy machine a document may come after the time that actions wait for it.
			const waits = 2 * time.Second
			for late := time.Since(began) > waits; late && p.URL() != shared.app.URL+path && time.Since(began) < patience; {
				time.Sleep(10 * time.Millisecond)
			}
			if got := p.URL(); got != shared.app.URL+path {
				t.Errorf("%s: the URL is %s", name, got)
			}
			v, err := p.Evaluate(t.Context(), "document.title", actions.EvaluateOptions{})
			if err != nil || string(v.JSON) != `"`+title+`"` {
				t.Errorf("%s: the title is %s, %v", name, v.JSON, err)
			}
			if path != "/follow.html" {
				if _, err := p.Goto(t.Context(), shared.app.URL+"/follow.html", actions.GotoOptions{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		follow("a button", "Stay", "/follow.html", "Follow")
		follow("a link", "Link", "/two.html", "Second page")
		follow("a slow link", "Slow link", "/later?page=two.html", "Second page")
		follow("a form", "Send", "/two.html?", "Second page")
		follow("a slow form", "Send slowly", "/later?page=two.html", "Second page")
		follow("a script", "Script", "/two.html", "Second page")
		follow("nothing", "Nothing", "/follow.html", "Follow")
		follow("a download", "Download", "/follow.html", "Follow")
		if err := p.Press(t.Context(), actions.First{Locator: actions.CSS("a")}, "Enter", actions.PressOptions{}); err != nil || p.URL() != shared.app.URL+"/two.html" {
			t.Errorf("Enter on a link: %s, %v", p.URL(), err)
		}
		if _, err := p.Goto(t.Context(), shared.app.URL+"/follow.html", actions.GotoOptions{}); err != nil {
			t.Fatal(err)
		}
		follow("a place in the page", "Place", "/follow.html#place", "Follow")
		if _, err := p.Click(t.Context(), actions.Text{Text: "Slow link"}, actions.ClickOptions{NoWait: true}); err != nil || p.URL() != shared.app.URL+"/follow.html" {
			t.Errorf("without waiting: %s, %v", p.URL(), err)
		}
	})
}
