package actions

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/secrets"
)

// This file is for what a browser tells by CDP: addresses, titles, headers, the
// console, the accessibility tree. What the page script tells has passed
// web/src/actions/redact.ts, which goes by the same words and patterns.

// Redacted replaces a secret.
const Redacted = secrets.Redacted

// RedactHeaders hides the values of headers that give access, such as Cookie and
// Authorization, and what does so inside of others, such as a token in a Referer. The
// names stay.
func RedactHeaders(headers map[string]string) map[string]string {
	out := make(map[string]string, len(headers))
	for name, value := range headers {
		if secrets.IsName(name, false) {
			out[name] = Redacted
		} else {
			out[name] = RedactText(value)
		}
	}
	return out
}

// longestURL is how much of a URL an answer has, in bytes: pages make data URLs of many
// megabytes.
const longestURL = 8 << 10

// RedactText takes out of a text what gives access, wherever it stands.
func RedactText(text string) string { return secrets.Text(text) }

// cutText bounds a text, in bytes, and says so by its last character.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// redactor takes secrets out of texts: those that are known on a page, and whatever
// looks like one. It never changes after redactorOf, so that it needs no lock. nil
// and the zero value know no secrets of a page.
type redactor struct {
	values []string // what secret fields hold, or have held, the latest first
	find   *regexp.Regexp
}

// shortValue is the length of the shortest secrets that are looked for, in
// characters. Shorter ones stand in words by chance. Secrets of this length are
// looked for as whole words.
const shortValue = 3

// redactorOf makes one for secrets. The longest first: an alternation of regexp takes
// the first that matches, and a part of a secret would leave its rest.
func redactorOf(secrets []string) *redactor {
	longest := slices.Clone(secrets)
	slices.SortFunc(longest, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var ways []string
	for _, v := range longest {
		if utf8.RuneCountInString(v) >= shortValue {
			ways = append(ways, waysToWrite(v)...)
		}
	}
	r := &redactor{values: secrets}
	if len(ways) > 0 {
		r.find = regexp.MustCompile("(?i)" + strings.Join(ways, "|"))
	}
	return r
}

var groupedDigits = regexp.MustCompile(`^\d(?:[\s-]?\d){7,}$`)

// waysToWrite are patterns for the ways in which pages write a value: in an address
// (percent-encoded, with "+" or "%20" for a space), as JSON, with other white space,
// and a card number in groups of digits.
func waysToWrite(value string) []string {
	switch {
	case utf8.RuneCountInString(value) == shortValue:
		return []string{`\b` + regexp.QuoteMeta(value) + `\b`}
	case groupedDigits.MatchString(value):
		digits := strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return r
			}
			return -1
		}, value)
		return []string{strings.Join(strings.Split(digits, ""), `[\s.-]?`)}
	}
	words := strings.Fields(value)
	for i := range words {
		words[i] = regexp.QuoteMeta(words[i])
	}
	quoted, escaped := string(mustJSON(value)), url.QueryEscape(value)
	return []string{
		strings.Join(words, `\s+`), regexp.QuoteMeta(strings.ReplaceAll(escaped, "+", "%20")), regexp.QuoteMeta(escaped),
		regexp.QuoteMeta(quoted[1 : len(quoted)-1]),
	}
}

// text is a text without secrets.
func (r *redactor) text(text string) string {
	if r != nil && r.find != nil {
		text = r.find.ReplaceAllString(text, Redacted)
	}
	return RedactText(text)
}

// with is a redactor that knows these secrets, too. more is false if it knew all of
// them. The latest come first, and the oldest are forgotten beyond maxSecrets and
// maxSecretBytes.
func (r *redactor) with(secrets []string) (_ *redactor, more bool) {
	var list []string
	for _, s := range secrets[:min(len(secrets), maxSecrets)] {
		if r == nil || !slices.Contains(r.values, s) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return r, false
	}
	if r != nil {
		list = append(list, r.values...)
	}
	size := 0
	for i, s := range list { // the latest come first
		if size += len(s); i >= maxSecrets || size > maxSecretBytes {
			list = list[:i]
			break
		}
	}
	return redactorOf(list), true
}

// Limits of the secrets of a page with its frames: how many are remembered, and how
// many bytes they have together. The pattern grows with them, and runs over each
// answer.
const (
	maxSecrets     = 500
	maxSecretBytes = 64 << 10
)

// maxGrouped is how many numbers of an earlier document are looked for in each answer: only a pattern
// finds one in all its groupings.
const maxGrouped = 20

