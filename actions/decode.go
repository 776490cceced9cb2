package actions

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Decode reads the params of a request into a struct, for adapters whose params
// are nested; others read them with ReadParams. Nothing and null leave it as it
// is, and fields that it does not know are ignored. Fields have bounds (Exceeds). Its error is an *Error of
// kind InvalidArgument, which names the field where a value has the wrong type.
func Decode(raw json.RawMessage, into any) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	err := json.Unmarshal(raw, into)
	if err == nil {
		return Exceeds(raw)
	}
	e := invalidArgument("%v", err)
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := fieldName(t.Field)
		// encoding/json says "number 1.5" where the value matters; the kind is
		// enough.
		given, _, _ := strings.Cut(t.Value, " ")
		e = invalidArgument("invalid type: %s, expected %s for field `%s`", given, typeName(t.Type), field)
		e.Details.Field = field
	}
	e.Cause = err
	return e
}

// typeName is the JSON type of a Go type, in the words of an error message.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a number"
}

// initials are Go's capital initialisms, and how the names of JSON fields write them.
var initials = strings.NewReplacer("URL", "Url", "ID", "Id", "MIME", "Mime")

// fieldName is the path of a field as clients write it: options.pageId.
func fieldName(path string) string {
	if path == "" {
		return "params"
	}
	parts := strings.Split(initials.Replace(path), ".")
	for i, part := range parts {
		first, size := utf8.DecodeRuneInString(part)
		if size > 0 {
			parts[i] = string(unicode.ToLower(first)) + part[size:]
		}
	}
	return strings.Join(parts, ".")
}
