// Package export writes recordings of package journal as files of other programs:
//
//	r, err := journal.Open("….ndjson.zst")
//	err = export.HAR(os.Stdout, r)
//
// The formats are HAR, a test of Playwright, a file of Chrome's Recorder, and a
// video.
package export

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/internal/secrets"
)

// actionsOf are the actions of Clients in the order in which they began, without those
// that failed. Each has the address to which it led. The first one is a navigation,
// so that a test begins at the right page.
func actionsOf(r *journal.Recording) (list []step) {
	entries := slices.Clone(r.Entries)
	// Entries are in the order of their ends.
	slices.SortStableFunc(entries, func(a, b journal.Entry) int { return int(a.At - b.At) })
	for _, e := range entries {
		switch {
		case e.Kind == journal.Command && e.Action != nil && e.Error == "":
			list = appendStep(list, step{Action: *e.Action})
		case e.Kind == journal.Navigation && isWhole(e.Text):
			if len(list) == 0 {
				list = append(list, step{Action: journal.Action{Do: journal.Navigate, URL: e.Text}})
			}
			list[len(list)-1].led = e.Text
		}
	}
	if len(list) > 0 && list[0].Do != journal.Navigate && list[0].Do != journal.Viewport && isWhole(r.URL) && strings.HasPrefix(r.URL, "http") {
		list = append([]step{{Action: journal.Action{Do: journal.Navigate, URL: r.URL}}}, list...)
	}
	return list
}

// step is one action of a test.
type step struct {
	journal.Action
	led string // the address after it; "" when it is the one before, or not known
}

// appendStep adds an action. A double click replaces the click before it: both come
// from the same presses.
func appendStep(list []step, s step) []step {
	if n := len(list); s.Do == journal.DoubleClick && n > 0 && list[n-1].Do == journal.Click && list[n-1].X == s.X && list[n-1].Y == s.Y {
		list = list[:n-1]
	}
	return append(list, s)
}

// isWhole reports whether nothing was taken out of a text, by redaction or by a limit.
// A locator or an address with a part missing would find something else.
func isWhole(text string) bool {
	return text != "" && !strings.Contains(text, secrets.Redacted) && !strings.HasSuffix(text, "…")
}

// quoteText is a text as a string literal of JSON, and so of JavaScript: since ECMAScript
// 2019 all of JSON is JavaScript.
func quoteText(text string) string {
	b, _ := json.Marshal(text) // a string always can
	return string(b)
}
