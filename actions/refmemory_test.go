package actions

import (
	"strconv"
	"testing"
)

// TestRefLimits goes to each limit of what is kept for refs, and one beyond.
func TestRefLimits(t *testing.T) {
	m := new(refMemory)
	for i := range maxObserved + 1 {
		m.noteObserved([]ObservedElement{{Ref: "@" + strconv.Itoa(i), Role: "button", Name: "A"}})
	}
	if known := m.knownRefs(); len(known) != maxObserved || known["@0"] != "" || known["@1"] != "button|A" {
		t.Errorf("%d refs are known, the first %q, the second %q", len(known), known["@0"], known["@1"])
	}
	for i := range maxRoles + 1 {
		m.notePositions([]Element{{RefID: "r" + strconv.Itoa(i) + "[3]"}})
	}
	for ref, want := range map[string]string{"r0[3]": "given", "r0[4]": "never", "r999[0]": "given", "r1000[3]": "never"} {
		if got := m.positionTaken(ref); got != want {
			t.Errorf("%s was %s, want %s", ref, got, want)
		}
	}
	configs := new(BrowserConfigs)
	for i := range maxConfigured {
		if err := configs.Set(strconv.Itoa(i), BrowserConfig{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := configs.Set("more", BrowserConfig{}); KindOf(err) != LimitExceeded || configs.Set("0", BrowserConfig{Found: true}) != nil || !configs.Of("0").Found {
		t.Errorf("one hub more: %v", err)
	}
	s := new(Shared)
	s.alias("T")
	for i := range maxDocuments {
		s.idsOf("T", strconv.Itoa(i), 1)
	}
	if first := s.idsOf("T", "0", 0); len(first) != 1 || first[0] != (span{1, 2}) {
		t.Errorf("the first document has the ids %v", first)
	}
	if more, first := s.idsOf("T", "more", 1), s.idsOf("T", "0", 0); len(first) != 0 || more[0] != (span{maxDocuments + 1, maxDocuments + 2}) {
		t.Errorf("one document more has %v, the first %v", more, first)
	}
}

// TestNumbersSpent wants a page script that never has enough numbers to get twice as many each time, up
// to the limit.
func TestNumbersSpent(t *testing.T) {
	f, b, p, err := openFake(t.Context(), BrowserTarget)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	f.says("script", `{"error":{"kind":"NumbersSpent","message":"limit exceeded"},"used":1000000000}`)
	if _, err := p.SnapshotYAML(t.Context(), YAMLOptions{}); KindOf(err) != LimitExceeded {
		t.Errorf("the error is %v", err)
	}
	if given := b.meter.refs.pool.last; given < maxNumbers || given > 4*maxNumbers {
		t.Errorf("%d numbers were given", given)
	}
}

// TestNumberPool wants numbers after the highest that was used, and never the same twice.
func TestNumberPool(t *testing.T) {
	var n numberPool
	a := n.reserve(10)
	if a = n.settle(a, 3); a != (span{1, 4}) || n.last != 3 {
		t.Errorf("%v is left, the last is %d", a, n.last)
	}
	b, c := n.reserve(10), n.reserve(10)
	if left := n.settle(b, 4); left != b || n.settle(c, 99) != c || n.last != c[1]-1 {
		t.Errorf("%v is left, the last is %d", left, n.last)
	}
	if d := n.reserve(10); n.settle(d, -5) != (span{d[0], d[0]}) || n.reserve(1)[0] != d[0] {
		t.Errorf("an unused span is not given again")
	}
	list := replaceSpan([]span{{1, 4}, {4, 14}}, span{4, 14}, span{4, 6})
	if list = replaceSpan(append(list, span{9, 19}), span{9, 19}, span{9, 9}); len(list) != 1 || list[0] != (span{1, 6}) {
		t.Errorf("the spans are %v", list)
	}
}
