package actions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// anySecret finds a secret of testdata/pages/secrets.html in an answer, in whatever
// way it is written.
var anySecret = regexp.MustCompile(`(?i:SECRET-)|SECRET\.|4929[ -]?1234|7392846|q7z|\bqx\b|•|eyJzdWIi`)

// silent fails when an answer tells a secret. What is Unsupported tells none.
func silent(t *testing.T, what string, v any, err error) {
	t.Helper()
	text, failed := json.Marshal(v)
	if failed != nil || err != nil && actions.KindOf(err) != actions.Unsupported {
		t.Errorf("%s: %v, %v", what, err, failed)
	}
	for _, at := range anySecret.FindAllIndex(text, 5) {
		t.Errorf("%s tells …%s", what, text[max(at[0]-60, 0):min(at[1]+40, len(text))])
	}
}

// TestR155SecretsOfAPage reads a page with secrets of all makes in all ways that
// there are.
func TestR155SecretsOfAPage(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/secrets.html")
		ctx := t.Context()
		tree, err := p.AccessibilityTree(ctx)
		silent(t, "the raw tree", tree, err)
		yaml, err := p.SnapshotYAML(ctx, actions.YAMLOptions{Boxes: true})
		silent(t, "the YAML snapshot", yaml.Text+yaml.URL+yaml.Title, err)
		elements, err := p.SnapshotElements(ctx)
		silent(t, "the snapshot of elements", elements, err)
		tagged, err := p.SnapshotTagged(ctx, actions.TaggedOptions{IncludeHidden: true})
		silent(t, "the tagged snapshot", tagged, err)
		seen, err := p.Observe(ctx, actions.ObserveOptions{MaxElements: 200, Incremental: true, IncludeRefHistory: true})
		silent(t, "the observation", seen, err)
		for _, o := range []actions.AXOptions{{}, {All: true, IncludeHidden: true}} {
			tree, err := p.AXTree(ctx, o)
			silent(t, "the accessibility tree", tree, err)
		}
		tools, err := p.DeclaredTools(ctx)
		silent(t, "the tools", tools, err)
		roots := []actions.Locator{nil}
		for _, id := range strings.Fields("form password card short month phrase once labelled known known-list spin edit leaf after upper split named link srcdoc inner open closed") {
			roots = append(roots, actions.CSS("#"+id))
		}
		for _, root := range roots {
			for _, format := range []string{"html", "text", "markdown"} {
				c, err := p.Content(ctx, format, root)
				silent(t, fmt.Sprintf("%v as %s", root, format), c, err)
			}
			if root != nil {
				state, err := p.ElementState(ctx, root, []string{"text", "value", "attributes", "computedStyle", "boundingBox", "checked"})
				silent(t, fmt.Sprintf("the state of %v", root), state, err)
			}
		}
		frames, err := p.Frames(ctx)
		silent(t, "the frames", frames, err)
		n, err := p.WaitForLoadState(ctx, actions.Commit)
		silent(t, "the address and the title", n, err)
		_, err = p.Click(ctx, actions.CSS("[onclick]"), actions.ClickOptions{Trial: true})
		silent(t, "a click's error", fmt.Sprint(err), nil)
		readable(t, yaml.Text, elements)
	})
}

// readable wants what is no secret.
func readable(t *testing.T, yaml string, elements actions.ElementsSnapshot) {
	t.Helper()
	for _, want := range []string{`textbox "Password"`, `textbox "Card"`, `heading "Secrets"`, "plain value", `"Nested"`, "Pay open", "In the frame"} {
		if !strings.Contains(yaml, want) {
			t.Errorf("the snapshot has no %s:\n%s", want, yaml)
		}
	}
	if text := indented(t, elements); !strings.Contains(text, "plain value") || !strings.Contains(text, `"Password"`) {
		t.Errorf("the elements are %s", text)
	}
}

