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
				s.host.answersWith("Runtime.evaluate", `{"result":{"value":{"log":[`+tc.log+`],`+elsewhere+`}}}`)
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

// TestR345NamesLoseSecretsAlone types into fields, and clicks on what has the text in its name. An address, the
// console and a dialog lose whatever was typed.
func TestR345NamesLoseSecretsAlone(t *testing.T) {
	for name, tc := range map[string]struct{ field, want string }{
		"a search":                {`{"role":"searchbox","name":"Search","css":"#q","input":"search"}`, "Add oakwood desk"},
		"a name with a long text": {`{"css":"#q","input":"text","called":["Forgot your password? Enter your email address"]}`, "Add oakwood desk"},
		"a password":              {`{"css":"#p","secret":true,"input":"password"}`, "Add [REDACTED] desk"},
		"a field called a secret": {`{"css":"#p","input":"text","called":["x","API key"]}`, "Add [REDACTED] desk"},
		"nobody knows what":       {`null`, "Add [REDACTED] desk"},
	} {
		for how, typed := range map[string]func(s *stage){
			"pasted": func(s *stage) { s.send("Input.insertText", `{"text":"oakwood"}`) },
			"typed":  func(s *stage) { s.keys("oakwood") },
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				dir := t.TempDir()
				play(t, Options{Record: &Record{Dir: dir}}, func(s *stage) {
					s.host.answersWith("Runtime.evaluate", `{"result":{"value":{"focus":`+tc.field+`,"under":{"role":"button","name":"Add oakwood desk","css":"#b"}}}}`)
					s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://a.example/"}}`)
					typed(s)
					s.click(3, 4)
					s.event("Page.navigatedWithinDocument", `{"url":"https://a.example/?q=oakwood"}`)
					s.event("Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"string","value":"oakwood"}]}`)
					s.event("Page.javascriptDialogOpening", `{"type":"alert","message":"oakwood"}`)
					s.pass(2 * time.Second)
					all := strings.Join(s.texts(), "\n")
					if !strings.Contains(all, tc.want) || strings.Count(strings.ReplaceAll(all, tc.want, ""), "oakwood") != 0 {
						t.Errorf("want %q, and the text nowhere else:\n%s", tc.want, all)
					}
				})
			})
		}
	}
}

// TestR345AnotherDocumentHasAnotherFocus has the answer come from a document that is younger than the command, and
// the focus of the one before seen in yet another.
func TestR345AnotherDocumentHasAnotherFocus(t *testing.T) {
	play(t, Options{Record: &Record{Dir: t.TempDir()}}, func(s *stage) {
		s.host.answersWith("Runtime.evaluate", `{"result":{"value":{"focus":{"role":"textbox","name":"Password","css":"#p"}}}}`)
		s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://a.example/login"}}`)
		s.send("Input.insertText", `{"text":"hunter2"}`)
		s.pass(2 * time.Second)
		s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://a.example/shop"}}`)
		s.host.answersWith("Runtime.evaluate", `{}`) // nothing is known here
		s.send("Input.insertText", `{"text":"oak"}`)
		s.pass(5 * time.Second)
		if all := strings.Join(s.texts(), "\n"); !strings.Contains(all, `typed 7 characters on textbox "Password"`) || !strings.HasSuffix(all, "typed 3 characters") {
			t.Errorf("the focus of another document:\n%s", all)
		}
	})
}
