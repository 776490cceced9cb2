package relay

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// A page whose script calls alert, confirm or prompt, or that asks before it is left, is blocked until the
// dialog is answered, and with it every frame of its site, perhaps the Host
// too. So its Frame Agent asks the hub over HTTP, past the Host, and the hub sends
// the events of the dialog to the Clients.

// Dialog is a dialog that script in a Target has opened.
type Dialog struct {
	TargetID string
	Key      string // bridge.Attachment.DialogKey of the Target
	FrameID  string
	URL      string
	Type     string // "alert", "confirm", "prompt" or "beforeunload"
	Message  string
	Default  string // of a prompt's field
}

// DialogAnswer is how a dialog ends.
type DialogAnswer struct {
	Native bool // no Client answers it: the browser shows its own dialog
	Accept bool
	Text   string // of a prompt
}

// ErrDialogKey is the error for a dialog of an unknown Target, or with the wrong key. One
// error for both says nothing about which Targets there are.
var ErrDialogKey = errors.New("the target does not exist, or the key is wrong")

// dialogTimeout is how long a dialog waits for a Client. The page's script is blocked for
// as long.
const dialogTimeout = 30 * time.Second

// dialogs are those of a hub, by targetId. Hub.mu guards them.
type dialogs map[string]*targetDialogs

// targetDialogs is the state of the dialogs of one Target. The key proves that a request over
// HTTP comes from the agent of the Target: the hub sends it only to the Target's Host, and
// the Host to the agent.
type targetDialogs struct {
	side *side
	key  string
	open *openDialog // nil while there is none
	// wanted is the number of sessions that answer dialogs.
	wanted int
}

// openDialog is a dialog that waits for its answer.
type openDialog struct {
	Dialog
	answer chan DialogAnswer // takes one without waiting
}

// dialogKeyLocked returns the key for the dialogs of a Target. The first session of
// the Target mints it. It is the same for all sessions of the Target, and goes with the
// Target.
func (s *side) dialogKeyLocked(targetID string) string {
	d := s.hub.dialogs[targetID]
	if d == nil {
		d = &targetDialogs{side: s, key: session.NewID()}
		if s.hostID != "" && s.hub.opts.Derive != nil { // the page goes on with it at another node
			d.key = s.hub.opts.Derive("dialog", s.hub.opts.Name, s.hostID, targetID)
		}
		// Sessions may have enabled Page before the key was made.
		for _, on := range s.sessions.ofTarget(targetID) {
			if on.answersDialogs {
				d.wanted++
			}
		}
		s.hub.dialogs[targetID] = d
	}
	return d.key
}

// attachmentOf describes a session to its Host.
func attachmentOf(s *clientSession, dialogKey string) bridge.Attachment {
	c := s.client
	_, lasts := c.peer.(Lasting)
	privateOf := c.privateOf
	if s.intercepts != nil { // of a page that the Client has
		privateOf = s.TargetID
	}
	return bridge.Attachment{
		SessionID: s.ID, TargetID: s.TargetID, DialogKey: dialogKey,
		NoFiles: c.noFiles, ReadOnly: c.readOnly(), Lasting: lasts, PrivateOf: privateOf, Tabs: c.tabs(),
		Account: c.account.payer.ID, Client: c.name,
	}
}

// forget forgets a Target. A dialog that is open is dismissed: its page is gone.
func (d dialogs) forget(targetID string) {
	d.dismiss(targetID)
	delete(d, targetID)
}