// TestR155SecretsInEvents has a page put its secrets into events, once it has been
// read.
func TestR155SecretsInEvents(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/secrets.html")
		ctx := t.Context()
		if _, err := p.SnapshotYAML(ctx, actions.YAMLOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Requests(ctx, 1); err != nil {
			t.Fatal(err)
		}
		events := make(chan actions.Event, 1000)
		all := actions.PageEvents | actions.ConsoleEvents | actions.NetworkEvents | actions.DialogEvents | actions.DownloadEvents
		defer p.Subscribe(all, func(e actions.Event) {
			if len(events) < cap(events) {
				events <- e
			}
		}).Cancel()
		value(t, p, "1")
		awaitConsole(t, p, events)
		value(t, p, "void happen()")
		missing := []string{"ConsoleMessage log", "ConsoleMessage warning", "ConsoleMessage error", "NetworkEvent request", "NetworkEvent response", "PageChange navigated", "Dialog prompt"}
		for end := time.After(patience); len(missing) > 0; {
			select {
			case e := <-events:
				silent(t, "an event", e.Body, nil)
				missing = slices.DeleteFunc(missing, func(m string) bool { return m == nameOf(e.Body) })
			case <-end:
				t.Fatalf("these have not come: %v", missing)
			}
		}
		list, err := p.Requests(ctx, 0)
		silent(t, "the requests", list, err)
		silent(t, "the page in a list", p.Info(), nil)
		pages, err := b.List(ctx)
		i := slices.IndexFunc(pages, func(at actions.PageInfo) bool { return at.ID == p.ID })
		if err != nil || i < 0 {
			t.Fatalf("the page is not in the list: %v, %v", pages, err)
		}
		silent(t, "the list of pages", pages[i], nil)
		silent(t, "the address", p.URL(), nil)
	})
}

// awaitConsole waits until the page's console is heard of.
func awaitConsole(t *testing.T, p *actions.Page, events <-chan actions.Event) {
	t.Helper()
	for end := time.After(patience); ; {
		value(t, p, "console.debug('ready')")
		select {
		case e := <-events:
			if m, ok := e.Body.(actions.ConsoleMessage); ok && m.Text == "ready" {
				return
			}
		case <-time.After(100 * time.Millisecond):
		case <-end:
			t.Fatal("nothing of the console is heard of")
		}
	}
}

func nameOf(body any) string {
	switch b := body.(type) {
	case actions.ConsoleMessage:
		return "ConsoleMessage " + b.Level
	case actions.NetworkEvent:
		return "NetworkEvent " + b.Type
	case actions.PageChange:
		return "PageChange " + b.Type
	case actions.Dialog:
		return "Dialog " + b.Type
	}
	return ""
}

// TestR157ShownPasswords has fields that nothing calls a password's become text
// fields: in the document, in an open shadow tree, and in a frame.
func TestR157ShownPasswords(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/two.html")
		value(t, p, `void (document.body.innerHTML = "<input id=a type=password value=SECRET-a><span id=host></span><iframe id=f></iframe><p id=p>", `+
			`document.querySelector("#host").attachShadow({mode:"open"}).innerHTML = "<input id=b type=password value=SECRET-b>", `+
			`document.querySelector("#f").contentDocument.body.innerHTML = "<input id=c type=password value=SECRET-c>")`)
		if _, err := p.ElementState(t.Context(), actions.CSS("#p"), []string{"text"}); err != nil { // which looks at no field
			t.Fatal(err)
		}
		value(t, p, `void (document.body.insertAdjacentHTML("beforeend", "<input id=late type=password value=SECRET-late>"))`)
		value(t, p, `void [document.querySelector("#a"), document.querySelector("#late"), document.querySelector("#host").shadowRoot.querySelector("#b"), `+
			`document.querySelector("#f").contentDocument.querySelector("#c")].forEach((e) => { e.type = "text" })`)
		yaml, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{})
		silent(t, "the snapshot", yaml, err)
		if n := strings.Count(yaml.Text, actions.Redacted); n != 4 {
			t.Errorf("%d values of 4 are there, and redacted:\n%s", n, yaml.Text)
		}
		c, err := p.Content(t.Context(), "html", nil)
		silent(t, "the HTML", c, err)
		value(t, p, `void (document.querySelector("#p").textContent = document.querySelector("#a").value, document.querySelector("#a").remove())`)
		text, err := p.Content(t.Context(), "text", nil)
		silent(t, "a copy of what the field had", text, err)
	})
}

