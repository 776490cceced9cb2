package scope

import "github.com/cdphub/cdphub/internal/wire"

// space goes past white space.
func (r *reader) space() {
	for {
		switch r.in[r.i] {
		case ' ', '\t', '\n', '\r':
			r.i++
		default:
			return
		}
	}
}

// name reads a member's name and goes to its value.
func (r *reader) name() string {
	from := r.i
	r.skip()
	name, _ := wire.Text(r.in[from:r.i])
	r.space()
	r.i++ // the colon
	return name
}

// skip goes past a value. It does not check anything: internal/wire has done that.
func (r *reader) skip() {
	r.space()
	depth := 0
	for ; ; r.i++ {
		switch r.in[r.i] {
		case '"':
			r.skipString()
			r.i-- // to its last byte
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 {
				continue
			}
			for r.i < len(r.in) && !endsWord(r.in[r.i]) {
				r.i++
			}
			return
		}
		if depth == 0 {
			r.i++
			return
		}
	}
}

// skipString goes past a string, from its opening quote.
func (r *reader) skipString() {
	for r.i++; r.in[r.i] != '"'; r.i++ {
		if r.in[r.i] == '\\' {
			r.i++
		}
	}
	r.i++
}

// endsWord reports whether a byte ends a number or a word.
func endsWord(c byte) bool {
	switch c {
	case ',', '}', ']', ' ', '\t', '\n', '\r':
		return true
	}
	return false
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
	for _, known := range s.few[:s.n] {
		if known == name {
			return false
		}
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
