package relay

import (
	"testing"

	table "github.com/cdphub/cdphub/internal/methods"
)

// TestMethodsMatchTable compares what the hub answers, at each level, with the table of who answers which method.
func TestMethodsMatchTable(t *testing.T) {
	rows, err := table.Read()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, row := range rows {
		named[row.Name] = true
		m := methods[row.Name]
		for level, do := range []action{m.page, m.browser, m.tab, nil} {
			_, listed := row.At(level, "hub")
			_, intercepts := fetchMethods[row.Name]
			if answers := do != nil || intercepts && level == 1; listed != answers {
				t.Errorf("%s at the level %q: the table names the hub: %t, the hub answers: %t", row.Name, table.Levels[level], listed, answers)
			}
		}
	}
	for name, m := range methods {
		if !named[name] && (m.page != nil || m.browser != nil || m.tab != nil) {
			t.Errorf("%s is not in the table", name)
		}
	}
}