// TestR156SelectorsOfReaders asks for elements by right and by wrong guesses of
// what must be redacted: who may only read gets the same answer.
func TestR156SelectorsOfReaders(t *testing.T) {
	for _, kind := range []actions.TargetKind{actions.BrowserTarget, actions.FrameTarget} {
		t.Run(string(kind), func(t *testing.T) {
			owner := visit(t, connect(t, kind, actions.Options{}), "/secrets.html")
			p, err := connect(t, kind, actions.Options{Blind: true}).Page(owner.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range guesses {
				right, wrong := answer(t, p, g.right), answer(t, p, g.wrong)
				if right != wrong {
					t.Errorf("%s: %s\n%s: %s", g.right, right, g.wrong, wrong)
				}
			}
			for _, l := range []actions.Locator{
				actions.CSS("#plain[value='plain value']"), actions.CSS("form > label:has(#card)"), actions.CSS("#month option:nth-child(2)"),
				actions.CSS("input:not([type=hidden]):is(#plain)"), actions.CSS(":root > body"), actions.XPath("//h1[starts-with(., 'Secr')]"),
				actions.Text{Text: "Nested"},
				actions.Role{Role: "button", Name: "Pay open"},
				actions.Label{Text: "Card"},
				actions.Placeholder{Text: "plain"},
			} {
				if got := answer(t, p, actions.First{Locator: l}); !strings.HasPrefix(got, "found") {
					t.Errorf("%s is not found: %s", l, got)
				}
			}
			for _, selector := range []string{":focus", "input:hover", "form:has(:focus-within)"} {
				_, err := p.ElementState(t.Context(), actions.CSS(selector), []string{"visible"})
				fails(t, err, actions.InvalidArgument)
			}
			if got := answer(t, owner, actions.CSS(`#password:is([value^="SECRET-d"])`)); !strings.HasPrefix(got, "found") {
				t.Errorf("who may ask the page does not find it: %s", got)
			}
		})
	}
}

// guesses are pairs of locators, of which only one fits what the page hides.
var guesses = []struct{ right, wrong actions.Locator }{
	{actions.CSS(`#password[value^="SECRET-d"]`), actions.CSS(`#password[value^="x"]`)},
	{actions.CSS(`#password:not([value^="SECRET-d"])`), actions.CSS(`#password:not([value^="x"])`)},
	{actions.CSS(`form:has([value*="T-def"])`), actions.CSS(`form:has([value*="x-def"])`)},
	{actions.CSS(`#password[v\61lue^=SECRET-d]`), actions.CSS(`#password[v\61lue^=x]`)},
	{actions.CSS(`#password:valid`), actions.CSS(`#password:invalid:valid`)},
	{actions.CSS(`input[type=hidden][value^="SECRET-hidden-c"]`), actions.CSS(`input[type=hidden][value^="x"]`)},
	{actions.CSS(`meta[content^="SECRET"]`), actions.CSS(`meta[content^="x"]`)},
	{actions.CSS(`[data-token^="SECRET"]`), actions.CSS(`[data-token^="x"]`)},
	{actions.CSS(`a[href*="password=SECRET"]`), actions.CSS(`a[href*="password=x"]`)},
	{actions.CSS(`[aria-valuetext^="SECRET"]`), actions.CSS(`[aria-valuetext^="x"]`)},
	{actions.CSS(`[aria-label*="SECRET-typed"]`), actions.CSS(`[aria-label*="x-typed"]`)},
	{actions.CSS(`#month option[value^="SECRET-option-b"]`), actions.CSS(`#month option[value^="x"]`)},
	{actions.CSS(`#month option:nth-child(2):checked`), actions.CSS(`#month option:nth-child(2):not(*)`)},
	{actions.CSS(`#short[value="q7z"]`), actions.CSS(`#short[value="q7y"]`)},
	{actions.CSS(`iframe[srcdoc*="SECRET"]`), actions.CSS(`iframe[srcdoc*="xSECRETx"]`)},
	{actions.XPath(`//input[starts-with(@value, "SECRET-d")]`), actions.XPath(`//input[starts-with(@value, "x")]`)},
	{actions.XPath(`//*[@id="password"][string-length(@value) = 14]`), actions.XPath(`//*[@id="password"][string-length(@value) = 15]`)},
	{actions.XPath(`//*[@*[contains(., "SECRET-typed")]]`), actions.XPath(`//*[@*[contains(., "x-typed")]]`)},
	{actions.XPath(`//textarea[starts-with(text(), "SECRET-a")]`), actions.XPath(`//textarea[starts-with(text(), "x")]`)},
	{actions.XPath(`//*[@id="form"][substring(.//textarea, 8, 1) = "a"]`), actions.XPath(`//*[@id="form"][substring(.//textarea, 8, 1) = "x"]`)},
	{actions.XPath(`//script[contains(., "SECRET-script")]`), actions.XPath(`//script[contains(., "x-script")]`)},
	{actions.XPath(`//body[comment()[contains(., "SECRET-comment")]]`), actions.XPath(`//body[comment()[contains(., "x-comment")]]`)},
	{actions.XPath(`//noscript[contains(., "SECRET-noscript")]`), actions.XPath(`//noscript[contains(., "x-noscript")]`)},
	{actions.Text{Text: "SECRET-typed"}, actions.Text{Text: "x-typed"}},
	{actions.Text{Text: "You typed SECRET-typed.", Exact: true}, actions.Text{Text: "You typed x-typed.", Exact: true}},
	{actions.Text{Text: "SECRET-area"}, actions.Text{Text: "x-area"}},
	{actions.Text{Text: "SECRET-option-a"}, actions.Text{Text: "x-option-a"}},
	{actions.Text{Text: "SECRET-edit"}, actions.Text{Text: "x-edit"}},
	{actions.Role{Role: "button", Name: "SECRET-typed"}, actions.Role{Role: "button", Name: "x-typed"}},
	{actions.Role{Role: "option", Name: "qx"}, actions.Role{Role: "option", Name: "xx"}},
	{actions.Label{Text: "SECRET-typed"}, actions.Label{Text: "x-typed"}},
	{actions.TestID("use-SECRET-typed"), actions.TestID("use-x-typed")},
}

// answer is what there is to be learnt by a locator, without the locator itself.
func answer(t *testing.T, p *actions.Page, l actions.Locator) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	state, err := p.ElementState(ctx, l, []string{"visible", "boundingBox"})
	switch {
	case err != nil:
		return "fails: " + strings.ReplaceAll(err.Error(), l.String(), "it")
	case state["found"] == true:
		return fmt.Sprint("found ", state["boundingBox"])
	}
	return "nothing"
}

