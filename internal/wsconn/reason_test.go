package wsconn

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestCodesAreDocumented compares the codes of our own with docs/bridge.md.
func TestCodesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/bridge.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[uint16]bool{}
	for _, r := range own {
		if rows[r.Code] {
			t.Errorf("two reasons have the code %d", r.Code)
		}
		rows[r.Code] = true
		words, _, _ := strings.Cut(r.Text, ":")
		if !strings.Contains(string(text), fmt.Sprintf("\n| %d | `%s", r.Code, words)) {
			t.Errorf("docs/bridge.md has no row for %v", r)
		}
		if !validCode(r.Code) || len(r.Text) > 123 || !IsOwn(r.Code) {
			t.Errorf("%v cannot be in a close frame", r)
		}
		if v := r.versionOne(); v != (Reason{1008, r.Text}) {
			t.Errorf("in version 1 %v is %v", r, v)
		}
	}
	if n := strings.Count(string(text), "\n| 4"); n != len(own) {
		t.Errorf("docs/bridge.md has %d rows from 4000, want %d", n, len(own))
	}
	for _, r := range []Reason{ReasonShutdown, ReasonSlowConsumer, {4500, "of the peer's own"}, {4001, "BAP's"}} {
		if v := r.versionOne(); v != r {
			t.Errorf("in version 1 %v is %v", r, v)
		}
	}
}
