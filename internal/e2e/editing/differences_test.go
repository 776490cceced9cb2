package editing

import "regexp"

// difference is something that differs from Chromium, and that script cannot mend, or not at a
// reasonable price. docs/pages.md has the reasons too.
type difference struct {
	kinds, gestures string // regular expressions of the whole names
	reason          string
	atTimes         bool // it differs on a machine that is slow, and not on another
}

var differences = []difference{
	{
		kinds: ".*", gestures: "delete word forward",
		reason: "The agent selects the word before it deletes it: selectionchange comes, although the caret stays where it is.",
	},
	{
		kinds: ".*", gestures: "middle click",
		reason: "A middle click pastes nothing: a frame has no primary selection.",
	},
	{
		kinds: "rich|shadow rich|design", gestures: "bold",
		reason: "execCommand does not join bold text with that beside it.", atTimes: true,
	},
	{
		kinds: "rich|shadow rich|design", gestures: "undo a paste",
		reason: "insertHTML does not split the formatting around it: a span undoes it for what is pasted.", atTimes: true,
	},
	{
		kinds: "maxlength", gestures: "insert text",
		reason: "Chromium moves the caret by the length of the text of Input.insertText, although less of it was taken.",
	},
	{
		kinds: "number", gestures: "double click after the text",
		reason: "What Chromium finds at a point of a number field beside its text cannot be asked for.",
	},
	{
		kinds: "number|email", gestures: "drag the selection",
		reason: "Script cannot select in email and number fields while the browser edits: what is dropped is not selected.",
	},
	{
		kinds: "password", gestures: "drag the selection",
		reason: "The agent does not drag the text of a password field: Chromium begins to, and drags bullets.",
	},
	{
		kinds: "shadow rich", gestures: "drag the selection",
		reason: "For Chromium's drags all that is in a shadow tree is its host.",
	},
	{
		kinds: "readonly", gestures: "paste lines",
		reason: "A click into a read-only field whose whole text is selected leaves the selection in Chromium.",
	},
	{
		kinds: "date|time", gestures: ".*",
		reason: "Script does not reach the parts of date and time fields: keys change nothing, and Input.insertText sets a whole value.",
	},
}

// known is why a log differs, or "" if it must not. It notes the reason as met.
func known(kind, gesture string, met map[string]bool) string {
	for _, d := range differences {
		if regexp.MustCompile("^("+d.kinds+")$").MatchString(kind) && regexp.MustCompile("^("+d.gestures+")$").MatchString(gesture) {
			met[d.reason] = true
			return d.reason
		}
	}
	return ""
}
