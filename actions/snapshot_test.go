package actions_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file of testdata/snapshots, which both kinds
// of targets share.
func golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, shared.app.URL, "http://app")
	if !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	for _, secret := range []string{"hunter2", "41111111", "98769876"} {
		if strings.Contains(got, secret) {
			t.Errorf("%s tells the secret %s", name, secret)
		}
	}
	path := filepath.Join("testdata", "snapshots", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s has changed; run with -update and look at the difference. It is\n%s", path, got)
	}
}

// indented is a value as JSON for people.
func indented(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSnapshotYAML(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		s, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "form.yaml", s.Text)
		if s.Title != "Sign up" || s.URL != shared.app.URL+"/form.html" || s.Count != strings.Count(s.Text, "ref=")+strings.Count(s.Text, "- option") {
			t.Errorf("title %q, URL %q, %d elements", s.Title, s.URL, s.Count)
		}
		again, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{})
		if err != nil || again.Text != s.Text {
			t.Errorf("a second snapshot differs: %v\n%s", err, again.Text)
		}
		part, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{NoRefs: true, Root: actions.CSS("nav")})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "nav.yaml", part.Text)
	})
}

func TestSnapshotElements(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		if err := p.Focus(t.Context(), actions.CSS("#email")); err != nil {
			t.Fatal(err)
		}
		s, err := p.SnapshotElements(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		flat(t, s.Elements)
		golden(t, "form.elements.json", indented(t, s))
	})
}

// flat checks the bounds and takes them out: fonts differ between machines.
func flat(t *testing.T, list []actions.Element) {
	t.Helper()
	for i := range list {
		if b := list[i].Bounds; b.Width <= 0 && b.Height <= 0 {
			t.Errorf("%s has the bounds %+v", list[i].RefID, b)
		}
		list[i].Bounds = actions.Box{}
		flat(t, list[i].Children)
	}
}

func TestSnapshotTagged(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		s, err := p.SnapshotTagged(t.Context(), actions.TaggedOptions{})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "form.tagged", s.Markdown)
		if s.ElementCount != strings.Count(s.Markdown, "\n")+1 || s.Truncated {
			t.Errorf("%d elements, truncated %v", s.ElementCount, s.Truncated)
		}
		few, err := p.SnapshotTagged(t.Context(), actions.TaggedOptions{MaxElements: 2})
		if err != nil || few.ElementCount != 2 || !few.Truncated {
			t.Errorf("two elements: %+v, %v", few, err)
		}
		if lines, cut := strings.CutSuffix(few.Markdown, "\n[cut: the page has more than 2 elements]"); !cut || !strings.HasPrefix(s.Markdown, lines+"\n") {
			t.Errorf("two elements are\n%s", few.Markdown)
		}
		seen, err := p.SnapshotTagged(t.Context(), actions.TaggedOptions{ViewportOnly: true})
		if err != nil || strings.Contains(seen.Markdown, "Far away") {
			t.Errorf("the viewport alone: %v\n%s", err, seen.Markdown)
		}
		all, err := p.SnapshotTagged(t.Context(), actions.TaggedOptions{IncludeHidden: true})
		if err != nil || !strings.Contains(all.Markdown, "Gone hidden") {
			t.Errorf("with what is hidden: %v\n%s", err, all.Markdown)
		}
		value(t, p, "void document.body.append(document.querySelector('#save').cloneNode(true))")
		twin, err := p.SnapshotTagged(t.Context(), actions.TaggedOptions{})
		if err != nil || strings.Count(twin.Markdown, "button] Save all") != 2 {
			t.Errorf("a clone: %v\n%s", err, twin.Markdown)
		}
		ids := map[string]bool{}
		for line := range strings.Lines(twin.Markdown) {
			id, _, _ := strings.Cut(line, " ")
			if ids[id] {
				t.Errorf("%s stands twice", id)
			}
			ids[id] = true
		}
	})
}

