package rewrite

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// A frame buster, or a script that reads where the app is, means the window of the app
// where it says top: with the proxy that is the window of the Host page, which the script may
// not read. window.top can be neither replaced nor hidden (HTML Standard,
// LegacyUnforgeable), so its uses are replaced in the scripts. Which they are can be seen
// by a few tokens.

// windows are names of the window by which scripts reach top.
var windows = []string{"window", "self", "globalThis", "parent", "frames"}

// windowMembers are what a script reads of a window that it calls by top alone, and of
// little else that may bear this name.
var windowMembers = []string{
	"location", "document", "frames", "self", "window", "parent", "opener", "history", "navigator", "postMessage", "localStorage", "sessionStorage",
}

// aboutTop matches a script that may use top so. Only such a script is read by tokens.
var aboutTop = regexp.MustCompile(`\btop\b`)

// ReadsTop reports whether a script has a top that Script would replace.
func ReadsTop(text []byte) bool {
	return aboutTop.Match(text) && len(editsOf(text, Rules{Move: func(address string) string { return address }})) > 0
}

// topBefore stands before what a script says for the top window, and a parenthesis after
// it. The value is the outermost window that the script may read, or that of any other
// thing which is named so. It begins with a word, so that a line before it that has no
// semicolon ends as before, and binds as what it replaces.
const topBefore = `new function(t){if(!t||t.window!==t)return t;for(var w=self,p;(p=w.parent)&&p!==w;w=p)try{p.location.href}catch(e){break}return w}(`

// Script moves the specifiers of imports in a script, and replaces top where it is the
// window. A script that cannot be read to its end stays as it is.
func Script(text []byte, r Rules) []byte {
	if !aboutTop.Match(text) && !r.imports(text) {
		return text
	}
	return applyEdits(text, editsOf(text, r))
}

// imports reports whether a script may import what it names by an address of the app.
func (r Rules) imports(text []byte) bool {
	return (bytes.Contains(text, []byte("import")) || bytes.Contains(text, []byte("export"))) && r.mentions(text)
}

func editsOf(text []byte, r Rules) []edit {
	tokens, ok := readTokens(text)
	if !ok {
		return nil
	}
	var edits []edit
	for i := range tokens {
		if e, is := tokens.moveImport(i, r); is {
			edits = append(edits, e)
		} else if start, end := tokens.topAt(i); start >= 0 {
			edits = append(edits, edit{tokens[start].start, tokens[end].end, topBefore + string(text[tokens[start].start:tokens[end].end]) + ")"})
		}
	}
	return edits
}

// script are the tokens of a script, without white space and comments.
type script []scriptToken

type scriptToken struct {
	kind       js.TokenType
	text       string
	start, end int
}

// readTokens reads a script. It reports false for one that is none.
func readTokens(text []byte) (script, bool) {
	var tokens script
	var open brackets
	at := 0
	l := js.NewLexer(parse.NewInputBytes(slices.Clone(text)))
	for {
		kind, data := l.Next()
		if kind == js.ErrorToken {
			return tokens, at == len(text)
		}
		if (kind == js.DivToken || kind == js.DivEqToken) && open.regExpAfter(tokens) {
			if kind, data = l.RegExp(); kind == js.ErrorToken {
				return nil, false
			}
		}
		t := scriptToken{kind, string(data), at, at + len(data)}
		at = t.end
		switch kind {
		case js.WhitespaceToken, js.LineTerminatorToken, js.CommentToken, js.CommentLineTerminatorToken:
			continue
		}
		open.add(tokens, t)
		tokens = append(tokens, t)
	}
}

// brackets are the parentheses and braces that are open in a script, and the last that was
// closed. A slash after one begins a regular expression, or divides.
type brackets struct {
	statements []bool // what ends after each is a statement, or the head of one
	closed     bool   // that of the last one
}

func (b *brackets) add(before script, t scriptToken) {
	switch t.kind {
	case js.OpenParenToken:
		b.statements = append(b.statements, before.endsIn(0, js.IfToken, js.WhileToken, js.ForToken, js.WithToken) || before.endsIn(0, js.AwaitToken) && before.endsIn(1, js.ForToken))
	case js.OpenBraceToken:
		b.statements = append(b.statements, before.beginsBlock())
	case js.CloseParenToken, js.CloseBraceToken:
		if n := len(b.statements); n > 0 {
			b.closed = b.statements[n-1]
			b.statements = b.statements[:n-1]
		}
	}
}

