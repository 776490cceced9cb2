package actions_test

import (
	"context"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
)

func TestFill(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		for _, c := range []struct{ selector, text, property, want string }{
			{"#email", "a@b.c", "value", `"a@b.c"`},
			{"#email", "", "value", `""`},
			{"#notes", "one\ntwo", "value", `"one\ntwo"`},
			{"#day", "2026-02-28", "value", `"2026-02-28"`},
			{"#plan", "free", "value", `"free"`},
			{"#plan", "Pro", "value", `"pro"`},
			{"#editor", "Bye", "textContent", `"Bye"`},
			{"#editor", "", "textContent", `""`},
		} {
			value(t, p, "void (seen.length = 0)")
			if err := p.Fill(t.Context(), actions.CSS(c.selector), c.text, actions.FillOptions{}); err != nil {
				t.Errorf("fill %s: %v", c.selector, err)
			}
			is(t, p, "$('"+c.selector[1:]+"')."+c.property, c.want)
			if c.selector != "#editor" {
				is(t, p, "seen", `["input `+c.selector[1:]+`","change `+c.selector[1:]+`"]`)
			}
		}
		// A framework's own property does not keep the value from the element.
		value(t, p, "void Object.defineProperty($('email'), 'value', { get: () => 'own', set() {}, configurable: true })")
		if err := p.Fill(t.Context(), actions.CSS("#email"), "x@y.z", actions.FillOptions{}); err != nil {
			t.Fatal(err)
		}
		value(t, p, "delete $('email').value")
		is(t, p, "$('email').value", `"x@y.z"`)
		for selector, want := range map[string]actions.Kind{
			"#off": actions.NotEnabled, "#locked": actions.NotEnabled, "#agree": actions.InvalidArgument, "h1": actions.InvalidArgument,
			"#file": actions.InvalidArgument, ".gone": actions.NotVisible, "#day": actions.InvalidArgument, "#nothing": actions.ElementNotFound,
		} {
			failsFor(t, want, "fill "+selector, func(ctx context.Context) error {
				return p.Fill(ctx, actions.CSS(selector), "text", actions.FillOptions{})
			})
		}
		if err := p.Clear(t.Context(), actions.CSS("#notes"), actions.FillOptions{}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "$('notes').value", `""`)
	})
}

func TestType(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		if err := p.Type(t.Context(), actions.CSS("#email"), "Ab1-é!", actions.TypeOptions{}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "$('email').value", `"Ab1-é!"`)
		is(t, p, "seen.filter((s) => s.startsWith('keydown')).map((s) => s.at(-1)).join('')", `"Ab1-é!"`)
		if err := p.Type(t.Context(), nil, "xy", actions.TypeOptions{Delay: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "$('email').value", `"Ab1-é!xy"`)
		if err := p.Type(t.Context(), actions.CSS("#email"), "new", actions.TypeOptions{Clear: true}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "$('email').value", `"new"`)
		if err := p.Type(t.Context(), actions.CSS("#notes"), " end", actions.TypeOptions{Click: true, Append: true}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "$('notes').value", `"line1\nline2 end"`)
		if err := p.Fill(t.Context(), actions.CSS("#email"), "somebody.else@mail.example", actions.FillOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := p.Type(t.Context(), actions.CSS("#email"), ".org", actions.TypeOptions{Click: true, Append: true}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "$('email').value", `"somebody.else@mail.example.org"`) // not where the click has put the caret
		if err := p.Type(t.Context(), actions.CSS("#notes"), "a\nb", actions.TypeOptions{Clear: true}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "$('notes').value", `"a\nb"`)
		fails(t, p.Type(t.Context(), nil, "x", actions.TypeOptions{Clear: true}), actions.InvalidArgument)
		failsFor(t, actions.NotEnabled, "type", func(ctx context.Context) error {
			return p.Type(ctx, actions.CSS("#off"), "x", actions.TypeOptions{})
		})
	})
}

