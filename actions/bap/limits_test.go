package bap

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to what the params of one request may be.
func TestR296Limits(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	limittest.Reach(t, "longestID", longestID, func(n int) bool { return (&initializeParams{SessionID: x(n)}).check() == nil })
	limittest.Reach(t, "maxSelector", maxSelector, func(n int) bool {
		return reads[selector](json.RawMessage(`{"type":"css","value":"`+x(n)+`"}`)) == nil
	})
	limittest.Reach(t, "mostSteps", mostSteps, func(n int) bool {
		step := `{"action":"action/click","params":{"selector":{"type":"css","value":"a"}}}`
		p, err := decodeParams[actParams](json.RawMessage(`{"steps":[` + step + strings.Repeat(","+step, n-1) + `]}`))
		return err == nil && len(p.Steps) == n
	})
	limittest.Reach(t, "longest contextId", 64, func(n int) bool { return (&createContextParams{ContextID: x(n)}).check() == nil })
	limittest.Reach(t, "most maxElements", 200, func(n int) bool { return (&observeParams{MaxElements: n}).check() == nil })
	limittest.Reach(t, "most pixels of width", 10_000, func(n int) bool { return requirePageSize("viewport", n, 1) == nil })
	limittest.Reach(t, "most pixels of height", 10_000, func(n int) bool { return requirePageSize("viewport", 1, n) == nil })
	limittest.Reach(t, "MaxHandoff", int(actions.MaxHandoff.Milliseconds()), func(n int) bool { return (&handoffParams{Within: n}).check() == nil })
	pdf := func(percent int) bool {
		p := pdfParams{}
		p.Options.Scale = float64(percent) / 100
		return p.check() == nil
	}
	limittest.Reach(t, "most scale of a PDF", 200, pdf)
	limittest.Reach(t, "least scale of a PDF", -10, func(n int) bool { return pdf(-n) })
}
