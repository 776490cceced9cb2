package scope

import (
	"slices"

	"github.com/cdphub/cdphub/internal/wire"
)

// space goes past white space.
func (r *reader) space() { r.i = wire.SkipSpace(r.in, r.i) }

// name reads a member's name and goes to its value.
func (r *reader) name() string {
	name, _ := wire.Text(r.raw())
	r.space()
	r.i++ // the colon
	return name
}

// more goes to the next member of an object or element of an array, past the comma before
// it; at the end it goes past the bracket, and is false.
func (r *reader) more(first bool) bool {
	r.space()
	if c := r.in[r.i]; c == '}' || c == ']' {
		r.i++
		return false
	}
	if !first {
		r.i++
		r.space()
	}
	return true
}

// raw goes past a value and returns it.
func (r *reader) raw() []byte {
	r.space()
	from := r.i
	r.i = wire.SkipValue(r.in, r.i)
	return r.in[from:r.i]
}

// names is a set of names, small most of the time. Up to eight are compared one by one,
// which is faster than a map. The map bounds the time for params with thousands of names.
type names struct {
	few  [8]string
	n    int
	many map[string]struct{}
}

// add adds a name, and reports whether it is new.
func (s *names) add(name string) bool {
	if s.many != nil {
		if _, there := s.many[name]; there {
			return false
		}
		s.many[name] = struct{}{}
		return true
	}
	if slices.Contains(s.few[:s.n], name) {
		return false
	}
	if s.n < len(s.few) {
		s.few[s.n] = name
		s.n++
		return true
	}
	s.many = make(map[string]struct{})
	for _, known := range s.few {
		s.many[known] = struct{}{}
	}
	return s.add(name)
}
