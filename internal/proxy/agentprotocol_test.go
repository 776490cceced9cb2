package proxy

import (
	"reflect"
	"testing"
)

// TestReadCommand reads each command of an agent, and what is none.
func TestReadCommand(t *testing.T) {
	body := []byte("hi")
	for text, want := range map[string]struct {
		id      string
		command any
	}{
		`{"do":"state","target":"T","hold":true,"tell":true,"extra":{"X-A":"1"},"userAgent":"u","noCache":true,"offline":true,"addresses":["a"]}`: {
			"", targetState{Target: "T", Hold: true, Tell: true, Extra: map[string]string{"X-A": "1"}, UserAgent: "u", NoCache: true, Offline: true, Addresses: []string{"a"}},
		},
		`{"do":"navigate","url":"u","referrer":"r"}`: {"", navigateCommand{"u", "r"}},
		`{"do":"go","id":"R","url":"u","method":"POST","headers":[["X-A","1"]],"body":"aGk=","see":true,"cookies":"a=1"}`: {
			"R", continueRequest{"u", "POST", [][2]string{{"X-A", "1"}}, &body, true, "a=1"},
		},
		`{"do":"fulfill","id":"R","status":200,"phrase":"OK","headers":[["X-A","1"]],"body":"aGk="}`: {
			"R", fulfillRequest{200, "OK", [][2]string{{"X-A", "1"}}, &body},
		},
		`{"do":"fail","id":"R","error":"e"}`:       {"R", failRequest{"e"}},
		`{"do":"body","id":"R"}`:                   {"R", getBody{}},
		`{"do":"of a newer agent","id":"R","x":1}`: {"R", continueRequest{}},
	} {
		id, command, err := readCommand([]byte(text))
		if id != want.id || !reflect.DeepEqual(command, want.command) || err != nil {
			t.Errorf("%s: read %q, %#v, %v, want %q, %#v", text, id, command, err, want.id, want.command)
		}
	}
	for _, text := range []string{"", "[]", `{"do":1}`, `{"do":"fulfill","status":"200"}`, `{"do":"go","body":"not base64"}`} {
		if _, command, err := readCommand([]byte(text)); err == nil {
			t.Errorf("%s: read %#v", text, command)
		}
	}
}
