package clients

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
	"github.com/ysmood/gson"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var rodScript = []check[rodPage]{
	{"evaluate", "values and arguments", func(t *testing.T, p rodPage) {
		same(t, "a sum", p.MustEval("(a, b) => a + b", 3, 4).Int(), 7)
		same(t, "an object", p.MustEval("(o) => ({ was: o })", map[string]any{"a": []int{1}}).JSON("", ""), `{"was":{"a":[1]}}`)
		same(t, "this", p.MustElement("#heading").MustEval("() => this.title").Str(), "The book")
		same(t, "nothing", p.MustEval("() => null").Nil(), true)
	}, nil},
	{"evaluate errors", "Page.Eval that throws", func(t *testing.T, p rodPage) {
		_, err := p.Eval("() => { throw new RangeError('out of reach') }")
		var thrown *rod.EvalError
		if !errors.As(err, &thrown) || !strings.Contains(err.Error(), "RangeError: out of reach") {
			t.Errorf("it says %v", err)
		}
	}, nil},
	{"evaluate promises", "resolved and rejected", func(t *testing.T, p rodPage) {
		same(t, "later", p.MustEval("() => new Promise((resolve) => setTimeout(resolve, 50, 'later'))").Str(), "later")
		if _, err := p.Eval("async () => { throw new Error('not today') }"); err == nil || !strings.Contains(err.Error(), "not today") {
			t.Errorf("it says %v", err)
		}
	}, nil},
	{"handles", "objects by reference", func(t *testing.T, p rodPage) {
		book, err := p.Evaluate(rod.Eval("() => ({ leaves: [1, 2, 3] })").ByObject())
		if err != nil {
			t.Fatal(err)
		}
		leaves := p.MustEvaluate(rod.Eval("(b) => b.leaves.length", book))
		same(t, "leaves", leaves.Value.Int(), 3)
		if err := p.Release(book); err != nil {
			t.Error(err)
		}
		if _, err := p.Evaluate(rod.Eval("(b) => b", book)); err == nil {
			t.Error("a released object is still there")
		}
	}, nil},
	{"expose function", "Page.Expose", func(t *testing.T, p rodPage) {
		stop := p.MustExpose("double", func(v gson.JSON) (any, error) { return v.Int() * 2, nil })
		same(t, "the answer", p.MustEval("() => window.double(21)").Int(), 42)
		stop()
	}, nil},
	{"init script", "Page.EvalOnNewDocument", func(t *testing.T, p rodPage) {
		remove, err := p.EvalOnNewDocument("window.early = document.getElementById('heading') === null")
		if err != nil {
			t.Fatal(err)
		}
		p.MustReload().MustWaitLoad()
		p.is(t, "window.early", "true")
		if err := remove(); err != nil {
			t.Error(err)
		}
		p.MustReload().MustWaitLoad()
		p.is(t, "window.early ?? 'none'", `"none"`)
	}, nil},
	{"init script", "Page.AddScriptTag and AddStyleTag", func(t *testing.T, p rodPage) {
		if err := p.AddScriptTag("", "window.tagged = 1"); err != nil {
			t.Error(err)
		}
		if err := p.AddStyleTag("", "#plus { border-top-width: 7px }"); err != nil {
			t.Error(err)
		}
		p.is(t, "[window.tagged, getComputedStyle(document.getElementById('plus')).borderTopWidth]", `[1,"7px"]`)
	}, nil},
	{"frames", "Element.Frame", func(t *testing.T, p rodPage) {
		p.MustNavigate(p.url("/frames.html")).MustWaitLoad()
		child := p.MustElement("#inner").MustFrame()
		child.MustElement("#word").MustInput("deep")
		child.MustElement("#press").MustClick()
		p.at(t, "/child.html", "["+text("press")+","+value("word")+"]", `["Inner pressed","deep"]`)
		p.at(t, "/frames.html", text("press"), `"Press"`)
	}, nil},
	{"set content", "Page.SetDocumentContent", func(t *testing.T, p rodPage) {
		if err := p.SetDocumentContent("<title>New words</title><p id=new>New</p>"); err != nil {
			t.Fatal(err)
		}
		same(t, "the text", p.MustElement("#new").MustText(), "New")
		same(t, "the markup", strings.Contains(p.MustHTML(), "<title>New words</title>"), true)
	}, nil},
	{"locators", "through a shadow root", func(t *testing.T, p rodPage) {
		p.MustEval(`() => {
			const host = document.createElement("div");
			host.id = "host";
			host.attachShadow({ mode: "open" }).innerHTML = "<b>Within</b>";
			document.body.prepend(host);
		}`)
		same(t, "the text", p.MustElement("#host").MustShadowRoot().MustElement("b").MustText(), "Within")
	}, nil},
	{"wait for", "Page.Race", func(t *testing.T, p rodPage) {
		p.MustElement("#later").MustClick()
		won := p.Race().Element("#nosuch").Element("#arrived").MustDo()
		same(t, "the winner", won.MustText(), "Arrived late")
	}, nil},
	{"evaluate", "the page goes on after a navigation", func(t *testing.T, p rodPage) {
		heading := p.MustElement("#heading")
		p.MustNavigate(p.url("/two.html")).MustWaitLoad()
		if _, err := heading.Text(); err == nil {
			t.Error("an element of the old document answers")
		}
		same(t, "the new heading", p.MustElement("h1").MustText(), "Second page")
	}, nil},
	{"new CDP session", "a session on the page's own", func(t *testing.T, p rodPage) {
		session, err := proto.TargetAttachToTarget{TargetID: p.TargetID, Flatten: true}.Call(p.browser)
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.browser.Call(t.Context(), string(session.SessionID), "Runtime.evaluate", proto.RuntimeEvaluate{Expression: "location.pathname", ReturnByValue: true})
		if err != nil || !strings.Contains(string(res), harness.AppPage) {
			t.Errorf("%s, %v", res, err)
		}
		if err := (proto.TargetDetachFromTarget{SessionID: session.SessionID}).Call(p.browser); err != nil {
			t.Error(err)
		}
	}, nil},
}
