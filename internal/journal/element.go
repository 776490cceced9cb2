package journal

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/secrets"
)

// Element is an element of a page, as a test finds it again.
type Element struct {
	Role        string `json:"role,omitempty"` // of ARIA
	Name        string `json:"name,omitempty"` // its accessible name
	Label       string `json:"label,omitempty"`
	Placeholder string `json:"placeholder,omitempty"`
	TestID      string `json:"testId,omitempty"` // data-testid
	CSS         string `json:"css,omitempty"`    // a selector that finds it alone; " >>> " leads into a shadow tree
	Secret      bool   `json:"secret,omitempty"` // a field for a password, or another secret
	// Nth says which one it is of those with this role and name, from 1; 0: it is the only one.
	// Without a name, it is of those with this label, or placeholder.
	Nth    int      `json:"nth,omitempty"`
	Frames []string `json:"frames,omitempty"` // selectors of the frames around it, the outermost first
	Input  string   `json:"input,omitempty"`  // of a field: the type of an input, "select" or "textarea"
	Min    string   `json:"min,omitempty"`    // of a field

	// X and Y are the position of the pointer in it, in CSS pixels.
	X float64 `json:"dx,omitempty"`
	Y float64 `json:"dy,omitempty"`

	Called []string `json:"called,omitempty"` // names of a field, as the script has found them; never kept
}

// longestLabel is how long the name of a secret field is at most, as in secrets.ts: a longer text
// is not only its name.
const longestLabel = 32

// maxFrames is how deep a frame is of which the selectors are kept.
const maxFrames = 10

// cleanName is clean for what names an element or a value in the page. It takes out only secrets of
// what was typed: people search for something and click what they have found.
func (l *line) cleanName(s string, most int) string {
	return l.cleanWith(s, most, l.typed.redactSecrets)
}

// cleaned is an element as it may be kept.
func (l *line) cleaned(e *Element) *Element {
	if e == nil {
		return nil
	}
	own := *e // the page's answer may be of several commands
	e = &own
	short := func(s string) string { return l.cleanName(s, 200) }
	e.Secret, e.Called = e.isSecret(), nil
	e.Role, e.Name, e.Label = short(e.Role), short(e.Name), short(e.Label)
	e.Placeholder, e.TestID, e.CSS = short(e.Placeholder), short(e.TestID), l.cleanName(e.CSS, 500)
	e.Input, e.Min = short(e.Input), short(e.Min)
	e.Frames = slices.Clone(e.Frames[:min(len(e.Frames), maxFrames)])
	for i, frame := range e.Frames {
		e.Frames[i] = l.cleanName(frame, 500)
	}
	return e
}

// isSecret reports whether an element, as the script describes it, is a field for a secret.
func (e *Element) isSecret() bool {
	return e.Secret || slices.ContainsFunc(e.Called, func(name string) bool {
		return utf8.RuneCountInString(name) <= longestLabel && secrets.IsName(name, false)
	})
}

// words name an element in the text of an entry.
func (e *Element) words() string {
	switch {
	case e == nil:
		return ""
	case e.Role != "" && e.Name != "":
		return fmt.Sprintf(" on %s %q", e.Role, e.Name)
	case e.Role != "":
		return " on " + e.Role
	case e.CSS != "":
		return " on " + strings.ReplaceAll(e.CSS, " >>> ", " ")
	}
	return ""
}

// is reports whether two elements are the same, as far as a recording knows them.
func (e *Element) is(other *Element) bool {
	if e == nil || other == nil {
		return e == other
	}
	return e.CSS == other.CSS && slices.Equal(e.Frames, other.Frames)
}

// size is how many bytes its texts have.
func (e *Element) size() int {
	n := len(e.Role) + len(e.Name) + len(e.Label) + len(e.Placeholder) + len(e.TestID) + len(e.CSS) + len(e.Input) + len(e.Min)
	for _, frame := range e.Frames {
		n += len(frame)
	}
	return n
}
