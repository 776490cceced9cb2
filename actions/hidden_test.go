package actions_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

// A tab that is not in front is captured and acted on by whoever wants to: more
// than one capture of it, each in a size of its own, were waited for in vain.
// What is in front stays there.
func TestHiddenTabs(t *testing.T) {
	needChromium(t)
	opener := connect(t, actions.BrowserTarget, actions.Options{})
	behind, front := visit(t, opener, "/form.html"), visit(t, opener, "/form.html")
	b := connect(t, actions.BrowserTarget, actions.Options{})
	p := find(t, b, behind.ID)
	for _, o := range []actions.ScreenshotOptions{
		{}, {FullPage: true}, {Element: actions.CSS("#card")}, {}, {FullPage: true}, {Element: actions.CSS("#card")},
	} {
		if _, err := p.Screenshot(t.Context(), o); err != nil {
			t.Errorf("screenshot %+v: %v", o, err)
		}
	}
	if _, err := p.Hover(t.Context(), actions.CSS("#save"), actions.HoverOptions{}); err != nil {
		t.Error(err)
	}
	is(t, p, "new Promise(done => requestAnimationFrame(() => done(document.visibilityState)))", `"visible"`)
	b.Close()
	opener.Close()
	if in, out := visibility(t, front.ID), visibility(t, behind.ID); in != "visible" || out != "hidden" {
		t.Errorf("afterwards the tab in front is %s and the other is %s", in, out)
	}
	last := connect(t, actions.BrowserTarget, actions.Options{})
	for _, id := range []string{behind.ID, front.ID} {
		if err := last.ClosePage(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
}

// visibility is what a page says of itself to a client that changes nothing.
func visibility(t *testing.T, id string) string {
	t.Helper()
	c, err := shared.chromium.Join(func(string, string, []byte) {})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Leave()
	ask := func(session, method, params string, result any) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		out, err := c.Send(session, method, []byte(params))(ctx)
		if err == nil {
			err = json.Unmarshal(out, result)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var made struct{ SessionID string }
	ask("", "Target.attachToTarget", `{"targetId":"`+id+`","flatten":true}`, &made)
	var out struct{ Result struct{ Value string } }
	ask(made.SessionID, "Runtime.evaluate", `{"expression":"document.visibilityState"}`, &out)
	return out.Result.Value
}

// TestR313Sights tells the tab in front from the one behind, and a frame from one
// that its Host page does not show. A page that does not answer does not delay the answer for the others.
func TestR313Sights(t *testing.T) {
	needChromium(t)
	b := connect(t, actions.BrowserTarget, actions.Options{})
	behind, front := visit(t, b, "/form.html"), visit(t, b, "/form.html")
	b.Close()
	b = connect(t, actions.BrowserTarget, actions.Options{})
	got := b.Sights(t.Context())
	if want := (actions.Sight{Visible: true, Focused: true}); got[front.ID] != want || got[behind.ID] != (actions.Sight{}) {
		t.Errorf("in front %+v, behind it %+v", got[front.ID], got[behind.ID])
	}
	for _, id := range []string{behind.ID, front.ID} {
		if err := b.ClosePage(t.Context(), id); err != nil {
			t.Error(err)
		}
	}

	// every page says that it is focused, as pages that clients emulate the focus in do.
	b = connect(t, actions.BrowserTarget, actions.Options{})
	pages := []*actions.Page{visit(t, b, "/form.html"), visit(t, b, "/form.html"), visit(t, b, "/form.html")}
	for _, p := range pages {
		value(t, p, `document.hasFocus = () => true`)
	}
	if err := b.UsePage(pages[1].ID); err != nil {
		t.Fatal(err)
	}
	for id, sight := range b.Sights(t.Context()) {
		if sight.Focused != (id == pages[1].ID) {
			t.Errorf("of several focused pages, %s is %+v", id, sight)
		}
	}

	b = connect(t, actions.FrameTarget, actions.Options{})
	shown, hidden := visit(t, b, "/form.html"), visit(t, b, "/form.html?hidden")
	browser := connect(t, actions.BrowserTarget, actions.Options{})
	host := browser.Pages()[slices.IndexFunc(browser.Pages(), func(p actions.PageInfo) bool { return p.URL == shared.host.URL+"/host.html" })]
	value(t, find(t, browser, host.ID), `document.querySelector("iframe[src$='?hidden']").hidden = true`)
	got = b.Sights(t.Context())
	if !got[shown.ID].Visible || got[hidden.ID].Visible || got[hidden.ID].Focused {
		t.Errorf("a frame %+v, a hidden one %+v", got[shown.ID], got[hidden.ID])
	}
}
