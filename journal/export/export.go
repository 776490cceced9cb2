// Package export writes recordings of package journal as files of other programs: HAR,
// a test of Playwright, a file of Chrome's Recorder, a video.
package export

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/secrets"
	"github.com/cdphub/cdphub/journal"
)

// actions are what Clients did, in the order in which they began it, without what
// failed. With each comes the address to which it led.
func actions(r *journal.Recording) (list []step) {
	entries := slices.Clone(r.Entries)
	slices.SortStableFunc(entries, func(a, b journal.Entry) int { return int(a.At - b.At) })
	for _, e := range entries {
		switch {
		case e.Kind == journal.Command && e.Action != nil && e.Error == "":
			list = appendStep(list, step{Action: *e.Action})
		case e.Kind == journal.Navigation && whole(e.Text):
			if len(list) == 0 {
				list = append(list, step{Action: journal.Action{Do: journal.Navigate, URL: e.Text}})
			}
			list[len(list)-1].led = e.Text
		}
	}
	if len(list) > 0 && list[0].Do != journal.Navigate && list[0].Do != journal.Viewport && whole(r.URL) && strings.HasPrefix(r.URL, "http") {
		list = append([]step{{Action: journal.Action{Do: journal.Navigate, URL: r.URL}}}, list...)
	}
	return list
}

// step is one action of a test.
type step struct {
	journal.Action
	led string // the address after it; "" when it is the one before, or not known
}

// appendStep adds an action. The first click of a double click is part of it.
func appendStep(list []step, s step) []step {
	if n := len(list); s.Do == journal.DoubleClick && n > 0 && list[n-1].Do == journal.Click && list[n-1].X == s.X && list[n-1].Y == s.Y {
		list = list[:n-1]
	}
	return append(list, s)
}

// whole reports whether nothing was taken out of a text.
func whole(text string) bool {
	return text != "" && !strings.Contains(text, secrets.Redacted) && !strings.HasSuffix(text, "…")
}

// quote is a text as a string of JSON and of JavaScript.
func quote(text string) string {
	b, _ := json.Marshal(text) // a string always can
	return string(b)
}
