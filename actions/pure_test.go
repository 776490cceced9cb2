package actions

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

func TestWithTimeout(t *testing.T) {
	for _, c := range []struct{ d, byDefault, want time.Duration }{
		{0, 5 * time.Second, 5 * time.Second},
		{time.Second, 5 * time.Second, time.Second},
		{time.Hour, 5 * time.Second, MaxTimeout},
		{-1, time.Hour, MaxTimeout},
	} {
		ctx, cancel := WithTimeout(t.Context(), c.d, c.byDefault)
		at, ok := ctx.Deadline()
		if got := time.Until(at); !ok || got > c.want || got < c.want-time.Minute {
			t.Errorf("WithTimeout(%v, %v) ends in %v, want %v", c.d, c.byDefault, got, c.want)
		}
		cancel()
	}
	ctx, cancel := withDeadline(context.Background())
	defer cancel()
	if at, ok := ctx.Deadline(); !ok || time.Until(at) > defaultTimeout {
		t.Error("a call without a deadline has none")
	}
	far, stop := context.WithTimeout(t.Context(), time.Hour)
	defer stop()
	ctx, cancel2 := withDeadline(far)
	defer cancel2()
	if at, _ := ctx.Deadline(); time.Until(at) > MaxTimeout {
		t.Error("a call with too late a deadline keeps it")
	}
	if left := elementPatience(ctx); left > MaxTimeout || left < MaxTimeout-time.Minute {
		t.Errorf("it waits %v", left)
	}
	over, stop2 := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop2()
	if left := elementPatience(over); left != 0 {
		t.Errorf("when it is over it waits %v", left)
	}
}

func TestChords(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "Control+A": "Control|A", "Control+Shift+Tab": "Control|Shift|Tab", "+": "+", "Control++": "Control|+", "Alt+F4": "Alt|F4",
	} {
		modifiers, name := parseChord(in)
		if got := strings.Join(append(modifiers, name), "|"); got != want {
			t.Errorf("parseChord(%q) = %q, want %q", in, got, want)
		}
	}
	for _, c := range []struct {
		name  string
		shift bool
		want  key
	}{
		{"a", false, key{"a", "KeyA", 65, "a", 0}},
		{"a", true, key{"A", "KeyA", 65, "A", 0}},
		{"A", false, key{"A", "KeyA", 65, "A", 0}},
		{"7", false, key{"7", "Digit7", 55, "7", 0}},
		{"7", true, key{"&", "Digit7", 55, "&", 0}},
		{"&", false, key{"&", "Digit7", 55, "&", 0}},
		{"/", false, key{"/", "Slash", 191, "/", 0}},
		{"/", true, key{"?", "Slash", 191, "?", 0}},
		{"KeyB", false, key{"b", "KeyB", 66, "b", 0}},
		{"Esc", false, key{"Escape", "Escape", 27, "", 0}},
		{"\n", false, key{"Enter", "Enter", 13, "\r", 0}},
		{"é", false, key{"é", "", 0, "é", 0}},
	} {
		if got, ok := keyOf(c.name, c.shift); !ok || got != c.want {
			t.Errorf("keyOf(%q, %v) = %+v, %v, want %+v", c.name, c.shift, got, ok, c.want)
		}
	}
	for _, name := range []string{"", "Nope", "KeyAB", "\x01"} {
		if k, ok := keyOf(name, false); ok {
			t.Errorf("keyOf(%q) = %+v", name, k)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true},
		{"*/a*", "http://x/abc", true},
		{"*.js", "http://x/a.js", true},
		{"*.js", "http://x/a.jsx", false},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"", "a", false},
		{"*a*b*c*", "xxaxxbxxcxx", true},
		{"*a*b*c*", "xxaxxcxxbxx", false},
	} {
		pattern, err := CompileGlob(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := pattern.Match(t.Context(), c.text); got != c.want || err != nil {
			t.Errorf("%q matches %q: %v, %v", c.pattern, c.text, got, err)
		}
	}
}

