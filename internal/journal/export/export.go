// Package export writes recordings of package journal as files of other programs:
//
//	r, err := journal.Open("….ndjson.zst")
//	err = export.HAR(os.Stdout, r)
//
// The formats are HAR, a test of Playwright, a file of Chrome's Recorder, and a
// video.
package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/internal/secrets"
)

// actionsOf are the actions of Clients in the order in which they began, without those
// that failed, and what could be read between them. Each has the address to which it led, as
// the app itself has it. The first one is a navigation, so that a test begins at the right page.
func actionsOf(r *journal.Recording) (list []step) {
	entries := slices.Clone(r.Entries)
	// Entries are in the order of their ends.
	slices.SortStableFunc(entries, func(a, b journal.Entry) int { return cmp.Compare(a.At, b.At) })
	for _, e := range entries {
		switch {
		case (e.Kind == journal.Command || e.Kind == journal.Reads) && e.Action != nil && e.Error == "":
			s := step{Action: *e.Action}
			s.URL = ofApp(r, s.URL)
			if s.Do == journal.Download {
				noteDownload(list)
				continue
			}
			list = appendStep(list, s)
		case e.Kind == journal.Navigation && isWhole(e.Text) && !e.Typed:
			address := ofApp(r, e.Text)
			if len(list) == 0 && !journal.IsErrorPage(address) {
				list = append(list, step{Action: journal.Action{Do: journal.Navigate, URL: address}})
			}
			if last := lastAction(list); last != nil {
				last.led, last.lost = address, journal.IsErrorPage(address)
			}
		}
	}
	// A dialog that is answered keeps the page from everything else: what was read comes after it.
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && list[k].Do == journal.Answer && list[k-1].reads(); k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
	at := slices.IndexFunc(list, func(s step) bool { return s.Do != journal.Viewport && !s.reads() })
	if first := ofApp(r, r.URL); at >= 0 && list[at].Do != journal.Navigate && isWhole(first) && strings.HasPrefix(first, "http") {
		list = slices.Insert(list, at, step{Action: journal.Action{Do: journal.Navigate, URL: first}})
	}
	return list
}

// lastAction is the last step that is an action, nil for none. What could be read is no action.
func lastAction(list []step) *step {
	for i := len(list) - 1; i >= 0; i-- {
		if !list[i].reads() || i == 0 {
			return &list[i]
		}
	}
	return nil
}

// noteDownload notes that the last action has begun a download.
func noteDownload(list []step) {
	if last := lastAction(list); last != nil && !last.reads() {
		last.downloads = true
	}
}

// step is one action of a test, or something that can be read after it.
type step struct {
	journal.Action
	led       string // the address after it; "" when it is the one before, or not known
	lost      bool   // led is that of an error page
	downloads bool   // it has begun the download of a file
}

// reads reports whether the step is something that can be read.
func (s step) reads() bool {
	return s.Do == journal.Title || s.Do == journal.Heading || s.Do == journal.Text
}

// appendStep adds an action. A double click replaces the click before it: both come
// from the same presses. Of two steps for the same files, the one with the field stays.
func appendStep(list []step, s step) []step {
	if s.isTypedElsewhere() {
		return list
	}
	if n := len(list); n > 0 {
		before := list[n-1]
		switch {
		case (s.Do == journal.Fill || s.Do == journal.Select) && s.Do == before.Do && locatorFor(s.On) == locatorFor(before.On): // a date on its way
			list = list[:n-1]
		case s.Do == journal.DoubleClick && before.Do == journal.Click && before.X == s.X && before.Y == s.Y:
			list = list[:n-1]
		case s.Do == journal.Upload && before.Do == journal.Upload && before.On == nil && s.Length == before.Length:
			list = list[:n-1]
		case s.Do == journal.Upload && before.Do == journal.Upload && s.On == nil && s.Length == before.Length:
			return list
		}
	}
	return append(list, s)
}

// valued are the fields whose value is not typed as text: a step of its own sets it.
var valued = map[string]bool{
	"select": true, "date": true, "time": true, "datetime-local": true, "month": true, "week": true, "range": true, "color": true,
}

// isTypedElsewhere reports whether keys only choose a value, for which there is another step.
func (s step) isTypedElsewhere() bool {
	return s.Do == journal.Type && s.On != nil && valued[s.On.Input]
}

// samples are texts that a field takes, in place of what was typed, by the type of the field.
var samples = map[string]string{
	"date": "2026-01-31", "time": "12:00", "datetime-local": "2026-01-31T12:00", "month": "2026-01", "week": "2026-W05",
	"email": "x@example.com", "url": "https://example.com/",
}

// sampleFor is a text for a field in place of what was typed into it: as long, where the field takes
// any text. The letter is repeated to its length.
func sampleFor(s step) (text, letter string) {
	kind, least := "", ""
	if s.On != nil {
		kind, least = s.On.Input, s.On.Min
	}
	switch {
	case len(s.Values) > 0:
		return s.Values[0], ""
	case valued[kind] && isWhole(least):
		return least, ""
	case samples[kind] != "":
		return samples[kind], ""
	case kind == "number" || kind == "tel":
		return "", "1"
	}
	return "", "x"
}

// ofApp is an address of the app itself, where a proxy has served it.
func ofApp(r *journal.Recording, address string) string {
	for at, app := range r.Apps {
		if rest, found := cutOrigin(address, at); found {
			return app + rest
		}
	}
	return address
}

// cutOrigin is what stands behind the origin in an address, if the address is of that origin, or of the same
// port by another name of this machine: localhost, 127.0.0.1 and [::1] are one server.
func cutOrigin(address, origin string) (rest string, found bool) {
	if rest, found = strings.CutPrefix(address, origin); found && (rest == "" || strings.ContainsAny(rest[:1], "/?#")) {
		return rest, true
	}
	a, err := url.Parse(address)
	b, failed := url.Parse(origin)
	if err != nil || failed != nil || a.Scheme != b.Scheme || a.Port() != b.Port() || !isLoopback(a.Hostname()) || !isLoopback(b.Hostname()) {
		return "", false
	}
	return strings.CutPrefix(address, a.Scheme+"://"+a.Host)
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// isWhole reports whether nothing was taken out of a text, by redaction or by a limit.
// A locator or an address with a part missing would find something else.
func isWhole(text string) bool {
	return text != "" && !strings.Contains(text, secrets.Redacted) && !strings.HasSuffix(text, "…")
}

// quoteText is a text as a string literal of JSON, and so of JavaScript: since ECMAScript
// 2019 all of JSON is JavaScript.
func quoteText(text string) string {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false) // a test is no HTML, and people read its selectors
	_ = out.Encode(text)     // a string always can
	return strings.TrimSuffix(b.String(), "\n")
}
