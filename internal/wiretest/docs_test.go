package wiretest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/bridge.md")

// TestExamplesOfBridge compares the examples of docs/bridge.md.
func TestExamplesOfBridge(t *testing.T) { examples(t, "docs/bridge.md", bridgePage(t)) }

func bridgePage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "bridge.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// examples holds JSON messages in a text to what TypeScript has: every message
// is shown, and none with a member that it has not.
func examples(t *testing.T, what, text string) {
	t.Helper()
	f := bridgeFiles(t)
	byKind := map[string][]string{}
	for _, i := range append(members(t, f, "HostMessage"), members(t, f, "HubMessage")...) {
		kind, _ := i.Field("kind")
		byKind[Literal(kind.Type)] = append(byKind[Literal(kind.Type)], i.Names()...)
	}
	seen := map[string]bool{}
	for rest := text; ; {
		_, after, more := strings.Cut(rest, `{"kind":"`)
		if !more {
			break
		}
		kind, _, _ := strings.Cut(after, `"`)
		seen[kind] = true
		if byKind[kind] == nil {
			t.Errorf("%s has a message of kind %q, which TypeScript has not", what, kind)
		}
		for _, name := range topKeys(`{"kind":"` + after) {
			if !slices.Contains(byKind[kind], name) && byKind[kind] != nil {
				t.Errorf("%s has %q in a message of kind %q, which TypeScript has not", what, name, kind)
			}
		}
		rest = after
	}
	for kind := range byKind {
		if !seen[kind] {
			t.Errorf("%s shows no message of kind %q", what, kind)
		}
	}
}

// topKeys are the members of the object that a text begins with. The object
// may have "…" in the place of values.
func topKeys(text string) (names []string) {
	depth, inString, start := 0, false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return names
		case inString && c == '"':
			inString = false
			if depth == 1 && strings.HasPrefix(text[i+1:], ":") {
				names = append(names, text[start:i])
			}
		case inString:
		case c == '"':
			inString, start = true, i+1
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return names
			}
		}
	}
	return names
}

const begin, end = "<!-- fields: made of web/src/wire/bridge.ts by go test ./internal/wiretest -update -->\n", "<!-- /fields -->\n"

// TestFieldsOfBridge compares the tables of docs/bridge.md, or writes them.
func TestFieldsOfBridge(t *testing.T) {
	f, page := bridgeFiles(t), bridgePage(t)
	var out strings.Builder
	for _, part := range []struct{ title, union string }{{"From the Host", "HostMessage"}, {"From the hub", "HubMessage"}} {
		fmt.Fprintf(&out, "\n%s:\n\n| kind | field | type | meaning |\n| --- | --- | --- | --- |\n", part.title)
		for _, i := range members(t, f, part.union) {
			kind, _ := i.Field("kind")
			rows(&out, i, "`"+Literal(kind.Type)+"`")
		}
	}
	out.WriteString("\nObjects in them:\n\n| object | field | type | meaning |\n| --- | --- | --- | --- |\n")
	for _, name := range []string{"TargetInfo", "BrowserInfo", "NestedSession", "CdpError"} {
		rows(&out, f.Interfaces[name], name)
	}
	out.WriteString("\n")
	before, rest, found := strings.Cut(page, begin)
	old, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatal("docs/bridge.md has no place for the tables")
	}
	if old == out.String() {
		return
	}
	if !*update {
		t.Fatal("the tables of docs/bridge.md are stale: run go test ./internal/wiretest -update")
	}
	if err := os.WriteFile(filepath.Join(root, "docs", "bridge.md"), []byte(before+begin+out.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// rows writes one message, or one object.
func rows(out *strings.Builder, i *Interface, name string) {
	fmt.Fprintf(out, "| %s | | | %s |\n", name, i.Doc)
	for _, field := range i.Fields {
		if field.Name == "kind" {
			continue
		}
		typ := field.Type
		if field.Optional {
			typ += ", optional"
		}
		if typ = strings.Replace(typ, "Json", "object", 1); strings.Contains(typ, "|") {
			typ = strings.ReplaceAll(typ, "|", "\\|")
		}
		fmt.Fprintf(out, "| | `%s` | %s | %s |\n", field.Name, typ, field.Doc)
	}
}