func TestObserve(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		o, err := p.Observe(t.Context(), actions.ObserveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		o.Viewport = actions.Viewport{}
		golden(t, "form.observe.json", indented(t, o))
		value(t, p, "void ($('email').value = 'a@b.c', $('off').remove())")
		o, err = p.Observe(t.Context(), actions.ObserveOptions{Incremental: true, MaxElements: 200})
		if err != nil || o.Changes == nil || indented(t, o.Changes) != indented(t, actions.Changes{Added: []string{}, Updated: []string{"@mail"}, Removed: []string{"@off"}}) {
			t.Errorf("the changes are %+v, %v", o.Changes, err)
		}
		if _, err := p.Click(t.Context(), actions.SnapshotRef{Scheme: actions.BAP, ID: "@save"}, actions.ClickOptions{Trial: true}); err != nil {
			t.Error(err)
		}
		_, err = p.Click(t.Context(), actions.SnapshotRef{Scheme: actions.BAP, ID: "@off"}, actions.ClickOptions{})
		fails(t, err, actions.StaleRef)
	})
}

func TestContent(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		value(t, p, `void ($("saved").dataset.token = "abcdef", $("saved").title = '"eyJhbGciOi.eyJzdWIiOiIx.SflKxwRJSM_x"')`)
		for format, want := range map[string]string{
			"html":     "<title>Sign up</title>",
			"text":     "Some text with a link: inside and stress.",
			"markdown": "Some text with a [link: inside](https://example.com/?a=1) and *stress*.",
		} {
			c, err := p.Content(t.Context(), format, nil)
			if err != nil || !strings.Contains(c.Content, want) || c.Title != "Sign up" {
				t.Errorf("%s: %v\n%s", format, err, c.Content)
			}
			for _, secret := range []string{"hunter2", "41111", "abcdef"} {
				if strings.Contains(c.Content, secret) {
					t.Errorf("%s tells %s", format, secret)
				}
			}
		}
		c, err := p.Content(t.Context(), "markdown", actions.CSS("nav"))
		if err != nil || c.Content != "- [Second page](/two.html)\n- [Gap](#gap)" {
			t.Errorf("of an element: %q, %v", c.Content, err)
		}
		_, err = p.Content(t.Context(), "pdf", nil)
		fails(t, err, actions.InvalidArgument)
	})
}

func TestElementState(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		all := []string{"visible", "enabled", "checked", "value"}
		for selector, want := range map[string]string{
			"#news":        `{"checked":true,"enabled":true,"found":true,"value":"on","visible":true}`,
			"#off":         `{"checked":false,"enabled":false,"found":true,"value":null,"visible":true}`,
			"#password":    `{"checked":false,"enabled":true,"found":true,"value":"[REDACTED]","visible":true}`,
			".gone":        `{"checked":false,"enabled":true,"found":true,"value":null,"visible":false}`,
			"#not-there":   `{"found":false}`,
			"x-card #dark": `{"found":false}`,
			"#dark":        `{"checked":false,"enabled":true,"found":true,"value":null,"visible":true}`,
		} {
			s, err := p.ElementState(t.Context(), actions.CSS(selector), all)
			got, _ := json.Marshal(s)
			if err != nil || string(got) != want {
				t.Errorf("%s: %s, %v, want %s", selector, got, err, want)
			}
		}
		s, err := p.ElementState(t.Context(), actions.CSS("#password"), []string{"attributes", "boundingBox", "text"})
		if err != nil || s["attributes"].(map[string]any)["value"] != actions.Redacted || s["boundingBox"] == nil || s["text"] != "" {
			t.Errorf("the password field: %v, %v", s, err)
		}
		_, err = p.ElementState(t.Context(), actions.CSS("li"), all)
		fails(t, err, actions.AmbiguousLocator)
		_, err = p.ElementState(t.Context(), actions.CSS("li["), all)
		fails(t, err, actions.InvalidArgument)
	})
}

