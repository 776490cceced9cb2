package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

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
	shortenSchema(s)
	return s
}

// checkNames says which arguments of a call its tool has not, which are missing, and which there are:
// the SDK says only one of these.
func checkNames(t *tool, arguments json.RawMessage) error {
	var in any
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if t.schema == nil || json.Unmarshal(arguments, &in) != nil {
		return nil
	}
	if wrong := wrongNames(t.name, t.schema, in); wrong != "" {
		return invalidArgument(wrong)
	}
	return nil
}

// wrongNames is what checkNames says of a value and of all in it; "" when nothing is wrong.
func wrongNames(at string, s *jsonschema.Schema, in any) string {
	switch in := in.(type) {
	case []any:
		for i := range in {
			if s.Items == nil {
				break
			}
			if wrong := wrongNames(fmt.Sprintf("%s[%d]", at, i), s.Items, in[i]); wrong != "" {
				return wrong
			}
		}
	case map[string]any:
		if s.Properties == nil {
			return ""
		}
		names := slices.Sorted(maps.Keys(s.Properties))
		unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(in)), func(name string) bool { return s.Properties[name] != nil })
		missing := slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { _, there := in[name]; return there })
		var wrong []string
		if len(unknown) > 0 {
			wrong = append(wrong, fmt.Sprintf("has no argument %.500q", unknown))
		}
		if len(missing) > 0 {
			wrong = append(wrong, fmt.Sprintf("needs %q", missing))
		}
		if len(wrong) > 0 {
			return fmt.Sprintf("%s %s; its arguments are %q", at, strings.Join(wrong, " and "), names)
		}
		for _, name := range names {
			if wrong := wrongNames(at+"."+name, s.Properties[name], in[name]); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// shortenSchema removes null from a type such as ["null", "array"], here and in all members, and that there are no other
// members: checkNames refuses those.
func shortenSchema(s *jsonschema.Schema) {
	if s.Type == "object" && len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	for _, p := range s.Properties {
		shortenSchema(p)
	}
	if s.Items != nil {
		shortenSchema(s.Items)
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
