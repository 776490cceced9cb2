package bap

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzParse wants of any frame that it can be answered: the answer is JSON and
// has the id of the request, and the params of a request that passes can be
// read as those of any method.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"action/click","params":{"selector":{"type":"css","value":"a"},"options":{"button":"left"}}}`,
		`{"id":"a","method":"agent/act","params":{"steps":[{"action":"action/fill","params":{"value":""},"condition":{"state":"visible"}}]}}`,
		`[]`, `null`, ``, `{"id":{},"method":1}`, `{"id":-1.5e3,"method":"x","params":null}`, `{"id":null,"method":"page/create","params":{"viewport":null}}`,
		`{"id":1,"method":"observe/pdf","params":{"options":{"margin":{"top":"1cm","left":2}},"timeout":1e308}}`,
		`{"id":1,"method":"action/drag","params":{"source":{"x":1,"y":2},"target":{"type":"ref","ref":"@a"}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r, bad := parseRequest(in)
		var out struct{ ID json.RawMessage }
		if r.id != nil {
			a := answer{Version: "2.0", ID: r.id, Error: bad}
			if err := json.Unmarshal(encodeMessage(a), &out); err != nil {
				t.Fatalf("%q cannot be answered: %v", in, err)
			}
			if got, want := compact(out.ID), compact(r.id); !bytes.Equal(got, want) && !bytes.Equal(want, null) {
				t.Fatalf("%q: id %s is answered as %s", in, want, got)
			}
		}
		if bad != nil {
			return
		}
		_ = pageOf(r.params)
		for _, read := range []func(json.RawMessage) error{
			reads[clickParams], reads[typeParams], reads[scrollParams], reads[dragParams], reads[uploadParams], reads[screenshotParams], reads[pdfParams],
			reads[createPageParams], reads[navigateParams], reads[switchParams], reads[actParams], reads[observeParams], reads[extractParams], reads[selectParams],
		} {
			if err := read(r.params); err != nil && failureOf(err, r.params).Code != codeInvalidParams {
				t.Fatalf("%q: %v", in, err)
			}
		}
	})
}

// reads is decode without its result.
func reads[P any](params json.RawMessage) error {
	_, err := decodeParams[P](params)
	return err
}

func compact(v json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return nil
	}
	return b.Bytes()
}
