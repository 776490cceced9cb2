package wiretest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var (
	update     = flag.Bool("update", false, "write the tables of docs/bridge.md")
	bridgePage = filepath.Join(root, "docs", "bridge.md")
)

func readBridgePage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(bridgePage)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestExamplesOfBridge compares the JSON messages of docs/bridge.md, and of the comments
// of package bridge: each kind of message is shown, with no member that it has not.
func TestExamplesOfBridge(t *testing.T) {
	var comments strings.Builder
	for _, f := range loadPackage(t, bridgePackage).files {
		for _, group := range f.Comments {
			comments.WriteString(group.Text() + "\n")
		}
	}
	for what, text := range map[string]string{"docs/bridge.md": readBridgePage(t), "the comments of package bridge": comments.String()} {
		shown := map[string]bool{}
		kinds := map[string]bool{} // of both sides: a Host and a hub may send different messages of one kind
		members := map[string]bool{}
		for _, union := range []string{"HostMessage", "HubMessage"} {
			for kind, message := range declared(t).union(t, union, "kind") {
				kinds[kind] = true
				for _, f := range message.Fields {
					members[kind+"."+f.Name] = true
				}
			}
		}
		for rest := text; ; {
			_, after, more := strings.Cut(rest, `{"kind":"`)
			if !more {
				break
			}
			rest = after
			line, _, _ := strings.Cut(after, "\n")
			kind, _, _ := strings.Cut(after, `"`)
			shown[kind] = true
			for _, name := range topKeys(`{"kind":"` + line) {
				if kinds[kind] && !members[kind+"."+name] {
					t.Errorf("%s has %q in a message of kind %q, which TypeScript has not", what, name, kind)
				}
			}
		}
		compareSets(t, "the messages in "+what, shown, kinds)
	}
}

// topKeys are the members of the object that a text begins with. The object may have "…"
// in the place of values, and end too soon.
func topKeys(text string) (names []string) {
	depth, isKey := 0, false
	for d := json.NewDecoder(strings.NewReader(strings.NewReplacer(",…", "", "…", "").Replace(text))); ; {
		token, err := d.Token()
		if err != nil {
			return names
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			isKey = depth == 1
			continue
		case json.Delim('}'), json.Delim(']'):
			if depth--; depth == 0 {
				return names
			}
		}
		if depth != 1 {
			continue
		}
		if isKey {
			names = append(names, token.(string))
		}
		isKey = !isKey
	}
}

const begin, end = "<!-- fields: made of web/src/wire/bridge.ts by go test ./internal/wiretest -update -->\n", "<!-- /fields -->\n"

// TestFieldsOfBridge compares the tables of docs/bridge.md, or writes them.
func TestFieldsOfBridge(t *testing.T) {
	all, page := declared(t), readBridgePage(t)
	var out strings.Builder
	for _, part := range []struct{ title, union string }{{"From the Host", "HostMessage"}, {"From the hub", "HubMessage"}} {
		fmt.Fprintf(&out, "\n%s:\n\n| kind | field | type | meaning |\n| --- | --- | --- | --- |\n", part.title)
		for _, name := range all[part.union].Members {
			writeRows(&out, all[name], "`"+all[name].literal("kind")+"`")
		}
	}
	out.WriteString("\nObjects in them:\n\n| object | field | type | meaning |\n| --- | --- | --- | --- |\n")
	for _, name := range []string{"TargetInfo", "BrowserInfo", "NestedSession", "CdpError"} {
		writeRows(&out, all[name], name)
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
	if err := os.WriteFile(bridgePage, []byte(before+begin+out.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// writeRows writes one message, or one object.
func writeRows(out *strings.Builder, message tsType, name string) {
	fmt.Fprintf(out, "| %s | | | %s |\n", name, message.Doc)
	for _, field := range message.Fields {
		if field.Name == "kind" {
			continue
		}
		typ := field.Text
		if field.Optional {
			typ += ", optional"
		}
		typ = strings.ReplaceAll(strings.Replace(typ, "Json", "object", 1), "|", "\\|")
		fmt.Fprintf(out, "| | `%s` | %s | %s |\n", field.Name, typ, field.Doc)
	}
}