// regExpAfter reports whether a slash after some tokens begins a regular expression: where
// an operand is to come (ECMA-262, section 12.9).
func (b *brackets) regExpAfter(before script) bool {
	if len(before) == 0 {
		return true
	}
	switch last := before[len(before)-1]; last.kind {
	case js.CloseParenToken, js.CloseBraceToken:
		return b.closed
	case js.CloseBracketToken, js.StringToken, js.TemplateToken, js.TemplateEndToken, js.RegExpToken, js.PrivateIdentifierToken,
		js.ThisToken, js.SuperToken, js.NullToken, js.TrueToken, js.FalseToken, js.IncrToken, js.DecrToken:
		return false
	default:
		return !js.IsNumeric(last.kind) && (!js.IsIdentifierName(last.kind) || js.IsReservedWord(last.kind) && !before.endsIn(1, js.DotToken, js.OptChainToken))
	}
}

// beginsBlock reports whether a brace after the tokens begins a block, and no object.
func (s script) beginsBlock() bool {
	return len(s) == 0 || s.endsIn(0, js.SemicolonToken, js.OpenBraceToken, js.CloseBraceToken, js.CloseParenToken, js.ArrowToken, js.ElseToken, js.DoToken,
		js.TryToken, js.FinallyToken) || js.IsIdentifier(s[len(s)-1].kind)
}

// endsIn reports whether the token that is n before the last is of one of some kinds.
func (s script) endsIn(n int, kinds ...js.TokenType) bool {
	i := len(s) - 1 - n
	return i >= 0 && slices.Contains(kinds, s[i].kind)
}

// at is the token at a place; beyond the ends it is of no kind.
func (s script) at(i int) scriptToken {
	if i < 0 || i >= len(s) {
		return scriptToken{}
	}
	return s[i]
}

func (s script) isMember(i int) bool {
	return s.at(i-1).kind == js.DotToken || s.at(i-1).kind == js.OptChainToken
}

// moveImport moves the specifier at i of an import or an export.
func (s script) moveImport(i int, r Rules) (edit, bool) {
	before := s.at(i - 1).kind
	if s[i].kind != js.StringToken || len(s[i].text) < 2 ||
		before != js.FromToken && before != js.ImportToken && (before != js.OpenParenToken || s.at(i-2).kind != js.ImportToken) {
		return edit{}, false
	}
	given := s[i].text[1 : len(s[i].text)-1]
	moved := r.moveLiteral(given)
	return edit{s[i].start + 1, s[i].end - 1, moved}, moved != given
}

// topAt returns the first and the last token of an expression for the top window which
// ends with the token i; start is -1 where there is none.
func (s script) topAt(i int) (start, end int) {
	switch {
	case s[i].text == "top" && s.isMember(i): // window.top
		start, end = i-2, i
	case s[i].kind == js.CloseBracketToken && s.at(i-2).kind == js.OpenBracketToken && strings.Trim(s.at(i-1).text, `"'`) == "top": // window["top"]
		start, end = i-3, i
	case s[i].text == "top" && s.isTopAlone(i):
		start, end = i, i
	default:
		return -1, -1
	}
	for start < end && s.isMember(start) && slices.Contains(windows, s.at(start-2).text) { // self.parent.top
		start -= 2
	}
	next := s.at(end + 1)
	assigned := js.IsOperator(next.kind) && (next.text == "=" || next.text == "++" || next.text == "--")
	if assigned || start < end && (!slices.Contains(windows, s.at(start).text) || s.isMember(start)) {
		return -1, -1
	}
	return start, end
}

// isTopAlone reports whether a top that is no member is the window: it has a member of
// windows, or is compared with the script's own window.
func (s script) isTopAlone(i int) bool {
	next, before := s.at(i+1), s.at(i-1)
	if next.kind == js.DotToken || next.kind == js.OptChainToken {
		return slices.Contains(windowMembers, s.at(i+2).text)
	}
	if isComparison(next.kind) {
		return slices.Contains(windows, s.at(i+2).text)
	}
	// x.self!==top compares what x has.
	return isComparison(before.kind) && slices.Contains(windows, s.at(i-2).text) &&
		(!s.isMember(i-2) || slices.Contains(windows, s.at(i-4).text))
}

func isComparison(kind js.TokenType) bool {
	return kind == js.EqEqToken || kind == js.EqEqEqToken || kind == js.NotEqToken || kind == js.NotEqEqToken
}

// JSON moves the addresses among the strings of a text of JSON: of an import map, of
// speculation rules, of a web app's manifest.
func JSON(text []byte, r Rules) []byte {
	if !r.mentions(text) {
		return text
	}
	tokens, ok := readTokens(text)
	if !ok {
		return text
	}
	var edits []edit
	for _, t := range tokens {
		if t.kind != js.StringToken || len(t.text) < 2 {
			continue
		}
		given := t.text[1 : len(t.text)-1]
		if moved := r.moveLiteral(given); moved != given {
			edits = append(edits, edit{t.start + 1, t.end - 1, moved})
		}
	}
	return applyEdits(text, edits)
}
