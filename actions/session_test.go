package actions_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/relay"
)

// counter counts what a Browser sends.
type counter struct {
	actions.Client
	mu   sync.Mutex
	list []string
}

func (c *counter) Send(sessionID, method string, params []byte) func(context.Context) ([]byte, error) {
	c.mu.Lock()
	c.list = append(c.list, method)
	c.mu.Unlock()
	return c.Client.Send(sessionID, method, params)
}

// took returns what has been sent since it was last asked.
func (c *counter) took() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := strings.Join(c.list, " ")
	c.list = nil
	return list
}

// An action costs one call of the page script, and then its input.
func TestActionsCostFewCommands(t *testing.T) {
	need(t)
	for _, join := range []actions.Join{shared.chromium.Join, shared.join} {
		var c counter
		b, err := actions.Open(t.Context(), func(event actions.EventFunc) (actions.Client, error) {
			inner, err := join(event)
			c.Client = inner
			return &c, err
		}, actions.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		p := visit(t, b, "/form.html")
		if _, err := p.Hover(t.Context(), actions.CSS("#save"), actions.HoverOptions{}); err != nil { // installs the script
			t.Fatal(err)
		}
		script, mouse := "Runtime.callFunctionOn", " Input.dispatchMouseEvent"
		for _, o := range []struct {
			name string
			do   func() error
			want string
		}{
			{"click", func() error {
				_, err := p.Click(t.Context(), actions.CSS("#later"), actions.ClickOptions{})
				return err
			}, script + mouse + mouse + mouse + " " + script}, // the last waits for a turn of the page, which may begin a navigation
			{"hover", func() error {
				_, err := p.Hover(t.Context(), actions.CSS("#later"), actions.HoverOptions{})
				return err
			}, script + mouse},
			{"fill", func() error { return p.Fill(t.Context(), actions.CSS("#email"), "x", actions.FillOptions{}) }, script},
			{"type", func() error { return p.Type(t.Context(), actions.CSS("#email"), "x", actions.TypeOptions{}) }, script + " Input.dispatchKeyEvent Input.dispatchKeyEvent"},
			{"snapshot", func() error { _, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{}); return err }, script},
		} {
			c.took()
			if err := o.do(); err != nil {
				t.Errorf("%s: %v", o.name, err)
			}
			if got := c.took(); got != o.want {
				t.Errorf("%s sent %s, want %s", o.name, got, o.want)
			}
		}
	}
}

// Calls that wait fail when their page or their Browser ends.
func TestCallsEndWithThePage(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		kind, err := p.Kind(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		started := make(chan struct{})
		var calls sync.WaitGroup
		calls.Go(func() {
			close(started)
			_, err := p.WaitForSelector(t.Context(), actions.CSS("#never"), actions.WaitOptions{})
			if k := actions.KindOf(err); k != actions.TargetClosed {
				t.Errorf("a wait on a page that is closed: %v (%s)", err, k)
			}
		})
		<-started
		time.Sleep(50 * time.Millisecond) // the order does not matter, only that both come about
		if err := b.ClosePage(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
		calls.Wait()
		other := connect(t, kind, actions.Options{})
		q := visit(t, other, "/form.html")
		calls.Go(func() {
			_, err := find(t, b, q.ID).Evaluate(t.Context(), "new Promise(() => {})", actions.EvaluateOptions{})
			if k := actions.KindOf(err); k != actions.TargetClosed {
				t.Errorf("an evaluation while the Browser closes: %v (%s)", err, k)
			}
		})
		find(t, b, q.ID)
		b.Close()
		calls.Wait()
	})
}

// find waits until a Browser knows a page.
func find(t *testing.T, b *actions.Browser, id string) *actions.Page {
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		p, err := b.Page(id)
		if err == nil {
			return p
		}
		if time.Now().After(end) {
			t.Errorf("page %s: %v", id, err)
			return nil
		}
	}
}

// Input operations of one page go one after the other, in the order of their
// calls.
func TestInputKeepsItsOrder(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				if err := p.Type(t.Context(), actions.CSS("#notes"), "abcdefghijklmnopqrstuvwxyz", actions.TypeOptions{}); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		is(t, p, "$('notes').value.split('abcdefghijklmnopqrstuvwxyz').length", "5")
	})
}

