package wire

import (
	"strings"
	"testing"
)

// TestSkipValue checks where values end, in text that was checked and in text that was not.
func TestSkipValue(t *testing.T) {
	deep := strings.Repeat("[", 10*MaxDepth) + strings.Repeat("]", 10*MaxDepth)
	long := `"` + strings.Repeat("x", 100) + `\\\"` + strings.Repeat("y", 100) + `\\"`
	for _, value := range []string{
		`1`, `-1.5e3`, `true`, `null`, `""`, `"a"`, `"\""`, `"\\"`, `"a\\\"b"`, `"]}"`, `{}`, `[]`, `{"a":[1,"}"]}`, `[[],[{}]]`, deep, long, "\"a\nb\"",
	} {
		for _, after := range []string{"", ",", "}", "]", " ", "\n"} {
			if got := SkipValue([]byte("["+value+after), 1); got != 1+len(value) {
				t.Errorf("%.40s followed by %q ends at %d, not at %d", value, after, got-1, len(value))
			}
		}
	}
	for _, none := range []string{``, `,`, `}`, `]`, `:`, `"`, `"a`, `"a\"`, `[`, `{"a":1`, `["]`, ` `} {
		if got := SkipValue([]byte(none), 0); got != -1 {
			t.Errorf("%q has a value that ends at %d", none, got)
		}
	}
}
