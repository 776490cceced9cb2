package actions

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Locator says which element is meant. It is one of CSS, XPath, Role, Text,
// Label, Placeholder, TestID, SnapshotRef, Handle, Point and First.
//
// But for First, a locator that several elements match is an error.
type Locator interface {
	fmt.Stringer // as in messages: "#save", "role=button[name=Save]"
	// query is the locator as the page script reads it.
	query() query
}

// query is a locator as the page script reads it:
//
//	{"by":"css","value":"#save"}
type query struct {
	By    string  `json:"by"`
	Value string  `json:"value,omitempty"`
	Name  string  `json:"name,omitempty"`
	Exact bool    `json:"exact,omitempty"`
	First bool    `json:"first,omitempty"`
	X     float64 `json:"x,omitempty"`
	Y     float64 `json:"y,omitempty"`
	// Taken is not "" of a ref of the scheme Aria once the caller has taken a snapshot, so
	// that only a ref of one is good: "given" if one of them had this ref, else "never".
	Taken string `json:"taken,omitempty"`
	// Live says that the caller might as well ask the page itself: else the page
	// script matches selectors on a copy of the page that has no secrets.
	Live bool `json:"live,omitempty"`
}

// CSS is a CSS selector, which also finds what is in open shadow roots.
type CSS string

// XPath is an XPath expression.
type XPath string

// TestID is the value of the attribute data-testid.
type TestID string

// Role is an ARIA role, with an accessible name if that is not empty.
type Role struct {
	Role, Name string
	Exact      bool // the name in full and by case, not as a part of it
}

// Text is the innermost element with a text.
type Text struct {
	Text  string
	Exact bool
}

// Label is a field by the text of its label.
type Label struct {
	Text  string
	Exact bool
}

// Placeholder is a field by its placeholder.
type Placeholder struct {
	Text  string
	Exact bool
}

// Scheme tells apart the refs of the four kinds of snapshots. A ref is good while its
// element is in the document in which a snapshot has given it. Then it is a StaleRef, and
// comes to mean no other element: not in the next document, and not on another page.
type Scheme string

// The schemes of refs.
const (
	YAML   Scheme = "yaml" // e12, f1e2: of SnapshotYAML
	Aria   Scheme = "aria" // button[0]: a position in the caller's latest SnapshotElements of the page, or in the page as it is before the first one
	Tagged Scheme = "rp"   // a3: the attribute data-rp-id, which SnapshotTagged writes
	BAP    Scheme = "bap"  // @submit: of Observe
)

// SnapshotRef is an element as a snapshot names it.
type SnapshotRef struct {
	Scheme Scheme
	ID     string
}

// DescribedRef is a ref of the scheme YAML with words about the element. The words are
// free. But if they have the role or the name that the snapshot showed, and not the one of
// now, they are about what the element was, and the ref is a StaleRef.
type DescribedRef struct {
	SnapshotRef
	Words string
}

// Handle is an element that WaitForSelector has found. It is good for as long
// as the document is.
type Handle struct {
	ID string
}

// Point is whatever is at a point of the viewport, in CSS pixels.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// First is the first of the elements that a locator matches.
type First struct {
	Locator
}

func (l CSS) query() query         { return query{By: "css", Value: string(l)} }
func (l XPath) query() query       { return query{By: "xpath", Value: string(l)} }
func (l TestID) query() query      { return query{By: "testid", Value: string(l)} }
func (l Role) query() query        { return query{By: "role", Value: l.Role, Name: l.Name, Exact: l.Exact} }
func (l Text) query() query        { return query{By: "text", Value: l.Text, Exact: l.Exact} }
func (l Label) query() query       { return query{By: "label", Value: l.Text, Exact: l.Exact} }
func (l Placeholder) query() query { return query{By: "placeholder", Value: l.Text, Exact: l.Exact} }

func (l SnapshotRef) query() query {
	return query{By: string(l.Scheme), Value: l.ID}
}
func (l Handle) query() query { return query{By: "handle", Value: l.ID} }
func (l Point) query() query  { return query{By: "point", X: l.X, Y: l.Y} }

func (l DescribedRef) query() query {
	q := l.SnapshotRef.query()
	q.Name = cutText(l.Words, maxLocator/2)
	return q
}

func (l First) query() query {
	q := l.Locator.query()
	q.First = true
	return q
}

func (l CSS) String() string         { return string(l) }
func (l XPath) String() string       { return "xpath=" + string(l) }
func (l TestID) String() string      { return "testId=" + string(l) }
func (l Text) String() string        { return "text=" + l.Text }
func (l Label) String() string       { return "label=" + l.Text }
func (l Placeholder) String() string { return "placeholder=" + l.Text }
func (l SnapshotRef) String() string { return l.ID }
func (l Handle) String() string      { return l.ID }
func (l Point) String() string       { return fmt.Sprintf("(%g, %g)", l.X, l.Y) }

func (l Role) String() string {
	if l.Name == "" {
		return "role=" + l.Role
	}
	return fmt.Sprintf("role=%s[name=%q]", l.Role, l.Name)
}

// maxLocator is the longest text of a locator, in bytes. Selectors are matched on the
// page's main thread.
const maxLocator = 10_000

// checkLocator refuses locators that cannot match, and those that would make the page load
// or run something. l may be nil, which is an error, too.
func checkLocator(l Locator) *Error {
	if l == nil {
		return invalidArgument("no element is named")
	}
	q := l.query()
	switch {
	case q.By == "point":
		if math.IsNaN(q.X+q.Y) || math.IsInf(q.X+q.Y, 0) {
			return invalidArgument("the point %s is not a finite one", l)
		}
		return nil
	case q.Value == "":
		return invalidArgument("the %s locator is empty", q.By)
	case len(q.Value)+len(q.Name) > maxLocator:
		return invalidArgument("the %s locator is longer than %d bytes", q.By, maxLocator)
	}
	text := strings.ToLower(q.Value)
	switch {
	case q.By == "css" && (strings.Contains(text, "url(javascript:") || strings.Contains(text, "expression(")):
		return invalidArgument("the selector contains script")
	case q.By == "xpath" && strings.Contains(text, "document("):
		return invalidArgument("the XPath reads another document")
	}
	return nil
}

// mustJSON encodes what can always be encoded: maps, slices, texts and numbers of
// this package.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
