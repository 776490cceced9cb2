package actions

import (
	"context"
	"time"
)

// DialogPolicy is what happens to a dialog of a page for which no answer is
// armed. A question before a page is left is always answered with yes.
type DialogPolicy int

// The policies.
const (
	DismissDialogs DialogPolicy = iota
	AcceptDialogs
	AskDialogs   // wait for AnswerDialog, for askTimeout at most
	LeaveDialogs // leave all to others, even a question before a page is left: for who may only read; see leaveLocked
)

// askTimeout is how long a dialog waits for an answer under AskDialogs.
const askTimeout = 30 * time.Second

// Dialog is what a page asks.
type Dialog struct {
	Type    string // "alert", "confirm", "prompt" or "beforeunload"
	Message string // redacted
	Default string // of a prompt, redacted
	URL     string // of the document that asks, redacted
	Waits   bool   // for AnswerDialog, or under LeaveDialogs for others
}

// DialogAnswer is an answer to a dialog.
type DialogAnswer struct {
	Accept bool
	Text   string // for a prompt
}

// dialogState is what a page has of dialogs. Page.mu guards it.
type dialogState struct {
	armed *DialogAnswer // for the next one
	open  *Dialog       // one that waits
	timer *time.Timer   // ends its waiting
}

// SetDialogPolicy says what happens to dialogs from now on. LeaveDialogs stays.
func (b *Browser) SetDialogPolicy(policy DialogPolicy) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dialogs != LeaveDialogs {
		b.dialogs = policy
	}
}

// mayAnswer refuses to answer dialogs under LeaveDialogs.
func (b *Browser) mayAnswer() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dialogs != LeaveDialogs {
		return nil
	}
	return newError(PermissionDenied, "permission denied: a caller that may only read cannot answer dialogs")
}

// ArmDialog sets the answer to the page's next dialog. It must be called before the
// action that opens the dialog: the page stands still until the answer.
func (p *Page) ArmDialog(ctx context.Context, a DialogAnswer) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if err := p.b.mayAnswer(); err != nil {
		return err
	}
	if _, err := p.attach(ctx); err != nil { // else it would not be heard of
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialog.armed = &a
	return nil
}

// OpenDialog is the dialog that waits for AnswerDialog, if any.
func (p *Page) OpenDialog() (Dialog, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dialog.open == nil {
		return Dialog{}, false
	}
	return *p.dialog.open, true
}

// AnswerDialog answers the dialog that waits. Without one the error is
// InvalidArgument.
func (p *Page) AnswerDialog(ctx context.Context, a DialogAnswer) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if err := p.b.mayAnswer(); err != nil {
		return err
	}
	if _, open := p.OpenDialog(); !open {
		return invalidArgument("no dialog is open")
	}
	return p.callMethod(ctx, "Page.handleJavaScriptDialog", a.params(), nil)
}

// params leaves out an empty text: promptText is optional (CDP,
// Page.handleJavaScriptDialog).
func (a DialogAnswer) params() obj {
	if a.Text == "" {
		return obj{"accept": a.Accept}
	}
	return obj{"accept": a.Accept, "promptText": a.Text}
}

// dialogOpening answers a dialog (Page.javascriptDialogOpening). The page, and every
// session on it, stands still until then: that is why an answer is always given at
// once, or a timer is set.
func (p *Page) dialogOpening(session string, e struct{ Type, Message, DefaultPrompt, URL string }) {
	p.b.mu.Lock()
	policy := p.b.dialogs
	p.b.mu.Unlock()
	d := Dialog{
		Type: cutText(e.Type, longestWord), Message: p.redact(cutText(e.Message, longestMessage)), Default: p.redact(cutText(e.DefaultPrompt, longestMessage)),
		URL: p.redactURL(e.URL),
	}
	p.mu.Lock()
	answer := p.dialog.armed
	p.dialog.armed = nil
	if p.dialog.timer != nil { // of a dialog whose end was not told
		p.dialog.timer.Stop()
	}
	switch {
	case answer != nil:
	case policy == LeaveDialogs:
		d.Waits = true
		p.leaveLocked(session, &d)
	// Leaving a page is what the caller wanted: a question before it would stop the
	// navigation.
	case e.Type == "beforeunload":
		answer = &DialogAnswer{Accept: true}
	case policy == AskDialogs:
		d.Waits = true
		p.dialog.open = &d
		p.dialog.timer = time.AfterFunc(askTimeout, func() { p.b.background(session, "Page.handleJavaScriptDialog", obj{"accept": false}) })
	default:
		answer = &DialogAnswer{Accept: policy == AcceptDialogs, Text: e.DefaultPrompt}
	}
	// Not under the lock: background takes Browser.mu, which comes before Page.mu.
	p.mu.Unlock()
	if answer != nil {
		p.b.background(session, "Page.handleJavaScriptDialog", answer.params())
	}
	p.b.emit(Event{Kind: DialogEvents, Page: p, Body: d})
}

// leaveLocked leaves a dialog to others. In a tab, a dialog without an answer is
// dismissed after askTimeout, as the hub does in a frame. Chromium sends
// Page.javascriptDialogOpening only to the sessions that exist when the dialog opens:
// a later session would find a page that does not answer, and no reason for it.
func (p *Page) leaveLocked(session string, d *Dialog) {
	p.dialog.open = d
	if p.kind != FrameTarget {
		p.dialog.timer = time.AfterFunc(askTimeout, func() { p.b.background(session, "Page.handleJavaScriptDialog", obj{"accept": false}) })
	}
}

func (p *Page) dialogClosed(string, struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialog.open = nil
	if p.dialog.timer != nil {
		p.dialog.timer.Stop()
	}
}
