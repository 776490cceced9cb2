package actions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// refsModel is what the property of refs is tested with: every ref that was ever given, and the
// button that had it. The text of a button tells it apart over all documents.
type refsModel struct {
	t      *testing.T
	b      *actions.Browser
	pages  []*actions.Page
	random *rand.Rand
	given  map[givenRef]string   // the uid of the button
	latest map[string][]givenRef // by page and scheme
}

// givenRef is a ref as the caller knows it: positions, and ids in the page, with their page.
type givenRef struct {
	page string
	actions.SnapshotRef
}

func (m *refsModel) refOn(p *actions.Page, scheme actions.Scheme, id string) givenRef {
	ref := givenRef{SnapshotRef: actions.SnapshotRef{Scheme: scheme, ID: id}}
	if scheme == actions.Aria || scheme == actions.Tagged {
		ref.page = p.ID
	}
	return ref
}

// snapshotLines are the lines of the four kinds of snapshots, as they name a button.
var snapshotLines = map[actions.Scheme]*regexp.Regexp{
	actions.YAML:   regexp.MustCompile(`button "[A-Za-z ]+ (\w+)".* \[ref=(\w+)\]`),
	actions.Tagged: regexp.MustCompile(`\[(a\d+|r-\d+) button\] [A-Za-z ]+ (\w+)`),
}

// read takes a snapshot, and returns the uids by ref.
func (m *refsModel) read(p *actions.Page, scheme actions.Scheme) map[string]string {
	m.t.Helper()
	found := make(map[string]string)
	name := func(ref, text string) { found[ref] = text[strings.LastIndexByte(text, ' ')+1:] }
	var err error
	switch scheme {
	case actions.YAML:
		var s actions.YAMLSnapshot
		s, err = p.SnapshotYAML(m.t.Context(), actions.YAMLOptions{})
		for _, line := range snapshotLines[scheme].FindAllStringSubmatch(s.Text, -1) {
			found[line[2]] = line[1]
		}
	case actions.Tagged:
		var s actions.TaggedSnapshot
		s, err = p.SnapshotTagged(m.t.Context(), actions.TaggedOptions{})
		for _, line := range snapshotLines[scheme].FindAllStringSubmatch(s.Markdown, -1) {
			found[line[1]] = line[2]
		}
	case actions.BAP:
		var s actions.Observation
		s, err = p.Observe(m.t.Context(), actions.ObserveOptions{NumberedRefs: m.random.IntN(3) == 0})
		for _, e := range s.Elements {
			name(e.Ref, e.Name)
		}
	case actions.Aria:
		var s actions.ElementsSnapshot
		s, err = p.SnapshotElements(m.t.Context())
		for _, e := range elementsOf(s.Elements) {
			if e.Role == "button" {
				name(e.RefID, *e.Name)
			}
		}
	}
	if err != nil || len(found) == 0 {
		m.t.Fatalf("a snapshot of %s: %v, %v", scheme, found, err)
	}
	return found
}

func elementsOf(list []actions.Element) (all []actions.Element) {
	for _, e := range list {
		all = append(append(all, e), elementsOf(e.Children)...)
	}
	return all
}

// snapshot takes a snapshot. Each ref in it must reach its button; but for a position in the page, it
// must never have been the ref of another one.
func (m *refsModel) snapshot(p *actions.Page, scheme actions.Scheme) {
	m.t.Helper()
	found := m.read(p, scheme)
	key := p.ID + string(scheme)
	var list []givenRef
	for id, uid := range found {
		ref := m.refOn(p, scheme, id)
		if before, known := m.given[ref]; known && before != uid && scheme != actions.Aria {
			m.t.Fatalf("%s of %s was given to %s before", id, uid, before)
		}
		m.given[ref] = uid
		list = append(list, ref)
	}
	for _, ref := range list {
		if got, err := m.reach(p, ref); got != m.given[ref] {
			m.t.Fatalf("%s, just given, reaches %q, want %s (%v)", ref, got, m.given[ref], err)
		}
	}
	// The same snapshot again has the same refs.
	if scheme == actions.YAML || scheme == actions.Tagged {
		if again := m.read(p, scheme); !maps.Equal(again, found) {
			m.t.Fatalf("%v becomes %v", found, again)
		}
	}
	for _, ref := range m.latest[key] { // a newer ref of the same button is in its place
		if scheme == actions.YAML && found[ref.ID] == "" && slices.Contains(slices.Collect(maps.Values(found)), m.given[ref]) {
			if got, err := m.reach(p, ref); actions.KindOf(err) != actions.StaleRef {
				m.t.Fatalf("%s, which has a newer ref, reaches %q: %v", ref, got, err)
			}
		}
	}
	m.latest[key] = list
}

