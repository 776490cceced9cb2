package bap

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/cdphub/cdphub/actions"
)

// selector is an element as clients name it:
//
//	{"type":"css","value":"#save"}
//	{"type":"role","role":"button","name":"Save","exact":true}
//	{"type":"ref","ref":"@submit"}
//
// Its locator is nil where none was given.
type selector struct{ actions.Locator }

// selectorFields are the members of all types of selectors. Which of them count
// depends on Type.
type selectorFields struct {
	Type, Value, Role, Name, Description, Ref string

	Exact bool
	X, Y  *float64
}

// maxSelector is the longest text of a selector, in bytes.
const maxSelector = 10_000

// UnmarshalJSON implements json.Unmarshaler.
func (s *selector) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, null) {
		return nil
	}
	var f selectorFields
	if text[0] != '{' {
		return invalidParam("selector", `must be an object such as {"type":"css","value":"#save"}`)
	}
	if err := actions.Decode(text, &f); err != nil {
		return wrongShape(err)
	}
	l, bad := f.locator()
	if bad != nil {
		return bad
	}
	s.Locator = l
	return nil
}

// locator is what the fields mean. It refuses what cannot match, and selectors that
// would make the page load or run something, with the name of the member.
func (f selectorFields) locator() (actions.Locator, *failure) {
	if f.Type == "coordinates" {
		if f.X == nil || f.Y == nil {
			return nil, invalidParam("selector", "coordinates have an x and a y")
		}
		return actions.Point{X: *f.X, Y: *f.Y}, nil
	}
	field, value, ok := f.text()
	switch {
	case !ok:
		return nil, invalidParam("selector.type", "%q is not known: use css, xpath, role, text, label, placeholder, testId, semantic, coordinates or ref", f.Type)
	case strings.TrimSpace(value) == "":
		return nil, invalidParam("selector."+field, "is empty")
	case len(value)+len(f.Name) > maxSelector:
		return nil, invalidParam("selector."+field, "is longer than %d bytes", maxSelector)
	}
	switch lower := strings.ToLower(value); {
	case f.Type == "css" && (strings.Contains(lower, "url(javascript:") || strings.Contains(lower, "expression(")):
		return nil, invalidParam("selector.value", "contains script")
	case f.Type == "xpath" && strings.Contains(lower, "document("):
		return nil, invalidParam("selector.value", "reads another document")
	}
	return f.known(value), nil
}

// text is the member that a type goes by, and its value. ok is false for an unknown
// type.
func (f selectorFields) text() (field, value string, ok bool) {
	switch f.Type {
	case "css", "xpath", "text", "label", "placeholder", "testId":
		return "value", f.Value, true
	case "role":
		return "role", f.Role, true
	case "semantic":
		return "description", f.Description, true
	case "ref":
		return "ref", cmp.Or(f.Ref, f.Value), true
	}
	return "", "", false
}

// known is the locator of a type that text knows. A "semantic" description is looked
// for as a text.
func (f selectorFields) known(value string) actions.Locator {
	switch f.Type {
	case "css":
		return actions.CSS(value)
	case "xpath":
		return actions.XPath(value)
	case "label":
		return actions.Label{Text: value, Exact: f.Exact}
	case "placeholder":
		return actions.Placeholder{Text: value, Exact: f.Exact}
	case "testId":
		return actions.TestID(value)
	case "role":
		return actions.Role{Role: value, Name: f.Name, Exact: f.Exact}
	case "ref":
		return actions.SnapshotRef{Scheme: actions.BAP, ID: value}
	}
	return actions.Text{Text: value, Exact: f.Exact} // and a description, as its text
}

// pointed refuses the absence of a selector. A point will do.
func (s selector) pointed(field string) *failure { return requirePresent(field, s.Locator != nil) }

// element refuses a point, too: only methods of the pointer take one.
func (s selector) element(field string) *failure { return cmp.Or(s.pointed(field), s.maybe(field)) }

// maybe is element for a selector that may be missing.
func (s selector) maybe(field string) *failure {
	if _, point := s.Locator.(actions.Point); point {
		return invalidParam(field, "coordinates are for click, dblclick and hover")
	}
	return nil
}

// place is a selector or a point {"x":1,"y":2}.
type place struct{ selector }

// UnmarshalJSON implements json.Unmarshaler.
func (p *place) UnmarshalJSON(text []byte) error {
	var at struct {
		Type *string
		X, Y *float64
	}
	if json.Unmarshal(text, &at) == nil && at.Type == nil && at.X != nil && at.Y != nil {
		p.Locator = actions.Point{X: *at.X, Y: *at.Y}
		return nil
	}
	return p.selector.UnmarshalJSON(text)
}
