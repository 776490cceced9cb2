package extract

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to how much of a page becomes a result.
func TestR296Limits(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	found := func(html, kind string, mode Mode) Result {
		r, err := HTML(html, Schema{Type: kind}, mode)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	items := func(r Result) int { list, _ := r.Data.([]any); return len(list) }
	limittest.Reach(t, "maxText", maxText, func(n int) bool { return found("<p>"+x(n), "string", "").Data == x(n) })
	limittest.Reach(t, "maxItems of a list", maxItems, func(n int) bool { return items(found("<ul>"+strings.Repeat("<li>a", n)+"</ul>", "array", List)) == n })
	limittest.Reach(t, "maxItems of a table", maxItems, func(n int) bool {
		return items(found("<table><tr><th>a</th></tr>"+strings.Repeat("<tr><td>b", n)+"</table>", "array", Table)) == n
	})
	limittest.Reach(t, "maxQuote", maxQuote, func(n int) bool { return found("<ul><li>"+x(n)+"<li>b</ul>", "array", List).Sources[0].Text == x(n) })
}
