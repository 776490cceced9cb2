package bap

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// checked are params with rules beyond the types of their members.
type checked interface{ check() *failure }

// decodeParams reads the params of a method and checks them. Unknown members are ignored. A
// failure names the member that is wrong.
func decodeParams[P any](params json.RawMessage) (p P, _ error) {
	if err := actions.Decode(params, &p); err != nil {
		f := wrongShape(err)
		f.locate(params, func(part json.RawMessage) bool { return json.Unmarshal(part, new(P)) != nil })
		return p, f
	}
	if c, ok := any(&p).(checked); ok {
		if f := c.check(); f != nil {
			return p, f
		}
	}
	return p, nil
}

// wrongShape is the failure for a value of the wrong type.
func wrongShape(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok { // a type's own
		return f
	}
	f := newFailure(codeInvalidParams, "Invalid params: %s", strings.TrimPrefix(err.Error(), prefixInvalid))
	if e, ok := errors.AsType[*actions.Error](err); ok && e.Details.Field != "" {
		f.note("field", e.Details.Field)
	}
	return f
}

// deepest is how deep fields are named: options.delay.
const deepest = 3

// locate finds the member whose value has the wrong type, if the type that has
// refused it could not name it. refused says whether params are refused. It tries
// each member alone, level by level, and so costs time only after an error.
func (f *failure) locate(params json.RawMessage, refused func(part json.RawMessage) bool) {
	if _, named := f.Data.Details["field"]; named {
		return
	}
	var path []string
	whole := func(value json.RawMessage) json.RawMessage { return value }
	for value := params; len(path) < deepest; {
		name, within := refusedField(value, whole, refused)
		if name == "" {
			break
		}
		path, value, whole = append(path, name), within, wrapField(whole, name)
	}
	if len(path) == 0 {
		return
	}
	field := strings.Join(path, ".")
	f.Message = "Invalid params: " + field + ": " + strings.TrimPrefix(f.Message, "Invalid params: ")
	f.note("field", field)
}

// refusedField is the first member of an object that is refused alone, and its value.
// whole makes params of a part of the object.
func refusedField(object json.RawMessage, whole func(json.RawMessage) json.RawMessage, refused func(json.RawMessage) bool) (string, json.RawMessage) {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(object, &fields) // only an object has fields
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if refused(wrapField(whole, name)(fields[name])) {
			return name, fields[name]
		}
	}
	return "", nil
}

// wrapField makes params of the value of a field.
func wrapField(whole func(json.RawMessage) json.RawMessage, name string) func(json.RawMessage) json.RawMessage {
	return func(value json.RawMessage) json.RawMessage {
		return whole(encodeMessage(map[string]json.RawMessage{name: value}))
	}
}

// requireValue refuses an empty value of a required member.
func requireValue(field, value string) *failure { return requirePresent(field, value != "") }

// requirePresent refuses the absence of a member.
func requirePresent(field string, present bool) *failure {
	if !present {
		return invalidParam(field, "is missing")
	}
	return nil
}

// oneOf refuses a word that is not one of those given; "" becomes the first of them.
func oneOf(field string, value *string, words ...string) *failure {
	if *value == "" {
		*value = words[0]
	}
	if !slices.Contains(words, *value) {
		return invalidParam(field, "%q is not known: use %s", *value, strings.Join(words, ", "))
	}
	return nil
}

// millis is a time in milliseconds; 0 where none is given. Longer times than about 11
// days are cut to that.
type millis time.Duration

// UnmarshalJSON implements json.Unmarshaler.
func (m *millis) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, null) {
		return nil
	}
	var n float64
	if json.Unmarshal(text, &n) != nil || n < 0 || math.IsInf(n, 0) {
		return newFailure(codeInvalidParams, "Invalid params: %.20s is not a time: use milliseconds, 0 or more", text)
	}
	*m = millis(min(n, 1e9) * float64(time.Millisecond))
	return nil
}

// names is one text or a list of them.
type names []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *names) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, null) {
		return nil
	}
	var one string
	if json.Unmarshal(text, &one) == nil {
		*l = names{one}
		return nil
	}
	var all []string
	if json.Unmarshal(text, &all) != nil {
		return newFailure(codeInvalidParams, "Invalid params: %.20s is neither a text nor a list of texts", text)
	}
	*l = all
	return nil
}