// TestTypeIntoReadOnly sends keys to a read-only field, which hears of them and
// stays as it is, and refuses to append to it.
func TestTypeIntoReadOnly(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		if err := p.Type(t.Context(), actions.CSS("#locked"), "x", actions.TypeOptions{}); err != nil {
			t.Error(err)
		}
		is(t, p, "[seen.includes('keydown locked x'), $('locked').value]", `[true,"fixed"]`)
		appended := func(l actions.Locator, clearing bool) func(context.Context) error {
			return func(ctx context.Context) error {
				return p.Type(ctx, l, "x", actions.TypeOptions{Click: true, Append: true, Clear: clearing})
			}
		}
		failsFor(t, actions.NotEnabled, "append to a read-only field", appended(actions.CSS("#locked"), false))
		failsFor(t, actions.NotEnabled, "clear one", appended(actions.CSS("#locked"), true))
		failsFor(t, actions.NotEnabled, "append to a disabled button", appended(actions.CSS("#off"), false))
		failsFor(t, actions.InvalidArgument, "append to a heading", appended(actions.CSS("h1"), false))
		at, err := p.Hover(t.Context(), actions.CSS("#locked"), actions.HoverOptions{})
		if err != nil {
			t.Fatal(err)
		}
		failsFor(t, actions.NotEnabled, "append at a point", appended(at, false))
		is(t, p, "$('locked').value", `"fixed"`)
		if err := appended(actions.CSS("#editor"), false)(t.Context()); err != nil {
			t.Error(err)
		}
		is(t, p, "$('editor').textContent", `"Hellox"`)
		// One that can be written once it has the focus, as against autofill.
		value(t, p, "void ($('locked').onfocus = () => { $('locked').readOnly = false })")
		if err := appended(actions.CSS("#locked"), false)(t.Context()); err != nil {
			t.Error(err)
		}
		is(t, p, "$('locked').value", `"fixedx"`)
	})
}

func TestPress(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		if err := p.Fill(t.Context(), actions.CSS("#email"), "a@b.c", actions.FillOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ key, expression, want string }{
			{"Enter", "$('saved').textContent", `"Saved a@b.c"`},
			{"Control+A", "getSelection().toString() || $('email').value.slice($('email').selectionStart ?? 0)", `"a@b.c"`},
			{"Shift+x", "$('email').value", `"X"`},
			{"Backspace", "$('email').value", `""`},
			{"+", "$('email').value", `"+"`},
			{"Tab", "document.activeElement.id", `"password"`},
		} {
			if err := p.Press(t.Context(), nil, c.key, actions.PressOptions{}); err != nil {
				t.Errorf("%s: %v", c.key, err)
			}
			is(t, p, c.expression, c.want)
		}
		if err := p.Press(t.Context(), actions.CSS("#notes"), "Z", actions.PressOptions{Delay: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "seen.filter((s) => s.includes('notes') && s.startsWith('key'))", `["keydown notes Z","keyup notes Z"]`)
		value(t, p, "void (seen.length = 0)")
		if err := p.Press(t.Context(), actions.CSS("#notes"), "ArrowDown", actions.PressOptions{Modifiers: []string{"ctrl", "shift"}}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "seen.filter((s) => s.startsWith('key')).join()",
			`"keydown notes Control,keydown notes Shift,keydown notes ArrowDown,keyup notes ArrowDown,keyup notes Shift,keyup notes Control"`)
		fails(t, p.Press(t.Context(), nil, "NoSuchKey", actions.PressOptions{}), actions.InvalidArgument)
		fails(t, p.Press(t.Context(), nil, "Hyper+A", actions.PressOptions{}), actions.InvalidArgument)
	})
}

func TestSelectOption(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		for _, c := range []struct {
			selector string
			values   []string
			want     string
		}{
			{"#plan", []string{"free"}, `["free"]`},
			{"#plan", []string{"Pro"}, `["pro"]`},
			{"#many", []string{"Olives", "Ham"}, `["Ham","Olives"]`},
			{"#many", nil, `[]`},
		} {
			if _, err := p.SelectOption(t.Context(), actions.CSS(c.selector), c.values); err != nil {
				t.Errorf("%s %v: %v", c.selector, c.values, err)
			}
			is(t, p, "[...$('"+c.selector[1:]+"').selectedOptions].map((o) => o.value)", c.want)
		}
		for value, want := range map[string]actions.Kind{"none": actions.NotEnabled, "huge": actions.ElementNotFound} {
			failsFor(t, want, value, func(ctx context.Context) error {
				_, err := p.SelectOption(ctx, actions.CSS("#plan"), []string{value})
				return err
			})
		}
		_, err := p.SelectOption(t.Context(), actions.CSS("#plan"), []string{"free", "pro"})
		fails(t, err, actions.InvalidArgument)
		_, err = p.SelectOption(t.Context(), actions.CSS("#email"), []string{"free"})
		fails(t, err, actions.InvalidArgument)
	})
}

