package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/mailru/easyjson"
)

// slack is how many bytes of Go values any text may become.
//
// A page, a Host and a browser choose the bytes of their answers and events. Decoded, a
// short text can need many times its length: [{},{},…] has three bytes for each element,
// and a Go struct has hundreds. So Decode bounds what a text may become: the bytes of Go
// values that it asks for, strings not counted, are at most its own length and a half, and
// slack. A slice that grows leaves about four times its size behind, hence the rule that
// decoding allocates at most ten times the text.
const slack = 1 << 20

// light is the length of a text, in bytes, that is decoded without weighing it: nothing of
// that length becomes much more than slack.
const light = 8 << 10

var (
	errNotJSON = errors.New("JSON: not one value, or it nests more than 300 levels")
	errHeavy   = errors.New("JSON: its values take much more memory than the text that they stand in")
)

// Decode decodes JSON that a page, a Host or a browser has sent. It refuses what nests
// deeper than MaxDepth, and what needs far more memory than its text. Names of members are
// compared as encoding/json does. What is decoded may alias raw, if into is of easyjson.
func Decode(raw []byte, into any) error {
	if !Valid(raw) {
		return errNotJSON
	}
	if len(raw) > light {
		most := len(raw) + len(raw)/2 + slack
		w := weigher{text: raw, left: most}
		w.value(0, shapeOf(reflect.TypeOf(into)))
		if w.left < 0 {
			return fmt.Errorf("%w: more than %d bytes for %d", errHeavy, most, len(raw))
		}
	}
	if u, ok := into.(easyjson.Unmarshaler); ok {
		return easyjson.Unmarshal(raw, u)
	}
	return json.Unmarshal(raw, into)
}
