package actions

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/mailru/easyjson"

	"github.com/cdphub/cdphub/internal/wire"
)

// plainEvaluated and plainAnswer are evaluated and scriptAnswer as
// encoding/json decodes them.
type plainEvaluated struct {
	Result struct {
		Type, Subtype, ObjectID, UnserializableValue string

		Value json.RawMessage
	}
	ExceptionDetails *struct {
		Text      string
		Exception *struct {
			Description string
			Value       json.RawMessage
		}
	}
}

type plainAnswer struct {
	OK      json.RawMessage
	Secrets []string
	Error   *struct {
		Kind    Kind
		Message string
		Locator string
		Count   int
		Waited  float64
	}
}

// scriptResult is the result of Runtime.callFunctionOn for an answer.
func scriptResult(answer string) []byte {
	value, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return append(append([]byte(`{"result":{"type":"string","value":`), value...), "}}"...)
}

func TestScriptAnswer(t *testing.T) {
	for in, want := range map[string]scriptAnswer{
		`{"ok":{"x":1},"secrets":["a\u00e9"]}`: {OK: easyjson.RawMessage(`{"x":1}`), Secrets: []string{"aé"}},
		`{"ok":null}`:                          {},
		`{"error":{"kind":"not_visible","message":"m","locator":"#a","count":2,"waited":1.5}}`: {
			Error: &scriptError{Kind: "not_visible", Message: "m", Locator: "#a", Count: 2, Waited: 1.5},
		},
	} {
		var out evaluated
		if err := wire.Decode(scriptResult(in), &out); err != nil {
			t.Fatal(err)
		}
		got, err := readScriptAnswer(&out)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", in, got, err, want)
		}
	}
	for _, in := range []string{`{"result":{"value":5}}`, `{"result":{}}`, `{"result":{"value":"no JSON"}}`, `{"result":{"value":"{\"secrets\":5}"}}`} {
		var out evaluated
		if err := wire.Decode([]byte(in), &out); err != nil {
			t.Fatal(err)
		}
		if _, err := readScriptAnswer(&out); KindOf(err) != Internal {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestEvaluatedNull(t *testing.T) {
	var out evaluated
	const thrown = `{"result":{"type":"object","subtype":"null","value":null},"exceptionDetails":{"text":"Uncaught","exception":{"type":"object","subtype":"null","value":null}}}`
	if err := wire.Decode([]byte(thrown), &out); err != nil {
		t.Fatal(err)
	}
	if got := out.exception(); got != "null" {
		t.Errorf("thrown null is %q", got)
	}
	if got := remoteValue(out.Result.Value, out.Result.Subtype); string(got) != "null" {
		t.Errorf("null is %q", got)
	}
	if got := remoteValue(nil, ""); got != nil {
		t.Errorf("undefined is %q", got)
	}
}

// BenchmarkScriptAnswer compares easyjson with encoding/json, side by side: a
// call that finds where to click, and a snapshot of a long page.
func BenchmarkScriptAnswer(b *testing.B) {
	long := `{"ok":{"text":"` + strings.Repeat(`- button \"Save\" [ref=e12]\n`, 4000) + `","count":4000},"secrets":[]}`
	for name, answer := range map[string]string{"point": `{"ok":{"x":12.5,"y":99,"checked":null,"tag":"BUTTON"},"secrets":[]}`, "snapshot": long} {
		in := scriptResult(answer)
		b.Run(name+"/easyjson", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var out evaluated
				if err := wire.Decode(in, &out); err != nil {
					b.Fatal(err)
				}
				if a, err := readScriptAnswer(&out); err != nil || a.OK == nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/encoding", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var out plainEvaluated
				if err := json.Unmarshal(in, &out); err != nil {
					b.Fatal(err)
				}
				var text string
				if err := json.Unmarshal(out.Result.Value, &text); err != nil {
					b.Fatal(err)
				}
				var a plainAnswer
				if err := json.Unmarshal([]byte(text), &a); err != nil || a.OK == nil {
					b.Fatal(err)
				}
			}
		})
	}
}
