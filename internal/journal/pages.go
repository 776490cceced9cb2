package journal

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"github.com/cdphub/cdphub/internal/wire"
)

func noteNavigation(j *Journal, l *line, c *command) {
	var p struct{ URL, FrameID string }
	readParams(c.params, &p)
	url := l.address(p.URL)
	l.did(j, c, &Action{Do: Navigate, URL: url}, "navigated to "+url)
}

// chooseFiles keeps the number of files: their names may tell who the person is.
func chooseFiles(j *Journal, l *line, c *command) {
	var p struct{ Files []json.RawMessage }
	readParams(c.params, &p)
	l.did(j, c, &Action{Do: Upload, Length: len(p.Files), On: c.on}, "chose "+english.Plural(len(p.Files), "file", ""))
}

// answerDialog reads Page.handleJavaScriptDialog (CDP). Of what is typed into the
// dialog only the number of characters is kept.
func answerDialog(j *Journal, l *line, c *command) {
	var p struct {
		Accept     bool
		PromptText string
	}
	readParams(c.params, &p)
	a := &Action{Do: Answer, Key: "dismiss", Length: utf8.RuneCountInString(p.PromptText)}
	text := "dismissed the dialog"
	if p.Accept {
		a.Key, text = "accept", "accepted the dialog"
	}
	if a.Length > 0 {
		text += ", with " + characterCount(a.Length)
	}
	l.did(j, c, a, text)
}

// setViewport ignores a size of 0, which takes the override away.
func setViewport(j *Journal, l *line, c *command) {
	var p struct{ Width, Height float64 }
	readParams(c.params, &p)
	if p.Width == 0 || p.Height == 0 || c.inside {
		return
	}
	l.did(j, c, &Action{Do: Viewport, X: p.Width, Y: p.Height}, fmt.Sprintf("set the viewport to %v × %v", p.Width, p.Height))
}

// happened makes an entry of an event, after the entry of what was typed before it.
func (l *line) happened(j *Journal, e *event, kind Kind, text string) {
	l.session = e.session
	if kind == Navigation || kind == Dialog {
		l.endTyping(j)
	}
	typed := kind == Navigation && l.typed.isShortIn(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("/?#&=+;,", r) }))
	j.keepLocked(l, Entry{At: e.at.UnixMilli(), Kind: kind, Method: e.name, Text: text, Typed: typed}, nil)
}

// frameNavigated reads Page.frameNavigated (CDP). The address has its fragment in a
// member of its own. A page that could not be loaded has unreachableUrl.
func frameNavigated(j *Journal, l *line, e *event) {
	var p struct {
		Frame struct {
			ID, ParentID, URL, URLFragment string
			UnreachableURL                 string
		}
	}
	readParams(e.params, &p)
	f := p.Frame
	// Only the main frame is the page.
	if f.ParentID != "" || e.inside {
		return
	}
	// The chosen session is the one whose events lead.
	l.session = e.session
	l.probe.forget(f.ID)
	if j.files != nil {
		l.inWorld(func(*Journal, *line) {}) // it is there when something is done
	}
	if f.UnreachableURL != "" {
		l.happened(j, e, Error, "could not load "+l.address(f.UnreachableURL))
		return
	}
	l.url = l.address(f.URL + f.URLFragment)
	l.happened(j, e, Navigation, l.url)
}

// navigatedWithin reads Page.navigatedWithinDocument (CDP): history.pushState, or
// another fragment.
func navigatedWithin(j *Journal, l *line, e *event) {
	var p struct{ FrameID, URL string }
	readParams(e.params, &p)
	if e.inside || l.probe.frame != "" && p.FrameID != l.probe.frame {
		return
	}
	l.url = l.address(p.URL)
	l.happened(j, e, Navigation, l.url)
}

// downloadBegins reads Page.downloadWillBegin, for exports. It does not keep the name of the file,
// which may say who the person is.
func downloadBegins(j *Journal, l *line, e *event) {
	if j.files != nil && !e.inside {
		j.keepLocked(l, Entry{At: e.at.UnixMilli(), Kind: Reads, Action: &Action{Do: Download}}, nil)
	}
}

// noteLoad has a picture taken, since the page has finished loading.
func noteLoad(_ *Journal, l *line, e *event) {
	if !e.inside {
		l.session = e.session
		l.pictures.want()
	}
}

func contextsCleared(_ *Journal, l *line, e *event) {
	if !e.inside {
		l.probe.forget("")
	}
}

func dialogOpening(j *Journal, l *line, e *event) {
	var p struct{ Type, Message string }
	readParams(e.params, &p)
	l.happened(j, e, Dialog, fmt.Sprintf("%s opened: %s", l.text(p.Type), l.text(p.Message)))
}

// dialogClosed reads Page.javascriptDialogClosed (CDP).
func dialogClosed(j *Journal, l *line, e *event) {
	var p struct{ Result bool }
	readParams(e.params, &p)
	text := "the dialog was dismissed"
	if p.Result {
		text = "the dialog was accepted"
	}
	l.happened(j, e, Dialog, text)
}

func noteCrash(j *Journal, l *line, e *event) { l.happened(j, e, Error, "the page crashed") }

// remote is a value of script, as far as a console shows it.
type remote struct {
	Type, Description   string
	Value               json.RawMessage
	UnserializableValue string
}

func (r remote) String() string {
	var s string
	switch {
	case wire.Decode(r.Value, &s) == nil && r.Value != nil:
		return s
	case r.Value != nil:
		return string(r.Value)
	case r.UnserializableValue != "":
		return r.UnserializableValue
	case r.Description != "":
		return r.Description
	}
	return r.Type
}

// consoleCalled reads Runtime.consoleAPICalled (CDP). console.error and a failed
// console.assert count as errors.
func consoleCalled(j *Journal, l *line, e *event) {
	var p struct {
		Type string
		Args []remote
	}
	readParams(e.params, &p)
	words := make([]string, len(p.Args))
	for i, a := range p.Args {
		words[i] = a.String()
	}
	kind := Console
	if p.Type == "error" || p.Type == "assert" {
		kind = Error
	}
	l.happened(j, e, kind, l.text(strings.Join(words, " ")))
}

// exceptionThrown reads Runtime.exceptionThrown (CDP). The description of an Error
// has its stack; any other value that is thrown has none, and is shown itself.
func exceptionThrown(j *Journal, l *line, e *event) {
	var p struct {
		ExceptionDetails struct {
			Text      string
			Exception remote
		}
	}
	readParams(e.params, &p)
	d := p.ExceptionDetails
	text := strings.TrimSpace(d.Text + " " + d.Exception.Description)
	if d.Exception.Description == "" && d.Exception.Type != "" {
		text = strings.TrimSpace(d.Text + " " + d.Exception.String())
	}
	l.happened(j, e, Error, l.text(text))
}

// noteLogEntry takes what the browser itself writes to the console. Failed requests are
// left out: they have entries of their own.
func noteLogEntry(j *Journal, l *line, e *event) {
	var p struct {
		Entry struct{ Source, Level, Text, URL string }
	}
	readParams(e.params, &p)
	if p.Entry.Source == "network" {
		return
	}
	kind := Console
	if p.Entry.Level == "error" {
		kind = Error
	}
	l.happened(j, e, kind, l.text(p.Entry.Text))
}

// statusText is the status of a response in the text of an entry.
func statusText(code int) string {
	if code == 0 {
		return "no response"
	}
	return strconv.Itoa(code)
}
