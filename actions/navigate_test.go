package actions_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
)

func TestGoto(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		n, err := p.Goto(t.Context(), shared.app.URL+"/two.html", actions.GotoOptions{})
		if err != nil || n.URL != shared.app.URL+"/two.html" || n.Title != "Second page" || !n.Committed || !n.Reached {
			t.Fatalf("goto: %+v, %v", n, err)
		}
		if n.Status != 200 {
			t.Errorf("status %d, want 200", n.Status)
		}
		for _, until := range []actions.LoadState{actions.Commit, actions.DOMContentLoaded, actions.NetworkIdle} {
			if n, err := p.Goto(t.Context(), shared.app.URL+"/form.html", actions.GotoOptions{WaitUntil: &until}); err != nil || !n.Reached {
				t.Errorf("goto until %v: %+v, %v", until, n, err)
			}
		}
		n, err = p.Goto(t.Context(), shared.app.URL+"/form.html#gap", actions.GotoOptions{})
		if err != nil || !strings.HasSuffix(n.URL, "#gap") {
			t.Errorf("within the document: %+v, %v", n, err)
		}
		for _, d := range []time.Duration{time.Second, 10 * time.Second, patience} { // a slow machine needs more
			ctx, cancel := context.WithTimeout(t.Context(), d)
			n, err = p.Goto(ctx, shared.app.URL+"/half", actions.GotoOptions{})
			cancel()
			fails(t, err, actions.NavigationTimeout)
			if n.Title == "Half" {
				break
			}
		}
		if !n.Committed || n.Reached || n.Title != "Half" {
			t.Errorf("a page that never loads: %+v", n)
		}
		_, err = p.Goto(t.Context(), "javascript:alert(1)", actions.GotoOptions{})
		fails(t, err, actions.URLBlocked)
		_, err = p.Goto(t.Context(), "http://127.0.0.1:9/", actions.GotoOptions{})
		fails(t, err, actions.NavigationFailed)
	})
}

func TestHistory(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		if n, err := p.GoForward(t.Context(), nil); err != nil || n.Moved {
			t.Errorf("forward with nothing there: %+v, %v", n, err)
		}
		if _, err := p.Goto(t.Context(), shared.app.URL+"/two.html", actions.GotoOptions{}); err != nil {
			t.Fatal(err)
		}
		if n, err := p.GoBack(t.Context(), nil); err != nil || !n.Moved || n.Title != "Sign up" {
			t.Errorf("back: %+v, %v", n, err)
		}
		if n, err := p.GoForward(t.Context(), nil); err != nil || !n.Moved || n.Title != "Second page" {
			t.Errorf("forward: %+v, %v", n, err)
		}
		value(t, p, "window.mark = 1")
		if n, err := p.Reload(t.Context(), nil); err != nil || n.Title != "Second page" {
			t.Errorf("reload: %+v, %v", n, err)
		}
		is(t, p, "typeof window.mark", `"undefined"`)
	})
}

func TestEvaluate(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		for _, c := range []struct{ expression, json, kind string }{
			{"1+1", "2", "number"},
			{"null", "null", "object"},
			{"undefined", "null", "undefined"},
			{"NaN", "null", "number"},
			{"Promise.resolve({a:[1]})", `{"a":[1]}`, "object"},
			{"seen", "[]", "object"},
			{"(() => { const a = {}; a.a = a; return a })()", "null", "object"},
		} {
			v, err := p.Evaluate(t.Context(), c.expression, actions.EvaluateOptions{})
			if err != nil || string(v.JSON) != c.json || v.Type != c.kind {
				t.Errorf("%s: %s %s, %v, want %s %s", c.expression, v.JSON, v.Type, err, c.json, c.kind)
			}
		}
		_, err := p.Evaluate(t.Context(), "(() => { throw new TypeError('no') })()", actions.EvaluateOptions{})
		fails(t, err, actions.EvalException)
		if err != nil && err.Error() != "evaluation failed: TypeError: no" {
			t.Errorf("the message is %q", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = p.Evaluate(ctx, "new Promise(() => {})", actions.EvaluateOptions{})
		fails(t, err, actions.EvalTimeout)
		_, err = p.Evaluate(t.Context(), "'x'.repeat(5e6)", actions.EvaluateOptions{})
		fails(t, err, actions.LimitExceeded)
		v, err := p.Evaluate(t.Context(), "(el) => el.id + seen.length", actions.EvaluateOptions{Function: true, Element: actions.CSS("#email")})
		if err != nil || string(v.JSON) != `"email0"` {
			t.Errorf("a function of an element: %s, %v", v.JSON, err)
		}
	})
}

func TestURLPolicyHoldsOnRedirects(t *testing.T) {
	b := connect(t, actions.BrowserTarget, actions.Options{URLs: only(t, "127.0.0.1")})
	p := visit(t, b, "/two.html")
	_, err := p.Goto(t.Context(), shared.app.URL+"/redirect?to="+shared.other+"/form.html", actions.GotoOptions{})
	fails(t, err, actions.URLBlocked)
	if _, err := p.Goto(t.Context(), shared.app.URL+"/two.html", actions.GotoOptions{}); err != nil {
		t.Fatal(err)
	}
	value(t, p, "void setTimeout(() => location = "+`"`+shared.other+`/form.html")`)
	for end := time.Now().Add(patience); p.URL() != "about:blank"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the page still shows what it may not")
		}
	}
}

func TestPages(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		q := visit(t, b, "/two.html")
		active, err := b.Page("")
		if err != nil || active != q {
			t.Errorf("the active page is %v, %v, want the newest", active, err)
		}
		if err := b.ActivatePage(t.Context(), p.Alias); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, i := range b.Pages() {
			if i.ID == p.ID && i.Active && i.Alias == p.Alias || i.ID == q.ID && !i.Active {
				found++
			}
		}
		if found != 2 {
			t.Errorf("the pages are %+v", b.Pages())
		}
		if err := b.ClosePage(t.Context(), q.ID); err != nil {
			t.Fatal(err)
		}
		_, err = b.Page(q.ID)
		fails(t, err, actions.PageNotFound)
		_, err = q.Evaluate(t.Context(), "1", actions.EvaluateOptions{})
		fails(t, err, actions.TargetClosed)
	})
}