// TestR155SecretsOfTheLastDocument has a form take a card number into the address and the title
// of the next document, which has no such field.
func TestR155SecretsOfTheLastDocument(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/two.html")
		ctx := t.Context()
		value(t, p, `void (document.body.innerHTML = '<input autocomplete=cc-number value=4929123456789012>')`)
		_, err := p.SnapshotYAML(ctx, actions.YAMLOptions{})
		silent(t, "the snapshot before", "", err)
		if _, err := p.Goto(ctx, p.Info().URL+"?nr=4929123456789012", actions.GotoOptions{}); err != nil {
			t.Fatal(err)
		}
		value(t, p, `void (document.title = 'Card 4929 1234 5678 9012')`)
		yaml, err := p.SnapshotYAML(ctx, actions.YAMLOptions{})
		silent(t, "the YAML snapshot", yaml, err)
		elements, err := p.SnapshotElements(ctx)
		silent(t, "the snapshot of elements", elements, err)
		tagged, err := p.SnapshotTagged(ctx, actions.TaggedOptions{})
		silent(t, "the tagged snapshot", tagged, err)
		seen, err := p.Observe(ctx, actions.ObserveOptions{})
		silent(t, "the observation", seen, err)
		content, err := p.Content(ctx, "text", nil)
		silent(t, "the content", content, err)
	})
}

// TestR155SecretsOfTheLastDocumentInTheNext has the next document show in its body what was typed into fields of the last
// one: none of all readers shows it. Short values and plain words stay, or half a page would be gone.
func TestR155SecretsOfTheLastDocumentInTheNext(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/two.html")
		ctx := t.Context()
		value(t, p, `void (document.body.innerHTML = '<input autocomplete=cc-number value=4929123456789012><input type=password value="SECRET-of-the-last">' +
			'<input type=password value="SECRET \\"of\\" two & three"><input type=password value=Cancel><input type=password value=password><input autocomplete=cc-csc value=123>')`)
		_, err := p.SnapshotYAML(ctx, actions.YAMLOptions{})
		silent(t, "the snapshot before", "", err)
		if _, err := p.Goto(ctx, p.Info().URL+"?next", actions.GotoOptions{}); err != nil {
			t.Fatal(err)
		}
		value(t, p, `void (document.body.innerHTML = '<h1>Paid with 4929 1234 5678 9012</h1><p>SECRET-of-the-last is new<p title="secret-of-the-last">' +
			'<a href="/?p=1#SECRET-of-the-last">SECRET "of" two &amp; three</a><input value="SECRET-of-the-last"><button disabled>Cancel SECRET-of-the-last</button>' +
			'<label>Change password <input></label><p>123 of them')`)
		yaml, err := p.SnapshotYAML(ctx, actions.YAMLOptions{})
		silent(t, "the YAML snapshot", yaml, err)
		for _, kept := range []string{`- paragraph [ref=e`, `: "[REDACTED] is new"`, `button "Cancel [REDACTED]" [disabled]`, "Change password", "123 of them"} {
			if !strings.Contains(yaml.Text, kept) {
				t.Errorf("the snapshot lacks %s:\n%s", kept, yaml.Text)
			}
		}
		elements, err := p.SnapshotElements(ctx)
		silent(t, "the snapshot of elements", elements, err)
		tagged, err := p.SnapshotTagged(ctx, actions.TaggedOptions{})
		silent(t, "the tagged snapshot", tagged, err)
		seen, err := p.Observe(ctx, actions.ObserveOptions{})
		silent(t, "the observation", seen, err)
		tree, err := p.AXTree(ctx, actions.AXOptions{All: true})
		silent(t, "the accessibility tree", tree, err)
		for _, format := range []string{"text", "html", "markdown"} {
			content, err := p.Content(ctx, format, nil)
			silent(t, "the content as "+format, content, err)
		}
		state, err := p.ElementState(ctx, actions.CSS("a"), []string{"text", "attributes"})
		silent(t, "the state", state, err)
		failsFor(t, actions.NotEnabled, "a disabled button", func(ctx context.Context) error {
			_, err := p.Click(ctx, actions.CSS("button"), actions.ClickOptions{})
			silent(t, "the error", fmt.Sprint(err), nil)
			return err
		})
	})
}

