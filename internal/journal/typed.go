package journal

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/secrets"
)

// typed is what was typed on a page lately. It is in memory only, never in an entry:
// it is there to be taken out of addresses and of what the page says.
type typed struct {
	values []piece  // the oldest first
	now    string   // what is being typed; "" for nothing
	into   *origin  // of now; nil for nothing
	short  []string // texts of one or two characters, for what a page must not have of itself

	// unknown is above 0 while something was typed that the Journal could not take in.
	// Then it cannot tell what to take out, and keeps no text at all, until as much was
	// typed as it would remember.
	unknown int
}

// piece is a text that was typed, or a part of a long one.
type piece struct {
	forms []string // in which pages write it, in lower case
	least int      // bytes of its beginning that are taken for it
	from  *origin
}

// origin says what a text was typed into. It is a secret as long as that is not known to be
// a field for what everybody may read.
type origin struct {
	pending int  // commands of which it is not known what they act on
	secret  bool // one of them acted on a field for a secret, or its element is not known
}

func (o *origin) isSecret() bool { return o.secret || o.pending > 0 }

// typesInto notes that a command types a part of a text.
func (c *command) typesInto(o *origin) {
	if c.looks {
		o.pending++
		c.typed = o
		return
	}
	o.secret = true // without a recording the page is not asked, and there are no names
}

// know notes what a command has typed into; nil: that is not known.
func (c *command) know(on *Element) {
	if c.typed == nil {
		return
	}
	c.typed.pending--
	c.typed.secret = c.typed.secret || on == nil || on.isSecret()
	c.typed = nil
}

const (
	mostTyped    = 128 // pieces
	mostShort    = 32  // shorter texts
	longestTyped = 256 // bytes of a piece
	mostPieces   = 64  // of one text
	shortTyped   = 3   // a shorter text is in others by chance
	prefixTyped  = 4   // of a text of which a page has a part, while it is being typed
	prefixPiece  = 16  // of a piece within a text, which may begin like any word
)

// add takes a text into account, a long one in pieces. Texts that are too short are
// ignored: they are in other texts by chance.
func (t *typed) add(text string, from *origin) {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) < shortTyped {
		if text != "" {
			t.short = append(t.short, strings.ToLower(text))
			t.short = t.short[max(0, len(t.short)-mostShort):]
		}
		return
	}
	t.unknown = max(t.unknown-1, 0)
	least := prefixTyped
	for n := 0; text != ""; n++ {
		if n == mostPieces {
			t.unknown = mostTyped
			return
		}
		end := len(text)
		if end > longestTyped+prefixPiece { // what is left is a piece, too
			end = longestTyped
			for !utf8.RuneStart(text[end]) {
				end--
			}
		}
		if len(t.values) == mostTyped {
			t.values = t.values[1:]
		}
		t.values = append(t.values, piece{formsOf(text[:end]), least, from})
		text, least = text[end:], prefixPiece
	}
}

// note takes into account what a command types. It runs before the events that the
// command causes.
func (t *typed) note(c *command) {
	if c.params == nil && c.long > 0 { // too long to be read
		t.unknown = mostTyped
		return
	}
	var p struct{ Type, Text, PromptText string }
	readParams(c.params, &p)
	if c.method.name != keyEvent {
		from := new(origin)
		c.typesInto(from)
		t.add(p.Text, from)
		t.add(p.PromptText, new(origin)) // a prompt shows it
		return
	}
	if text := strings.TrimRight(p.Text, "\r\n"); p.Type != "keyUp" && text != "" {
		if t.into == nil {
			t.into = new(origin)
		}
		c.typesInto(t.into)
		t.now += text
	}
	if len(t.now) > longestTyped {
		t.end()
	}
}

// end ends a run of keys: from now on the run is one text that was typed.
func (t *typed) end() {
	t.add(t.now, t.into)
	t.now, t.into = "", nil
}

// formsOf are the ways in which pages write a text, in lower case: as it is, as JSON,
// and percent-encoded in a query and in a path.
func formsOf(text string) []string {
	quoted, _ := json.Marshal(text) // a string always can
	var list []string
	for _, f := range []string{text, string(quoted[1 : len(quoted)-1]), url.QueryEscape(text), url.PathEscape(text)} {
		f = lowerASCII(f)
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}

// lowerASCII is a text with its ASCII letters in lower case. It goes byte by byte: its
// length stays the same also where the bytes are no text.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// redact takes what was typed out of a text, also a beginning of it: pages repeat a
// text while it is being typed. The newest texts are taken out first.
func (t *typed) redact(text string) string {
	return t.without(text, func(*origin) bool { return true })
}

// redactSecrets takes only those texts out that are secrets.
func (t *typed) redactSecrets(text string) string { return t.without(text, (*origin).isSecret) }

// isIn reports whether a text has anything of what was typed.
func (t *typed) isIn(text string) bool {
	return t.redact(text) != text || t.isShortIn(strings.Fields(text))
}

// isShortIn reports whether one of some words is a short text that was typed.
func (t *typed) isShortIn(words []string) bool {
	return len(t.short) > 0 && slices.ContainsFunc(words, func(word string) bool { return slices.Contains(t.short, strings.ToLower(word)) })
}

// without takes what was typed of some origins out of a text.
func (t *typed) without(text string, counts func(*origin) bool) string {
	if t.unknown > 0 && text != "" {
		return secrets.Redacted
	}
	low := lowerASCII(text)
	take := func(form string, least int) {
		start := beginningLength(form, least)
		if at := strings.Index(low, start); at >= 0 {
			text = withoutForm(text, low, form, start)
			low = lowerASCII(text)
		}
	}
	if utf8.RuneCountInString(t.now) >= shortTyped && counts(t.into) {
		for _, form := range formsOf(t.now) {
			take(form, prefixTyped)
		}
	}
	for i := len(t.values) - 1; i >= 0; i-- {
		if !counts(t.values[i].from) {
			continue
		}
		for _, form := range t.values[i].forms {
			take(form, t.values[i].least)
		}
	}
	return text
}

// beginningLength is how much of a form a text must have to be taken for it.
func beginningLength(form string, least int) string {
	if at := strings.Index(form, "//"); at > 0 && at < len("https%3a%2f%2f") { // many addresses begin like that
		least = max(least, at+2+prefixTyped)
	}
	return form[:min(len(form), least)]
}

// withoutForm replaces a form of what was typed, and beginnings of it that are at least
// as long as start. low is text in lower case, of the same length.
func withoutForm(text, low, form, start string) string {
	var out strings.Builder
	for at := strings.Index(low, start); at >= 0; at = strings.Index(low, start) {
		n := len(start)
		for n < len(form) && at+n < len(low) && low[at+n] == form[n] {
			n++
		}
		out.WriteString(text[:at])
		out.WriteString(secrets.Redacted)
		text, low = text[at+n:], low[at+n:]
	}
	out.WriteString(text)
	return out.String()
}

// typing is a run of characters that one Client types key by key. They become one
// entry.
type typing struct {
	entry  Entry
	count  int
	newest time.Time
}

// typingPause is how long nothing may be typed before the entry is made.
const typingPause = 700 * time.Millisecond

// endTyping makes an entry of the keys so far.
func (l *line) endTyping(j *Journal) {
	t := l.typing
	if t == nil {
		return
	}
	l.typing = nil
	l.typed.end()
	e := t.entry
	e.Text = "typed " + characterCount(t.count)
	e.Ms = t.newest.UnixMilli() - e.At
	e.Action = &Action{Do: Type, Length: t.count, Keys: true, On: e.Action.On}
	e.Text += e.Action.On.words()
	j.acted(l, e)
}
