package jsonrpc

import (
	"encoding/json"
	"testing"

	"github.com/cdphub/cdphub/actions/envelope"
)

// FuzzMessage reads any message: what is taken can be answered, with its id as
// it stands.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"browser.snapshot"}`, `[{"jsonrpc":"2.0","id":"a","method":"x","params":{}},7]`,
		`[]`, ``, `null`, `{"id":-1e5}`, `{"jsonrpc":"2.0","id":"\ud800","method":"x"}`, `{} {}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		calls, _, err := readBatch(frame)
		if err == nil && len(calls) == 0 {
			t.Errorf("%q holds no calls", frame)
		}
		for _, raw := range calls {
			r, err := readRequest(raw)
			answer := &response{Version: "2.0", ID: r.id, Result: true}
			if err != nil {
				answer = failureResponse(r.id, err)
			}
			if text, err := envelope.Encode(answer); err != nil || !json.Valid(text) {
				t.Errorf("%q is answered with %s, %v", frame, text, err)
			}
			if err == nil && r.method == "" {
				t.Errorf("%q names no method", frame)
			}
		}
	})
}