// TestR156NothingIsEchoed has a guess come back as it was given: an answer that
// leaves it out says that it was right.
func TestR156NothingIsEchoed(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/secrets.html")
		if _, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{}); err != nil {
			t.Fatal(err)
		}
		failsFor(t, actions.ElementNotFound, "a right guess", func(ctx context.Context) error {
			_, err := p.WaitForSelector(ctx, actions.Text{Text: "SECRET-typed"}, actions.WaitOptions{})
			if err != nil && actions.KindOf(err) == actions.ElementNotFound && !strings.Contains(err.Error(), "SECRET-typed") {
				t.Errorf("the guess is left out: %v", err)
			}
			return err
		})
	})
}

// TestR158R267PageAndHubAgree has the page script redact what the hub redacts in the same
// way.
func TestR158R267PageAndHubAgree(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/two.html")
		for text, want := range actions.Addresses {
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			value(t, p, "void document.body.setAttribute('title', "+string(quoted)+")")
			state, err := p.ElementState(t.Context(), actions.CSS("body"), []string{"attributes"})
			if err != nil {
				t.Fatal(err)
			}
			if got := state["attributes"].(map[string]any)["title"]; got != want {
				t.Errorf("%q becomes %q, want %q", text, got, want)
			}
		}
		for name, secret := range map[string]bool{
			"data-token": true, "data-Session-ID": true, "data-csrf": true, "data-otp": true, "data-user-password2": true, "data-pin": true, "data-auth": true,
			"data-code": false, "data-key": false, "data-tokens": false, "data-spin": false, "data-author": false, "data-secretary": false, "title": false,
		} {
			value(t, p, fmt.Sprintf("void document.body.setAttribute(%q, 'value of %s.')", name, name))
			state, err := p.ElementState(t.Context(), actions.CSS("body"), []string{"attributes"})
			if err != nil {
				t.Fatal(err)
			}
			if got := state["attributes"].(map[string]any)[strings.ToLower(name)]; (got == actions.Redacted) != secret {
				t.Errorf("%s: %v", name, got)
			}
		}
	})
}

// TestR269WhatWasAPassword has fields that were password fields for one task, before
// anything has read the page, and that nothing calls so: all ways of reading hide them, and
// no other field.
func TestR269WhatWasAPassword(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		ctx := t.Context()
		p := visit(t, b, "/revealed.html")
		for name, read := range map[string]func() (any, error){
			"yaml":     func() (any, error) { s, err := p.SnapshotYAML(ctx, actions.YAMLOptions{}); return s.Text, err },
			"elements": func() (any, error) { return p.SnapshotElements(ctx) },
			"tagged":   func() (any, error) { return p.SnapshotTagged(ctx, actions.TaggedOptions{}) },
			"observed": func() (any, error) { return p.Observe(ctx, actions.ObserveOptions{}) },
			"tree":     func() (any, error) { return p.AccessibilityTree(ctx) },
			"ax":       func() (any, error) { return p.AXTree(ctx, actions.AXOptions{}) },
			"html":     func() (any, error) { return p.Content(ctx, "html", nil) },
			"state":    func() (any, error) { return p.ElementState(ctx, actions.CSS("#a"), []string{"value", "attributes"}) },
		} {
			t.Run(name, func(t *testing.T) {
				p = visit(t, b, "/revealed.html") // again: nothing has read this document
				got, err := read()
				silent(t, name, got, err)
				text := indented(t, got)
				if err == nil && name != "state" && name != "observed" && (!strings.Contains(text, "plain value") || !strings.Contains(text, "unchecked value")) {
					t.Errorf("%s has lost a value: %.2000s", name, text)
				}
			})
		}
	})
}

