package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cdphub/cdphub/internal/secrets"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay"
)

// The messages to viewers, which docs/dashboard.md describes.
type (
	viewMessage struct {
		Kind     string `json:"kind"`
		TargetID string `json:"targetId"`
		Title    string `json:"title"`
		URL      string `json:"url"`
		Drawn    bool   `json:"drawn"`
		Control  bool   `json:"control"`
	}
	holderMessage struct {
		Kind  string `json:"kind"`
		Name  string `json:"name"`
		Mine  bool   `json:"mine"`
		Until int64  `json:"until,omitempty"`
		You   bool   `json:"you,omitempty"`   // the holder is this person, maybe in another window
		Quiet bool   `json:"quiet,omitempty"` // others do not see what the holder types
	}
	textMessage struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	}
	dialogMessage struct {
		Kind    string `json:"kind"`
		Type    string `json:"type"`
		Message string `json:"message"`
		Default string `json:"default"`
	}
)

func (w *Viewer) sendLocked(m any) {
	text, err := json.Marshal(m)
	if err != nil { // of texts and numbers alone
		panic(err)
	}
	w.Send(text, nil)
}

// pictureMessage announces the binary message with a picture. Width and height are
// the page's, in CSS pixels.
func pictureMessage(seq int64, width, height float64) []byte {
	return []byte(`{"kind":"picture","seq":` + strconv.FormatInt(seq, 10) + `,"format":"jpeg","width":` + numberText(width) + `,"height":` + numberText(height) + `}`)
}

// fail tells a viewer what was wrong.
func (w *Viewer) fail(err error) {
	if err == nil {
		return
	}
	w.view.mu.Lock()
	defer w.view.mu.Unlock()
	w.sendLocked(textMessage{"error", commandError(err)})
}

// commandError is an error of a command with what its data says to do.
func commandError(err error) string {
	if e := new(wire.Error); errors.As(err, &e) {
		return e.Full()
	}
	return err.Error()
}

// tellHolder tells the viewers that the holder has changed. taken is how often a
// viewer of this view had taken the target over before the caller asked for the
// holder: if it has grown, that answer is outdated.
func (v *View) tellHolder(held relay.Holding, isHeld bool, taken int) {
	defer v.takeTurn()()
	v.mu.Lock()
	if taken == v.taken && !isHeld && v.holder != nil { // it has ended by itself
		v.holder = nil
		defer v.input.release()
	}
	changed := isHeld != v.isHeld || held.Name != v.held.Name || held.Quiet != v.held.Quiet || v.notified != v.holder
	v.held, v.isHeld, v.notified = held, isHeld, v.holder
	if changed {
		for w := range v.viewers {
			w.tellHolderLocked()
		}
	}
	v.mu.Unlock()
}

// noteQuiet notes whether the target is quiet, and tells the viewers its title again, or no
// more.
func (v *View) noteQuiet() {
	if v.Quieted == nil {
		return
	}
	quieted, isQuiet := v.Quieted()
	v.mu.Lock()
	defer v.mu.Unlock()
	changed := isQuiet != v.isQuiet
	v.quieted, v.isQuiet = quieted, isQuiet
	if changed {
		for w := range v.viewers {
			w.tellInfoLocked()
		}
	}
}

// tellHolderLocked tells a viewer who has taken over the target, and whether it is
// the viewer itself.
func (w *Viewer) tellHolderLocked() {
	v := w.view
	m := holderMessage{Kind: "holder"}
	if v.isHeld {
		m.Name, m.Mine, m.Until, m.Quiet = v.held.Name, v.holder == w, v.held.Until.UnixMilli(), v.held.Quiet
		m.You = m.Mine || w.Is != nil && w.Is(v.held)
	}
	w.sendLocked(m)
}

// tellInfo tells the viewers of a new title or address.
func (v *View) tellInfo(i Info) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if i == v.info {
		return
	}
	v.info = i
	for w := range v.viewers {
		w.tellInfoLocked()
	}
}

// tellInfoLocked tells a viewer what the view shows, as far as the viewer may see it. A viewer
// without control is a reader, and gets no secrets of addresses.
func (w *Viewer) tellInfoLocked() {
	v, i := w.view, w.view.info
	if w.blindLocked() {
		i.Title, i.URL = relay.Hide(i.Title, i.URL)
	}
	if !w.Control {
		i.Title, i.URL = secrets.Text(i.Title), secrets.Text(i.URL)
	}
	w.sendLocked(viewMessage{"view", v.TargetID, i.Title, i.URL, i.Drawn, w.Control})
}

// dialogLocked tells the holder of a dialog of the page, and of its end.
func (v *View) dialogLocked(opening []byte) {
	if v.holder == nil {
		return
	}
	m := dialogMessage{Kind: "dialog"}
	if opening != nil {
		var e struct{ Type, Message, DefaultPrompt string }
		if wire.Decode(opening, &e) != nil {
			return
		}
		m.Type, m.Message, m.Default = cutText(e.Type), cutText(e.Message), cutText(e.DefaultPrompt)
	}
	v.holder.sendLocked(m)
}

// longestText is how much of a text of a page a viewer gets, in bytes.
const longestText = 64 << 10

func cutText(text string) string {
	if len(text) <= longestText {
		return text
	}
	return strings.ToValidUTF8(text[:longestText], "") + "…"
}

// readVisible reads {"visible":true}.
func readVisible(params []byte) bool {
	var p struct{ Visible bool }
	return wire.Decode(params, &p) == nil && p.Visible
}

// detachedSession reads {"sessionId":"S","targetId":"T"}.
func detachedSession(params []byte) string {
	var p struct{ SessionID string }
	_ = wire.Decode(params, &p) // "" is no session
	return p.SessionID
}

// MaxMessage is how long a message of a viewer may be, in bytes.
const MaxMessage = 2 << 20

// message is a message of a viewer. The members that count depend on Kind.
type message struct {
	Kind string `json:"kind"`

	Seq                int64   `json:"seq"`
	Width, Height, FPS float64 `json:"-"`

	Type string `json:"type"`
	Text string `json:"text"`
	mouse
	key
	Accept bool `json:"accept"`
}

// Receive takes one message of the viewer. It may wait for a turn. The viewer gets an
// "error" message for one that is wrong.
func (w *Viewer) Receive(text []byte) {
	m, err := readMessage(text)
	if err != nil {
		w.fail(err)
		return
	}
	switch m.Kind {
	case "ack":
		w.ack(m.Seq)
	case "size":
		err = w.size(m)
	case "take":
		err = w.take()
	case "release":
		err = w.release()
	case "mouse", "key", "paste", "dialog", "reload", "close":
		err = w.act(m)
	case "done", "cancel":
		err = w.answer(m.Kind == "done")
	default:
		err = fmt.Errorf("%.32q is not a kind of message", m.Kind)
	}
	w.fail(err)
}

// readMessage reads a message of a viewer. Its sizes are read only for the kind
// "size": other kinds may have members of those names with other types.
func readMessage(text []byte) (*message, error) {
	m := new(message)
	var sizes struct {
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
		FPS    float64 `json:"fps"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("a message is a JSON object with a kind: %w", err)
	}
	if m.Kind == "size" {
		if err := json.Unmarshal(text, &sizes); err != nil {
			return nil, fmt.Errorf("a size has numbers: %w", err)
		}
		m.Width, m.Height, m.FPS = sizes.Width, sizes.Height, sizes.FPS
	}
	return m, nil
}
