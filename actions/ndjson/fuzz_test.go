package ndjson

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzFrame reads any frame: what is taken has an id, an action and params that
// are an object or none; what is refused is answered with a protocol error.
func FuzzFrame(f *testing.F) {
	for _, seed := range []string{
		`{"id":"1","action":"page.navigate","params":{"url":"https://example.com"}}`, `{"id":1,"method":"page.snapshot"}`,
		`[]`, `null`, `"`, `{"id":"\ud800","action":"x","session":null,"params":null}`, `{"id":"1","action":"x"}{}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		if len(bytes.TrimSpace(frame)) == 0 {
			return
		}
		r, err := readRequest(frame)
		if err != nil {
			var got failure
			if text := answerFrame("", nil, err); json.Unmarshal(text, &got) != nil || got.ID != "" || got.Success || got.Error == "" {
				t.Errorf("%q is answered with %s", frame, text)
			}
			return
		}
		var params map[string]any
		if r.id == "" || r.params != nil && json.Unmarshal(r.params, &params) != nil {
			t.Errorf("%q was read as %+v", frame, r)
		}
	})
}
