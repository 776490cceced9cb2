package quota

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDocs holds the list in docs/operate.md to the Table.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := documented(); !strings.Contains(string(page), want) {
		t.Errorf("docs/operate.md lacks this list:\n%s", want)
	}
}

// documented is the Table as a list of Markdown.
func documented() string {
	var out strings.Builder
	out.WriteString("| `resource` | what there is a limit of | limit |\n|---|---|---|\n")
	for _, row := range Table {
		limit := fmt.Sprint(row.Total)
		if row.Option != "" {
			limit = "`" + row.Option + "`"
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", row.Name, row.Unit, limit)
	}
	return out.String()
}