func TestSetInputFiles(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		one := actions.File{Name: "a.txt", MIMEType: "text/plain", Data: []byte("hällo")}
		if err := p.SetInputFiles(t.Context(), actions.CSS("#file"), []actions.File{one}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "(async () => [$('file').files[0].name, $('file').files[0].type, await $('file').files[0].text()])()", `["a.txt","text/plain","hällo"]`)
		fails(t, p.SetInputFiles(t.Context(), actions.CSS("#file"), []actions.File{one, one}), actions.InvalidArgument)
		fails(t, p.SetInputFiles(t.Context(), actions.CSS("#email"), []actions.File{one}), actions.InvalidArgument)
		fails(t, p.SetInputFiles(t.Context(), actions.CSS("#file"), []actions.File{{}}), actions.InvalidArgument)
	})
}

func TestScroll(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		for _, c := range []struct {
			locator    actions.Locator
			by         actions.Scroll
			expression string
			want       string
		}{
			{nil, actions.Scroll{DY: 300}, "scrollY", "300"},
			{nil, actions.Scroll{DY: -300}, "scrollY", "0"},
			{nil, actions.Scroll{DY: 1, Pages: 1}, "scrollY === document.documentElement.clientHeight", "true"},
			{nil, actions.Scroll{End: "top"}, "scrollY", "0"},
			{nil, actions.Scroll{End: "bottom"}, "Math.ceil(scrollY + innerHeight) >= document.documentElement.scrollHeight", "true"},
			{actions.CSS("#roll"), actions.Scroll{DY: 120}, "$('roll').scrollTop", "120"},
		} {
			if err := p.Scroll(t.Context(), c.locator, c.by); err != nil {
				t.Errorf("%+v: %v", c.by, err)
			}
			is(t, p, c.expression, c.want)
		}
		if err := p.ScrollIntoView(t.Context(), actions.CSS("#far")); err != nil {
			t.Fatal(err)
		}
		is(t, p, "$('far').getBoundingClientRect().bottom <= innerHeight", "true")
		fails(t, p.Scroll(t.Context(), nil, actions.Scroll{End: "left"}), actions.InvalidArgument)
		fails(t, p.ScrollIntoView(t.Context(), nil), actions.InvalidArgument)
	})
}

func TestFocus(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		if err := p.Focus(t.Context(), actions.CSS("#email")); err != nil {
			t.Fatal(err)
		}
		is(t, p, "document.activeElement.id + seen.length", `"email0"`)
		failsFor(t, actions.NotVisible, "focus", func(ctx context.Context) error { return p.Focus(ctx, actions.CSS(".gone")) })
	})
}

func TestWaitForSelector(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		value(t, p, "void $('later').click()")
		f, err := p.WaitForSelector(t.Context(), actions.CSS("#late"), actions.WaitOptions{Tag: true})
		if err != nil || f.TagID == "" {
			t.Fatalf("%+v, %v", f, err)
		}
		for _, l := range []actions.Locator{f.Handle, actions.SnapshotRef{Scheme: actions.Tagged, ID: f.TagID}} {
			if _, err := p.Click(t.Context(), l, actions.ClickOptions{}); err != nil {
				t.Errorf("%s: %v", l, err)
			}
		}
		for _, c := range []struct {
			selector string
			state    actions.ElementStateName
			want     actions.Kind
		}{
			{"#save", actions.Attached, ""},
			{".gone", actions.Attached, ""},
			{".gone", actions.Hidden, ""},
			{"#nothing", actions.Hidden, ""},
			{"#nothing", actions.Detached, ""},
			{"#save", actions.Enabled, ""},
			{"#off", actions.Disabled, ""},
			{"#nothing", actions.Visible, actions.ElementNotFound},
			{".gone", actions.Visible, actions.NotVisible},
			{"#save", actions.Hidden, actions.NotVisible},
			{"#off", actions.Enabled, actions.NotEnabled},
			{"#save", "pretty", actions.InvalidArgument},
		} {
			failsFor(t, c.want, c.selector+" "+string(c.state), func(ctx context.Context) error {
				_, err := p.WaitForSelector(ctx, actions.CSS(c.selector), actions.WaitOptions{State: c.state})
				return err
			})
		}
		// A wait goes on in the document that comes next.
		value(t, p, "void setTimeout(() => location = '/two.html', 100)")
		if _, err := p.WaitForSelector(t.Context(), actions.CSS("#at"), actions.WaitOptions{State: actions.Attached}); err != nil {
			t.Error(err)
		}
	})
}
