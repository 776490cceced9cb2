// Package held counts what a value holds for others: places, bytes, entries of maps. The
// tags of its struct's fields say what that is. What is held must be given back, so that all
// counts are zero again once all peers have gone; what may stay says why.
//
//	clients map[*Client]struct{} `held:"clients"`              // how many there are
//	owners  map[string]*owner    `held:"*"`                    // what each element holds
//	last    int64                `stays:"numbers the clients"` // is not counted
//
// A struct inside a struct needs no tag: what it holds is counted. With a tag it is counted
// under that name. TestR290EveryFieldIsCounted finds fields without a tag.
package held

import (
	"cmp"
	"reflect"
	"sync"
	"sync/atomic"
)

// counts are numbers by the names of what is counted.
type counts map[string]int

// Of counts what v holds, which is a pointer to a struct. It takes the lock "mu" of each
// struct while it is in it, those outside first; the caller must have none of them.
func Of(v any) map[string]int {
	c := make(counts)
	c.visit(reflect.ValueOf(v).Elem(), "")
	return c
}

// Add adds what another value holds, whose names then begin with a prefix.
func Add(to map[string]int, prefix string, other map[string]int) {
	for what, n := range other {
		to[prefix+what] += n
	}
}

// visit counts what the fields of a struct hold, all under one name if it is not "".
func (c counts) visit(s reflect.Value, name string) {
	if mu := s.FieldByName("mu"); mu.IsValid() && mu.CanAddr() {
		if lock := lockerOf(mu); lock != nil {
			lock.Lock()
			defer lock.Unlock()
		}
	}
	for i := range s.NumField() {
		field := s.Type().Field(i)
		what := field.Tag.Get("held")
		if _, stays := field.Tag.Lookup("stays"); stays {
			continue
		}
		switch value := s.Field(i); {
		case what == "*":
			c.visitElements(value, name)
		case value.Kind() == reflect.Struct && !isAtomic(value):
			c.visit(value, cmp.Or(name, what))
		case what != "":
			c[cmp.Or(name, what)] += countOf(value)
		}
	}
}

// visitElements counts what a pointer, or each element of a map or slice, holds.
func (c counts) visitElements(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			c.visitElements(v.Elem(), name)
		}
	case reflect.Map:
		for _, element := range v.Seq2() {
			c.visitElements(element, name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.visitElements(v.Index(i), name)
		}
	default:
		c.visit(v, name)
	}
}

// countOf is how much there is of one value: elements, units, or 1 for something that is there
// at all.
func countOf(v reflect.Value) int {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.String:
		return v.Len()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return int(v.Uint())
	case reflect.Struct:
		return int((*atomic.Int64)(v.Addr().UnsafePointer()).Load())
	case reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case reflect.Chan:
		if v.Cap() > 0 {
			return v.Len()
		}
	}
	if v.IsNil() {
		return 0
	}
	return 1
}

// isAtomic reports whether a value is a counter of sync/atomic.
func isAtomic(v reflect.Value) bool { return v.Type() == reflect.TypeFor[atomic.Int64]() }

// lockerOf is the lock in a field; nil for another kind of it.
func lockerOf(mu reflect.Value) sync.Locker {
	switch at := mu.Addr().UnsafePointer(); mu.Type() {
	case reflect.TypeFor[sync.Mutex]():
		return (*sync.Mutex)(at)
	case reflect.TypeFor[sync.RWMutex]():
		return (*sync.RWMutex)(at)
	}
	return nil
}
