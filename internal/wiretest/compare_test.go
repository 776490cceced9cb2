package wiretest

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// lenient are fields that Go always writes and the dashboard's own values may lack: it
// shows a target that has ended as a Target.
var lenient = map[string]bool{"Target.drawn": true, "Target.drivers": true}

// comparison walks through a type of Go and one of TypeScript at once.
type comparison struct {
	declarations
	written bool            // Go writes it: names of fields are exact, and what Go may leave out is optional
	seen    map[string]bool // fields that Go has, as Interface.field
	walked  map[string]bool // interfaces, by reportUnseen
}

func newComparison(t *testing.T, written bool) *comparison {
	t.Helper()
	return &comparison{declared(t), written, map[string]bool{}, map[string]bool{}}
}

// compareMessage compares a message of TypeScript, but for some fields, with a struct.
func (c *comparison) compareMessage(t *testing.T, name string, typ types.Type, without ...string) {
	t.Helper()
	message := c.find(t, name)
	message.Name = ""
	message.Fields = slices.DeleteFunc(slices.Clone(message.Fields), func(f tsField) bool { return slices.Contains(without, f.Name) })
	c.compare(t, name, message, typ)
	c.reportUnseen(t, name, message, name)
}

// compare compares a value and what is in it.
func (c *comparison) compare(t *testing.T, at string, ts tsType, typ types.Type) {
	t.Helper()
	for p, is := typ.Underlying().(*types.Pointer); is; p, is = typ.Underlying().(*types.Pointer) {
		typ = p.Elem()
	}
	switch got := kindOf(typ); {
	case got == "any" || ts.Kind == "any":
		return
	case got != ts.Kind:
		t.Errorf("%s is of kind %s in Go, and of kind %s in TypeScript", at, got, ts.Kind)
	case got == "array":
		c.compare(t, at+"[]", *ts.Items, typ.Underlying().(interface{ Elem() types.Type }).Elem())
	case got == "object":
		if s, is := typ.Underlying().(*types.Struct); is {
			c.compareFields(t, at, ts, s)
		}
	}
}

func (c *comparison) compareFields(t *testing.T, at string, ts tsType, s *types.Struct) {
	t.Helper()
	inside := at
	if ts.Name != "" {
		if ts.Fields, inside = c.find(t, ts.Name).Fields, ts.Name; strings.Count(at, ".") > 8 {
			return // a type that holds itself
		}
	}
	for _, f := range jsonFields(s) {
		i := slices.IndexFunc(ts.Fields, func(ts tsField) bool {
			return ts.Name == f.name || !c.written && strings.EqualFold(ts.Name, f.name) // as encoding/json reads
		})
		if i < 0 {
			t.Errorf("%s: Go has a field %q, TypeScript has not", at, f.name)
			continue
		}
		field := ts.Fields[i]
		key := inside + "." + field.Name
		c.seen[key] = true
		if c.written && f.omitted != field.Optional && !lenient[key] {
			t.Errorf("%s.%s is optional: %v in TypeScript, %v in Go", at, field.Name, field.Optional, f.omitted)
		}
		c.compare(t, at+"."+field.Name, field.Type, f.typ)
	}
}

// reportUnseen says which fields of a type, and of what is in it, no compared Go type has.
func (c *comparison) reportUnseen(t *testing.T, at string, ts tsType, inside string) {
	t.Helper()
	for ts.Items != nil {
		ts = *ts.Items
	}
	if ts.Name != "" {
		if c.walked[ts.Name] {
			return
		}
		c.walked[ts.Name] = true
		ts.Fields, inside = c.find(t, ts.Name).Fields, ts.Name
	}
	for _, f := range ts.Fields {
		key := inside + "." + f.Name
		if c.seen[key] {
			c.reportUnseen(t, at+"."+f.Name, f.Type, key)
		} else {
			t.Errorf("%s: TypeScript has a field %q, Go has not", at, f.Name)
		}
	}
}

type jsonField struct {
	goName, name string
	omitted      bool // where it is zero
	typ          types.Type
}

// jsonFields are the fields of a struct as encoding/json reads and writes them.
func jsonFields(s *types.Struct) (all []jsonField) {
	for i := range s.NumFields() {
		v := s.Field(i)
		name, options, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		inner, embedded := v.Type().Underlying().(*types.Struct)
		switch {
		case v.Embedded() && embedded && name == "":
			all = append(all, jsonFields(inner)...)
		case name == "-" || !v.Exported():
		case name == "":
			all = append(all, jsonField{v.Name(), v.Name(), false, v.Type()})
		default:
			all = append(all, jsonField{v.Name(), name, strings.Contains(options, "omit"), v.Type()})
		}
	}
	return all
}

// kindOf is what encoding/json makes of a type.
func kindOf(typ types.Type) string {
	if named, is := typ.(*types.Named); is {
		switch named.Obj().Name() {
		case "Time": // RFC 3339
			return "string"
		case "RawMessage":
			return "any"
		}
	}
	switch u := typ.Underlying().(type) {
	case *types.Pointer:
		return kindOf(u.Elem())
	case *types.Slice:
		if basic, is := u.Elem().Underlying().(*types.Basic); is && basic.Kind() == types.Byte {
			return "string" // base64
		}
		return "array"
	case *types.Array:
		return "array"
	case *types.Map, *types.Struct:
		return "object"
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsString != 0:
			return "string"
		case info&types.IsBoolean != 0:
			return "boolean"
		case info&types.IsNumeric != 0:
			return "number"
		}
	}
	return "any"
}
