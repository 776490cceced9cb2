package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/cdphub/cdphub/internal/journal"
)

// recorderFile is a user flow of the Recorder panel of Chrome's DevTools, in the
// schema of the npm package @puppeteer/replay (Schema.ts).
type recorderFile struct {
	Title string         `json:"title"`
	Steps []recorderStep `json:"steps"`
}

// recorderStep is one step. A pointer is nil where the step has no such member.
type recorderStep struct {
	Type      string     `json:"type"`
	Target    string     `json:"target,omitempty"`
	URL       string     `json:"url,omitempty"`
	Selectors [][]string `json:"selectors,omitempty"`
	OffsetX   *float64   `json:"offsetX,omitempty"`
	OffsetY   *float64   `json:"offsetY,omitempty"`
	Button    string     `json:"button,omitempty"`
	Value     *string    `json:"value,omitempty"`
	Key       string     `json:"key,omitempty"`
	X         *float64   `json:"x,omitempty"`
	Y         *float64   `json:"y,omitempty"`

	Width  int   `json:"width,omitempty"`
	Height int   `json:"height,omitempty"`
	Scale  int   `json:"deviceScaleFactor,omitempty"`
	Mobile *bool `json:"isMobile,omitempty"`
	Touch  *bool `json:"hasTouch,omitempty"`
	Land   *bool `json:"isLandscape,omitempty"`
}

// Limits of what is written. A recording may come from anywhere, and may claim that any
// number of characters were typed.
const (
	mostTyped = 1 << 20 // characters of all steps
	mostKeys  = 8       // of one step: a key with all modifiers has five
)

// ChromeRecorder writes what Clients did as a file that Chrome's Recorder imports. In
// place of what was typed it has other texts, mostly an x for each character: recordings do
// not have the text.
func ChromeRecorder(w io.Writer, r *journal.Recording) error {
	file := recorderFile{Title: titleOf(r), Steps: []recorderStep{}}
	list := actionsOf(r)
	if len(list) == 0 || list[0].Do != journal.Viewport {
		file.Steps = append(file.Steps, viewportStep(1280, 720)) // the format wants one
	}
	left := mostTyped
	for _, s := range list {
		if s.Do == journal.Type || s.Do == journal.Fill {
			s.Length = min(max(s.Length, 0), left)
			left -= s.Length
		}
		file.Steps = append(file.Steps, recorderSteps(s)...)
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(file)
}

func viewportStep(width, height int) recorderStep {
	no := new(bool)
	return recorderStep{Type: "setViewport", Width: width, Height: height, Scale: 1, Mobile: no, Touch: no, Land: no}
}

// recorderSteps are the steps for one action; none where the format has no such step.
func recorderSteps(s step) []recorderStep {
	switch s.Do {
	case journal.Viewport:
		return []recorderStep{viewportStep(int(s.X), int(s.Y))}
	case journal.Navigate:
		if isWhole(s.URL) {
			return []recorderStep{{Type: "navigate", URL: s.URL}}
		}
	// A reload or a step in the history becomes a navigation to where it led: the
	// format has no such steps.
	case journal.Reload, journal.History:
		if s.led != "" && !s.lost {
			return []recorderStep{{Type: "navigate", URL: s.led}}
		}
	case journal.Press:
		return recorderKeys(s.Key)
	case journal.Scroll:
		return []recorderStep{{Type: "scroll", Target: "main", X: &s.ToX, Y: &s.ToY}}
	case journal.Click, journal.DoubleClick, journal.Type, journal.Fill, journal.Select:
		return recorderInput(s)
	}
	return nil
}

func recorderInput(s step) []recorderStep {
	to := selectorsFor(s.On)
	if len(to) == 0 || len(s.On.Frames) > 0 { // the format counts frames, a recording names them
		return nil
	}
	if s.Do != journal.Click && s.Do != journal.DoubleClick {
		value, letter := sampleFor(s)
		if s.Do == journal.Select {
			if value = s.Key; !isWhole(value) {
				return nil
			}
		}
		if letter != "" {
			value = strings.Repeat(letter, s.Length)
		}
		return []recorderStep{{Type: "change", Target: "main", Selectors: to, Value: &value}}
	}
	out := recorderStep{Type: "click", Target: "main", Selectors: to, OffsetX: &s.On.X, OffsetY: &s.On.Y}
	if s.Do == journal.DoubleClick {
		out.Type = "doubleClick"
	}
	if s.Button == "right" {
		out.Button = "secondary"
	}
	return []recorderStep{out}
}

// recorderKeys press the keys of a shortcut such as Control+A in this order, and
// release them in the reverse order.
func recorderKeys(keys string) (steps []recorderStep) {
	if strings.Count(keys, "+") >= mostKeys {
		return nil
	}
	list := strings.Split(keys, "+")
	for _, k := range list {
		steps = append(steps, recorderStep{Type: "keyDown", Target: "main", Key: k})
	}
	for i := len(list) - 1; i >= 0; i-- {
		steps = append(steps, recorderStep{Type: "keyUp", Target: "main", Key: list[i]})
	}
	return steps
}

// selectorsFor are ways to find an element. The Recorder tries them in this order.
func selectorsFor(e *journal.Element) (list [][]string) {
	if e == nil {
		return nil
	}
	if e.Role != "" && isWhole(e.Name) && e.Nth == 0 && !strings.ContainsAny(e.Name, `"[]\`) {
		list = append(list, []string{fmt.Sprintf(`aria/%s[role="%s"]`, e.Name, e.Role)})
	}
	if isWhole(e.CSS) {
		list = append(list, []string{e.CSS})
	}
	return list
}