// A caller does what its token allows, and no more.
func TestPolicyOfTheCaller(t *testing.T) {
	need(t)
	b, err := actions.Open(t.Context(), func(event actions.EventFunc) (actions.Client, error) {
		return shared.hub.JoinLocal(relay.LocalOptions{Event: event, ClientOptions: relay.ClientOptions{Policy: reader{scope.Privileged}}})
	}, actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := find(t, b, visit(t, connect(t, actions.FrameTarget, actions.Options{}), "/two.html").ID)
	if s, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{}); err != nil || s.Title != "Second page" {
		t.Errorf("reading: %v", err)
	}
	_, err = p.Goto(t.Context(), shared.app.URL+"/form.html", actions.GotoOptions{})
	fails(t, err, actions.PermissionDenied)
}

// reader refuses to navigate.
type reader struct{ scope.Scope }

func (reader) Files() bool { return false }

func (reader) Refuse(method string) string {
	if method == "Page.navigate" {
		return "Not allowed: Page.navigate needs scope standard"
	}
	return ""
}

func TestStrictPolicyRefusesEvaluate(t *testing.T) {
	b := connect(t, actions.BrowserTarget, actions.Options{Strict: true})
	_, err := visit(t, b, "/two.html").Evaluate(t.Context(), "1", actions.EvaluateOptions{})
	fails(t, err, actions.PermissionDenied)
}

func TestSnapshotsHaveALimit(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/two.html")
		value(t, p, `void document.body.append(...Array.from({ length: 2400 }, (_, i) => Object.assign(document.createElement("button"), { textContent: i + " " + "x".repeat(500) })))`)
		y, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{})
		if err != nil || len(y.Text) > actions.MaxSnapshot || !strings.HasSuffix(y.Text, "\n# cut: the snapshot is longer than 1 MiB") {
			t.Errorf("the YAML has %d bytes, %v", len(y.Text), err)
		}
		e, err := p.SnapshotElements(t.Context())
		if err != nil || !e.Truncated || *e.Elements[len(e.Elements)-1].Name != "cut: the snapshot is longer than 1 MiB" {
			t.Errorf("elements: truncated %v, %v", e.Truncated, err)
		}
		// What counts is bytes, of which these characters have two.
		value(t, p, `void document.body.replaceChildren(...Array.from({ length: 3000 }, (_, i) => Object.assign(document.createElement("button"), { textContent: i + " " + "ä".repeat(190) })))`)
		tagged, err := p.SnapshotTagged(t.Context(), actions.TaggedOptions{MaxElements: 100_000, IncludeHidden: true})
		if err != nil || len(tagged.Markdown) > actions.MaxSnapshot || !tagged.Truncated || tagged.ElementCount != strings.Count(tagged.Markdown, "\n") ||
			!strings.HasSuffix(tagged.Markdown, "\n[cut: the snapshot is longer than 1 MiB]") {
			t.Errorf("tagged: %d bytes, %+v, %v", len(tagged.Markdown), tagged.ElementCount, err)
		}
	})
}

// TestReadingHasALimit reads a page of 5 MiB.
func TestReadingHasALimit(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/two.html")
		value(t, p, `void document.body.replaceChildren(...Array.from({ length: 5 }, () => Object.assign(document.createElement("p"), { textContent: "0123456789abcdef".repeat(1 << 16) })))`)
		for _, format := range []string{"html", "text", "markdown"} {
			_, err := p.Content(t.Context(), format, nil)
			fails(t, err, actions.LimitExceeded)
		}
		_, err := p.ElementState(t.Context(), actions.CSS("body"), []string{"text"})
		fails(t, err, actions.LimitExceeded)
		if c, err := p.Content(t.Context(), "text", actions.First{Locator: actions.CSS("p")}); err != nil || len(c.Content) != 1<<20 {
			t.Errorf("a part of it: %d bytes, %v", len(c.Content), err)
		}
		if kind, _ := p.Kind(t.Context()); kind == actions.BrowserTarget { // which has such a tree
			value(t, p, `for (const e of document.body.children) e.replaceWith(Object.assign(document.createElement("button"), { ariaLabel: e.textContent }))`)
			_, err = p.AccessibilityTree(t.Context())
			fails(t, err, actions.LimitExceeded)
			_, err = p.AXTree(t.Context(), actions.AXOptions{All: true})
			fails(t, err, actions.LimitExceeded)
		}
	})
}
