package relay

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
)

// A page whose script calls alert, confirm or prompt is blocked until the
// dialog is answered, and with it every frame of its site, perhaps the Host
// too. So its Frame Agent asks the hub past the Host, and the hub speaks with
// the Clients.

// Dialog is a dialog that script in a Target has opened.
type Dialog struct {
	TargetID string
	Key      string // what the Host was told with the Target's sessions
	FrameID  string
	URL      string
	Type     string // "alert", "confirm" or "prompt"
	Message  string
	Default  string // of a prompt's field
}

// DialogAnswer is what becomes of a dialog.
type DialogAnswer struct {
	Native bool // no Client wants it: let the browser show its own
	Accept bool
	Text   string // of a prompt
}

// ErrDialogKey refuses a dialog of a Target that is not there, or of somebody
// who does not know the Target's key.
var ErrDialogKey = errors.New("no such target, or the wrong key")

// dialogTimeout is how long a dialog waits for a Client.
const dialogTimeout = 30 * time.Second

// dialogs is what a hub keeps for the dialogs of one Target.
type dialogs struct {
	key  string
	open *openDialog // nil while there is none
}

type openDialog struct {
	Dialog
	answer chan DialogAnswer // takes one without waiting
}

// announceLocked tells the Host of a session, and with the first of a Target
// of the key for its dialogs.
func (h *Hub) announceLocked(s *session.Session) {
	a, ok := h.host.(bridge.Announcer)
	if !ok {
		return
	}
	d := h.dialogs[s.TargetID]
	if d == nil {
		d = &dialogs{key: session.NewID()}
		h.dialogs[s.TargetID] = d
	}
	a.Attached(s.ID, s.TargetID, d.key)
}

// endDialogsLocked forgets a Target.
func (h *Hub) endDialogsLocked(targetID string) {
	h.dismissLocked(targetID)
	delete(h.dialogs, targetID)
}

// OpenDialog shows a dialog to the Clients that have Page enabled on its
// Target, and returns what the first of them answers. Without such a Client
// that may answer,
// or when the last of them leaves, the browser shows its own. After 30 s, or
// when ctx ends, an alert is accepted and the rest dismissed. One dialog is
// open at a time: as in Chromium, a second is dismissed at once.
func (h *Hub) OpenDialog(ctx context.Context, d Dialog) (DialogAnswer, error) {
	h.mu.Lock()
	slot := h.dialogs[d.TargetID]
	if slot == nil || subtle.ConstantTimeCompare([]byte(slot.key), []byte(d.Key)) == 0 {
		h.mu.Unlock()
		return DialogAnswer{}, ErrDialogKey
	}
	unanswered := DialogAnswer{Accept: d.Type == "alert"}
	switch {
	case !h.answerableLocked(d.TargetID):
		h.mu.Unlock()
		return DialogAnswer{Native: true}, nil
	case slot.open != nil:
		h.mu.Unlock()
		return unanswered, nil
	}
	o := &openDialog{Dialog: d, answer: make(chan DialogAnswer, 1)}
	slot.open = o
	h.tellPageLocked(d.TargetID, "Page.javascriptDialogOpening", openingParams(d))
	h.mu.Unlock()

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
		h.settleLocked(slot, unanswered)
	}
	return <-o.answer, nil
}

func openingParams(d Dialog) []byte {
	b := wire.AppendString([]byte(`{"url":`), d.URL)
	b = wire.AppendString(append(b, `,"frameId":`...), d.FrameID)
	b = wire.AppendString(append(b, `,"message":`...), d.Message)
	b = wire.AppendString(append(b, `,"type":`...), d.Type)
	b = wire.AppendString(append(b, `,"hasBrowserHandler":true,"defaultPrompt":`...), d.Default)
	return append(b, '}')
}

// settleLocked ends the open dialog of a Target, if there is one.
func (h *Hub) settleLocked(slot *dialogs, a DialogAnswer) {
	o := slot.open
	if o == nil {
		return
	}
	slot.open = nil
	o.answer <- a
	b := wire.AppendString([]byte(`{"frameId":`), o.FrameID)
	if a.Accept {
		b = append(b, `,"result":true,"userInput":`...)
	} else {
		b = append(b, `,"result":false,"userInput":`...)
	}
	h.tellPageLocked(o.TargetID, "Page.javascriptDialogClosed", append(wire.AppendString(b, a.Text), '}'))
}

// errNoDialog is Chromium's.
var errNoDialog = &wire.Error{Code: wire.CodeInvalidParams, Message: "No dialog is showing"}

// handleDialog answers the open dialog. While there is none the method is the
// Host's where it has dialogs of its own, as one of version 1 has.
func handleDialog(h *Hub, r *request) ([]byte, *wire.Error) {
	slot := h.dialogs[r.session.TargetID]
	if slot == nil || slot.open == nil {
		if d, ok := h.host.(bridge.Dialogs); ok && d.AsksHub() {
			return nil, errNoDialog
		}
		return nil, errPassOn
	}
	p := &r.args
	if !p.hasAccept {
		return nil, missing("accept")
	}
	a := DialogAnswer{Accept: p.accept}
	if p.accept && slot.open.Type == "prompt" {
		if a.Text = string([]byte(p.promptText)); !p.hasPromptText {
			a.Text = slot.open.Default
		}
	}
	h.settleLocked(slot, a)
	return nil, nil
}

// notePageClose and noteCloseTarget dismiss the dialog of a Target that is
// about to be closed: its Host may be blocked with it.
func notePageClose(h *Hub, r *request) { h.dismissLocked(r.session.TargetID) }

func noteCloseTarget(h *Hub, r *request) {
	if p, err := readParams(r.Params); err == nil {
		h.dismissLocked(p.targetID)
	}
}

func (h *Hub) dismissLocked(targetID string) {
	if slot := h.dialogs[targetID]; slot != nil {
		h.settleLocked(slot, DialogAnswer{})
	}
}

// notePage keeps account of who wants Page's events.
func notePage(on bool) func(*Hub, *request) {
	return func(h *Hub, r *request) {
		r.session.PageEvents = on
		h.checkDialogLocked(r.session.TargetID)
	}
}

// checkDialogLocked gives an open dialog back to the browser when nobody is
// left to answer it.
func (h *Hub) checkDialogLocked(targetID string) {
	if slot := h.dialogs[targetID]; slot != nil && slot.open != nil && !h.answerableLocked(targetID) {
		h.settleLocked(slot, DialogAnswer{Native: true})
	}
}

// answerDialog is the method that answers dialogs.
const answerDialog = "Page.handleJavaScriptDialog"

// answerableLocked reports whether any session of a Target has Page enabled and
// may answer dialogs.
func (h *Hub) answerableLocked(targetID string) bool {
	for _, s := range h.sessions.OfTarget(targetID) {
		if s.PageEvents && s.Peer.(*Client).answers() {
			return true
		}
	}
	return false
}

// answers reports whether the Client answers dialogs.
func (c *Client) answers() bool {
	o, ok := c.policy.(Onlooker)
	return (!ok || !o.LooksOn()) && c.refuse(answerDialog) == nil
}

// tellPageLocked sends an event to those sessions of a Target.
func (h *Hub) tellPageLocked(targetID, method string, params []byte) {
	f := wire.Frame{Head: wire.AppendEventHead(nil, method), Body: params}
	for _, s := range h.sessions.OfTarget(targetID) {
		if s.PageEvents {
			f.Tail = s.Tail()
			s.Peer.Deliver(f)
		}
	}
}
