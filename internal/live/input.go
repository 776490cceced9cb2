package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// mouse is a message of kind mouse, with the members of CDP's
// Input.dispatchMouseEvent. X and Y are CSS pixels of the target's viewport.
type mouse struct {
	X          float64 `json:"x"`
	Y          float64 `json:"y"`
	Button     string  `json:"button"`
	Buttons    int     `json:"buttons"`
	ClickCount int     `json:"clickCount"`
	DeltaX     float64 `json:"deltaX"`
	DeltaY     float64 `json:"deltaY"`
	Modifiers  int     `json:"modifiers"`
}

// key is a message of kind key, with the members of CDP's Input.dispatchKeyEvent.
type key struct {
	Key                   string   `json:"key"`
	Code                  string   `json:"code"`
	UnmodifiedText        string   `json:"unmodifiedText"`
	WindowsVirtualKeyCode int      `json:"windowsVirtualKeyCode"`
	NativeVirtualKeyCode  int      `json:"nativeVirtualKeyCode"`
	Location              int      `json:"location"`
	AutoRepeat            bool     `json:"autoRepeat"`
	IsKeypad              bool     `json:"isKeypad"`
	IsSystemKey           bool     `json:"isSystemKey"`
	Commands              []string `json:"commands"`
}

// command is a command for the target.
type command struct {
	method string
	params object
	merges bool // a newer one of its type may take its place while it waits
}

var (
	mouseTypes   = map[string]bool{"mouseMoved": true, "mousePressed": true, "mouseReleased": true, "mouseWheel": true}
	mouseButtons = map[string]bool{"": true, "none": true, "left": true, "middle": true, "right": true, "back": true, "forward": true}
	keyTypes     = map[string]bool{"keyDown": true, "keyUp": true, "rawKeyDown": true, "char": true}
)

// Bounds of what a viewer may send.
const (
	maxKeyText  = 256     // bytes of the text of one key
	maxPaste    = 1 << 20 // bytes
	maxCommands = 16      // editing commands of one key
	maxWaiting  = 256     // inputs that the page has not answered
)

// commandOf makes a CDP command of a message. Only members that are known here are
// passed on.
func commandOf(m *message) (command, error) {
	switch m.Kind {
	case "mouse":
		return m.mouseCommand()
	case "key":
		return m.keyCommand()
	case "paste":
		if len(m.Text) > maxPaste {
			return command{}, fmt.Errorf("the text is too long: paste at most %d bytes at a time", maxPaste)
		}
		return command{method: "Input.insertText", params: object{"text": m.Text}}, nil
	// A new document has none of the listeners that a script has left in the page.
	case "reload":
		return command{method: "Page.reload", params: object{}}, nil
	case "close":
		return command{method: "Page.close", params: object{}}, nil
	}
	if len(m.Text) > maxPaste {
		return command{}, errors.New("the answer is too long")
	}
	return command{method: "Page.handleJavaScriptDialog", params: object{"accept": m.Accept, "promptText": m.Text}}, nil
}

// mouseCommand makes Input.dispatchMouseEvent (CDP). Only types and buttons that are
// known get to the browser. A newer move or turn of the wheel takes the place of one
// that waits.
func (m *message) mouseCommand() (command, error) {
	if !mouseTypes[m.Type] {
		return command{}, fmt.Errorf("%.32q is not a type of mouse event", m.Type)
	}
	if !mouseButtons[m.Button] {
		return command{}, fmt.Errorf("%.32q is not a mouse button", m.Button)
	}
	p := object{"type": m.Type, "x": m.X, "y": m.Y, "buttons": m.Buttons, "modifiers": m.Modifiers}
	if m.Button != "" {
		p["button"] = m.Button
	}
	if m.ClickCount != 0 {
		p["clickCount"] = m.ClickCount
	}
	if m.Type == "mouseWheel" {
		p["deltaX"], p["deltaY"] = m.DeltaX, m.DeltaY
	}
	return command{"Input.dispatchMouseEvent", p, m.Type == "mouseMoved" || m.Type == "mouseWheel"}, nil
}

