package clients

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var dpInput = []check[dpPage]{
	{"click", "Click", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.Click(chromedp.CSS("#plus"), chromedp.NodeVisible))
		p.is(t, text("count"), `"1"`)
		p.is(t, seen("plus", "mousedown mouseup click"), `["mousedown","mouseup","click"]`)
	}, nil},
	{"click", "Click far down the page", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.Click(chromedp.CSS("#far")))
		p.is(t, seen("far", "click"), `["click"]`)
		p.is(t, "scrollY > 1000", "true")
	}, nil},
	{"click", "MouseClickXY with the right button", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.MouseClickXY(850, 30, chromedp.ButtonRight))
		p.is(t, "seen.filter((e) => e[0] === 'mousedown').map((e) => [e[1], e[2]])", `[["pad",2]]`)
	}, nil},
	{"dblclick", "DoubleClick", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.DoubleClick(chromedp.CSS("#twice")))
		p.is(t, text("twice"), `"Pressed twice"`)
	}, nil},
	{"hover", "MouseEvent that moves", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 850, 30))
		p.is(t, "pointer", "[850,30]")
	}, nil},
	{"drag", "DragAndDrop", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.DragAndDrop(chromedp.CSS("#card"), chromedp.CSS("#bin")))
		p.is(t, text("bin"), `"Got the card"`)
	}, nil},
	{"mouse wheel", "Input.dispatchMouseEvent", func(t *testing.T, p dpPage) {
		call(t, p, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: 400, Y: 600, DeltaX: 1, DeltaY: 300}) // a delta of 0 would be left out, and refused
		p.is(t, "scrollY", "300")
	}, nil},
	{"touch", "Tap", func(t *testing.T, p dpPage) {
		get(t, p, chromedp.Evaluate[bool]("addEventListener('touchstart', (event) => seen.push(['touchstart', event.target.id]), true), true"))
		p.do(t, chromedp.Tap(chromedp.CSS("#plus")))
		p.is(t, seen("plus", "touchstart"), `["touchstart"]`)
	}, nil},
	{"fill", "SetValue and Reset", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.SetValue(chromedp.CSS("#name"), "Ada"))
		same(t, "the value", get(t, p, chromedp.Value(chromedp.CSS("#name"))), "Ada")
		p.do(t, chromedp.Reset(chromedp.CSS("#name")))
		p.is(t, value("name"), `""`)
	}, nil},
	{"type", "SendKeys", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.SendKeys(chromedp.CSS("#name"), "Ada"))
		p.is(t, value("name"), `"Ada"`)
		p.is(t, "seen.filter((e) => e[1] === 'name' && e[0] === 'keydown').map((e) => e[2])", `["A","d","a"]`)
	}, nil},
	{"type", "SendKeys into an editable element", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.SendKeys(chromedp.CSS("#editor"), "Words, änd ☂"))
		p.is(t, text("editor"), `"Words, änd ☂"`)
	}, nil},
	{"press", "Enter submits the form", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.SendKeys(chromedp.CSS("#name"), "Ada"+kb.Enter))
		p.is(t, text("saved"), `"Saved Ada, free, small, terms false"`)
	}, nil},
	{"press", "KeyEvent: Backspace, arrows, Tab", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.SendKeys(chromedp.CSS("#name"), "Adam"), chromedp.KeyEvent(kb.Backspace), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent("-"))
		p.is(t, value("name"), `"Ad-a"`)
		p.do(t, chromedp.KeyEvent(kb.Tab))
		p.is(t, "document.activeElement.id", `"email"`)
	}, nil},
	{"keyboard shortcuts", "KeyEvent with Control", func(t *testing.T, p dpPage) {
		get(t, p, chromedp.Evaluate[bool]("addEventListener('keydown', (e) => { if (e.key === 'k' && e.ctrlKey) window.shortcut = e.code }), true"))
		p.do(t, chromedp.Focus(chromedp.CSS("#name")), chromedp.KeyEvent("k", chromedp.KeyModifiers(kb.ModifierCtrl)))
		p.is(t, "[window.shortcut, "+value("name")+"]", `["KeyK",""]`)
	}, nil},
	{"check", "checkbox and radio button", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.Click(chromedp.CSS("#terms")), chromedp.Click(chromedp.CSS("#large")))
		p.is(t, "['terms', 'small', 'large'].map((id) => document.getElementById(id).checked)", "[true,false,true]")
		same(t, "checked", get(t, p, chromedp.JavascriptAttribute[bool](chromedp.CSS("#terms"), "checked")), true)
	}, nil},
	{"select", "SetValue of a select", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.SetValue(chromedp.CSS("#plan"), "pro"))
		p.is(t, value("plan"), `"pro"`)
	}, nil},
	{"upload", "SetUploadFiles by path", func(t *testing.T, p dpPage) {
		upload := chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{letter(t)})
		if !harness.Privileged() {
			_, err := chromedp.Run(p.ctx, upload)
			refused(t, err)
			return
		}
		p.do(t, upload)
		p.is(t, fileOf, `["letter.txt","Dear reader"]`)
		p.is(t, seen("file", "change"), `["change"]`)
	}, nil},
	{"locators", "by CSS, id, XPath and JavaScript", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.Click(chromedp.CSS("button[data-testid=plus]")), chromedp.Click(chromedp.ID("plus")),
			chromedp.Click(chromedp.Search("//button[text()='Add one']")), chromedp.Click(chromedp.JSPath("document.getElementById('plus')")))
		p.is(t, text("count"), `"4"`)
	}, nil},
	{"locators", "attributes, markup, dimensions", func(t *testing.T, p dpPage) {
		heading := chromedp.CSS("#heading")
		same(t, "an attribute", get(t, p, chromedp.AttributeValue(heading, "title")).Value, "The book")
		same(t, "markup", get(t, p, chromedp.OuterHTML(chromedp.CSS("#count"))), `<span id="count">0</span>`)
		same(t, "width", get(t, p, chromedp.Dimensions(chromedp.CSS("#pad"))).Width, 300)
		rows := get(t, p, chromedp.AttributesAll(chromedp.CSSAll("#list li")))
		same(t, "rows", len(rows), 3)
		p.do(t, chromedp.SetAttributeValue(heading, "lang", "en"))
		p.is(t, "document.getElementById('heading').lang", `"en"`)
	}, nil},
	{"locators", "computed style", func(t *testing.T, p dpPage) {
		var weight string
		for _, each := range get(t, p, chromedp.ComputedStyle(chromedp.CSS("#plus"))) {
			if each.Name == "font-weight" {
				weight = each.Value
			}
		}
		same(t, "font-weight", weight, "700")
	}, nil},
	{"DOM nodes", "Nodes and what lies below", func(t *testing.T, p dpPage) {
		nodes := get(t, p, chromedp.Nodes(chromedp.CSS("#list"), chromedp.Populate(-1, false, chromedp.PopulateWait(time.Second))))
		var names []string
		nodes[0].RLock() // the tree follows the events
		for _, child := range nodes[0].Children {
			names = append(names, child.LocalName)
		}
		nodes[0].RUnlock()
		same(t, "children", strings.Join(names, " "), "li li li")
		same(t, "path", nodes[0].FullXPath(), "/html[1]/body[1]/ul[1]")
	}, nil},
	{"DOM nodes", "an event for a new node", func(t *testing.T, p dpPage) {
		before := get(t, p, chromedp.QueryNodeIDs(chromedp.CSSAll("#list li")))
		get(t, p, chromedp.Evaluate[bool]("document.getElementById('list').append(document.createElement('li')), true"))
		after := get(t, p, chromedp.QueryNodeIDs(chromedp.CSSAll("#list li"), chromedp.AtLeast(4)))
		same(t, "more", len(after)-len(before), 1)
	}, nil},
}