// A page whose policy forbids eval is read and acted on all the same.
func TestStrictContentSecurityPolicy(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/strict.html")
		if err := p.Fill(t.Context(), actions.Label{Text: "Name"}, "me", actions.FillOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Click(t.Context(), actions.CSS("#one"), actions.ClickOptions{}); err != nil {
			t.Fatal(err)
		}
		s, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{NoRefs: true})
		if want := "- heading \"Strict\" [level=1]\n- button \"One\"\n- textbox \"Name\": me"; err != nil || s.Text != want {
			t.Errorf("%v\n%s\nwant\n%s", err, s.Text, want)
		}
	})
}

// TestPresentationalConflict: a global attribute of ARIA overrules role=none.
func TestPresentationalConflict(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/two.html")
		value(t, p, `void (document.body.innerHTML = "<h1 role=none>None</h1><h2 role=none aria-details=x>Details</h2>")`)
		s, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{NoRefs: true})
		if want := "- text: None\n- heading \"Details\" [level=2]"; err != nil || s.Text != want {
			t.Errorf("%v\n%s\nwant\n%s", err, s.Text, want)
		}
	})
}

// TestSecretsStayInThePage has secret fields of all makes, of which no way to
// read the page may know the value.
func TestSecretsStayInThePage(t *testing.T) {
	const fields = `<p>Fields</p>
		<textarea id=a autocomplete=one-time-code>SECRET-area</textarea>
		<textarea id=b data-sensitive style="display:none">SECRET-hidden</textarea>
		<select id=c autocomplete="CC-EXP"><option>01<option selected>02</select>
		<input id=d autocomplete="section-x billing cc-number" value=SECRET-number>
		<input id=e type=password value=SECRET-password data-token=SECRET-data>
		<div id=f contenteditable data-sensitive>SECRET-edited</div>
		<div id=g data-sensitive role=textbox tabindex=0>SECRET-role</div>
		<template id=h><input type=password value=SECRET-template></template>
		<iframe id=i srcdoc="&lt;input type=password value=SECRET-frame>"></iframe>`
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/two.html")
		value(t, p, "void (document.body.innerHTML = "+strconv.Quote(strings.ReplaceAll(strings.ReplaceAll(fields, "\n", " "), "\t", ""))+")")
		silent := func(what string, v any, err error) {
			t.Helper()
			text, failed := json.Marshal(v)
			if failed != nil || err != nil && actions.KindOf(err) != actions.Unsupported {
				t.Errorf("%s: %v, %v", what, err, failed)
			}
			if at := strings.Index(string(text), "SECRET"); at >= 0 {
				t.Errorf("%s tells …%.60s", what, text[max(at-20, 0):])
			}
		}
		yaml, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{})
		silent("the YAML snapshot", yaml, err)
		elements, err := p.SnapshotElements(t.Context())
		silent("the snapshot of elements", elements, err)
		tagged, err := p.SnapshotTagged(t.Context(), actions.TaggedOptions{IncludeHidden: true})
		silent("the tagged snapshot", tagged, err)
		seen, err := p.Observe(t.Context(), actions.ObserveOptions{})
		silent("the observation", seen, err)
		tree, err := p.AXTree(t.Context(), actions.AXOptions{All: true, IncludeHidden: true})
		silent("the accessibility tree", tree, err)
		for _, format := range []string{"html", "text", "markdown"} {
			c, err := p.Content(t.Context(), format, nil)
			silent("the page as "+format, c, err)
			for _, id := range strings.Split("abcdefghi", "") {
				c, err := p.Content(t.Context(), format, actions.CSS("#"+id))
				silent("#"+id+" as "+format, c, err)
			}
		}
		for _, id := range strings.Split("abcdefghi", "") {
			state, err := p.ElementState(t.Context(), actions.CSS("#"+id), []string{"text", "value", "attributes"})
			silent("the state of #"+id, state, err)
		}
	})
}