// reach is the uid of the button that a ref reaches.
func (m *refsModel) reach(p *actions.Page, ref givenRef) (string, error) {
	state, err := p.ElementState(m.t.Context(), ref.SnapshotRef, []string{"text"})
	text, _ := state["text"].(string)
	if ref.Scheme == actions.Aria && state["found"] == false { // the page has fewer
		err = &actions.Error{Kind: actions.StaleRef, Message: "take a new snapshot"}
	}
	return text[strings.LastIndexByte(text, ' ')+1:], err
}

// judge wants a ref to reach its own button or to be refused.
func (m *refsModel) judge(p *actions.Page, ref givenRef) {
	m.t.Helper()
	got, err := m.reach(p, ref)
	if err != nil && (actions.KindOf(err) != actions.StaleRef || !strings.HasSuffix(err.Error(), "take a new snapshot")) || err == nil && got != m.given[ref] {
		m.t.Fatalf("%s of %s reaches %q: %v", ref, m.given[ref], got, err)
	}
}

// click clicks by a ref, and wants the click to have reached its own button, or nothing.
func (m *refsModel) click(p *actions.Page, ref givenRef) {
	m.t.Helper()
	value(m.t, p, `(sessionStorage.hits = "", 0)`)
	ctx, cancel := context.WithTimeout(m.t.Context(), 5*time.Second)
	defer cancel()
	_, err := p.Click(ctx, ref.SnapshotRef, actions.ClickOptions{})
	var hits string
	for range 100 { // a frame of another process takes a moment to tell
		_ = json.Unmarshal([]byte(value(m.t, p, `sessionStorage.hits`)), &hits)
		if err != nil || hits != "" {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if want := " " + m.given[ref]; err == nil && hits != want || err != nil && hits != "" {
		m.t.Fatalf("a click by %s hits %q, want %q: %v", ref, hits, want, err)
	}
}

// step does one random thing.
func (m *refsModel) step(p *actions.Page) string {
	m.t.Helper()
	goes := func(what string, err error) string {
		if err != nil {
			m.t.Fatalf("%s: %v", what, err)
		}
		return what
	}
	inner := `document.querySelector("iframe.own").contentWindow`
	switch n := m.random.IntN(14); n {
	case 0:
		_, err := p.Goto(m.t.Context(), fmt.Sprintf("%s/refs.html?%d", shared.app.URL, m.random.IntN(3)), actions.GotoOptions{})
		return goes("goto", err)
	case 1:
		_, err := p.Reload(m.t.Context(), nil)
		return goes("reload", err)
	case 2:
		n, err := p.GoBack(m.t.Context(), nil)
		if err == nil && strings.HasPrefix(n.URL, "about:") {
			_, err = p.GoForward(m.t.Context(), nil)
		}
		return goes("back", err)
	case 3:
		_, err := p.GoForward(m.t.Context(), nil)
		return goes("forward", err)
	case 4, 5: // another document in a frame; a frame that is moved loads anew
		change := []string{"frame.contentWindow.location.replace(frame.src)", "document.body.append(frame)"}[n-4]
		value(m.t, p, fmt.Sprintf(`new Promise((done) => {
			const frame = document.querySelector("iframe%s");
			frame.onload = () => done(1);
			%s;
		})`, []string{".own", ":not(.own)"}[m.random.IntN(2)], change))
		return change
	default:
		op := []string{"insert", "move", "remove", "reinsert", "rename", "readdress"}[m.random.IntN(6)]
		in := ""
		if n%3 == 0 && op != "readdress" {
			in = inner + "."
		}
		value(m.t, p, fmt.Sprintf("void %seval('ops')?.%s(%d)", in, op, m.random.IntN(9)))
		return in + op
	}
}

// TestR310RefsReachTheirElement does random things to two pages: navigations, reloads, history, frames,
// changes of elements, snapshots. Every ref ever given reaches the element for which it was given, on
// the page on which it was given, or is refused.
func TestR310RefsReachTheirElement(t *testing.T) {
	const seeds = 2
	on(t, func(t *testing.T, b *actions.Browser) {
		for seed := range seeds {
			m := &refsModel{t: t, b: b, random: rand.New(rand.NewPCG(36, uint64(seed))), given: map[givenRef]string{}, latest: map[string][]givenRef{}}
			m.pages = []*actions.Page{visit(t, b, "/refs.html"), visit(t, b, "/refs.html")}
			schemes := []actions.Scheme{actions.YAML, actions.Tagged, actions.BAP, actions.Aria}
			var steps []string
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("seed %d: %v", seed, steps)
				}
			})
			for range 30 {
				p := m.pages[m.random.IntN(2)]
				scheme := schemes[m.random.IntN(4)]
				m.snapshot(p, scheme)
				steps = append(steps, string(scheme)+p.Alias, m.step(p))
				list := slices.SortedFunc(maps.Keys(m.given), func(a, b givenRef) int {
					return strings.Compare(a.page+string(a.Scheme)+a.ID, b.page+string(b.Scheme)+b.ID)
				})
				m.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				for i, ref := range list[:min(len(list), 12)] {
					for _, p := range m.pages {
						if ref.page != "" && ref.page != p.ID {
							continue
						}
						if m.judge(p, ref); i < 1 {
							m.click(p, ref)
						}
					}
				}
			}
		}
	})
}

