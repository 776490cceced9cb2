package journal

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/secrets"
	"github.com/cdphub/cdphub/relay/quota"
)

// line is the timeline of one target. Journal.mu guards it; only the Journal's
// goroutine changes it.
type line struct {
	key     lineKey
	owner   quota.Payer // for whom the timeline counts: who was first to do something
	payer   quota.Payer // for whom what comes now counts
	ring    ring
	changed time.Time
	hub     *observer // nil until something has happened
	session string    // the one in which something happened last

	lastMethod string // of the newest command
	lastClient string // who has sent it
	lastAt     time.Time

	typed   typed      // what must not be kept
	typing  *typing    // keys that go on; nil: none
	press   *press     // a button that is down; nil: none
	waiting []*command // that have ended, the oldest first
	loads   loads      // requests without a response
	asking  int        // commands of the Journal without an answer
	left    bool       // the last of them had no session any more
	away    bool       // a person has the page during a handoff
	// personKind is what that person has done last: see person.go.
	personKind string
	pictures   pacing       // when to take the next one
	probe      probe        // of what is under the pointer and in focus
	url        string       // where the main frame is
	notWeb     bool         // what happens now is of no page of the web
	closed     *endedTarget // nil while the target is there
}

// longestText and longestURL bound the texts of an entry, in bytes.
const (
	longestText = 2 << 10
	longestURL  = 2 << 10
)

// text is a text as it may be kept: redacted, and at most longestText bytes.
func (l *line) text(s string) string { return l.clean(s, longestText) }

// short is a word of a protocol, as it may be kept.
func (l *line) short(s string) string { return l.clean(s, 100) }

// address is a URL as it may be kept. It also notes an address that is no page of the
// web, such as file:, which only a Watcher who sees files may see. Of a data: URL only the type is
// kept.
func (l *line) address(s string) string {
	l.notWeb = l.notWeb || !scope.Web(s)
	if strings.HasPrefix(s, "data:") {
		kind, _, _ := strings.Cut(s, ",")
		return l.clean(kind, 100) + ",…"
	}
	return l.clean(s, longestURL)
}

// clean redacts before it cuts: a secret that the limit splits would not be found. So
// it cuts twice, first with room for one secret more.
func (l *line) clean(s string, most int) string { return l.cleanWith(s, most, l.typed.redact) }

// cleanWith is clean with another way to take out what was typed.
func (l *line) cleanWith(s string, most int, redact func(string) string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	cut := len(s) > most
	if cut {
		s = s[:min(len(s), most+longestTyped)] // what is cut in two is not found
	}
	s = secrets.Text(redact(s))
	if cut || len(s) > most {
		s = strings.ToValidUTF8(s[:min(most, len(s))], "") + "…"
	}
	return s
}

// headers are headers as they may be kept, at most mostHeaders. Values of secret
// headers are redacted, names stay.
func (l *line) headers(h map[string]string) map[string]string {
	out := make(map[string]string, len(h))
	for name, value := range h {
		switch {
		case len(out) >= mostHeaders:
			return out
		case secrets.IsName(name, false):
			out[l.text(name)] = secrets.Redacted
		default:
			out[l.text(name)] = l.text(value)
		}
	}
	return out
}

const mostHeaders = 100

func leftOut(n int) Entry {
	return Entry{Kind: Error, Text: "left out of this timeline: " + english.Plural(n, "event", "") + ", as more came than the hub could read"}
}

// characterCount says how many there are.
func characterCount(n int) string { return english.Plural(n, "character", "") }
