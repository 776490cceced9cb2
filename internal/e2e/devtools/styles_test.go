package devtools

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestStylesMatchChromium has a frame and a Chromium say which styles apply to the
// elements of one app, and wants the same answers, but for the browser's own rules.
func TestStylesMatchChromium(t *testing.T) {
	page := harness.StartHub(t, "--browser", "--browser-no-sandbox")
	frame := harness.StartHub(t)
	harness.StartBrowser(t, "http://"+frame.HostAddr+"/shell?app="+url.QueryEscape(serve(t, frame.HostAddr)), false)
	if status, text := page.Get(t, "PUT", "/json/new?"+serve(t, "")); status != 200 {
		t.Fatal(status, text)
	}
	chromium, agent := inspect(t, page), inspect(t, frame)
	for _, selector := range []string{"body", ".note", ".head", ".inner"} {
		want, got := chromium.styles(t, selector), agent.styles(t, selector)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the frame says\n%s\nand Chromium\n%s", selector, lines(got), lines(want))
		}
	}
}

func lines(list []string) (text string) {
	for _, l := range list {
		text += l + "\n"
	}
	return text
}

// inspector is a session with the app that has enabled CSS.
type inspector struct {
	*harness.CDP
	session string
	root    int
}

func inspect(t *testing.T, h *harness.Hub) inspector {
	t.Helper()
	c := harness.DialCDP(t, "http://"+h.ClientAddr)
	i := inspector{CDP: c}
	harness.Eventually(t, harness.Started, func() error {
		for _, id := range c.Pages(t) {
			i.session = c.Attach(t, id)
			if c.Evaluate(t, i.session, "document.readyState + document.title") == `"completeField book"` {
				return nil
			}
		}
		return fmt.Errorf("the app has not loaded")
	})
	c.Call(t, i.session, "DOM.enable", nil)
	c.Call(t, i.session, "CSS.enable", nil)
	var doc struct{ Root struct{ NodeID int } }
	read(t, c.Call(t, i.session, "DOM.getDocument", nil), &doc)
	i.root = doc.Root.NodeID
	return i
}

func read(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

type text struct{ Text string }

type match struct {
	Rule struct {
		Origin       string
		SelectorList struct {
			Text      string
			Selectors []struct {
				Text        string
				Specificity struct{ A, B, C int }
			}
		}
		Style            style
		Media            []text
		Layers           []text
		NestingSelectors []string
	}
	MatchingSelectors []int
}

type style struct {
	Range         any
	CSSProperties []struct {
		Name, Value, Text string
		Disabled          bool
		ParsedOK          *bool
		Range             any
	}
}

// styles are the rules that apply to an element and those around it, a line each.
func (i inspector) styles(t *testing.T, selector string) (found []string) {
	t.Helper()
	var node struct{ NodeID int }
	read(t, i.Call(t, i.session, "DOM.querySelector", map[string]any{"nodeId": i.root, "selector": selector}), &node)
	var all struct {
		InlineStyle     style
		MatchedCSSRules []match
		PseudoElements  []struct {
			PseudoType string
			Matches    []match
		}
		Inherited []struct{ MatchedCSSRules []match }
	}
	read(t, i.Call(t, i.session, "CSS.getMatchedStylesForNode", map[string]any{"nodeId": node.NodeID}), &all)
	add := func(where string, list []match) {
		for _, m := range list {
			if r := m.Rule; r.Origin != "user-agent" {
				found = append(found, fmt.Sprint(where, r.SelectorList, r.Media, r.Layers, r.NestingSelectors, m.MatchingSelectors, r.Style.written()))
			}
		}
	}
	found = append(found, fmt.Sprint("inline", all.InlineStyle.written()))
	add("own", all.MatchedCSSRules)
	for _, p := range all.PseudoElements {
		add(p.PseudoType, p.Matches)
	}
	for n, around := range all.Inherited {
		add(fmt.Sprint("around ", n), around.MatchedCSSRules)
	}
	return found
}

// written are the declarations that stand in the sheet, and the place of the block.
func (s style) written() (list []string) {
	for _, p := range s.CSSProperties {
		if p.Range != nil {
			list = append(list, fmt.Sprint(p.Name, "=", p.Value, p.Text, p.Disabled, p.ParsedOK == nil || *p.ParsedOK, p.Range))
		}
	}
	return append(list, fmt.Sprint(s.Range))
}
