package cli

import (
	"io"
	"strings"
	"testing"
)

// TestFlagNames wants each field to be called by a flag that there is.
func TestFlagNames(t *testing.T) {
	var c cli
	p, err := newParser(&c, "cdphub", io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	flags := make(map[string]bool)
	for _, command := range p.Model.Leaves(false) {
		for _, f := range command.Flags {
			flags["--"+f.Name] = true
		}
	}
	for field, flag := range flagNames {
		if name, _, _ := strings.Cut(flag, "="); !flags[name] {
			t.Errorf("%s is called %s, and there is no such flag", field, flag)
		}
	}
}
