package scope

import (
	"math"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
)

// Read judges the params of a method, which must be valid JSON, and returns
// their members, not nil, and what the Host gets: written anew from what was judged, so
// that no other reader finds anything else in it. Neither shares memory with
// what was read.
//
// Params of other methods than those that the table has with their members are
// not looked at: they are passed on as they are, and members is nil. A method
// that is not in the table, and is of a domain that reaches beyond a page or names a
// target, a context, a window or a session, has no types, but each of its members may be
// there only once.
//
// The error is -32602 for a name that is there twice or spelled in another
// case, and for a wrong type, in Chromium's words; -32000 for what needs a
// higher scope. A text that Chromium reads in another way than the hub could get past a
// check: so both read the text that is written here.
func (s Scope) Read(name string, params []byte) (members wire.Object, written []byte, err *wire.Error) {
	m := table.methods[name]
	switch {
	// A method of a newer Chromium, for instance, which only Privileged may call.
	case m == nil && (Reaches(name) || namesSomething(params)):
		m = &unknown
	case m == nil, m.members == nil:
		return nil, params, nil
	}
	if params == nil && m == &unknown {
		return nil, nil, nil
	}
	r := reader{scope: s, method: name, in: params, strict: m != &unknown && s < Privileged}
	n := min(len(m.members), usual) // most commands have no more
	r.members, r.places = make(wire.Object, 0, n), make([][2]int, 0, n)
	if params != nil {
		r.out = make([]byte, 0, len(params)+len(`,"flatten":true`))
		r.top(m.members)
	} else {
		r.out = append(r.out, '{')
		r.complete(m.members)
	}
	if r.err != nil {
		return nil, nil, r.err
	}
	if params == nil && len(r.members) == 0 {
		return r.members, nil, nil
	}
	for i, at := range r.places { // out has grown since
		r.members[i].Value = r.out[at[0]:at[1]:at[1]]
	}
	return r.members, r.out, nil
}

// Reaches reports whether a method is of a domain that reaches beyond the session
// that it is sent in. Storage and Browser act on contexts, and Target on all targets.
func Reaches(method string) bool {
	switch domain, _, _ := strings.Cut(method, "."); domain {
	case "Target", "Browser", "Storage":
		return true
	}
	return false
}

// unknown stands for methods of such a domain that the table does not have. It
// holds the names by which Hosts judge any method.
var unknown = method{scope: Privileged, members: map[string]*member{
	"targetId":         {name: "targetId", kind: "any"},
	"browserContextId": {name: "browserContextId", kind: "any"},
	"windowId":         {name: "windowId", kind: "any"},
	"sessionId":        {name: "sessionId", kind: "any"},
}}

// namesSomething reports whether params, nil or valid JSON, have a member that unknown
// has, in whatever case.
func namesSomething(params []byte) (names bool) {
	if params == nil {
		return false
	}
	_ = wire.ReadObject(params, func(key string, _ []byte) error { // it is valid
		for name := range unknown.members {
			names = names || strings.EqualFold(name, key)
		}
		return nil
	})
	return names
}

// reader reads and writes one params object. Its input is valid JSON. It runs without the
// hub's lock and on params as long as a message, so that it must not take more than linear
// time.
type reader struct {
	scope   Scope
	method  string
	strict  bool // members that the protocol does not have are left out, as Chromium ignores them
	in, out []byte
	i       int
	path    []string // of the value at hand, for errors
	err     *wire.Error

	members wire.Object
	places  [][2]int // of their values in out
}

// fail keeps the first error, upon which nothing is written any more.
func (r *reader) fail(e *wire.Error) {
	if r.err == nil {
		r.err = e
	}
}

// top reads the params themselves.
func (r *reader) top(listed map[string]*member) {
	r.object(listed, func(name string, from int) {
		r.members = append(r.members, wire.Member{Name: name})
		r.places = append(r.places, [2]int{from, len(r.out)})
	})
	if r.err == nil {
		r.out = r.out[:len(r.out)-1] // the brace
		r.complete(listed)
	}
}

// complete adds what is sent even if it was not there, and the brace at the end.
func (r *reader) complete(listed map[string]*member) {
	there := slices.ContainsFunc(r.members, func(m wire.Member) bool { return m.Name == "flatten" })
	if m := listed["flatten"]; m != nil && m.rule == "flat" && !there {
		if len(r.out) > 1 {
			r.out = append(r.out, ',')
		}
		r.out = append(r.out, `"flatten":true`...)
		r.members = append(r.members, wire.Member{Name: "flatten"})
		r.places = append(r.places, [2]int{len(r.out) - len("true"), len(r.out)})
	}
	r.out = append(r.out, '}')
}

// at names the value at hand, or a member of it, as Chromium does. Names may be
// as long as messages, and nest.
func (r *reader) at(name ...string) string {
	b := []byte("params")
	for _, part := range slices.Concat(r.path[:min(len(r.path), deepest)], name) {
		b = append(append(b, '.'), cutName(part)...)
	}
	return string(b)
}

