package envelope

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/wire"
)

func TestRead(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":"1","action":"a","session":"s","params":{"x":[1]}}`:              `"1" - - "a" "s" {"x":[1]}`,
		" {\"jsonrpc\":\"2.0\",\"id\":-1e5,\"method\":\"m\",\"params\":null}\n": `-1e5 "2.0" "m" - - -`,
		`{"\u0069d":7,"ID":8,"x":{"id":9}}`:                                     "7 - - - - -",
		`{"id":1,"id":2,"params":{},"params":null}`:                             "2 - - - - {}",
		`{}`:                 "- - - - - -",
		`[]`:                 "no",
		`null`:               "no",
		``:                   "no",
		` `:                  "no",
		`{"id":1`:            "no",
		`{"id":1}{}`:         "no",
		`{"x":01,"id":1}`:    "no",
		`{"x":"\0","id":1}`:  "no",
		`{"x":nul,"id":"1"}`: "no",
	} {
		e, ok := Read([]byte(in))
		got := "no"
		if ok {
			var members []string
			for _, m := range []json.RawMessage{e.ID, e.Version, e.Method, e.Action, e.Session, e.Params} {
				if m == nil {
					m = json.RawMessage("-")
				}
				members = append(members, string(m))
			}
			got = strings.Join(members, " ")
		}
		if got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestMembers(t *testing.T) {
	for in, want := range map[string]string{`"a"`: "a", `""`: "", `"é"`: "é", `"\u0041"`: "no", "\"\xff\"": "no", "1": "no", "": "no", "null": "no"} {
		got, ok := Text([]byte(in))
		if !ok {
			got = "no"
		}
		if got != want {
			t.Errorf("text of %q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{`{"a":1}`: `{"a":1}`, "": "", "[]": "no", `"a"`: "no"} {
		got, ok := Object([]byte(in))
		if !ok {
			got = []byte("no")
		}
		if string(got) != want {
			t.Errorf("object of %q: %q, want %q", in, got, want)
		}
	}
}

// FuzzRead: what is read has the members that encoding/json finds, if each is
// there once and is not null. What nests too deep is not read.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"id":"1","action":"a","params":{"x":[1]}}`, `{"jsonrpc":"2.0","id":-1e5,"method":"m"}`, `{"\u0069d":"\ud800"}`, "[]", "{", "{}{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var fields map[string]json.RawMessage
		e, ok := Read(in)
		if want := json.Unmarshal(in, &fields) == nil && fields != nil && wire.Valid(in); ok != want {
			t.Fatalf("%q: read is %v, want %v", in, ok, want)
		}
		for name, got := range map[string]json.RawMessage{"id": e.ID, "jsonrpc": e.Version, "method": e.Method, "action": e.Action, "session": e.Session, "params": e.Params} {
			if want := fields[name]; ok && string(want) != "null" && string(got) != string(want) {
				t.Errorf("%q: %s is %q, want %q", in, name, got, want)
			}
		}
	})
}

// BenchmarkRead compares Read with encoding/json and a map, side by side: a click, and
// the text of a page.
func BenchmarkRead(b *testing.B) {
	for name, params := range map[string]string{"click": `{"selector":"#save","timeout_ms":3000}`, "64KiB": `{"text":"` + strings.Repeat("0123456789abcdef", 4096) + `"}`} {
		in := fmt.Appendf(nil, `{"id":"17","action":"page.click","params":%s}`, params)
		b.Run(name+"/read", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e, ok := Read(in)
				id, _ := Text(e.ID)
				action, _ := Text(e.Action)
				object, _ := Object(e.Params)
				if !ok || id == "" || action == "" || object == nil {
					b.Fatal("not read")
				}
			}
		})
		b.Run(name+"/map", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var fields map[string]json.RawMessage
				var id, action string
				if json.Unmarshal(in, &fields) != nil || json.Unmarshal(fields["id"], &id) != nil || json.Unmarshal(fields["action"], &action) != nil || fields["params"] == nil {
					b.Fatal("not read")
				}
			}
		})
	}
}
