// Package secrets knows secrets by their names and their shapes: in addresses,
// headers and texts.
//
//	secrets.Text("/login?token=abc") // /login?token=[REDACTED]
package secrets

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/cdphub/cdphub/web"
)

// Redacted stands for what is not told. It has one length, whatever it stands
// for.
const Redacted = "[REDACTED]"

// secretWords are the words by which a name stands for a secret: parts, ends and
// whole names. In addresses more words count. They are those of secretnames.json, which
// the page script reads, too. names_test.go says from which standards they are, and which
// parameters of these are no secrets.
type secretWords struct {
	Contain, End, Are []string
	Address           struct{ End, Are []string }
}

var secretNames = sync.OnceValue(func() (w secretWords) {
	if err := json.Unmarshal(web.SecretNames, &w); err != nil {
		panic(err) // it is embedded
	}
	return w
})

// IsName reports whether a name stands for a secret. Case, separators and a number at
// the end do not count.
func IsName(name string, inAddress bool) bool {
	word := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	word = strings.TrimRight(word, "0123456789")
	among := func(are, ends []string) bool {
		return slices.Contains(are, word) || slices.ContainsFunc(ends, func(e string) bool { return strings.HasSuffix(word, e) })
	}
	w := secretNames()
	return slices.ContainsFunc(w.Contain, func(part string) bool { return strings.Contains(word, part) }) ||
		among(w.Are, w.End) || inAddress && among(w.Address.Are, w.Address.End)
}

var (
	member   = regexp.MustCompile(`("([^"\\]{1,64})"\s*:\s*")((?:[^"\\]|\\.)+)"`)
	webToken = regexp.MustCompile(`\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*`)
	bearer   = regexp.MustCompile(`(?i)\b(Bearer\s+)[\w\-.~+/]{16,}=*`)
)

// Text takes secrets out of a text: users and passwords in addresses, values of
// secret parameters, also in addresses inside of addresses, secret members of JSON,
// JSON Web Tokens (RFC 7519) and bearer tokens (RFC 6750).
func Text(text string) string {
	if strings.Contains(text, quotedPrintable) {
		whole := strings.ReplaceAll(text, softBreak, "")
		if out := redactWhole(whole); out != whole {
			return out
		}
		return text
	}
	return redactWhole(text)
}

// A snapshot of a page (Page.captureSnapshot) has its documents in lines of 76 characters,
// which are to be joined where a line ends with "=" (RFC 2045, section 6.7). A secret may be
// in two lines.
const (
	quotedPrintable = "Content-Transfer-Encoding: quoted-printable"
	softBreak       = "=\r\n"
)

// redactWhole is Text for what is in one piece.
func redactWhole(text string) string {
	if !MayBeIn(text) && !mayHaveMember(text) {
		return text
	}
	if mayHaveAddress(text) {
		text = withoutAddresses(text)
	}
	if mayHaveMember(text) {
		text = member.ReplaceAllStringFunc(text, func(all string) string {
			if m := member.FindStringSubmatch(all); IsName(m[2], false) {
				return m[1] + Redacted + `"`
			}
			return all
		})
	}
	if strings.Contains(text, "eyJ") {
		text = webToken.ReplaceAllString(text, Redacted)
	}
	if mayHaveBearer(text) {
		text = bearer.ReplaceAllString(text, "${1}"+Redacted)
	}
	return text
}

// mayHaveAddress reports whether a text has what a user or a parameter needs. Most
// texts have not, and long base64 never has.
func mayHaveAddress(text string) bool {
	has := func(c byte) bool { return strings.IndexByte(text, c) >= 0 }
	if has('@') || has('%') || has('&') || has('\\') {
		return true
	}
	equals := strings.IndexByte(text, '=')
	return equals >= 0 && (equals <= longestParameter || has('?') || has('#') || has(';'))
}

// mayHaveMember looks for a name of JSON: a quote before a colon.
func mayHaveMember(text string) bool {
	return strings.Contains(text, `":`) || strings.Contains(text, `" :`)
}

// mayHaveBearer looks for "bearer" in any case before white space first: the regular
// expression takes a second for a text of a few MB.
func mayHaveBearer(text string) bool {
	const word = "bearer"
	for _, space := range []byte(" \t\n\r\f\v") {
		for rest := text; ; {
			at := strings.IndexByte(rest, space)
			if at < 0 {
				break
			}
			if at >= len(word) && strings.EqualFold(rest[at-len(word):at], word) {
				return true
			}
			rest = rest[at+1:]
		}
	}
	return false
}

// MayBeIn reports whether a text may have a secret: where it is false, Text changes
// nothing in it, nor in any part of it. It is fast, and also for texts in JSON.
func MayBeIn(text string) bool {
	for _, c := range []byte(`=@%&\`) {
		if strings.IndexByte(text, c) >= 0 {
			return true
		}
	}
	return strings.Contains(text, "eyJ") || mayHaveBearer(text)
}