// TestR269UncheckedFields has a page whose own attribute hides what Chromium remembers of a
// field. A connection that has the page open by then has seen the field change.
func TestR269UncheckedFields(t *testing.T) {
	b := connect(t, actions.BrowserTarget, actions.Options{})
	p := visit(t, b, "/two.html")
	if _, err := p.Goto(t.Context(), shared.app.URL+"/unchecked.html", actions.GotoOptions{}); err != nil {
		t.Fatal(err)
	}
	c, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{})
	silent(t, "the snapshot", c, err)
	if !strings.Contains(c.Text, "plain value") {
		t.Errorf("the snapshot is\n%s", c.Text)
	}
}

// TestR114ReadersWriteNothing has a caller that may only read call all ways of reading, while
// the page watches its document, its scroll position and its focus.
func TestR114ReadersWriteNothing(t *testing.T) {
	for _, kind := range []actions.TargetKind{actions.BrowserTarget, actions.FrameTarget} {
		t.Run(string(kind), func(t *testing.T) {
			ctx := t.Context()
			owner := visit(t, connect(t, kind, actions.Options{}), "/form.html")
			value(t, owner, `void document.body.insertAdjacentHTML("beforeend", "<div style='height:3000px'></div><button id=below>Below</button>")`)
			p, err := connect(t, kind, actions.Options{Reads: true}).Page(owner.ID)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.SnapshotYAML(ctx, actions.YAMLOptions{}); err != nil { // which wakes the tab
				t.Fatal(err)
			}
			value(t, owner, `void (globalThis.seen = [], globalThis.names = Object.keys(globalThis).length,
				globalThis.watcher = new MutationObserver((list) => seen.push(...list.map((c) => c.type + " " + c.attributeName))),
				watcher.observe(document, { subtree: true, childList: true, attributes: true, characterData: true }),
				["scroll", "focusin", "focusout"].forEach((type) => addEventListener(type, () => seen.push(type), true)))`)
			s, err := p.SnapshotTagged(ctx, actions.TaggedOptions{IncludeHidden: true})
			if err != nil || !strings.Contains(s.Markdown, "[r-1 ") {
				t.Errorf("the snapshot is %q, %v", s.Markdown, err)
			}
			f, err := p.WaitForSelector(ctx, actions.CSS("#below"), actions.WaitOptions{State: actions.Attached, Tag: true})
			if err != nil {
				t.Fatal(err)
			}
			state, err := p.ElementState(ctx, actions.SnapshotRef{Scheme: actions.Tagged, ID: f.TagID}, []string{"text"})
			if err != nil || state["text"] != "Below" {
				t.Errorf("the element %s is %v, %v", f.TagID, state, err)
			}
			for name, read := range map[string]func() error{
				"yaml":     func() error { _, err := p.SnapshotYAML(ctx, actions.YAMLOptions{}); return err },
				"elements": func() error { _, err := p.SnapshotElements(ctx); return err },
				"observed": func() error { _, err := p.Observe(ctx, actions.ObserveOptions{}); return err },
				"ax":       func() error { _, err := p.AXTree(ctx, actions.AXOptions{}); return err },
				"html":     func() error { _, err := p.Content(ctx, "html", nil); return err },
				"picture": func() error {
					_, err := p.Screenshot(ctx, actions.ScreenshotOptions{Element: actions.CSS("#below")})
					return err
				},
			} {
				if name == "picture" && kind == actions.FrameTarget {
					continue // its agent draws a picture from a copy that it lays out in the page
				}
				if err := read(); err != nil && actions.KindOf(err) != actions.Unsupported {
					t.Errorf("%s: %v", name, err)
				}
			}
			if got := value(t, owner, `[...seen, scrollY, Object.keys(globalThis).length - names].join()`); got != `"0,2"` {
				t.Errorf("the page has seen %v", got)
			}
		})
	}
}
