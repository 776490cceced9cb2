package actions

import (
	"bytes"
	_ "embed"
	"encoding/json"

	"github.com/cdphub/cdphub/internal/bounds"
	"github.com/cdphub/cdphub/internal/wire"
)

//go:embed bounds.txt
var boundsText string

// limits is bounds.txt.
var limits = bounds.ParseFolded(boundsText)

// Exceeds judges the params of an action by bounds.txt. Its error is an *Error of kind
// InvalidArgument that names the field and the bound, or nil. Decode and ReadParams ask it; an adapter that
// reads params in another way must ask it itself.
func Exceeds(params json.RawMessage) error {
	params = bytes.TrimSpace(params)
	if len(params) == 0 || params[0] != '{' {
		return nil // it has no fields
	}
	if !wire.IsObject(params) {
		return invalidArgument("the params nest more than %d levels", wire.MaxDepth-1)
	}
	if field, what := limits.Exceeds("", params); what != "" {
		e := invalidArgument("field `%s` %s", field, what)
		e.Details.Field = field
		return e
	}
	return nil
}
