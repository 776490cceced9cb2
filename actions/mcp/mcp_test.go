package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
)

const tree = `- main [ref=e1]:
  - list [ref=e2]:
    - listitem [ref=e3]: One
    - listitem [ref=e4]: Two
  - button "Save" [ref=e5]
`

// found is matching for an expression.
func found(t *testing.T, text, expression string) (lines []string, n int) {
	t.Helper()
	pattern, err := actions.CompilePattern(expression)
	if err != nil {
		t.Fatal(err)
	}
	if lines, n, err = matchingLines(t.Context(), text, pattern); err != nil {
		t.Fatal(err)
	}
	return lines, n
}

func TestMatching(t *testing.T) {
	lines, n := found(t, tree, "One|Two|Save")
	if want := strings.TrimSuffix(tree, "\n"); n != 3 || strings.Join(lines, "\n") != want {
		t.Errorf("%d matches: %q, want 3: %q", n, lines, want)
	}
	lines, n = found(t, tree, "Save")
	if want := "- main [ref=e1]:\n  - button \"Save\" [ref=e5]"; n != 1 || strings.Join(lines, "\n") != want {
		t.Errorf("%d matches: %q, want 1: %q", n, lines, want)
	}
}

func TestShallow(t *testing.T) {
	if got, want := cutLevels(tree, 2), "- main [ref=e1]:\n  - list [ref=e2]:\n  - button \"Save\" [ref=e5]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLocate(t *testing.T) {
	for target, want := range map[string]actions.Locator{
		"e12":             actions.SnapshotRef{Scheme: actions.YAML, ID: "e12"},
		"f1e2":            actions.SnapshotRef{Scheme: actions.YAML, ID: "f1e2"},
		"e12 > a":         actions.CSS("e12 > a"),
		"#save":           actions.CSS("#save"),
		"[name=a]":        actions.CSS("[name=a]"),
		"css=a":           actions.CSS("a"),
		"//a[@b='c']":     actions.XPath("//a[@b='c']"),
		"xpath=//a[@b=1]": actions.XPath("//a[@b=1]"),
		"text=Save":       actions.Text{Text: "Save"},
		`text="Save"`:     actions.Text{Text: "Save", Exact: true},
	} {
		if got := locatorOf(target); got != want {
			t.Errorf("%s is %#v, want %#v", target, got, want)
		}
	}
}

func TestConsole(t *testing.T) {
	c := new(console)
	for i := range maxMessages + 5 {
		c.add(actions.ConsoleMessage{Level: "log", Text: fmt.Sprint(i)})
	}
	c.navigated()
	c.parsed()
	c.add(actions.ConsoleMessage{Level: "error", Text: "bad", URL: "http://a/", Line: 3})
	c.navigated() // within the document
	c.add(actions.ConsoleMessage{Level: "debug", Text: "fine"})
	if got, want := strings.Join(c.list(levelInfo, false), "\n"), "Total messages: 2 (Errors: 1, Warnings: 0), of which 1 are of the level\n\n[ERROR] bad @ http://a/:3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if all := c.list(levelDebug, true); len(all) != maxMessages+2 || all[2] != "[LOG] 7" {
		t.Errorf("%d lines from %q on", len(all), all[2])
	}
}

// TestFilesStayBelowTheirFolder reads what is below the folder and nothing
// else, also not by a link.
func TestFilesStayBelowTheirFolder(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("A"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	s := newSession(actions.Caller{}, Options{Files: Files{Read: root}}, zap.NewNop())
	for path, ok := range map[string]bool{
		"a.txt": true, filepath.Join(dir, "a.txt"): true, "b.txt": false, "../a.txt": false, "/etc/passwd": false, "link": false,
	} {
		f, err := s.read(path)
		if (err == nil) != ok || ok && string(f.Data) != "A" || !ok && actions.KindOf(err) != actions.InvalidArgument {
			t.Errorf("%s: %q, %v", path, f.Data, err)
		}
	}
}

// TestCallsAreBounded refuses the call for which there is no place, and
// answers one that panics.
func TestCallsAreBounded(t *testing.T) {
	s := newSession(actions.Caller{}, Options{}, zap.NewNop())
	for range 64 {
		s.queue <- struct{}{}
	}
	r := s.use(t.Context(), &tool{name: "x"}, "", actions.SnapshotMode{}, nil)
	if text := r.Content[0].(*sdk.TextContent).Text; !r.IsError || !strings.Contains(text, "rate limited") {
		t.Errorf("%s", text)
	}
	c := &call{session: s}
	c.carryOut(t.Context(), &tool{name: "x"}, func(context.Context, *call) error { panic("a fault") })
	if actions.KindOf(c.failed) != actions.Internal {
		t.Errorf("a panic is %v", c.failed)
	}
}
