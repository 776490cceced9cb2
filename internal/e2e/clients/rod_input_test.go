package clients

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var rodInput = []check[rodPage]{
	{"click", "Element.Click", func(t *testing.T, p rodPage) {
		p.MustElement("#plus").MustClick()
		p.is(t, text("count"), `"1"`)
		p.is(t, seen("plus", "mousedown mouseup click"), `["mousedown","mouseup","click"]`)
	}, nil},
	{"click", "an element far down the page", func(t *testing.T, p rodPage) {
		p.MustElement("#far").MustClick()
		p.is(t, seen("far", "click"), `["click"]`)
		p.is(t, "scrollY > 1000", "true")
	}, nil},
	{"click", "a covered element is refused", func(t *testing.T, p rodPage) {
		p.MustEval("() => { const lid = document.createElement('div'); lid.style = 'position:fixed;inset:0'; document.body.append(lid) }")
		_, err := p.MustElement("#plus").Interactable()
		var covered *rod.CoveredError
		if !errors.As(err, &covered) {
			t.Errorf("it says %v, want that it is covered", err)
		}
	}, nil},
	{"click", "the right button", func(t *testing.T, p rodPage) {
		if err := p.MustElement("#pad").Click(proto.InputMouseButtonRight, 1); err != nil {
			t.Fatal(err)
		}
		p.is(t, "seen.filter((e) => e[0] === 'mousedown').map((e) => [e[1], e[2]])", `[["pad",2]]`)
	}, nil},
	{"dblclick", "Element.Click twice", func(t *testing.T, p rodPage) {
		p.MustElement("#twice").MustDoubleClick()
		p.is(t, text("twice"), `"Pressed twice"`)
	}, nil},
	{"hover", "Element.Hover and away", func(t *testing.T, p rodPage) {
		p.MustElement("#hover").MustHover()
		p.is(t, text("hover"), `"Inside"`)
		p.MustElement("#plus").MustHover()
		p.is(t, text("hover"), `"Outside"`)
	}, nil},
	{"drag", "Mouse down, move, up", func(t *testing.T, p rodPage) {
		middle := func(selector string) proto.Point {
			point, err := p.MustElement(selector).Interactable()
			if err != nil {
				t.Fatal(err)
			}
			return *point
		}
		from, to := middle("#card"), middle("#bin")
		p.Mouse.MustMoveTo(from.X, from.Y).MustDown("left")
		if err := p.Mouse.MoveLinear(to, 5); err != nil {
			t.Fatal(err)
		}
		p.Mouse.MustUp("left")
		p.is(t, text("bin"), `"Got the card"`)
	}, nil},
	{"mouse wheel", "Mouse.Scroll", func(t *testing.T, p rodPage) {
		p.Mouse.MustMoveTo(400, 600)
		p.Mouse.MustScroll(0, 300)
		p.is(t, "scrollY", "300")
	}, nil},
	{"touch", "Element.Tap", func(t *testing.T, p rodPage) {
		p.MustEval("() => addEventListener('touchstart', (event) => seen.push(['touchstart', event.target.id]), true)")
		p.MustElement("#plus").MustTap()
		p.is(t, seen("plus", "touchstart"), `["touchstart"]`)
	}, nil},
	{"fill", "Element.Input, over what was there", func(t *testing.T, p rodPage) {
		p.MustElement("#name").MustInput("Ada")
		p.MustElement("#name").MustSelectAllText().MustInput("Bob")
		p.is(t, value("name"), `"Bob"`)
	}, nil},
	{"type", "Keyboard.Type", func(t *testing.T, p rodPage) {
		p.MustElement("#name").MustFocus()
		p.Keyboard.MustType('A', 'd', 'a')
		p.is(t, value("name"), `"Ada"`)
		p.is(t, seen("name", "keydown input keyup"), `["keydown","input","keyup","keydown","input","keyup","keydown","input","keyup"]`)
	}, nil},
	{"type", "into an editable element", func(t *testing.T, p rodPage) {
		p.MustElement("#editor").MustInput("Words, änd ☂")
		p.is(t, text("editor"), `"Words, änd ☂"`)
	}, nil},
	{"press", "Enter submits the form", func(t *testing.T, p rodPage) {
		p.MustElement("#name").MustInput("Ada").MustType(input.Enter)
		p.is(t, text("saved"), `"Saved Ada, free, small, terms false"`)
	}, nil},
	{"press", "Backspace, arrows and Tab", func(t *testing.T, p rodPage) {
		p.MustElement("#name").MustInput("Adam").MustType(input.Backspace, input.ArrowLeft, input.Minus)
		p.is(t, value("name"), `"Ad-a"`)
		p.Keyboard.MustType(input.Tab)
		p.is(t, "document.activeElement.id", `"email"`)
	}, nil},
	{"keyboard shortcuts", "a key while Control is down", func(t *testing.T, p rodPage) {
		p.MustEval("() => addEventListener('keydown', (e) => { if (e.key === 'k' && e.ctrlKey) window.shortcut = e.code })")
		p.MustElement("#name").MustFocus()
		p.KeyActions().Press(input.ControlLeft).Type(input.KeyK).MustDo()
		p.is(t, "window.shortcut", `"KeyK"`)
		p.is(t, value("name"), `""`)
	}, nil},
	{"check", "checkbox and radio button", func(t *testing.T, p rodPage) {
		p.MustElement("#terms").MustClick()
		p.MustElement("#large").MustClick()
		p.is(t, "['terms', 'small', 'large'].map((id) => document.getElementById(id).checked)", "[true,false,true]")
		same(t, "checked", p.MustElement("#terms").MustProperty("checked").Bool(), true)
	}, nil},
	{"select", "Element.Select by text", func(t *testing.T, p rodPage) {
		p.MustElement("#plan").MustSelect("Professional")
		p.is(t, value("plan"), `"pro"`)
		p.is(t, seen("plan", "input change"), `["input","change"]`)
	}, nil},
	{"upload", "Element.SetFiles by path", func(t *testing.T, p rodPage) {
		if !harness.Privileged() {
			refused(t, p.MustElement("#file").SetFiles([]string{letter(t)}))
			return
		}
		p.MustElement("#file").MustSetFiles(letter(t))
		p.is(t, fileOf, `["letter.txt","Dear reader"]`)
		p.is(t, seen("file", "change"), `["change"]`)
	}, nil},
	{"locators", "by text, XPath and search", func(t *testing.T, p rodPage) {
		p.MustElementR("button", "^Add one$").MustClick()
		p.MustElementX("//button[@id='plus']").MustClick()
		p.MustSearch("#plus").MustClick()
		p.is(t, text("count"), `"3"`)
	}, nil},
	{"locators", "parents, children and properties", func(t *testing.T, p rodPage) {
		list := p.MustElement("#list")
		var words []string
		for _, row := range list.MustElements("li") {
			words = append(words, row.MustText())
		}
		same(t, "rows", strings.Join(words, " "), "One Two Three")
		same(t, "the parent", *list.MustElement("li").MustParent().MustAttribute("class"), "plain")
		same(t, "markup", p.MustElement("#count").MustHTML(), `<span id="count">0</span>`)
		same(t, "visible", p.MustElement("#secret").MustVisible(), false)
		same(t, "has", p.MustHas("#nosuch"), false)
	}, nil},
}
