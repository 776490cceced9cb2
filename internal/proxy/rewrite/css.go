package rewrite

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// addressFunctions are the functions of CSS whose strings are addresses.
var addressFunctions = []string{"src(", "image(", "image-set(", "-webkit-image-set(", "cross-fade(", "-webkit-cross-fade("}

// StyleSheet moves the addresses in a style sheet, or in the declarations of a style
// attribute: in url(), @import, image-set() and the like. Strings elsewhere are text.
func StyleSheet(text []byte, r Rules) []byte {
	if !r.mentions(text) {
		return text
	}
	var edits []edit
	var functions []string // that are open
	at, imports := 0, false
	l := css.NewLexer(parse.NewInputBytes(slices.Clone(text)))
	for {
		kind, token := l.Next()
		if kind == css.ErrorToken {
			return applyEdits(text, edits)
		}
		start := at
		at += len(token)
		switch kind {
		case css.AtKeywordToken:
			imports = strings.EqualFold(string(token), "@import")
		case css.SemicolonToken, css.LeftBraceToken:
			imports = false
		case css.FunctionToken, css.LeftParenthesisToken:
			functions = append(functions, strings.ToLower(string(token)))
		case css.RightParenthesisToken:
			functions = functions[:max(0, len(functions)-1)]
		case css.URLToken:
			edits = r.moveWithin(edits, text, start+len("url("), at-len(")"))
		case css.StringToken:
			if imports || len(functions) > 0 && slices.Contains(addressFunctions, functions[len(functions)-1]) {
				edits = r.moveWithin(edits, text, start, at)
			}
		}
	}
}

// moveWithin moves the address between two places of a style sheet, which may be in
// white space and quotes.
func (r Rules) moveWithin(edits []edit, text []byte, start, end int) []edit {
	const around = " \t\n\f\r\"'"
	if start >= end { // a url( that the text ends in
		return edits
	}
	part := string(text[start:end])
	start += len(part) - len(strings.TrimLeft(part, around))
	address := strings.Trim(part, around)
	if moved := r.Move(address); moved != address {
		edits = append(edits, edit{start, start + len(address), moved})
	}
	return edits
}
