package conformance

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// cellsOf are the cells of a row of a table.
func cellsOf(row string) []string {
	cells := strings.Split(strings.TrimSpace(row), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// documented is a method of the list that docs/actions.md is made of.
type documented struct{ takes, remark string }

// documentedMethods reads the list, by dialect and method.
func documentedMethods(t testing.TB) map[string]documented {
	t.Helper()
	list := map[string]documented{}
	for line := range strings.Lines(readFile(t, "../../internal/docgen/actions.txt")) {
		if cells := append(cellsOf(line), ""); len(cells) > 3 && line[0] != '#' {
			list[cells[0]] = documented{cells[1], cells[3]}
		}
	}
	return list
}

// documentedRefusals reads from docs/actions.md what each dialect answers to each threat.
func documentedRefusals(t testing.TB) map[string][]string {
	t.Helper()
	_, text, _ := strings.Cut(readFile(t, "../../docs/actions.md"), "\n## What is refused\n")
	list := map[string][]string{}
	for line := range strings.Lines(text) {
		if cells := cellsOf(line); len(cells) == 3+len(doors) && cells[1] != "" && !strings.HasPrefix(cells[1], "---") {
			list[cells[1]] = cells[2 : 2+len(doors)]
		}
	}
	return list
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMethodsAreDocumented wants each method that has a case here in the list, and each method of the list to have one.
// It wants the same of threats.
func TestMethodsAreDocumented(t *testing.T) {
	tried := map[string]bool{}
	for _, c := range ndjsonCases() {
		tried["NDJSON "+c.method] = true
	}
	for _, c := range jsonrpcCases() {
		tried["JSONRPC "+c.method] = true
	}
	for _, c := range hookCases() {
		tried["Hooks "+c.hook] = true
	}
	for _, m := range bapTable() {
		tried["BAP "+m.method] = true
	}
	for _, c := range mcpCases() {
		tried["MCP "+c.tool] = true
	}
	maps.DeleteFunc(tried, func(name string, _ bool) bool { return strings.HasSuffix(name, " (any)") })
	compareNames(t, "methods", slices.Sorted(maps.Keys(tried)), slices.Sorted(maps.Keys(documentedMethods(t))))
	threatened := make([]string, len(threats))
	for i, x := range threats {
		threatened[i] = x.name
	}
	slices.Sort(threatened)
	compareNames(t, "threats", threatened, slices.Sorted(maps.Keys(documentedRefusals(t))))
}

func compareNames(t *testing.T, what string, tried, listed []string) {
	t.Helper()
	for _, name := range tried {
		if !slices.Contains(listed, name) {
			t.Errorf("the documentation of %s lacks %s", what, name)
		}
	}
	for _, name := range listed {
		if !slices.Contains(tried, name) {
			t.Errorf("the documentation of %s has %s, which has no case", what, name)
		}
	}
}

var (
	notSupported = regexp.MustCompile(`[Nn]ot supported by this target: |"unsupported":`)
	ofMethod     = regexp.MustCompile(`^Test(\w+)Conformance/\w+/(.+)/[^/]+$`)
)

// wantRemark wants the list to have a remark on a method that a target of some kind has not carried out.
func wantRemark(t testing.TB, answer string) {
	t.Helper()
	if !notSupported.MatchString(answer) {
		return
	}
	m := ofMethod.FindStringSubmatch(t.Name())
	if m == nil || documentedMethods(t)[m[1]+" "+m[2]].remark == "" {
		t.Errorf("it is not supported, and the documentation does not say so: %.300s", answer)
	}
}
