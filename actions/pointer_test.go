package actions_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
)

func TestClick(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		if _, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			locator actions.Locator
			options actions.ClickOptions
			seen    string // what reached the page last
		}{
			{actions.CSS("#later"), actions.ClickOptions{}, `"click later"`},
			{actions.CSS("#later"), actions.ClickOptions{Count: 2}, `"dblclick later"`},
			{actions.CSS("#later"), actions.ClickOptions{Button: "right"}, `"contextmenu later"`},
			{actions.CSS("#dark"), actions.ClickOptions{}, `"shadow"`},
			{actions.CSS("#far"), actions.ClickOptions{}, `"click far"`},
			{actions.XPath("//button[@id='later']"), actions.ClickOptions{}, `"click later"`},
			{actions.Role{Role: "button", Name: "show"}, actions.ClickOptions{}, `"click later"`},
			{actions.Role{Role: "button", Name: "Show later", Exact: true}, actions.ClickOptions{Modifiers: []string{"shift"}}, `"click later"`},
			{actions.Text{Text: "show LATER"}, actions.ClickOptions{}, `"click later"`},
			{actions.Label{Text: "Email"}, actions.ClickOptions{}, `"click email"`},
			{actions.Placeholder{Text: "work"}, actions.ClickOptions{Position: &actions.Point{X: 3, Y: 3}}, `"click email"`},
			{actions.TestID("mail"), actions.ClickOptions{}, `"click email"`},
			{actions.SnapshotRef{Scheme: actions.YAML, ID: "e54"}, actions.ClickOptions{}, `"click later"`},
			{actions.SnapshotRef{Scheme: actions.Aria, ID: "textbox[0]"}, actions.ClickOptions{}, `"click email"`},
			{actions.First{Locator: actions.CSS("#twins li")}, actions.ClickOptions{}, `"click "`},
			{actions.CSS("#under"), actions.ClickOptions{Covered: true}, `"click over"`},
			{actions.CSS("#under"), actions.ClickOptions{Force: true}, `"click over"`},
		} {
			value(t, p, "void (seen.length = 0)")
			at, err := p.Click(t.Context(), c.locator, c.options)
			if err != nil || at.X <= 0 || at.Y <= 0 {
				t.Errorf("click on %s: %v, %v", c.locator, at, err)
				continue
			}
			if got := value(t, p, "seen.at(-1)"); got != c.seen {
				t.Errorf("click on %s: the page saw %s, want %s", c.locator, value(t, p, "seen"), c.seen)
			}
		}
		if _, err := p.Click(t.Context(), actions.SnapshotRef{Scheme: actions.YAML, ID: "f1e2"}, actions.ClickOptions{}); err != nil {
			t.Error(err)
		}
		is(t, p, "$('inner').contentDocument.querySelector('button').textContent", `"Pressed"`)
		value(t, p, "void (scrollTo(0, 0), seen.length = 0)")
		at, err := p.Click(t.Context(), actions.CSS("#later"), actions.ClickOptions{Trial: true})
		if err != nil {
			t.Fatal(err)
		}
		is(t, p, "seen", "[]")
		if _, err := p.Click(t.Context(), at, actions.ClickOptions{}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "seen.at(-1)", `"click later"`)
		if _, err := p.Click(t.Context(), actions.CSS("#late"), actions.ClickOptions{}); err != nil {
			t.Errorf("what comes later: %v", err)
		}
	})
}

func TestClickRefuses(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		for _, c := range []struct {
			locator actions.Locator
			options actions.ClickOptions
			want    actions.Kind
		}{
			{actions.CSS("#not-there"), actions.ClickOptions{}, actions.ElementNotFound},
			{actions.CSS(".gone"), actions.ClickOptions{}, actions.NotVisible},
			{actions.CSS(".unseen button"), actions.ClickOptions{}, actions.NotVisible},
			{actions.CSS("#off"), actions.ClickOptions{}, actions.NotEnabled},
			{actions.CSS("#under"), actions.ClickOptions{}, actions.Obscured},
			{actions.CSS("#twins li"), actions.ClickOptions{}, actions.AmbiguousLocator},
			{actions.CSS("li["), actions.ClickOptions{}, actions.InvalidArgument},
			{actions.XPath("//li["), actions.ClickOptions{}, actions.InvalidArgument},
			{actions.CSS(""), actions.ClickOptions{}, actions.InvalidArgument},
			{nil, actions.ClickOptions{}, actions.InvalidArgument},
			{actions.Point{X: -5, Y: 10}, actions.ClickOptions{}, actions.ElementNotFound},
			{actions.CSS("#save"), actions.ClickOptions{Button: "fourth"}, actions.InvalidArgument},
			{actions.CSS("#save"), actions.ClickOptions{Modifiers: []string{"Hyper"}}, actions.InvalidArgument},
			{actions.SnapshotRef{Scheme: actions.YAML, ID: "e999"}, actions.ClickOptions{}, actions.StaleRef},
			{actions.SnapshotRef{Scheme: actions.BAP, ID: "@nobody"}, actions.ClickOptions{}, actions.StaleRef},
			{actions.SnapshotRef{Scheme: actions.Tagged, ID: "a999"}, actions.ClickOptions{}, actions.StaleRef},
			{actions.SnapshotRef{Scheme: actions.Aria, ID: "button[99]"}, actions.ClickOptions{}, actions.ElementNotFound},
			{actions.Handle{ID: "h9"}, actions.ClickOptions{}, actions.StaleRef},
		} {
			value(t, p, "void (seen.length = 0)")
			failsFor(t, c.want, fmt.Sprintf("click on %v", c.locator), func(ctx context.Context) error {
				_, err := p.Click(ctx, c.locator, c.options)
				return err
			})
			is(t, p, "seen", "[]")
		}
	})
}

