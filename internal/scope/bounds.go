package scope

import (
	_ "embed"
	"strings"

	"github.com/cdphub/cdphub/internal/bounds"
	"github.com/cdphub/cdphub/internal/wire"
)

//go:embed bounds.txt
var boundsText string

// limits is bounds.txt.
var limits = bounds.Parse(boundsText)

// Bounds are the rows of bounds.txt.
func Bounds() []bounds.Row { return limits.Rows() }

// Exceeds judges the numbers, lists and texts in the params of a command, nil or valid JSON, by
// bounds.txt. It returns nil if all are within their bounds, and otherwise an error that
// names the param and the bound. It holds for Clients of every scope, and runs without the
// hub's lock.
//
// Methods of domains that the protocol does not have, such as those that a page adds, are not
// judged; new methods in a domain of the protocol are.
func Exceeds(method string, params []byte) *wire.Error {
	if table.methods[method] == nil {
		if domain, _, _ := strings.Cut(method, "."); !table.isDomain[domain] {
			return nil
		}
	}
	if path, what := limits.Exceeds(method, params); what != "" {
		// In the message, since many clients do not print an error's data.
		return &wire.Error{Code: wire.CodeInvalidParams, Message: method[:min(len(method), wire.MaxMethod)] + ": " + path + " " + what}
	}
	return nil
}
