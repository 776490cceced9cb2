package actions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Params reads the params of a request field by field, with error messages for the
// client. Names are compared with their case. A field that is null counts as missing;
// unknown fields are ignored. Err is the first thing that was wrong: the reading
// methods return a default then, so that an adapter reads all fields and looks once.
type Params struct {
	fields map[string]json.RawMessage
	path   string // of the object that it reads, "target."
	err    *error // shared with the objects inside
}

// ReadParams reads a JSON object; null and nothing are an empty one.
func ReadParams(raw json.RawMessage) *Params {
	p := &Params{err: new(error)}
	if len(raw) > 0 && json.Unmarshal(raw, &p.fields) != nil {
		p.mismatch("params", raw, "a map")
	} else {
		*p.err = Exceeds(raw)
	}
	return p
}

// Err is an *Error of kind InvalidArgument that names the field, or nil.
func (p *Params) Err() error { return *p.err }

// Fail notes that a field is wrong: "must be …".
func (p *Params) Fail(name, format string, args ...any) {
	if *p.err == nil {
		*p.err = invalidArgument("field `%s%s` %s", p.path, name, fmt.Sprintf(format, args...))
	}
}

// mismatch says what a field is and what it should be, in the words of serde, the
// JSON library of Rust.
func (p *Params) mismatch(name string, raw json.RawMessage, want string) {
	if *p.err == nil {
		*p.err = invalidArgument("invalid type: %s, expected %s for field `%s%s`", Describe(raw), want, p.path, name)
	}
}

// Has reports whether a field is there and is not null.
func (p *Params) Has(name string) bool {
	raw, ok := p.fields[name]
	return ok && string(raw) != "null"
}

// Names are those of the fields that are there, in order.
func (p *Params) Names() []string {
	var names []string
	for name := range p.fields {
		if p.Has(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Scalar reads a string, a number or a boolean as text; any other value is "".
func (p *Params) Scalar(name string) string {
	var v any
	if json.Unmarshal(p.fields[name], &v) != nil {
		return ""
	}
	switch v.(type) {
	case string, float64, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// Need notes which of these fields is missing.
func (p *Params) Need(names ...string) {
	for _, name := range names {
		if !p.Has(name) && *p.err == nil {
			*p.err = invalidArgument("missing field `%s%s`", p.path, name)
		}
	}
}

// readField reads a field into a value of type T; byDefault where it is missing or wrong.
// want is what an error message says that it should be.
func readField[T any](p *Params, name, want string, byDefault T) T {
	if !p.Has(name) {
		return byDefault
	}
	var v T
	if json.Unmarshal(p.fields[name], &v) != nil {
		p.mismatch(name, p.fields[name], want)
		return byDefault
	}
	return v
}

// Text reads a string, "" when it is not there.
func (p *Params) Text(name string) string { return readField(p, name, "a string", "") }

// Choice reads a string that is one of these; the first is the default.
func (p *Params) Choice(name string, of ...string) string {
	v := readField(p, name, "a string", of[0])
	for _, one := range of {
		if v == one {
			return v
		}
	}
	p.Fail(name, "is %q: use %s", v, strings.Join(of, ", "))
	return of[0]
}

// Bool reads a boolean.
func (p *Params) Bool(name string, byDefault bool) bool {
	return readField(p, name, "a boolean", byDefault)
}

// Number reads a finite number, 0 when it is not there.
func (p *Params) Number(name string) float64 { return readField(p, name, "a number", 0.0) }

// Int reads a whole number in a range.
func (p *Params) Int(name string, byDefault, least, most int) int {
	v := readField(p, name, "an integer", float64(byDefault))
	if v != math.Trunc(v) || p.Has(name) && (v < float64(least) || v > float64(most)) {
		p.Fail(name, "is %v: it must be a whole number from %d to %d", v, least, most)
		return byDefault
	}
	return int(v)
}

// Snapshot reads how much of the page an answer is to show; the zero value when it is not there.
func (p *Params) Snapshot(name string) (m SnapshotMode) {
	if p.Has(name) && json.Unmarshal(p.fields[name], &m) != nil {
		p.Fail(name, `is %s: it must be "none", "delta", "full" or {"tokens": N}`, Describe(p.fields[name]))
	}
	return m
}

// Milliseconds reads a time in milliseconds, which may have a fraction; 0 when it is
// not there. A longer time than MaxTimeout is MaxTimeout.
func (p *Params) Milliseconds(name string) time.Duration {
	v := p.Number(name)
	if p.Has(name) && v <= 0 {
		p.Fail(name, "is %v: it must be milliseconds above 0", v)
		return 0
	}
	return time.Duration(min(v, MaxTimeout.Seconds()*1000) * float64(time.Millisecond))
}

// Texts reads a string or an array of strings.
func (p *Params) Texts(name string) []string {
	if raw := bytes.TrimSpace(p.fields[name]); len(raw) > 0 && raw[0] == '"' {
		return []string{p.Text(name)}
	}
	return readField[[]string](p, name, "strings", nil)
}

// Object reads an object inside of this one, which is empty when it is not there. Err
// of both is the same error.
func (p *Params) Object(name string) *Params {
	in := &Params{path: p.path + name + ".", err: p.err}
	if p.Has(name) && json.Unmarshal(p.fields[name], &in.fields) != nil {
		p.mismatch(name, p.fields[name], "a map")
	}
	return in
}

// Describe names a JSON value as serde's messages do: "integer `1`".
func Describe(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	const longest = 100
	switch {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '"' && len(raw) <= longest:
		return "string " + string(raw)
	case raw[0] == '"':
		return "string"
	case raw[0] == '{':
		return "map"
	case raw[0] == '[':
		return "sequence"
	case raw[0] == 'n':
		return "null"
	case raw[0] == 't' || raw[0] == 'f':
		return "boolean `" + string(raw) + "`"
	case len(raw) > longest:
		return "number"
	case bytes.ContainsAny(raw, ".eE"):
		return "floating point `" + string(raw) + "`"
	}
	return "integer `" + string(raw) + "`"
}