// object reads an object and calls each for the members that it writes. listed
// is what the table says of its members; nil is nothing.
func (r *reader) object(listed map[string]*member, each func(name string, from int)) {
	var seen names
	r.space()
	r.i++ // the brace
	r.out = append(r.out, '{')
	for first, n := true, 0; r.err == nil && r.more(first); first = false {
		name := r.name()
		if !seen.add(name) {
			r.fail(wire.InvalidParams("Failed to deserialize " + r.at(name) + " - it is a duplicate"))
			return
		}
		m := listed[name]
		if m == nil && listed != nil && r.misspelled(listed, name) {
			return
		}
		if m == nil && r.strict && listed != nil {
			r.raw()
			continue
		}
		if n++; n > 1 {
			r.out = append(r.out, ',')
		}
		r.out = append(wire.AppendString(r.out, name), ':')
		from := len(r.out)
		r.value(m, name)
		if m != nil {
			name = m.name // what was read aliases the input
		} else if each != nil {
			name = strings.Clone(name)
		}
		if each != nil {
			each(name, from)
		}
	}
	r.out = append(r.out, '}')
}

// misspelled refuses a name that some readers take for another one.
func (r *reader) misspelled(listed map[string]*member, name string) bool {
	for right := range listed {
		if strings.EqualFold(right, name) {
			r.fail(wire.InvalidParams("Failed to deserialize " + r.at(name) + " - it is spelled " + right))
			return true
		}
	}
	return false
}

// value reads a value and writes what is sent in its place. Strings are decoded and written
// again, so that they have one spelling: "\u0066ile:" is "file:".
func (r *reader) value(m *member, name string) {
	r.path = append(r.path, name)
	defer func() { r.path = r.path[:len(r.path)-1] }()
	r.space()
	var inner map[string]*member
	if m != nil {
		inner = m.inner
	}
	to := len(r.out)
	switch r.in[r.i] {
	case '{':
		r.object(inner, nil)
	case '[':
		r.array()
	case '"':
		text, _ := wire.Text(r.raw())
		r.out = wire.AppendString(r.out, text)
	default:
		r.out = append(r.out, r.raw()...)
	}
	if m == nil || r.err != nil {
		return
	}
	if want := bindings[m.kind]; want != "" && !isType(want, r.out[to:]) {
		r.fail(wire.InvalidParams("Failed to deserialize " + r.at() + " - BINDINGS: " + want + " value expected"))
		return
	}
	r.judge(m, to)
}

// judge applies the rule of a member whose value begins at out[at]. The rules are:
//
//	flat   true is sent, whatever the Client has sent
//	or     below a scope, another value is sent in its place
//	web    below Privileged, only an address of the web is taken
//	scope  below a scope, only an empty value is taken
func (r *reader) judge(m *member, at int) {
	value := r.out[at:]
	switch m.rule {
	case "flat":
		r.out = append(r.out[:at], "true"...)
	case "or":
		if r.scope < m.scope {
			r.out = append(r.out[:at], m.instead...)
		}
	case "web":
		if address, _ := wire.Text(value); r.scope < Privileged && !Web(address) {
			r.fail(wire.ServerError("Not allowed: only http, https, about:blank, data and blob addresses may be opened; more needs a token of scope privileged"))
		}
	case "scope":
		if r.scope < m.scope && !isEmpty(value) {
			r.fail(wire.ServerError("Not allowed: " + r.method + " with " + strings.TrimPrefix(r.at(), "params.") + " needs scope " + m.scope.String() + ": " + m.why))
		}
	}
}

// array reads an array, whose objects are not checked but must be fit for
// all readers.
func (r *reader) array() {
	r.i++ // the bracket
	r.out = append(r.out, '[')
	for first := true; r.err == nil && r.more(first); first = false {
		if !first {
			r.out = append(r.out, ',')
		}
		r.value(nil, "[]")
	}
	r.out = append(r.out, ']')
}

// bindings are the types of the protocol, in the words of Chromium's errors.
var bindings = map[string]string{
	"string": "string", "boolean": "bool", "integer": "int32", "number": "double", "array": "array", "object": "object",
}

// isType reports whether a value is of a type.
func isType(want string, value []byte) bool {
	switch c := value[0]; want {
	case "string":
		return c == '"'
	case "object":
		return c == '{'
	case "array":
		return c == '['
	case "bool":
		return c == 't' || c == 'f'
	case "double":
		return c == '-' || '0' <= c && c <= '9'
	}
	n, ok := wire.Int(value)
	return ok && n >= math.MinInt32 && n <= math.MaxInt32
}

// isEmpty reports whether a value says nothing.
func isEmpty(value []byte) bool {
	switch string(value) {
	case `""`, `[]`, `{}`, `false`, `0`:
		return true
	}
	return false
}

// usual is how many members params have.
const usual = 4

const (
	longestName = 64 // bytes of a name in an error
	deepest     = 8  // names in one
)

// cutName shortens a name for an error.
func cutName(name string) string { return name[:min(len(name), longestName)] }