// TestR310RefAfterAChange changes the first button of a page, or of a frame, after a snapshot.
func TestR310RefAfterAChange(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		for name, tt := range map[string]struct {
			change string // of el, the button
			again  bool   // a snapshot is taken after it
			good   bool   // the ref still reaches the button
		}{
			"in a frame that goes on":       {`inner.move(0)`, true, true},
			"in a frame that shows another": {`window.kept = frame.contentDocument; await load("frame.contentWindow.location.reload()")`, true, false},
			"in a frame that is moved":      {`window.kept = frame.contentDocument; await load("document.body.append(frame)")`, false, false},
			"in a frame that has gone":      {`window.kept = frame.contentDocument; frame.remove()`, false, false},
			"moved":                         {`el.parentNode.append(el)`, true, true},
			"renamed":                       {`el.textContent = "Other " + el.uid`, false, true},
			"renamed, and another snapshot": {`el.textContent = "Other " + el.uid`, true, false},
			"another role, and a snapshot":  {`el.setAttribute("role", "link")`, true, false},
			"removed":                       {`el.remove()`, false, false},
			"replaced by a copy":            {`el.replaceWith(el.cloneNode(true))`, true, false},
			"in a shadow tree":              {`el.after(document.createElement("div")); el.nextSibling.attachShadow({ mode: "open" }).append(el)`, true, true},
			"in the document of a frame":    {`document.querySelector(".own").contentDocument.body.append(el)`, false, false},
			"its document written anew":     {`document.open(); document.write("<main></main>"); document.close()`, false, false},
			"with another address":          {`history.pushState(null, "", "?at=1")`, false, true},
			"outside, and tried, and back":  {`el.remove(); window.back = () => document.querySelector("main").prepend(el)`, false, true},
		} {
			p := visit(t, b, "/refs.html")
			m := &refsModel{t: t, b: b, random: rand.New(rand.NewPCG(1, 1)), given: map[givenRef]string{}, latest: map[string][]givenRef{}}
			m.snapshot(p, actions.YAML)
			list := `buttons()`
			if strings.HasPrefix(name, "in a frame") {
				list = `document.querySelector(".own").contentWindow.eval("buttons()")`
			}
			uid := strings.Trim(value(t, p, list+`[0].uid`), `"`)
			var ref givenRef
			for r, of := range m.given {
				if of == uid {
					ref = r
				}
			}
			value(t, p, `(async () => {
				const frame = document.querySelector(".own");
				const inner = frame.contentWindow.eval("ops");
				const load = (what) => new Promise((done) => { frame.onload = () => done(); eval(what); });
				const el = buttons()[0];
				`+tt.change+`;
				return 0;
			})()`)
			if strings.Contains(tt.change, "window.back") {
				if got, err := m.reach(p, ref); actions.KindOf(err) != actions.StaleRef {
					t.Errorf("%s: outside of the document it reaches %q, %v", name, got, err)
				}
				value(t, p, `void back()`)
			}
			if tt.again {
				m.read(p, actions.YAML)
			}
			if got, err := m.reach(p, ref); (err == nil) != tt.good || tt.good && got != uid || !tt.good && actions.KindOf(err) != actions.StaleRef {
				t.Errorf("%s: %s of %s reaches %q, %v", name, ref, uid, got, err)
			}
			m.click(p, ref)
		}
	})
}

