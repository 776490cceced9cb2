package actions

import (
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Pattern is a regular expression (RE2) or a glob of a caller. Every pattern of a caller is
// one of these, so that none costs more than its text is worth: see CompilePattern and
// Match.
type Pattern struct {
	find *regexp.Regexp
}

// Limits of a pattern.
const (
	MaxPattern = 4 << 10 // bytes
	MaxGlobs   = 100     // patterns of addresses that one connection or page may have
	maxSteps   = 5000    // instructions, which RE2 may all run for each character
)

// CompilePattern compiles a regular expression. It refuses one of more than MaxPattern
// bytes, and one whose repetitions make a program of more than maxSteps instructions:
// a{1000} has one for each a. The errors are of kind InvalidArgument.
func CompilePattern(expression string) (*Pattern, error) {
	if len(expression) > MaxPattern {
		return nil, invalidArgument("the pattern has %d bytes, at most %d are possible", len(expression), MaxPattern)
	}
	return compilePattern(expression)
}

// compilePattern is CompilePattern for an expression that was made of a shorter pattern.
func compilePattern(expression string) (*Pattern, error) {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, invalidArgument("the pattern cannot be read: %v", err)
	}
	if countSteps(tree) > maxSteps {
		return nil, invalidArgument("the pattern is too large: with its repetitions it has more than %d steps; repeat less", maxSteps)
	}
	find, err := regexp.Compile(expression)
	if err != nil {
		return nil, invalidArgument("the pattern cannot be read: %v", err)
	}
	return &Pattern{find}, nil
}

// CompileText makes a pattern that finds a text in any case.
func CompileText(text string) (*Pattern, error) {
	if len(text) > MaxPattern {
		return nil, invalidArgument("the text has %d bytes, at most %d are possible", len(text), MaxPattern)
	}
	return compilePattern("(?i)" + regexp.QuoteMeta(text))
}

// countSteps is about how many instructions an expression is compiled to; it stops counting
// beyond maxSteps.
func countSteps(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n += len(re.Rune)
	}
	for _, sub := range re.Sub {
		if n += countSteps(sub); n > maxSteps {
			return n
		}
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

// CompileGlob compiles a pattern of addresses, in which * stands for any characters and ?
// for one, as in CDP's Fetch.RequestPattern. It must match the whole address.
func CompileGlob(glob string) (*Pattern, error) {
	return translateGlob(glob, func(rest string) (string, int) {
		switch rest[0] {
		case '*':
			return ".*", leadingStars(rest)
		case '?':
			return ".", 1
		}
		return "", 0
	})
}

// translateGlob makes an expression of a glob. special says what the beginning of the rest
// of the glob means, and how many bytes of it; 0 is a character that stands for itself.
func translateGlob(glob string, special func(rest string) (expression string, bytes int)) (*Pattern, error) {
	if len(glob) > MaxPattern {
		return nil, invalidArgument("the pattern has %d bytes, at most %d are possible", len(glob), MaxPattern)
	}
	var b strings.Builder
	b.WriteString("(?s)^")
	for i := 0; i < len(glob); {
		expression, n := special(glob[i:])
		if n == 0 {
			_, n = utf8.DecodeRuneInString(glob[i:])
			expression = regexp.QuoteMeta(glob[i : i+n])
		}
		b.WriteString(expression)
		i += n
	}
	b.WriteByte('$')
	return compilePattern(b.String())
}

// leadingStars is how many stars a text begins with. Many are as good as one, or two.
func leadingStars(text string) int { return len(text) - len(strings.TrimLeft(text, "*")) }

// CompileURLGlob compiles a pattern of addresses as page.route of Playwright reads them: *
// is all but a slash, ** is all, **/ is also nothing, {a,b} is one of them, and \ takes the
// next character as it is.
func CompileURLGlob(glob string) (*Pattern, error) {
	if glob == "" {
		return nil, invalidArgument("the pattern is empty")
	}
	inside := false
	return translateGlob(glob, func(rest string) (string, int) {
		switch n := leadingStars(rest); {
		case n > 1 && strings.HasPrefix(rest[n:], "/"):
			return ".*/?", n + 1
		case n > 1:
			return ".*", n
		case n == 1:
			return "[^/]*", 1
		case rest[0] == '{':
			inside = true
			return "(?:", 1
		case rest[0] == '}' && inside:
			inside = false
			return ")", 1
		case rest[0] == ',' && inside:
			return "|", 1
		case rest[0] == '\\' && len(rest) > 1:
			_, n := utf8.DecodeRuneInString(rest[1:])
			return regexp.QuoteMeta(rest[1 : 1+n]), 1 + n
		}
		return "", 0
	})
}

// Match reports whether a text has a match. It ends with ctx, whose error it returns as one
// of kind Timeout.
func (p *Pattern) Match(ctx context.Context, text string) (bool, error) {
	r := &patientReader{ctx: ctx, text: text}
	found := p.find.MatchReader(r)
	if r.err != nil {
		return false, (*Page)(nil).translate("", r.err)
	}
	return found, nil
}

// patientReader gives the characters of a text until its context ends.
type patientReader struct {
	ctx  context.Context
	text string
	read int
	err  error // the context's
}

// readsAtOnce is after how many characters the context is looked at. A character may take
// maxSteps steps.
const readsAtOnce = 64

// ReadRune implements io.RuneReader.
func (r *patientReader) ReadRune() (c rune, size int, err error) {
	if r.read++; r.read%readsAtOnce == 0 || r.text == "" {
		r.err = r.ctx.Err()
	}
	if r.err != nil || r.text == "" {
		return 0, 0, io.EOF
	}
	c, size = utf8.DecodeRuneInString(r.text)
	r.text = r.text[size:]
	return c, size, nil
}
