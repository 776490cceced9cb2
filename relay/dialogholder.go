package relay

import (
	"bytes"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// Chromium announces a dialog only to the sessions that had Page enabled when it opened,
// and only these may answer it (Chromium 156). A person who takes over the page
// later, because it waits for an answer, sees and answers the dialog through the hub.

// maxDialogText is how much of the texts of an open dialog is kept, in bytes.
const maxDialogText = 4 << 10

const (
	dialogOpening = "Page.javascriptDialogOpening"
	dialogClosed  = "Page.javascriptDialogClosed"
)

// noteDialog keeps the dialog that was announced to a session of a browser. The hub cannot
// ask the browser for an open dialog later: CDP has no command for it.
func noteDialog(s *clientSession, method string, params []byte) {
	switch method {
	case dialogOpening:
		var d Dialog
		_ = wire.ReadObject(params, func(key string, value []byte) error { // what is missing is empty
			text, _ := wire.Text(value)
			switch text = targets.Cut(text, maxDialogText); key {
			case "url":
				d.URL = text
			case "frameId":
				d.FrameID = text
			case "type":
				d.Type = text
			case "message":
				d.Message = text
			case "defaultPrompt":
				d.Default = text
			}
			return nil
		})
		s.dialog = string(openingParams(d))
	case dialogClosed:
		s.dialog = ""
	}
}

// noteDisable forgets the dialog of a session that disables Page: the browser does, too.
func noteDisable(s *clientSession, method string) {
	if s.dialog != "" && method == "Page.disable" {
		s.dialog = ""
	}
}

// dialogLocked is the dialog that the page of a lease shows, and the session that may
// answer it; nil where the hub does, or there is none.
func (l *lease) dialogLocked() (params []byte, in *clientSession) {
	if slot := l.side.hub.dialogs[l.target]; slot != nil && slot.open != nil {
		return openingParams(slot.open.Dialog), nil
	}
	for _, s := range l.side.sessions.ofTarget(l.target) {
		if s.dialog != "" {
			return []byte(s.dialog), s
		}
	}
	return nil, nil
}

// answerDialog sends the holder of a lease the dialog that was open before, once the
// holder enables Page, and lets it answer the dialog. It reports whether the command needs
// no more. The person's answer is sent in the session to which the dialog was announced, in
// the name of its Client. That Client sees neither the command nor its result.
func (l *lease) answerDialog(r *request) bool {
	if r.session == nil || r.session.TargetID != l.target || r.session.pageEvents || r.session.dialog != "" {
		return false
	}
	params, in := l.dialogLocked()
	switch {
	case params != nil && r.Method == "Page.enable":
		r.client.event(r.session, dialogOpening, params)
	case in != nil && r.Method == answerDialog:
		id, c, s := bytes.Clone(r.ID), r.client, r.session
		h := c.hub
		h.counters.Received-- // it is counted when it is answered
		h.askInLocked(in.ID, answerDialog, r.Params, func(result []byte, err *Error) {
			h.counters.Received++
			c.answer(s, id, result, err)
		})
		return true
	}
	return false
}
