package bap

import (
	"bytes"
	"reflect"
	"testing"
)

// FuzzUsual: what the quick way reads, the other one reads alike. Members that
// are there twice, once as null, are the exception.
func FuzzUsual(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":1,"method":"page/click","params":{"a":[1]}}`, `{"id":null,"method":"x"}`, `{"method":"\\u0041"}`, "[]", "null", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		got, ok := parseUsual(frame)
		if !ok || bytes.Contains(frame, []byte("null")) {
			return
		}
		if want, err := parseAny(frame); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v, %v", frame, got, want, err)
		}
	})
}

// TestUsualIsOwn checks that a request outlives its frame.
func TestUsualIsOwn(t *testing.T) {
	frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"page/click","params":{"a":[1]}}`)
	got, ok := parseUsual(frame)
	want, _ := parseUsual(bytes.Clone(frame))
	clear(frame)
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v became %+v", want, got)
	}
}
