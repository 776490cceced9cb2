package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestHelpIsShort wants the help of each command on two screens at most, with its own options
// first, and all options in --help-all.
func TestHelpIsShort(t *testing.T) {
	var c cli
	p, err := newParser(&c, "cdphub", io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	helpOf := func(args ...string) string {
		var out bytes.Buffer
		if err := run(t.Context(), args, &out, io.Discard); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return out.String()
	}
	for _, node := range p.Model.Leaves(true) {
		command := strings.Fields(strings.TrimPrefix(node.FullPath(), "cdphub "))
		short, all := helpOf(append(command, "--help")...), helpOf(append(command, "--help-all")...)
		if n := strings.Count(short, "\n"); n > 90 {
			t.Errorf("%s --help has %d lines", node.FullPath(), n)
		}
		for _, f := range node.Flags {
			if !f.Hidden && !strings.Contains(all, "--"+f.Name) && !strings.Contains(all, "--[no-]"+f.Name) {
				t.Errorf("%s --help-all has no --%s", node.FullPath(), f.Name)
			}
		}
		if strings.Contains(short, "more options") != (short+"\n" != all && len(short) < len(all)) {
			t.Errorf("%s --help does not say whether there is more", node.FullPath())
		}
	}
	for command, own := range map[string]string{"open": "--headless", "proxy": "--csp", "demo": "--drive", "mcp": "--caps"} {
		text := helpOf(command, "--help")
		if first := strings.Index(text, own); first < 0 || first > strings.Index(text, "--config") {
			t.Errorf("%s --help does not begin with its own options:\n%s", command, text)
		}
	}
	if text := helpOf(); text != helpOf("--help") || !strings.Contains(text, "Commands:") {
		t.Errorf("without a command it prints %s", text)
	}
}