// OpenDialog shows a dialog to the Clients that have Page enabled on its
// Target, and returns what the first of them answers. Without such a Client
// that may answer, or when the last of them leaves, the browser shows its own.
// After 30 s, or when ctx ends, an alert is accepted and the rest dismissed.
// One dialog is open at a time: as in Chromium, a second is dismissed at once.
func (h Control) OpenDialog(ctx context.Context, d Dialog) (DialogAnswer, error) {
	opening := openingParams(d) // before the lock, as the texts may be long
	h.mu.Lock()
	slot := h.dialogs[d.TargetID]
	if slot == nil || !sameSecret(slot.key, d.Key) {
		h.mu.Unlock()
		return DialogAnswer{}, ErrDialogKey
	}
	unanswered := DialogAnswer{Accept: d.Type == "alert"}
	switch {
	case slot.wanted == 0:
		h.mu.Unlock()
		return DialogAnswer{Native: true}, nil
	case slot.open != nil:
		h.mu.Unlock()
		return unanswered, nil
	}
	o := &openDialog{Dialog: d, answer: make(chan DialogAnswer, 1)}
	slot.open = o
	slot.notifyLocked(d.TargetID, dialogOpening, opening)
	h.mu.Unlock()

	// The goroutine that waits is that of the agent's HTTP request.
	ctx, cancel := context.WithTimeout(ctx, dialogTimeout)
	defer cancel()
	select {
	case a := <-o.answer:
		return a, nil
	case <-ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if slot.open == o {
		slot.settleLocked(unanswered)
	}
	return <-o.answer, nil // settled here, or by somebody between the timeout and the lock
}

// sameSecret compares secrets in a time that says nothing about them.
func sameSecret(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// openingParams are the params of Page.javascriptDialogOpening. hasBrowserHandler is true,
// as in a browser with a window: the page is blocked until the dialog is handled.
func openingParams(d Dialog) []byte {
	b := wire.AppendString([]byte(`{"url":`), d.URL)
	b = wire.AppendString(append(b, `,"frameId":`...), d.FrameID)
	b = wire.AppendString(append(b, `,"message":`...), d.Message)
	b = wire.AppendString(append(b, `,"type":`...), d.Type)
	b = wire.AppendString(append(b, `,"hasBrowserHandler":true,"defaultPrompt":`...), d.Default)
	return append(b, '}')
}

// settleLocked ends the open dialog of a Target, if there is one. The Clients get
// Page.javascriptDialogClosed before OpenDialog returns. The channel has room for the one
// answer that it ever gets.
func (slot *targetDialogs) settleLocked(a DialogAnswer) {
	o := slot.open
	if o == nil {
		return
	}
	slot.open = nil
	// It never blocks: slot.open is nil from now on, so that nothing else is sent.
	o.answer <- a
	b := wire.AppendString([]byte(`{"frameId":`), o.FrameID)
	if a.Accept {
		b = append(b, `,"result":true,"userInput":`...)
	} else {
		b = append(b, `,"result":false,"userInput":`...)
	}
	slot.notifyLocked(o.TargetID, dialogClosed, append(wire.AppendString(b, a.Text), '}'))
}

// errNoDialog is Chromium's.
var errNoDialog = &wire.Error{Code: wire.CodeInvalidParams, Message: "No dialog is showing"}

// maxPromptText is how long the answer to a prompt may be, in bytes: every
// session of the Target gets it in an event.
const maxPromptText = 64 << 10

var errPromptText = wire.InvalidParams("promptText is longer than 65536 bytes")

// handleDialog answers the open dialog. When none is open, the method goes to a Host
// that shows dialogs itself, as Hosts of version 1 do.
func handleDialog(h *Hub, r *request) ([]byte, *wire.Error) {
	slot := h.dialogs[r.session.TargetID]
	if slot == nil || slot.open == nil {
		if d, ok := sideOf(r.session).host.(bridge.Dialogs); ok && d.AsksHub() {
			return nil, errNoDialog
		}
		return nil, errPassOn
	}
	p := &r.args
	switch {
	case !p.hasAccept:
		return nil, missingParam("accept")
	case len(p.promptText) > maxPromptText:
		return nil, errPromptText
	}
	a := DialogAnswer{Accept: p.accept}
	if p.accept && slot.open.Type == "prompt" {
		if a.Text = string([]byte(p.promptText)); !p.hasPromptText {
			a.Text = slot.open.Default
		}
	}
	slot.settleLocked(a)
	return nil, nil
}

// notePageClose and noteCloseTarget dismiss the dialog of a Target that is
// about to be closed: its Host may be blocked with it.
func notePageClose(h *Hub, r *request) {
	if r.session != nil {
		h.dialogs.dismiss(r.session.TargetID)
	}
}

// noteCloseTarget is for Target.closeTarget, see notePageClose.
func noteCloseTarget(h *Hub, r *request) {
	h.dialogs.dismiss(r.args.targetID)
}

// dismiss dismisses the open dialog of a Target, if there is one.
func (d dialogs) dismiss(targetID string) {
	if len(targetID) > targets.MaxID {
		return
	}
	if slot := d[targetID]; slot != nil {
		slot.settleLocked(DialogAnswer{})
	}
}

// notePage returns a note of Page.enable or Page.disable.
func notePage(on bool) func(*Hub, *request) {
	return func(h *Hub, r *request) {
		if r.session != nil && r.session.Kind == session.Page {
			h.dialogs.setPageEvents(r.session, on)
		}
	}
}

// setPageEvents notes whether a session has Page enabled. When no session is left
// that answers dialogs, the browser shows the open one itself. slot.wanted must be exact:
// at 0 the browser shows dialogs itself, and above it the page waits for a Client.
func (d dialogs) setPageEvents(s *clientSession, on bool) {
	answers := on && s.client.answers()
	was := s.answersDialogs
	s.pageEvents, s.answersDialogs = on, answers
	slot := d[s.TargetID]
	switch {
	case slot == nil || answers == was:
	case answers:
		slot.wanted++
	default:
		if slot.wanted--; slot.wanted == 0 {
			slot.settleLocked(DialogAnswer{Native: true})
		}
	}
}

// answerDialog is the method that answers dialogs.
const answerDialog = "Page.handleJavaScriptDialog"

// answers reports whether the Client answers dialogs.
func (c *Client) answers() bool {
	return !c.readOnly() && c.refuse(answerDialog) == nil
}

// readOnly reports whether the Client only reads.
func (c *Client) readOnly() bool {
	o, ok := c.policy.(ReadOnly)
	return ok && o.ReadOnly()
}

// notifyLocked sends an event to those sessions of the Target that have Page enabled.
func (slot *targetDialogs) notifyLocked(targetID, method string, params []byte) {
	h := slot.side.hub
	seen := h.viewsOf(method, params)
	list := slot.side.sessions.ofTarget(targetID)
	if h.observer != nil && len(list) > 0 {
		h.observeEventLocked(list[0], method, params)
	}
	for _, s := range list {
		if body, ok := h.leases.seen(&seen, s); ok && s.pageEvents {
			s.client.event(s, method, body)
		}
	}
}
