package targets

import (
	"slices"
	"strings"
	"testing"
)

// TestReadFilter reads filters as clients write them, and asks each for some types.
func TestReadFilter(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                                    "",
		`[{}]`:                                  "browser tab page iframe",
		`[{"type":"page"}]`:                     "page",
		`[{"exclude":true,"type":"tab"},{}]`:    "browser page iframe",
		`[{"type":"page","exclude":false}]`:     "page",
		`[{"type":"page","more":[1]}]`:          "page",
		`[{"Type":"page"}]`:                     "browser tab page iframe", // which is no type
		`[{"type":"page"},{"exclude":true}]`:    "page",
		`{}`:                                    "refused",
		`[1]`:                                   "refused",
		`[{"type":1}]`:                          "refused",
		`[{"type":1,"exclude":true}]`:           "refused",
		`[{"type":"page","exclude":1}]`:         "refused",
		`[{"exclude":"true","type":"page"}]`:    "refused",
		`[{"type":"page"},{"exclude":"false"}]`: "refused",
	} {
		got := "refused"
		if f, ok := ReadFilter([]byte(text)); ok {
			got = taken(f)
		}
		if got != want {
			t.Errorf("%s takes %q, want %q", text, got, want)
		}
	}
	if got := taken(Usual); got != "page iframe" {
		t.Errorf("the usual filter takes %q", got)
	}
}

func taken(f Filter) string {
	kinds := []string{"browser", "tab", "page", "iframe"}
	return strings.Join(slices.DeleteFunc(kinds, func(kind string) bool { return !f.Takes(kind) }), " ")
}
