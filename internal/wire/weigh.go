package wire

import (
	"reflect"
	"strings"
	"sync"
)

// shape is what counts of a Go type for the memory that a JSON value takes in it. The zero
// shape takes none: numbers, and texts, which are as long as they were.
type shape struct {
	kind   reflect.Kind // Pointer, Slice, Map, Struct, Interface; else a value without parts
	each   int          // bytes of an element, of an entry, or of what a pointer is to
	elem   *shape       // of these
	fields []field      // of a struct
}

// field is a member that a struct has a place for.
type field struct {
	name  string
	shape *shape
}

// mapBytes is the size of a map before its first entry: its header, and a group of eight
// control bytes (Go 1.26, internal/runtime/maps). Its eight slots are counted besides.
const mapBytes = 64

// boxed is what an element of []any takes, with the number or the header of the string
// that its interface points to.
const boxed = 32

var (
	shapesMu sync.Mutex
	shapes   = map[reflect.Type]*shape{}
	noParts  = new(shape)
	anything = func() *shape {
		s := &shape{kind: reflect.Interface, each: boxed}
		s.elem = s
		return s
	}()
)

// shapeOf is the shape of a type. Types of answers are few, and each is looked at once.
func shapeOf(t reflect.Type) *shape {
	shapesMu.Lock()
	defer shapesMu.Unlock()
	return shapeLocked(t)
}

// shapeLocked notes the shape of a type before it looks at the parts: types may be
// recursive.
func shapeLocked(t reflect.Type) *shape {
	if s, ok := shapes[t]; ok {
		return s
	}
	s := &shape{kind: t.Kind()}
	shapes[t] = s
	switch t.Kind() {
	case reflect.Interface:
		*s = *anything
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // base64 or raw JSON
			*s = *noParts
			return s
		}
		s.each, s.elem = int(t.Elem().Size()), shapeLocked(t.Elem())
	case reflect.Pointer:
		s.each, s.elem = int(t.Elem().Size()), shapeLocked(t.Elem())
	case reflect.Array:
		s.kind, s.elem = reflect.Slice, shapeLocked(t.Elem())
	case reflect.Map:
		s.each, s.elem = int(t.Key().Size()+t.Elem().Size()), shapeLocked(t.Elem())
	case reflect.Struct:
		s.fields = fieldsLocked(t)
	}
	return s
}

// fieldsLocked lists the members that a struct takes, those of embedded structs included.
func fieldsLocked(t reflect.Type) (list []field) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			list = append(list, fieldsLocked(f.Type)...)
		case f.IsExported():
			if name == "" {
				name = f.Name
			}
			list = append(list, field{name, shapeLocked(f.Type)})
		}
	}
	return list
}

// weigher adds up what a valid JSON text of at most MaxDepth levels becomes.
type weigher struct {
	text []byte
	left int // bytes; negative once it is too much
}

// value weighs the value that begins at i, which white space may precede, and returns
// where it ends. Once it is too much, the position means nothing.
func (w *weigher) value(i int, s *shape) int {
	i = skipSpace(w.text, i)
	for s.kind == reflect.Pointer {
		if w.text[i] != 'n' {
			w.left -= s.each
		}
		s = s.elem
	}
	switch c := w.text[i]; {
	case c == '{' && (s.kind == reflect.Struct || s.kind == reflect.Map || s.kind == reflect.Interface):
		return w.object(i, s)
	case c == '[' && (s.kind == reflect.Slice || s.kind == reflect.Interface):
		return w.list(i, s)
	}
	end, _ := scanValue(w.text, i, 0) // it takes no memory, or has another type and is refused
	return end
}

// list weighs an array.
func (w *weigher) list(i int, s *shape) int {
	for i = skipSpace(w.text, i+1); w.left >= 0 && w.text[i] != ']'; {
		w.left -= s.each
		if i = skipSpace(w.text, w.value(i, s.elem)); w.left >= 0 && w.text[i] == ',' {
			i = skipSpace(w.text, i+1)
		}
	}
	return i + 1
}

// object weighs an object. In a map the first eight entries have their place at once.
func (w *weigher) object(i int, s *shape) int {
	each := 0
	switch s.kind {
	case reflect.Map:
		each = s.each
	case reflect.Interface:
		each = boxed
	}
	if each > 0 {
		w.left -= mapBytes + 8*each
	}
	for i = skipSpace(w.text, i+1); w.left >= 0 && w.text[i] != '}'; {
		from := i
		i, _ = scanKey(w.text, i)
		w.left -= each
		if i = skipSpace(w.text, w.value(i, s.member(w.text[from:i]))); w.left >= 0 && w.text[i] == ',' {
			i = skipSpace(w.text, i+1)
		}
	}
	return i + 1
}

// member is the shape of a member, by its key as it stands in the text.
func (s *shape) member(rawKey []byte) *shape {
	if s.kind != reflect.Struct {
		return s.elem
	}
	name := keyText(rawKey)
	for i := range s.fields {
		if strings.EqualFold(s.fields[i].name, name) {
			return s.fields[i].shape
		}
	}
	return noParts
}
