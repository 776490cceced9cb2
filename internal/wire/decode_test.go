package wire

import (
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// node has what types of answers have: recursion, pointers, lists, maps and anything.
type node struct {
	ID       string
	Children []node
	Inner    *node
	Props    []struct {
		Name  string
		Value struct{ Value any }
	}
	Headers map[string]string
	More    map[string]node
	Any     any
	Raw     json.RawMessage
	Quad    []float64
	Pairs   [2]struct{ Inner *node }
	Renamed []node `json:"other"`
}

// grown is how many bytes f allocates.
func grown(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// repeated is a JSON text of many units.
func repeated(head, unit string, n int, tail string) string {
	return head + strings.TrimSuffix(strings.Repeat(unit, n), ",") + tail
}

// within fails if decoding allocates more than ten times the text and a floor.
func within(t *testing.T, in []byte, into any) error {
	t.Helper()
	var err error
	used := grown(func() { err = Decode(in, into) })
	if most := 10*len(in) + 8*slack; used > most {
		t.Errorf("decoding %.60q (%d bytes) into %T allocated %d bytes, at most %d are right", in, len(in), into, used, most)
	}
	return err
}

func TestR250DecodeBoundsMemory(t *testing.T) {
	for name, in := range map[string]string{
		"structs of two bytes":       repeated(`{"children":[`, `{},`, 3e6, `]}`),
		"structs by an escaped name": repeated(`{"\u0063HILDREN":[`, `{},`, 3e6, `]}`),
		"structs by a tag":           repeated(`{"OTHER":[`, `{},`, 3e6, `]}`),
		"anything of two bytes":      repeated(`{"any":[`, `[],`, 3e6, `]}`),
		"maps of anything":           repeated(`{"any":[`, `{"":0},`, 2e6, `]}`),
		"maps":                       repeated(`{"more":{`, `"":{"headers":{"":""}},`, 1e6, `}}`),
		"pointers":                   repeated(`{"children":[`, `{"inner":{}},`, 1e6, `]}`),
		"the same member again":      repeated(`{`, `"children":[{}],`, 1e6, `}`),
		"properties":                 repeated(`{"props":[`, `{},`, 3e6, `]}`),
		"arrays":                     repeated(`{"children":[`, `{"pairs":[{"inner":{}}]},`, 5e5, `]}`),
		"numbers":                    repeated(`{"quad":[`, `0,`, 5e6, `]}`),
		"null elements":              repeated(`{"children":[`, `null,`, 2e6, `]}`),
	} {
		t.Run(name, func(t *testing.T) {
			if err := within(t, []byte(in), new(node)); !errors.Is(err, errHeavy) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if err := within(t, []byte(repeated(`[`, `[[]],`, 2e6, `]`)), new([]json.RawMessage)); !errors.Is(err, errHeavy) {
		t.Errorf("raw elements: the error is %v", err)
	}
}

func TestR250DecodeBoundsDepth(t *testing.T) {
	for _, c := range []struct {
		levels int
		good   bool
	}{{MaxDepth, true}, {MaxDepth + 1, false}, {1e6, false}} {
		var v any
		if err := Decode([]byte(nested("[", "]", c.levels)), &v); (err == nil) != c.good {
			t.Errorf("%d levels: %v", c.levels, err)
		}
	}
	for _, in := range []string{"", "{", `{"a":1}x`, `{"a":"\0"}`} {
		if Decode([]byte(in), new(any)) == nil {
			t.Errorf("%q was decoded", in)
		}
	}
}

// TestR250DecodeTakesUsualAnswers has texts whose values are as large as those of
// Chromium: they must not be refused, whatever their length.
func TestR250DecodeTakesUsualAnswers(t *testing.T) {
	for name, in := range map[string]string{
		"one long text":             `{"id":"` + strings.Repeat("x", 4<<20) + `"}`,
		"members that nobody reads": repeated(`{"x":[`, `{},`, 3e6, `]}`),
		"nodes": repeated(`{"children":[`, `{"id":"-1000000014","ignored":false,"role":{"type":"internalRole","value":"InlineTextBox"},`+
			`"props":[{"name":"focusable","value":{"type":"booleanOrUndefined","value":true}}],"parentId":"-1000","chromeRole":{"type":"internalRole","value":99},`+
			`"sources":[{"type":"relatedElement","attribute":"aria-labelledby"},{"type":"attribute","attribute":"aria-label"}]},`, 2e4, `]}`),
	} {
		var v node
		if err := within(t, []byte(in), &v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var want node
		if json.Unmarshal([]byte(in), &want) != nil || !reflect.DeepEqual(v, want) {
			t.Errorf("%s: it is another value than encoding/json reads", name)
		}
	}
}

// FuzzR250Decode repeats a unit, since a fuzzer makes no long texts.
func FuzzR250Decode(f *testing.F) {
	f.Add(`{"children":[`, `{},`, `{}]}`, uint16(9000))
	f.Add(`{"any":{`, `"a":[{}],`, `"b":1}}`, uint16(9000))
	f.Add(`{"inner":{"`, `\u0041`, `":1}}`, uint16(3000))
	f.Add(` [`, ` [ ] ,`, `[]] `, uint16(3000))
	f.Add(`{"headers":{"a":"`, "\xff", `"}}`, uint16(60000))
	f.Fuzz(func(t *testing.T, head, unit, tail string, n uint16) {
		if len(unit) > 64 {
			return
		}
		in := []byte(head + strings.Repeat(unit, int(n)) + tail)
		for _, into := range []any{new(node), new([]node), new(any), new(map[string]json.RawMessage)} {
			if err := within(t, in, into); err == nil && !json.Valid(in) {
				t.Errorf("%.100q was decoded", in)
			}
		}
	})
}