// keyCommand makes Input.dispatchKeyEvent (CDP). Members that are empty are left out.
func (m *message) keyCommand() (command, error) {
	switch {
	case !keyTypes[m.Type]:
		return command{}, fmt.Errorf("%.32q is not a type of key event", m.Type)
	case len(m.Text) > maxKeyText || len(m.UnmodifiedText) > maxKeyText || len(m.Key) > maxKeyText || len(m.Code) > maxKeyText:
		return command{}, errors.New("the texts of a key are too long: paste it")
	case len(m.Commands) > maxCommands:
		return command{}, errors.New("a key has too many commands")
	}
	p := object{
		"type": m.Type, "modifiers": m.Modifiers, "key": m.Key, "code": m.Code, "location": m.Location,
		"autoRepeat": m.AutoRepeat, "isKeypad": m.IsKeypad, "isSystemKey": m.IsSystemKey,
	}
	for name, text := range map[string]string{"text": m.Text, "unmodifiedText": m.UnmodifiedText} {
		if text != "" {
			p[name] = text
		}
	}
	if m.WindowsVirtualKeyCode != 0 {
		p["windowsVirtualKeyCode"] = m.WindowsVirtualKeyCode
	}
	if m.NativeVirtualKeyCode != 0 {
		p["nativeVirtualKeyCode"] = m.NativeVirtualKeyCode
	}
	if len(m.Commands) > 0 {
		p["commands"] = m.Commands
	}
	return command{"Input.dispatchKeyEvent", p, false}, nil
}

// act carries out a message of the viewer, who must have the lease.
func (w *Viewer) act(m *message) error {
	client, session, err := w.holds()
	if err != nil {
		return err
	}
	c, err := commandOf(m)
	if err != nil {
		return err
	}
	return w.view.input.put(w, client, session, c)
}

// input sends what the holder does, in its order. Only one move of the mouse or turn
// of the wheel is on its way at a time. A newer one takes the place of one that
// waits, so that a click never queues behind hundreds of moves.
type input struct {
	v    *View
	runs sync.WaitGroup // goroutines that wait for answers

	mu      sync.Mutex `stays:"goes with its view"` // guards everything below; taken before no other
	pending *command   // a move or a turn that waits
	moving  bool       // one is on its way
	count   int        // commands that the page has not answered
}

var errHangs = errors.New("the page does not answer: it may be busy, or wait for an answer to a dialog")

// put sends a command, now or after those before it. It does not wait for the answer.
// With maxWaiting commands unanswered it fails: the page hangs.
func (in *input) put(w *Viewer, client Client, session string, c command) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case in.count >= maxWaiting:
		return errHangs
	case c.merges && in.moving:
		in.mergeLocked(w, client, session, c)
		return nil
	}
	// A click must come after the move that waits.
	in.flushLocked(w, client, session)
	in.sendLocked(w, client, session, c)
	return nil
}

// mergeLocked has a move or a turn wait. It replaces a waiting move, and adds to a
// waiting turn of the wheel, whose distances count.
func (in *input) mergeLocked(w *Viewer, client Client, session string, c command) {
	p := in.pending
	switch {
	case p == nil:
	case p.params["type"] != c.params["type"]:
		in.flushLocked(w, client, session)
	case c.params["type"] == "mouseWheel":
		for _, axis := range []string{"deltaX", "deltaY"} {
			c.params[axis] = c.params[axis].(float64) + p.params[axis].(float64)
		}
	}
	in.pending = &c
}

func (in *input) flushLocked(w *Viewer, client Client, session string) {
	if c := in.pending; c != nil {
		in.pending = nil
		in.sendLocked(w, client, session, *c)
	}
}

// sendLocked sends a command; a goroutine waits for its answer.
func (in *input) sendLocked(w *Viewer, client Client, session string, c command) {
	in.count++
	in.moving = in.moving || c.merges
	wait := in.v.send(session, c.method, c.params)
	in.runs.Go(func() {
		// A minute: a page may be slow without hanging.
		ctx, cancel := context.WithTimeout(context.Background(), 12*late)
		defer cancel()
		_, err := wait(ctx)
		in.mu.Lock()
		in.count--
		if c.merges {
			in.moving = false
			in.flushLocked(w, client, session)
		}
		in.mu.Unlock()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			w.fail(err)
		}
	})
}

// begin makes the page ready for its holder. With focus emulation it paints although
// its tab is hidden. With Page enabled its dialogs come to the holder.
func (in *input) begin(session string) {
	in.v.send(session, "Emulation.setFocusEmulationEnabled", object{"enabled": true})
	in.v.send(session, "Page.enable", object{})
}

// release undoes begin. Page.disable lets dialogs be shown by others again.
func (in *input) release() {
	in.mu.Lock()
	in.pending = nil
	in.mu.Unlock()
	v := in.v
	v.mu.Lock()
	session := v.session
	v.mu.Unlock()
	v.send(session, "Page.disable", object{})
	v.send(session, "Emulation.setFocusEmulationEnabled", object{"enabled": false})
}

// wait waits until nothing waits for an answer.
func (in *input) wait() { in.runs.Wait() }
