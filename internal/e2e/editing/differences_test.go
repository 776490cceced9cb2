package editing

import "regexp"

// difference is something that differs from Chromium, and that script cannot mend.
type difference struct {
	kinds, gestures string // regular expressions of the names
	reason          string
}

var differences = []difference{}

// known is why a log differs, or "" if it must not. It notes the reason as met.
func known(kind, gesture string, met map[string]bool) string {
	for _, d := range differences {
		if regexp.MustCompile("^(" + d.kinds + ")$").MatchString(kind) && regexp.MustCompile("^(" + d.gestures + ")$").MatchString(gesture) {
			met[d.reason] = true
			return d.reason
		}
	}
	return ""
}