func TestNoBrowserIsSaidOnce(t *testing.T) {
	if got, want := NoBrowserFor(NoBrowserFor(errors.New("it has ended"))).Error(), "no browser: it has ended"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRoutesChangeHeaders goes on without some headers and with others, whatever
// the case of their names.
func TestRoutesChangeHeaders(t *testing.T) {
	d := RouteDecision{Without: []string{"referer"}, With: map[string]string{"X-A": "2"}}
	list := d.headers(map[string]string{"Referer": "r", "x-a": "1", "Accept": "*/*"})
	got := map[string]any{}
	for _, h := range list {
		got[h["name"].(string)] = h["value"]
	}
	if len(list) != 2 || got["Accept"] != "*/*" || got["X-A"] != "2" {
		t.Errorf("%v", list)
	}
}

func TestRoutesNewestFirst(t *testing.T) {
	abort := &Route{Patterns: []RoutePattern{{URL: "*/a"}}, Decide: func(context.Context, Request) RouteDecision { return RouteDecision{Abort: "Failed"} }}
	answer := &Route{Decide: func(context.Context, Request) RouteDecision { return RouteDecision{Respond: &RouteResponse{}} }}
	if err := abort.compile(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		routes routes
		url    string
		want   string
	}{
		{nil, "x/a", "Fetch.continueRequest"},
		{routes{abort}, "x/b", "Fetch.continueRequest"},
		{routes{abort}, "x/a", "Fetch.failRequest"},
		{routes{abort, answer}, "x/a", "Fetch.fulfillRequest"},
		{routes{answer, abort}, "x/a", "Fetch.failRequest"},
		{routes{answer, abort}, "x/b", "Fetch.fulfillRequest"},
	} {
		if got, _ := c.routes.decide(t.Context(), Request{URL: c.url}, nil); got != c.want {
			t.Errorf("%d routes for %s: %s, want %s", len(c.routes), c.url, got, c.want)
		}
	}
}

func TestLocatorsAreChecked(t *testing.T) {
	for _, l := range []Locator{
		nil, CSS(""),
		Text{},
		Role{},
		XPath("document('x')"), CSS("a[style='background:URL(JavaScript:1)']"), CSS("a{width:expression(1)}"),
		CSS(strings.Repeat("x", maxLocator+1)),
		First{TestID("")},
	} {
		if err := checkLocator(l); err == nil || err.Kind != InvalidArgument {
			t.Errorf("%v: %v", l, err)
		}
	}
	for l, want := range map[Locator]string{
		CSS("#a"): "#a", XPath("//a"): "xpath=//a", TestID("t"): "testId=t", Role{Role: "button"}: "role=button",
		Role{Role: "button", Name: `Sa"ve`}: `role=button[name="Sa\"ve"]`, Text{Text: "x"}: "text=x", Label{Text: "x"}: "label=x",
		Placeholder{Text: "x"}: "placeholder=x", SnapshotRef{YAML, "e1"}: "e1", Handle{"h1"}: "h1", Point{1, 2.5}: "(1, 2.5)", First{CSS("a")}: "a",
	} {
		if err := checkLocator(l); err != nil || l.String() != want {
			t.Errorf("%v: %v, want %s", l, err, want)
		}
	}
}

func TestTranslate(t *testing.T) {
	p := newPage(&Browser{}, "T", "page-1")
	for _, c := range []struct {
		err  error
		want Kind
	}{
		{context.DeadlineExceeded, Timeout},
		{context.Canceled, Timeout},
		{&wire.Error{Code: wire.CodeNoSession, Message: "Session with given id not found."}, TargetClosed},
		{wire.ServerError("Target destroyed"), TargetClosed},
		{wire.ServerError("Inspected target navigated or closed"), ContextDestroyed},
		{wire.ServerError("Page.printToPDF is not possible in an embedded frame: no"), Unsupported},
		{&wire.Error{Code: wire.CodeMethodNotFound, Message: "'X.y' wasn't found"}, Unsupported},
		{wire.ServerError("Host is not connected"), NoBrowser},
		{wire.ServerError("Target is not connected: no Frame Agent in the current document"), Unsupported},
		{wire.ServerError("Cannot find context with specified id. cdphub: the iframe has no Frame Agent: load agent.js in it"), Unsupported},
		{wire.ServerError("Not allowed: Page.navigate needs scope standard"), PermissionDenied},
		{wire.ServerError("something else"), Internal},
	} {
		got := p.translate("X.y", c.err)
		if got.Kind != c.want || got.Details.PageID != "T" && c.want != Unsupported || !errors.Is(got, c.err) && c.want != Unsupported {
			t.Errorf("%v: %+v, want %s", c.err, got, c.want)
		}
	}
	if KindOf(nil) != "" || KindOf(errors.New("x")) != Internal {
		t.Error("KindOf of no Error")
	}
}

func TestCutLines(t *testing.T) {
	long := strings.Repeat("- text: abcdef\n", MaxSnapshot/10)
	got := cutLines(long, MaxSnapshot)
	lines := strings.Split(got, "\n")
	if len(got) > MaxSnapshot || lines[len(lines)-1] != yamlCut(MaxSnapshot) || lines[len(lines)-2] != "- text: abcdef" {
		t.Errorf("%d bytes, ending with %q", len(got), lines[len(lines)-2:])
	}
	if got := cutLines("a\nb", MaxSnapshot); got != "a\nb" {
		t.Errorf("a short one becomes %q", got)
	}
}

func TestQueueShedsWhatOnlyTells(t *testing.T) {
	q := newQueue()
	var ran []int
	for i := range maxQueued + 5 {
		q.put(func() { ran = append(ran, i) }, 0, true)
	}
	end := make(chan struct{})
	q.put(func() { close(end) }, 0, false)
	q.run(end)
	if len(ran) != maxQueued || !slices.IsSorted(ran) {
		t.Errorf("%d ran", len(ran))
	}
}

func TestParseLoadState(t *testing.T) {
	for name, want := range map[string]LoadState{"": Load, "load": Load, "commit": Commit, "domcontentloaded": DOMContentLoaded, "networkidle": NetworkIdle} {
		if got, err := ParseLoadState(name); err != nil || got != want {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	if _, err := ParseLoadState("soon"); KindOf(err) != InvalidArgument {
		t.Errorf("soon: %v", err)
	}
}
