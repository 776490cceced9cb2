package actions

import (
	"context"
	"encoding/base64"
	"encoding/json"
)

// FillOptions are for Fill.
type FillOptions struct {
	Force bool // no checks but that the element is there
}

// Fill replaces the value of an input, a textarea, a select or an editable
// element, and lets the page know.
func (p *Page) Fill(ctx context.Context, l Locator, value string, o FillOptions) error {
	return p.editElement(ctx, l, scriptCall{verb: "fill", args: obj{"value": value, "force": o.Force}, acts: true})
}

// Clear empties a field.
func (p *Page) Clear(ctx context.Context, l Locator, o FillOptions) error {
	return p.Fill(ctx, l, "", o)
}

// Focus focuses an element without clicking it.
func (p *Page) Focus(ctx context.Context, l Locator) error {
	return p.editElement(ctx, l, scriptCall{verb: "focus", args: obj{}})
}

// SelectOption selects the options of a select with these values or labels,
// and no others. It returns the values that are selected then.
func (p *Page) SelectOption(ctx context.Context, l Locator, values []string) (selected []string, err error) {
	if values == nil {
		values = []string{}
	}
	err = p.editElement(ctx, l, scriptCall{verb: "choose", args: obj{"values": values}, result: &selected, acts: true})
	return selected, err
}

// File is a file to upload.
type File struct {
	Name     string
	MIMEType string
	Data     []byte
}

// maxUpload is how many bytes of files go into one call, before base64 makes them a
// third longer.
const maxUpload = 50 << 20

// SetInputFiles puts files into a file input. The page script makes them of the bytes
// in the call: no file of the hub's machine is read, as DOM.setFileInputFiles would.
func (p *Page) SetInputFiles(ctx context.Context, l Locator, files []File) error {
	list, err := fileContents(files)
	if err != nil {
		return err
	}
	return p.editElement(ctx, l, scriptCall{verb: "files", args: obj{"files": list}, acts: true})
}

// fileContents are files as the page gets them.
func fileContents(files []File) ([]obj, error) {
	list := make([]obj, len(files))
	total := 0
	for i, f := range files {
		total += len(f.Data)
		if f.Name == "" {
			return nil, invalidArgument("file %d has no name", i+1)
		}
		list[i] = obj{"name": f.Name, "type": f.MIMEType, "data": base64.StdEncoding.EncodeToString(f.Data)}
	}
	if total > maxUpload {
		return nil, newError(LimitExceeded, "limit exceeded: the files have %d bytes, at most %d can be sent", total, maxUpload)
	}
	return list, nil
}

// Scroll says how far to scroll.
type Scroll struct {
	DX, DY float64 // CSS pixels; with Pages, their signs say where to
	Pages  float64 // viewports instead of pixels
	End    string  // "top" or "bottom", instead of both
}

// Scroll scrolls an element, or what around it can scroll; where l is nil, the
// page.
func (p *Page) Scroll(ctx context.Context, l Locator, by Scroll) error {
	args := obj{"dx": by.DX, "dy": by.DY, "pages": by.Pages}
	switch by.End {
	case "":
	case "top", "bottom":
		args["end"] = by.End
	default:
		return invalidArgument("%q is not an end to scroll to: use top or bottom", by.End)
	}
	return p.editElement(ctx, l, scriptCall{verb: "scroll", args: args})
}

// ScrollIntoView brings an element into the viewport.
func (p *Page) ScrollIntoView(ctx context.Context, l Locator) error {
	if l == nil {
		return checkLocator(l)
	}
	return p.editElement(ctx, l, scriptCall{verb: "scrollIntoView", args: obj{}})
}

// editElement runs a call of the page script as input, after other input. Only scroll needs
// no element.
func (p *Page) editElement(ctx context.Context, l Locator, c scriptCall) error {
	if l != nil || c.verb != "scroll" {
		if err := checkLocator(l); err != nil {
			return err
		}
		c.args["locator"] = l.query()
	}
	return p.runInput(ctx, func(ctx context.Context, _ string) error { return p.callScript(ctx, c) })
}

// DragTo drags one element to another, with the mouse. It works for drags of HTML
// (draggable) and for those that a page makes of mouse events.
func (p *Page) DragTo(ctx context.Context, from, to Locator) error {
	for _, l := range []Locator{from, to} {
		if err := checkLocator(l); err != nil {
			return err
		}
	}
	return p.runInput(ctx, func(ctx context.Context, s string) error {
		// A stale ref is refused before the button is pressed.
		if _, err := p.ElementState(ctx, to, []string{}); KindOf(err) == StaleRef {
			return err
		}
		at, err := p.findPoint(ctx, from, obj{})
		if err != nil {
			return err
		}
		return p.sendDrag(ctx, s, at, to)
	})
}

// held is what a mouse event says while the left button is down (CDP,
// Input.dispatchMouseEvent; buttons as in UI Events).
var held = obj{"button": "left", "buttons": 1}

// sendDrag presses at a point, moves to the element and releases. If the page has begun a
// drag of HTML, Chromium sends no more mouse events, and the browser is asked to
// continue with Input.dispatchDragEvent.
func (p *Page) sendDrag(ctx context.Context, s string, from Point, l Locator) error {
	p.mu.Lock()
	p.dragged = nil
	p.mu.Unlock()
	if err := p.callCommands(ctx, command{s, "Input.setInterceptDrags", obj{"enabled": true}, nil}); err != nil && KindOf(err) != Unsupported {
		return err
	}
	defer p.b.background(s, "Input.setInterceptDrags", obj{"enabled": false})
	if err := p.callScript(ctx, scriptCall{verb: "dragStarts"}); err != nil {
		return err
	}
	press := obj{"button": "left", "buttons": 1, "clickCount": 1}
	if err := p.sendInput(ctx, mouseCommand(s, "mouseMoved", from, 0, nil), mouseCommand(s, "mousePressed", from, 0, press)); err != nil {
		return err
	}
	to, err := p.findPoint(ctx, l, obj{"disabled": true, "covered": true})
	if err != nil {
		return err
	}
	// One move in between: pages begin a drag only after some way.
	half := Point{(from.X + to.X) / 2, (from.Y + to.Y) / 2}
	if err := p.sendInput(ctx, mouseCommand(s, "mouseMoved", half, 0, held), mouseCommand(s, "mouseMoved", to, 0, held)); err != nil {
		return err
	}
	var started bool
	if err := p.callScript(ctx, scriptCall{verb: "dragStarts", result: &started}); err != nil {
		return err
	}
	if started { // the button is up then, without a click
		return p.sendDrop(ctx, s, to)
	}
	return p.sendInput(ctx, mouseCommand(s, "mouseMoved", to, 0, held), mouseCommand(s, "mouseReleased", to, 0, obj{"button": "left", "clickCount": 1}))
}

// sendDrop ends a drag of HTML's drag and drop model. The data come with
// Input.dragIntercepted.
func (p *Page) sendDrop(ctx context.Context, s string, at Point) error {
	var data json.RawMessage
	if err := p.awaitState(ctx, Timeout, func() (bool, *Error) {
		data = p.dragged
		return p.dragged != nil, nil
	}); err != nil {
		return err
	}
	var list []command
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		list = append(list, command{s, "Input.dispatchDragEvent", obj{"type": kind, "x": at.X, "y": at.Y, "data": data}, nil})
	}
	return p.sendInput(ctx, list...)
}

// dragIntercepted takes the Input.DragData of a drag that the page has begun.
func (p *Page) dragIntercepted(_ string, e struct{ Data json.RawMessage }) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dragged = e.Data
	p.changeLocked()
}
