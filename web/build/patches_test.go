package main

import "testing"

func TestApplyPatches(t *testing.T) {
	patches := []patch{{"a", "b"}, {"c", "d"}}
	for text, want := range map[string]string{"a c": "b d", "a": "", "a c c": "", "": ""} {
		got, err := applyPatches(text, patches)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("applyPatches(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
}
