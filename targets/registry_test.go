package targets

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func ids(r *Registry) string {
	var list []string
	for t := range r.All() {
		list = append(list, t.ID)
	}
	return strings.Join(list, " ")
}

func TestRegistryKeepsOrder(t *testing.T) {
	var r Registry
	for _, id := range []string{"a", "b", "c", "d"} {
		if added, ok := r.Set(Info{ID: id}); !added || !ok {
			t.Fatalf("Set(%s) = %v, %v", id, added, ok)
		}
	}
	if added, ok := r.Set(Info{ID: "b", Title: "new"}); added || !ok {
		t.Errorf("a known id: Set = %v, %v, want false, true", added, ok)
	}
	if got, _ := r.Get("b"); got.Title != "new" {
		t.Errorf("the title is %q, want new", got.Title)
	}
	if !r.Delete("b") || r.Delete("b") {
		t.Error("Delete should report whether there was one")
	}
	r.Set(Info{ID: "b"})
	if got := ids(&r); got != "a c d b" {
		t.Errorf("order %q, want a c d b", got)
	}
	for _, id := range strings.Fields("a c d b") {
		if got, ok := r.Get(id); !ok || got.ID != id {
			t.Errorf("Get(%s) = %v, %v", id, got, ok)
		}
	}
}

func TestRegistryLimits(t *testing.T) {
	var r Registry
	for _, id := range []string{"", strings.Repeat("x", MaxID+1)} {
		if _, ok := r.Set(Info{ID: id}); ok {
			t.Errorf("an id of %d bytes was taken", len(id))
		}
	}
	r.Set(Info{ID: "long", Title: strings.Repeat("é", MaxTitle), URL: strings.Repeat("u", MaxURL+7)})
	got, _ := r.Get("long")
	if len(got.Title) > MaxTitle || len(got.URL) != MaxURL || !utf8.ValidString(got.Title) {
		t.Errorf("title of %d bytes, URL of %d", len(got.Title), len(got.URL))
	}
	for i := 0; r.Len() < MaxCount; i++ {
		r.Set(Info{ID: fmt.Sprint(i)})
	}
	if _, ok := r.Set(Info{ID: "one more"}); ok {
		t.Error("a full registry took one more")
	}
	if _, ok := r.Set(Info{ID: "long"}); !ok {
		t.Error("a full registry refuses to update")
	}
}

// TestR152TextsAreBounded fills the registry with titles and addresses of full
// length, renames each, and empties it.
func TestR152TextsAreBounded(t *testing.T) {
	var r Registry
	title, url := strings.Repeat("t", MaxTitle), strings.Repeat("u", MaxURL)
	for round := range 2 {
		for i := range MaxCount {
			if _, ok := r.Set(Info{ID: fmt.Sprint(i), Title: title, URL: url}); !ok {
				t.Fatalf("Target %d was refused", i)
			}
			if most := MaxText + MaxTitle + MaxURL + MaxCount*2*MaxShort; r.text > most {
				t.Fatalf("%d bytes, want at most %d", r.text, most)
			}
		}
		if got, _ := r.Get("0"); round == 0 && (len(got.URL) != MaxURL || len(got.Title) != MaxTitle) {
			t.Errorf("the first was cut to %d and %d bytes", len(got.Title), len(got.URL))
		}
	}
	for i := range MaxCount {
		r.Delete(fmt.Sprint(i))
	}
	if r.Delete("0"); r.text != 0 {
		t.Errorf("an empty registry counts %d bytes", r.text)
	}
}

func TestRegistryClear(t *testing.T) {
	var r Registry
	r.Set(Info{ID: "a"})
	r.Set(Info{ID: "b"})
	if got := slices.Collect(r.Clear()); len(got) != 2 || got[0].ID != "a" || r.Len() != 0 {
		t.Errorf("Clear returned %v and left %q", got, ids(&r))
	}
	if added, ok := r.Set(Info{ID: "b"}); !added || !ok || ids(&r) != "b" {
		t.Errorf("after Clear Set(b) = %v, %v, and there is %q", added, ok, ids(&r))
	}
}

func TestCutSharesNoMemory(t *testing.T) {
	b := []byte("abc")
	s := Cut(string(b), 2)
	if s != "ab" {
		t.Errorf("Cut = %q, want ab", s)
	}
	if got := Cut("aé", 2); got != "a" {
		t.Errorf("Cut in the middle of a character = %q, want a", got)
	}
}