// TestR310DragToAStaleRef wants a drag to a stale ref to be refused before the button is pressed.
func TestR310DragToAStaleRef(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/refs.html")
		value(t, p, `(window.pressed = 0, addEventListener("mousedown", () => pressed++, true), 0)`)
		fails(t, p.DragTo(t.Context(), actions.First{Locator: actions.CSS("main > button")}, actions.SnapshotRef{Scheme: actions.YAML, ID: "e9999"}), actions.StaleRef)
		is(t, p, `pressed`, `0`)
	})
}

// TestR310CopiedIDs has a page copy ids within a document, and into the next one, and another caller
// take a snapshot after the newest element has gone.
func TestR310CopiedIDs(t *testing.T) {
	for _, kind := range []actions.TargetKind{actions.BrowserTarget, actions.FrameTarget} {
		options := actions.Options{Shared: new(actions.Shared)}
		b, other := connect(t, kind, options), connect(t, kind, options)
		p := visit(t, b, "/refs.html")
		m := &refsModel{t: t, b: b, random: rand.New(rand.NewPCG(1, 1)), given: map[givenRef]string{}, latest: map[string][]givenRef{}}
		m.snapshot(p, actions.Tagged)
		id := strings.Trim(value(t, p, `buttons()[0].dataset.rpId`), `"`)
		value(t, p, `(buttons()[0].after(buttons()[0].cloneNode(true)), 0)`)
		ref := actions.SnapshotRef{Scheme: actions.Tagged, ID: id}
		_, err := p.Click(t.Context(), ref, actions.ClickOptions{})
		fails(t, err, actions.StaleRef)

		value(t, p, `(buttons()[1].remove(), sessionStorage.kept = document.querySelector("main").outerHTML, buttons().at(-1).remove(), ops.insert(), 0)`)
		m.snapshot(find(t, other, p.ID), actions.Tagged) // the new button gets no id that was given

		if _, err := p.Reload(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		value(t, p, `(document.querySelector("main").outerHTML = sessionStorage.kept, 0)`)
		_, err = p.Click(t.Context(), ref, actions.ClickOptions{})
		fails(t, err, actions.StaleRef)
		s, err := p.SnapshotTagged(t.Context(), actions.TaggedOptions{})
		if err != nil || strings.Contains(s.Markdown, "["+id+" ") {
			t.Errorf("%s: %s is given anew: %s, %v", kind, id, s.Markdown, err)
		}
	}
}