// TestUnknownIDsFailAtOnce names elements by what only snapshots give, which no
// waiting brings.
func TestUnknownIDsFailAtOnce(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		for _, ref := range []actions.SnapshotRef{{Scheme: actions.Tagged, ID: "a999"}, {Scheme: actions.YAML, ID: "e999"}, {Scheme: actions.BAP, ID: "@none"}} {
			begun := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			_, err := p.Click(ctx, ref, actions.ClickOptions{})
			cancel()
			fails(t, err, actions.StaleRef)
			if took := time.Since(begun); took > patience/2 {
				t.Errorf("%s: it took %v", ref, took)
			}
		}
	})
}

func TestHover(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		value(t, p, "void ($('off').onmousemove = $('save').onmouseover = (e) => seen.push('over ' + e.target.id))")
		if _, err := p.Hover(t.Context(), actions.CSS("#save"), actions.HoverOptions{Position: &actions.Point{X: 4, Y: 4}, Stay: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "seen", `["over save"]`)
		failsFor(t, actions.NotVisible, "hover", func(ctx context.Context) error {
			_, err := p.Hover(ctx, actions.CSS(".gone"), actions.HoverOptions{})
			return err
		})
	})
}

func TestSetChecked(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		for _, c := range []struct {
			selector string
			checked  bool
		}{{"#agree", true}, {"#agree", true}, {"#news", false}, {"[value=l]", true}} {
			if err := p.SetChecked(t.Context(), actions.CSS(c.selector), c.checked); err != nil {
				t.Errorf("%s: %v", c.selector, err)
			}
		}
		is(t, p, "[$('agree').checked, $('news').checked, document.querySelector('[value=l]').checked]", "[true,false,true]")
		is(t, p, "seen.filter((s) => s === 'click agree').length", "1")
		fails(t, p.SetChecked(t.Context(), actions.CSS("#email"), true), actions.InvalidArgument)
		fails(t, p.SetChecked(t.Context(), actions.CSS("[value=l]"), false), actions.InvalidArgument)
	})
}

// TestClickWaitsUntilNothingCovers clicks what is covered, until it no longer is.
func TestClickWaitsUntilNothingCovers(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		value(t, p, "void ($('under').onclick = () => seen.push('reached'), setTimeout(() => $('over').remove(), 1500))")
		if _, err := p.Click(t.Context(), actions.CSS("#under"), actions.ClickOptions{}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "seen.includes('reached')", "true")
	})
}

func TestDragTo(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		if err := p.DragTo(t.Context(), actions.CSS("#card"), actions.CSS("#bin")); err != nil {
			t.Fatal(err)
		}
		is(t, p, "$('bin').textContent", `"Got card"`)
		is(t, p, "seen.filter((s) => s.startsWith('click'))", `[]`)
		if _, err := p.Click(t.Context(), actions.CSS("#later"), actions.ClickOptions{}); err != nil {
			t.Errorf("a click after it: %v", err)
		}
		failsFor(t, actions.ElementNotFound, "drag to nothing", func(ctx context.Context) error {
			return p.DragTo(ctx, actions.CSS("#card"), actions.CSS("#nothing"))
		})
	})
}

// TestR347ErrorsNameTheElement has every reason why an element cannot be used: the error names it by role and
// name, as snapshots do, and waits as long as it may.
func TestR347ErrorsNameTheElement(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		value(t, p, `void document.body.insertAdjacentHTML("beforeend", '<button id="away" style="position: fixed; left: -500px">Away</button>' +
			'<button id="still" style="pointer-events: none">Still</button>' +
			'<fieldset disabled><legend>Off</legend><input id="within" aria-label="Within"></fieldset>')`)
		click := func(css string) func(context.Context) error {
			return func(ctx context.Context) error {
				_, err := p.Click(ctx, actions.CSS(css), actions.ClickOptions{})
				return err
			}
		}
		for name, tc := range map[string]struct {
			do   func(context.Context) error
			kind actions.Kind
			want string
		}{
			"disabled":         {click("#off"), actions.NotEnabled, `element disabled: button "Out of order"`},
			"disabled around":  {click("#within"), actions.NotEnabled, `element disabled: textbox "Within"`},
			"not displayed":    {click(".gone button"), actions.NotVisible, `element not visible: button "Gone"`},
			"hidden by style":  {click(".unseen button"), actions.NotVisible, `element not visible: button "Unseen"`},
			"no role":          {click(".gone"), actions.NotVisible, `element not visible: <div class="gone">`},
			"covered":          {click("#under"), actions.Obscured, `element covered by <div id="over">, which is in front of button "Under"`},
			"outside of view":  {click("#away"), actions.NotVisible, `element not visible: button "Away" is outside of the viewport`},
			"takes no pointer": {click("#still"), actions.NotEnabled, `element disabled: button "Still" takes no pointer`},
			"read-only": {func(ctx context.Context) error {
				return p.Fill(ctx, actions.CSS("#locked"), "x", actions.FillOptions{})
			}, actions.NotEnabled, `element disabled: textbox "Locked" is read-only`},
			"not there": {click("#nowhere"), actions.ElementNotFound, `element not found: #nowhere`},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			err := tc.do(ctx)
			cancel()
			if actions.KindOf(err) != tc.kind || err == nil || err.Error() != tc.want {
				t.Errorf("%s: %v (%s), want %s", name, err, actions.KindOf(err), tc.want)
			}
		}
	})
}
