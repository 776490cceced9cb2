package mcp

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Texts of which an argument takes only some values. The schemas list these.
type (
	mouseButton  string
	modifierKey  string
	consoleLevel string
	pictureType  string
	pictureScale string
	fieldType    string
	tabAction    string
	requestPart  string
	networkState string
	sameSite     string
)

// enums are the values of such texts. The descriptions of the arguments say what a
// missing one means.
var enums = map[reflect.Type][]any{
	reflect.TypeFor[mouseButton]():  {"left", "right", "middle"},
	reflect.TypeFor[modifierKey]():  {"Alt", "Control", "ControlOrMeta", "Meta", "Shift"},
	reflect.TypeFor[consoleLevel](): {"error", "warning", "info", "debug"},
	reflect.TypeFor[pictureType]():  {"png", "jpeg", "webp"},
	reflect.TypeFor[pictureScale](): {"css", "device"},
	reflect.TypeFor[fieldType]():    {"textbox", "checkbox", "radio", "combobox", "slider"},
	reflect.TypeFor[tabAction]():    {"list", "new", "close", "select"},
	reflect.TypeFor[requestPart]():  {"request-headers", "request-body", "response-headers", "response-body"},
	reflect.TypeFor[networkState](): {"online", "offline"},
	reflect.TypeFor[sameSite]():     {"Strict", "Lax", "None"},
}

// typeSchemas are the schemas of this package's own types, for jsonschema.For.
var typeSchemas = func() map[reflect.Type]*jsonschema.Schema {
	m := map[reflect.Type]*jsonschema.Schema{}
	for t, values := range enums {
		m[t] = &jsonschema.Schema{Type: "string", Enum: values}
	}
	for t, values := range mediaValues {
		m[t] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string", Enum: values}, {Type: "null"}}}
	}
	return m
}()

// schemaFor is the schema of a tool's arguments. Models read it, and some clients
// know only simple schemas: so no list may be null in it.
func schemaFor[In any]() *jsonschema.Schema {
	s, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: typeSchemas})
	if err != nil {
		panic(err) // the types of arguments are ours
	}
	noNullLists(s)
	return s
}

// noNullLists removes null from a type such as ["null", "array"], here and in all
// members.
func noNullLists(s *jsonschema.Schema) {
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	for _, p := range s.Properties {
		noNullLists(p)
	}
	if s.Items != nil {
		noNullLists(s.Items)
	}
}

// optional is a text that may be missing, or null; these are not the same.
type optional[T ~string] struct {
	Given bool
	Value T // "" for null
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *optional[T]) UnmarshalJSON(data []byte) error {
	o.Given, o.Value = true, ""
	return json.Unmarshal(data, &o.Value)
}
