// Package secrets knows secrets by their names and their shapes: in addresses,
// headers and texts.
//
//	secrets.Text("/login?token=abc") // /login?token=[REDACTED]
package secrets

import (
	"encoding/json"
	"net/url"
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
// whole names. In addresses more words count.
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

// %(?:25)* matches also text that was percent-encoded several times, as an address
// inside of another address is.
var (
	parameter    = regexp.MustCompile(`(?i)([?&#;]|%(?:25)*(?:3f|26|23))([^=&#;?\s"'<>]{1,100}?)(=|%(?:25)*3d)`)
	endOfValue   = regexp.MustCompile(`[&#\s"'<>]`)
	endOfEncoded = regexp.MustCompile(`(?i)%(?:25)*(?:26|23)|[&#\s"'<>]`)
	userOfURL    = regexp.MustCompile(`(?i)([a-z][\w+.-]*:)?//[^\s/?#"'<>\\]*@`)
	member       = regexp.MustCompile(`("([^"\\]{1,64})"\s*:\s*")((?:[^"\\]|\\.)+)"`)
	webToken     = regexp.MustCompile(`\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*`)
	bearer       = regexp.MustCompile(`(?i)\b(Bearer\s+)[\w\-.~+/]{16,}=*`)
)

// Text takes secrets out of a text: users and passwords in addresses, values of
// secret parameters, also in addresses inside of addresses, secret members of JSON,
// JSON Web Tokens (RFC 7519) and bearer tokens (RFC 6750).
func Text(text string) string {
	if strings.Contains(text, "//") && strings.Contains(text, "@") {
		text = userOfURL.ReplaceAllString(text, "$1//")
	}
	if strings.Contains(text, "=") || strings.Contains(text, "%") {
		text = withoutParameters(text)
	}
	if strings.Contains(text, `"`) {
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

// mayHaveBearer looks for "bearer" in any case first: the regular expression takes a
// second for a text of a few MB.
func mayHaveBearer(text string) bool {
	const word = "bearer"
	for i := range len(text) - len(word) + 1 {
		if text[i]|0x20 == word[0] && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// withoutParameters takes out the values of secret parameters. It also looks through
// the values of all others, which may be addresses.
func withoutParameters(text string) string {
	var out strings.Builder
	for {
		m := parameter.FindStringSubmatchIndex(text)
		if m == nil {
			out.WriteString(text)
			return out.String()
		}
		before, name, equals := text[m[2]:m[3]], text[m[4]:m[5]], text[m[6]:m[7]]
		out.WriteString(text[:m[1]])
		text = text[m[1]:]
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		if IsName(name, before != ";") {
			out.WriteString(Redacted)
			text = text[valueLength(text, equals):]
		}
	}
}

// valueLength is the length in bytes of the value that a text begins with.
func valueLength(text, equals string) int {
	if strings.HasPrefix(text, Redacted) {
		return len(Redacted)
	}
	end := endOfValue
	if equals != "=" {
		end = endOfEncoded
	}
	if at := end.FindStringIndex(text); at != nil {
		return at[0]
	}
	return len(text)
}
