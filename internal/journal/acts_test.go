package journal

import (
	"strings"
	"testing"
	"time"
)

// TestR345TheElementIsTheOneOfTheEvent has a page look at itself before and after the command, when
// the focus is elsewhere, and tell which element got the event.
func TestR345TheElementIsTheOneOfTheEvent(t *testing.T) {
	const elsewhere = `"focus":{"role":"textbox","name":"Elsewhere","css":"#e"},"under":{"role":"button","name":"Elsewhere","css":"#e"}`
	for name, tc := range map[string]struct{ log, method, params, want string }{
		"text":          {`{"act":"text","length":4,"on":{"role":"textbox","name":"Here","css":"#h"},"ago":1}`, "Input.insertText", `{"text":"oaks"}`, `typed 4 characters on textbox "Here"`},
		"a named key":   {`{"act":"key","key":"Enter","on":{"role":"textbox","name":"Here","css":"#h"},"ago":1}`, "Input.dispatchKeyEvent", `{"type":"rawKeyDown","key":"Enter"}`, `pressed Enter on textbox "Here"`},
		"a character":   {`{"act":"key","key":"","on":{"role":"textbox","name":"Here","css":"#h"},"ago":1}`, "Input.dispatchKeyEvent", `{"type":"keyDown","key":"o","text":"o"}`, `typed 1 character on textbox "Here"`},
		"nothing known": {``, "Input.insertText", `{"text":"oaks"}`, `typed 4 characters on textbox "Elsewhere"`},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, Options{Record: &Record{Dir: t.TempDir()}}, func(s *stage) {
				s.host.answers["Runtime.evaluate"] = `{"result":{"value":{"log":[` + tc.log + `],` + elsewhere + `}}}`
				s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://a.example/"}}`)
				s.send(tc.method, tc.params)
				s.pass(2 * time.Second)
				if got := strings.Join(s.texts(), "; "); !strings.Contains(got, tc.want) {
					t.Errorf("%s, want %s", got, tc.want)
				}
			})
		})
	}
}
