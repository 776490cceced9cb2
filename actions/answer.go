package actions

//go:generate go run github.com/mailru/easyjson/easyjson@v0.9.2 -output_filename answer_easyjson.go answer.go

import (
	"encoding/json"
	"time"

	"github.com/mailru/easyjson"

	"github.com/cdphub/cdphub/internal/wire"
)

// evaluated is the result of Runtime.evaluate and Runtime.callFunctionOn. Its
// raw parts alias the message that it was read from.
//
//easyjson:json
type evaluated struct {
	Result           remoteObject      `json:"result"`
	ExceptionDetails *exceptionDetails `json:"exceptionDetails"`
}

// remoteObject is a Runtime.RemoteObject.
//
//easyjson:json
type remoteObject struct {
	Type                string              `json:"type"`
	Subtype             string              `json:"subtype"`
	ObjectID            string              `json:"objectId"`
	UnserializableValue string              `json:"unserializableValue"`
	Value               easyjson.RawMessage `json:"value"`
}

// exceptionDetails is a Runtime.ExceptionDetails.
//
//easyjson:json
type exceptionDetails struct {
	Text      string           `json:"text"`
	Exception *exceptionObject `json:"exception"`
}

// exceptionObject is what was thrown, a Runtime.RemoteObject. Only an Error has a
// description with a stack; a thrown string or number has a value.
//
//easyjson:json
type exceptionObject struct {
	Subtype     string              `json:"subtype"`
	Description string              `json:"description"`
	Value       easyjson.RawMessage `json:"value"`
}

// remoteValue is the value of a remote object; nil when it has none. easyjson leaves
// out a value that is null, which the subtype still says.
func remoteValue(value easyjson.RawMessage, subtype string) json.RawMessage {
	if value == nil && subtype == "null" {
		return json.RawMessage("null")
	}
	return json.RawMessage(value)
}

// scriptAnswer is what a call of the page script comes to, as a JSON text:
//
//	{"ok":…,"secrets":["…"],"used":12}
//	{"error":{"kind":"element_not_found","message":"…","locator":"#a","count":0,"waited":99.5}}
//
//easyjson:json
type scriptAnswer struct {
	OK      easyjson.RawMessage `json:"ok"`
	Secrets []string            `json:"secrets"`
	Error   *scriptError        `json:"error"`
	Used    int                 `json:"used"` // the highest number that it has given to an element
}

// scriptError is a failure that the page script knows.
//
//easyjson:json
type scriptError struct {
	Kind    Kind    `json:"kind"`
	Message string  `json:"message"`
	Locator string  `json:"locator"`
	Count   int     `json:"count"`
	Waited  float64 `json:"waited"` // ms
}

// readScriptAnswer reads the answer of the page script out of the result of a call.
// The script returns a JSON text and not an object: pages can change toJSON and
// prototypes, and the text goes through CDP as one string.
func readScriptAnswer(out *evaluated) (a scriptAnswer, err error) {
	text, ok := wire.Text(out.Result.Value)
	if !ok {
		return a, newError(Internal, "the page script answered %.100q", []byte(out.Result.Value))
	}
	if len(text) > maxScriptAnswer {
		return a, newError(LimitExceeded, "limit exceeded: the answer of the page has %d bytes, at most %d are read", len(text), maxScriptAnswer)
	}
	// The decoded value aliases text, which nothing else holds.
	if wire.Decode([]byte(text), &a) != nil {
		return a, newError(Internal, "the page script answered %.100q", text)
	}
	return a, nil
}

// maxScriptAnswer is the longest answer of the page script that is read, in bytes. The
// script gives at most MaxValue of JSON, and says by itself what is longer; the secrets that
// it has found come besides.
const maxScriptAnswer = 2 * MaxValue

// longestFailure is how much is kept of a text in an error of the page script, in bytes.
const longestFailure = 4 << 10

// scriptKinds are the failures that the page script knows (web/src/actions/failure.ts).
var scriptKinds = map[Kind]bool{
	InvalidArgument: true, ElementNotFound: true, StaleRef: true, AmbiguousLocator: true, NotVisible: true, NotEnabled: true, Obscured: true,
	LimitExceeded: true, numbersSpent: true,
}

// failure is the error that the page script has named, on a page. In a frame the page can
// answer in the place of the script.
func (e *scriptError) failure(page string) *Error {
	if !scriptKinds[e.Kind] {
		return newError(Internal, "the page script failed: %s", cutText(e.Message, longestFailure))
	}
	waited := min(max(e.Waited, 0), float64(MaxTimeout.Milliseconds()))
	return &Error{Kind: e.Kind, Message: cutText(e.Message, longestFailure), Details: Details{
		Locator: cutText(e.Locator, longestFailure), Count: max(e.Count, 0), Waited: time.Duration(waited) * time.Millisecond, PageID: page,
	}}
}
