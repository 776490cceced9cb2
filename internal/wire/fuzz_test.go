package wire

import (
	"bytes"
	"encoding/json"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzR58Valid(f *testing.F) {
	for _, s := range []string{`{}`, `[1,"\u0041",{"a":null}]`, `{"a":01}`, "\"\x01\"", `-`, `{"a"`, nested("[", "]", 300)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, want := Valid(in), json.Valid(in)
		if tooDeep := want && depth(in) > MaxDepth; got != want && !tooDeep {
			t.Fatalf("Valid(%q) = %v, encoding/json says %v", in, got, want)
		}
		// The same bytes as a value meet other places of what is marked at once.
		inside := slices.Concat([]byte(`[{"key":"`), bytes.Repeat([]byte("x"), len(in)%131), []byte(`","value": `), in, []byte(`},12]`))
		got, want = Valid(inside), json.Valid(inside)
		if tooDeep := want && depth(inside) > MaxDepth; got != want && !tooDeep {
			t.Fatalf("Valid(%q) = %v, encoding/json says %v", inside, got, want)
		}
		from := bytes.Index(inside, []byte(`": `)) + 3
		if end := len(inside) - len(`},12]`); json.Valid(in) {
			if i := SkipSpace(inside, SkipValue(inside, SkipSpace(inside, from))); i != end {
				t.Fatalf("in %q, the value ends at %d, not at %d", inside, end, i)
			}
		} else if i := SkipValue(in, 0); i > len(in) {
			t.Fatalf("in %q, the value ends at %d", in, i)
		}
		// The same bytes far inside a long string meet the search by windows.
		pad := bytes.Repeat([]byte("x"), 2000)
		long := slices.Concat([]byte{'"'}, pad, in, pad, []byte{'"'})
		if got, want := Valid(long), json.Valid(long); got != want {
			t.Fatalf("Valid of a long string with %q inside = %v, encoding/json says %v", in, got, want)
		}
	})
}

// depth is how deep valid JSON nests.
func depth(in []byte) int {
	deepest, open := 0, 0
	dec := json.NewDecoder(bytes.NewReader(in))
	dec.UseNumber() // 1e400 is none of Go's
	for {
		tok, err := dec.Token()
		if err != nil {
			return deepest
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			open++
			deepest = max(deepest, open)
		case json.Delim('}'), json.Delim(']'):
			open--
		}
	}
}

// members reads the top of an object, by another reader than the one under
// test. It returns nil when a key comes twice.
func members(t *testing.T, in []byte) map[string]json.RawMessage {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(in))
	all := map[string]json.RawMessage{}
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		t.Fatalf("%q is no object: %v %v", in, tok, err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		name := key.(string)
		if _, twice := all[name]; twice && slices.Contains([]string{"id", "method", "sessionId", "params"}, name) {
			return nil
		}
		all[name] = value
	}
	return all
}

// FuzzR58Parse checks that Parse and encoding/json agree on what is valid and
// what it says, so that what is checked is what is forwarded; that what is
// passed on can be spliced; and that a message costs no more than four times
// its length.
func FuzzR58Parse(f *testing.F) {
	for _, s := range []string{
		`{"id":1,"method":"Page.enable"}`,
		`{"id":-7,"method":"A.b","params":{"k":[1e400]},"sessionId":"S"}`,
		`{"\u0069d":1,"method":"\u0041.b","id":2}`,
		`{"id":1,"method":"A.b","params":null}`,
		`[]`, ``, `{"id":1,"method":"A.b","params":{"a":tru}}`,
		`{"id":1,"m\u0065thod":"A.\ud83d\ude00\ud83d","params":{ "a" : "\u0000" } , "extra":[{}]}`,
		`{"id":1,"method":"A.b","params":` + params(300) + `}`,
		`{"id":-0,"method":"A.b","params":[{}],"sessionId":""}`, `{"id":1.0e1,"method":"A.b","params":{"a":-1e309}}`,
		"\v{\"id\":1,\f\"method\":\"A.b\",\"params\":{\"a\":\"\n\x01\\v\"}}",
		`{"id":1,"method":"` + strings.Repeat(`\u0041`, 500) + `","sessionId":"` + strings.Repeat(`\n`, 500) + `"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if !utf8.Valid(in) {
			return // such a frame ends its connection
		}
		if took := allocated(func() { Parse(in) }); took > 4*len(in)+2048 {
			t.Fatalf("%d bytes were allocated for %d", took, len(in))
		}
		e, err := Parse(in)
		if e.Lax != nil { // it is as if the Client had sent this
			if json.Valid(in) || !json.Valid(strictJSON(in)) {
				t.Fatalf("Parse takes %q for what Chromium alone reads", in)
			}
			in = strictJSON(in)
		}
		if err != nil {
			if out := AppendError(AppendErrorHead(nil, e.ID), err); !json.Valid(append(out, '}')) {
				t.Fatalf("the error for %q is not JSON: %s", in, out)
			}
			good := json.Valid(in) && depth(in) <= MaxDepth
			if bad := err.Code == CodeParse && err != ErrDoubledKey; bad == good {
				t.Fatalf("%q: %v, but it is valid: %v", in, err, good)
			}
			return
		}
		if !json.Valid(in) {
			t.Fatalf("Parse took %q, which is not JSON", in)
		}
		agrees(t, in, e)
		out := append(AppendAnswerHead(nil, e.ID), e.Params...)
		if e.Params == nil {
			out = append(out, Empty...)
		}
		out = append(out, SessionTail(e.SessionID)...)
		if !json.Valid(out) {
			t.Fatalf("%q spliced to %q", in, out)
		}
		if out = AppendEventHead(nil, e.Method); !json.Valid(append(out, "{}}"...)) {
			t.Fatalf("the method of %q spliced to %q", in, out)
		}
	})
}

// agrees wants an envelope to say what encoding/json reads.
func agrees(t *testing.T, in []byte, e Envelope) {
	t.Helper()
	want := members(t, in)
	if want == nil {
		t.Fatalf("Parse took %q, where a key comes twice", in)
	}
	text := func(raw json.RawMessage) (s string) {
		if raw != nil {
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatalf("Parse took %q: %v", in, err)
			}
		}
		return s
	}
	params := want["params"]
	isArray := len(params) > 0 && params[0] == '['
	if string(params) == "null" || isArray {
		params = nil
	}
	var id float64
	if err := json.Unmarshal(want["id"], &id); err != nil || string(e.ID) != strconv.Itoa(int(id)) {
		t.Fatalf("the id of %q is read as %s", in, e.ID)
	}
	if e.ArrayParams != isArray || e.Method != text(want["method"]) || e.SessionID != text(want["sessionId"]) ||
		e.InSession != (e.SessionID != "") || !bytes.Equal(e.Params, params) {
		t.Fatalf("%q is read as %+v", in, e)
	}
}

// allocated is how many bytes a function allocates: the least of three runs,
// since others may allocate meanwhile.
func allocated(fn func()) int {
	least := uint64(1) << 62
	var before, after runtime.MemStats
	for range 3 {
		runtime.ReadMemStats(&before)
		fn()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return int(least)
}

func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\x00é\xff😀")
	f.Fuzz(func(t *testing.T, s string) {
		out := AppendString(nil, s)
		text, ok := Text(out)
		if !Valid(out) || !ok || utf8.ValidString(s) && text != s {
			t.Fatalf("AppendString(%q) = %s, which reads back as %q", s, out, text)
		}
	})
}
