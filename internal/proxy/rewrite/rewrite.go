// Package rewrite changes the documents, style sheets and scripts of an app that a proxy
// serves: addresses in them that name the app's own origin become those of the proxy, and
// scripts read the window of the app in place of the window around it. Everything else
// keeps its bytes.
package rewrite

import (
	"bytes"
	"strings"
)

// Rules say what is changed.
type Rules struct {
	// Move is an absolute address as the browser is to see it. It returns other
	// addresses, and text that is none, as they are.
	Move func(address string) string
	// Hosts are the hosts of the addresses that Move changes. A text that has none of
	// them, and is not about the window around the app, is not read any further.
	Hosts []string
	// Pinned gets the address of each element that has the hash of what is there
	// (W3C Subresource Integrity); nil: it is of no interest.
	Pinned func(address string)
	// KeepInline leaves inline scripts and style sheets as they are: a policy has
	// their hashes.
	KeepInline bool
}

// mentions reports whether a text may have an address that Move changes.
func (r Rules) mentions(text []byte) bool {
	for _, host := range r.Hosts {
		if bytes.Contains(text, []byte(host)) {
			return true
		}
	}
	return false
}

// An edit replaces the bytes of a text from start to end.
type edit struct {
	start, end int
	text       string
}

// applyEdits returns a text with edits, which are in order. Without any it is text itself.
func applyEdits(text []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return text
	}
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(text[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(text[at:])
	return out.Bytes()
}

// moveLiteral is Move for the text between the quotes of a string of JavaScript or JSON,
// which may write each slash as \/ (PHP's json_encode does). Other escapes do not occur in
// an origin.
func (r Rules) moveLiteral(text string) string {
	if !strings.HasPrefix(text, "http") && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, `\/`) {
		return text
	}
	plain := strings.Replace(text, `\/\/`, "//", 1)
	scheme, rest, has := strings.Cut(plain, "//")
	if !has {
		return text
	}
	end := strings.IndexAny(rest, `\/?#`)
	if end < 0 {
		end = len(rest)
	}
	given := scheme + "//" + rest[:end]
	moved := r.Move(given)
	if moved == given {
		return text
	}
	return moved + rest[end:]
}

// Refresh moves the address in "3; url=/next", as the header Refresh and the element meta
// have it (HTML Standard, "shared declarative refresh steps").
func Refresh(value string, move func(string) string) string {
	i := strings.IndexAny(value, ";,")
	if i < 0 {
		return value
	}
	i += 1 + len(value[i+1:]) - len(strings.TrimLeft(value[i+1:], " \t\n\f\r"))
	if len(value) >= i+3 && strings.EqualFold(value[i:i+3], "url") {
		if rest := strings.TrimLeft(value[i+3:], " \t\n\f\r"); strings.HasPrefix(rest, "=") {
			rest = strings.TrimLeft(rest[1:], " \t\n\f\r")
			i = len(value) - len(rest)
		}
	}
	address := value[i:]
	if address != "" && (address[0] == '"' || address[0] == '\'') {
		address, _, _ = strings.Cut(address[1:], address[:1])
	}
	moved := move(strings.TrimSpace(address))
	if moved == strings.TrimSpace(address) {
		return value
	}
	return value[:i] + moved
}
