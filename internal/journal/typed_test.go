package journal

import (
	"strings"
	"testing"
)

// TestTypedTextInBytesThatAreNoText takes what was typed out of texts that are cut
// in the middle of a character, and out of bodies that are no UTF-8.
func TestTypedTextInBytesThatAreNoText(t *testing.T) {
	var typed typed
	typed.add("\ufffd\ufffd\ufffd", new(origin))
	typed.add("hunter2", new(origin))
	for text, want := range map[string]string{
		"a\xf0\x9f\x98":                        "a\xf0\x9f\x98",
		"\xe9\xe8 hunter2":                     "\xe9\xe8 [REDACTED]",
		strings.Repeat("\xff", 99) + "HUNTER2": strings.Repeat("\xff", 99) + "[REDACTED]",
	} {
		if got := typed.redact(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestJournalOutlivesATextThatIsCut has a page write what is cut in the middle of a
// character, of which something was typed.
func TestJournalOutlivesATextThatIsCut(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		s.send("Input.insertText", `{"text":"\ud83d\ud83d\ud83d"}`)
		text := strings.Repeat("a", longestText+longestTyped-3) + "😀"
		s.event("Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"string","value":"`+text+`"}]}`)
		s.wants("command: typed 3 characters", "console: "+text[:longestText]+"…")
	})
}

// TestTypedTextThatWasLost has no room for what is typed, and the page say it at once: as the
// Journal does not know what to take out, it keeps no text.
func TestTypedTextThatWasLost(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		key := lineKey{"h", "T0"}
		s.j.work(batch{blind: []lineKey{key}, items: []item{{key: key, do: func(j *Journal, l *line) {
			j.keepLocked(l, Entry{Kind: Console, Text: l.text("hunter2")}, nil)
		}}}})
		s.wants("console: [REDACTED]")
	})
}
