package cli

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestConfigReferenceIsFresh(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"config-reference"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(committed) {
		t.Error("docs/config.md is stale: run go generate ./internal/cli")
	}
}

// TestEveryOptionIsInTheReference wants a row, an environment variable and a
// help text for each.
func TestEveryOptionIsInTheReference(t *testing.T) {
	p, err := newParser(new(cli), "cdphub", io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	text := optionReference(p.Model)
	seen := 0
	for _, node := range append([]*kong.Node{p.Model.Node, commandNamed(p.Model, "connect"), commandNamed(p.Model, "mcp")}, hubCommands(p.Model)...) {
		for _, flag := range node.Flags {
			if flag.Name == "help" || flag.Name == "help-all" || flag.Name == "version" || flag.Name == "drive" { // no configuration
				continue
			}
			seen++
			variable := "CDPHUB_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
			if !slices.Equal(flag.Envs, []string{variable}) || flag.Help == "" {
				t.Errorf("--%s has the environment variables %q and the help %q, want %s", flag.Name, flag.Envs, flag.Help, variable)
			}
			if !strings.Contains(text, "| `--"+flag.Name) {
				t.Errorf("--%s is not in the reference", flag.Name)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d options were found", seen)
	}
}
