package actions

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestR443SnapshotModes reads each way to write how much of a page an answer shows.
func TestR443SnapshotModes(t *testing.T) {
	for text, want := range map[string]SnapshotMode{
		`"none"`: {Kind: NoSnapshot}, `"delta"`: {Kind: DeltaSnapshot}, `"full"`: {Kind: FullSnapshot}, `null`: {}, `""`: {},
		`{"tokens":800}`: {FullSnapshot, 800}, `"800"`: {FullSnapshot, 800}, `800`: {FullSnapshot, 800},
	} {
		var got SnapshotMode
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s is %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{`"all"`, `0`, `-1`, `1.5`, `{}`, `{"tokens":0}`, `{"tokens":1e3}`, `{"tokens":"many"}`, `true`, `[]`} {
		if got := new(SnapshotMode); json.Unmarshal([]byte(text), got) == nil {
			t.Errorf("%s is taken as %+v", text, *got)
		}
	}
}

// TestR443BudgetKeepsWhatMatters cuts a page with texts, links and buttons in view and below it.
func TestR443BudgetKeepsWhatMatters(t *testing.T) {
	var b strings.Builder
	b.WriteString("- heading \"Shop\" [level=1] [ref=e1] [box=0,0,800,40]\n- list [ref=e2] [box=0,40,800,9000]:\n")
	for i := range 100 {
		fmt.Fprintf(&b, "  - listitem [ref=e%d] [box=0,%d,800,90]:\n    - text: words about [box=0,0,9,9] it\n    - link \"Item %d\" [ref=e%d] [cursor=pointer] [box=0,%[2]d,90,20]:\n      - /url: /items/%[3]d\n", 10+2*i, 40+90*i, i, 11+2*i)
	}
	whole := newOutline(strings.TrimSuffix(b.String(), "\n"), yamlForm)
	if text := whole.text(); strings.Count(text, "[box=") != 100 || !strings.Contains(text, "about [box=0,0,9,9] it") {
		t.Fatalf("boxes are not taken out, and nothing else: %s", text)
	}
	view := Viewport{Width: 800, Height: 600}
	for _, test := range []struct {
		most          int
		with, without string
	}{
		{700, `"Item 6"`, `"Item 7"`},    // what one acts on, in view
		{1400, `/items/6`, `/items/7`},   // then texts and addresses in view
		{4000, `"Item 30"`, `"Item 99"`}, // then what one acts on below
	} {
		l := showOutline(whole, shownPage{}, test.most, view)
		if n := utf8.RuneCountInString(l.Text); n > test.most || !strings.Contains(l.Text, test.with) || strings.Contains(l.Text, test.without) {
			t.Errorf("%d characters are kept of %d, want %s in them, and no %s:\n%s", n, test.most, test.with, test.without, l.Text)
		}
		if l.Cut == nil || l.Cut.All != len(whole.nodes)-1 || len(l.Cut.Most) == 0 || l.Cut.Most[0].Lines == 0 {
			t.Errorf("the answer says of what it does not show: %+v", l.Cut)
		}
	}
	if l := showOutline(whole, shownPage{}, 1<<20, view); l.Cut != nil || l.Text != whole.text() {
		t.Errorf("what fits is cut: %+v", l.Cut)
	}
}

// TestR443WhatComesIsShown opens a dialog on a page that is longer than an answer: the delta has it, and no more of what
// was left out before.
func TestR443WhatComesIsShown(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "- button \"Row %d\" [ref=e%d]\n", i, i+1)
	}
	const most = 2000
	first := showOutline(newOutline(b.String(), yamlForm), shownPage{}, most, Viewport{})
	b.WriteString("- dialog \"Sure?\" [ref=e900]:\n  - button \"Yes\" [ref=e901]\n")
	second := showOutline(newOutline(b.String(), yamlForm), first.shown, most, Viewport{})
	if !second.Delta || !strings.Contains(second.Text, `"Yes"`) || len(second.Text) > 200 || second.Cut != nil {
		t.Errorf("a dialog opens, and the answer is %+v: %s", second.Cut, second.Text)
	}
	for i := range 500 {
		fmt.Fprintf(&b, "- button \"New %d\" [ref=e%d]\n", i, i+1001)
	}
	third := showOutline(newOutline(b.String(), yamlForm), second.shown, most, Viewport{})
	if third.Cut == nil {
		t.Errorf("more comes than can be shown, and the answer does not say so: %s", third.Text)
	}
	if same := showOutline(newOutline(b.String(), yamlForm), third.shown, most, Viewport{}); !same.Delta || same.Text != "" {
		t.Errorf("nothing changes, and the delta is %q", same.Text)
	}
}

// TestR443TaggedDelta has a line of browser hooks change, one go and one come.
func TestR443TaggedDelta(t *testing.T) {
	before, now := "[a1 h1] Shop\n[a2 button] Buy\n[a3 input email] value=\"\"\n[a4 link /] Home", "[a1 h1] Shop\n[a3 input email] value=\"a@b.c\"\n[a4 link /] Home\n[a5 button] Pay"
	const want = "removed: a2\npage:\n  ... a1..a4\n  [a5 button] Pay\n[a3 input email] value=\"a@b.c\""
	if got := newOutline(now, taggedForm).delta(newOutline(before, taggedForm)); got != want {
		t.Errorf("the delta is\n%s\nwant\n%s", got, want)
	}
}

// TestR443ElementsAreCut cuts a tree of elements with bounds.
func TestR443ElementsAreCut(t *testing.T) {
	var list []Element
	for i := range 50 {
		name := fmt.Sprintf("Save %d", i)
		list = append(list, Element{RefID: fmt.Sprintf("listitem[%d]", i), Role: "listitem", State: []string{}, Bounds: Box{Y: float64(i * 100), Width: 10, Height: 10}, Children: []Element{
			{RefID: fmt.Sprintf("button[%d]", i), Role: "button", Name: &name, State: []string{}, Bounds: Box{Y: float64(i * 100), Width: 10, Height: 10}},
		}})
	}
	got, cut := cutElements(list, 3000, Viewport{Width: 800, Height: 600})
	text := string(mustJSON(got))
	if cut == nil || cut.All != 100 || len(text) > 3300 || !strings.Contains(text, `"button[5]"`) || strings.Contains(text, `"button[49]"`) {
		t.Errorf("%+v: %s", cut, text)
	}
	if got, cut := cutElements(list, 1<<20, Viewport{}); cut != nil || len(got) != 50 {
		t.Errorf("what fits is cut: %+v", cut)
	}
}