// tellsApart reports whether a value is looked for in all that later documents show. A short one, a
// plain word and a word such as "password" stand there by chance, in names of buttons, for example:
// they are looked for in the document of their field, and in addresses, titles and what a browser tells.
func tellsApart(value string) bool {
	isWord := strings.IndexFunc(value, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	switch n := utf8.RuneCountInString(value); {
	case isWord:
		return n >= 8 && !secrets.IsName(value, false)
	default:
		return n >= 6
	}
}

// ofEarlier lists the secrets of earlier documents that tellsApart, and that may stand in an answer of
// a document with secrets of its own, which its page script has taken out.
func (r *redactor) ofEarlier(own []string, answer []byte) (list []string) {
	if r == nil || len(r.values) == 0 {
		return nil
	}
	var folded []byte
	grouped := 0
	for _, v := range r.values {
		if !tellsApart(v) || slices.Contains(own, v) {
			continue
		}
		if groupedDigits.MatchString(v) {
			if grouped++; grouped <= maxGrouped {
				list = append(list, v)
			}
			continue
		}
		if folded == nil {
			folded = bytes.ToLower(answer)
		}
		part := strings.ToLower(longestPart(v))
		if bytes.Contains(folded, []byte(part)) || bytes.Contains(folded, []byte(strings.ToLower(url.QueryEscape(part)))) {
			list = append(list, v)
		}
	}
	return list
}

// longestPart is the longest part of a value that is written in one way wherever it stands in JSON.
func longestPart(value string) string {
	parts := strings.FieldsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"\<>&'`, r) })
	return slices.MaxFunc(append(parts, ""), func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}

// hideEarlierIn is hideEarlier for a text.
func (r *redactor) hideEarlierIn(text string) string {
	if list := r.ofEarlier(nil, []byte(text)); len(list) > 0 {
		return redactorOf(list).find.ReplaceAllString(text, Redacted)
	}
	return text
}

// hideEarlier takes the secrets of earlier documents out of the texts of an answer of the page script.
func (r *redactor) hideEarlier(own []string, answer []byte) []byte {
	list := r.ofEarlier(own, answer)
	if len(list) == 0 {
		return answer
	}
	find := redactorOf(list).find
	return literal.ReplaceAllFunc(answer, func(quoted []byte) []byte {
		var text string
		if bytes.HasSuffix(quoted, []byte(":")) || json.Unmarshal(quoted, &text) != nil || !find.MatchString(text) {
			return quoted
		}
		return mustJSON(find.ReplaceAllString(text, Redacted))
	})
}

// Redact takes the page's secrets out of a text that a caller has kept, such as a
// message of its console: more secrets may be known by now.
func (p *Page) Redact(text string) string { return p.redact(text) }

// redact takes the page's secrets out of a text, such as its title.
func (p *Page) redact(text string) string { return p.b.shared.secretsOf(p.ID).text(text) }

// hideKnown redacts what the page script has read of the page itself, its address and title:
// the script knows the secrets of its own document alone, and a form of GET takes those of
// the last one into the next address.
func (p *Page) hideKnown(texts ...*string) {
	for _, t := range texts {
		*t = p.redact(*t)
	}
}

// redactURL is redact for an address, which it cuts.
func (p *Page) redactURL(raw string) string { return p.redact(cutText(raw, longestURL)) }

// maxHeaders is how much of a message's headers is kept, in bytes: those of the last
// maxRequests requests are.
const maxHeaders = 64 << 10

// redactHeaders is RedactHeaders with what is known of the page. Headers beyond maxHeaders
// are left out, in the order of their names.
func (p *Page) redactHeaders(headers map[string]string) map[string]string {
	left := maxHeaders
	kept := make(map[string]string, min(len(headers), 64))
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if left -= len(name) + len(headers[name]); left < 0 {
			break
		}
		kept[name] = headers[name]
	}
	out := RedactHeaders(kept)
	for name, value := range out {
		out[name] = p.redact(value)
	}
	return out
}

// literal is a text in JSON. That of a member's name ends with the colon.
var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"(?:\s*:)?`)

// redactJSON is redact for all texts of a JSON value, names of members included.
// Members keep their order and numbers their digits, which a decoded value would
// lose.
func (p *Page) redactJSON(value json.RawMessage) json.RawMessage {
	return literal.ReplaceAllFunc(value, func(quoted []byte) []byte {
		quoted, isName := bytes.CutSuffix(quoted, []byte(":"))
		var text string
		if json.Unmarshal(quoted, &text) != nil {
			quoted = []byte(`""`)
		} else if out := p.redact(text); out != text {
			quoted = mustJSON(out)
		}
		if isName {
			return append(bytes.Clone(quoted), ':')
		}
		return quoted
	})
}
