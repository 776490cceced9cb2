package actions

import (
	"context"
	"strings"
)

// Frame is one frame of a page.
type Frame struct {
	ID     string
	Name   string
	URL    string
	Parent string // "" for the main frame
}

// FrameChoice says which frame is meant: the first of its fields that is set;
// none is the main frame.
type FrameChoice struct {
	ID      string
	Element Locator // the frame's element, in the frame chosen before
	URL     string  // a part of the address
}

// Frames lists the frames of the page, the main one first; addresses and names
// are redacted.
func (p *Page) Frames(ctx context.Context) ([]Frame, error) {
	table, err := p.listFrames(ctx)
	for i := range table.list {
		table.list[i] = p.tellFrame(table.list[i])
	}
	return table.list, err
}

// tellFrame is a frame as a caller may know it.
func (p *Page) tellFrame(f Frame) Frame {
	f.URL, f.Name = p.redactURL(f.URL), p.redact(f.Name)
	return f
}

// listFrames lists the frames with addresses and names as they are, for what judges them.
// Each process of the page has a tree of its own; trees[0] is that of the page.
func (p *Page) listFrames(ctx context.Context) (table frameTable, err error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	s, err := p.attach(ctx)
	if err != nil {
		return table, err
	}
	p.mu.Lock()
	sessions := []string{s}
	for _, child := range p.frames.sessions {
		sessions = append(sessions, child)
	}
	p.mu.Unlock()
	trees := make([]struct{ FrameTree frameTree }, len(sessions))
	commands := make([]command, len(sessions))
	for i, s := range sessions {
		commands[i] = command{s, "Page.getFrameTree", nil, &trees[i]}
	}
	// Without the tree of a child, that frame has just gone.
	if method, err := p.sendCommands(ctx, commands...); err != nil && (trees[0].FrameTree.Frame.ID == "" || ctx.Err() != nil) {
		return table, p.translate(method, err)
	}
	table.parents = make(map[string]string)
	for i := range trees {
		if err := table.add(&trees[i].FrameTree); err != nil {
			return frameTable{}, err
		}
	}
	return table, nil
}

// SetFrame has locators, snapshots and Evaluate work in a frame, until the page
// navigates or the frame goes. Errors: FrameNotFound, and URLBlocked for a frame
// whose address is not allowed.
func (p *Page) SetFrame(ctx context.Context, c FrameChoice) (Frame, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	id := c.ID
	if c.Element != nil && id == "" {
		var err error
		if id, err = p.elementFrame(ctx, c.Element); err != nil {
			return Frame{}, err
		}
	}
	table, err := p.listFrames(ctx)
	if err != nil {
		return Frame{}, err
	}
	for _, f := range table.list {
		if id != "" && f.ID != id || id == "" && c.URL != "" && !strings.Contains(f.URL, c.URL) {
			continue
		}
		if err := p.b.refusal(f.URL); err != nil {
			return Frame{}, err
		}
		p.mu.Lock()
		p.frames.chosen = f.ID
		if f.ID == p.doc.frame {
			p.frames.chosen = ""
		}
		p.mu.Unlock()
		return p.tellFrame(f), nil
	}
	return Frame{}, newError(FrameNotFound, "not found: no frame %s%s", id, c.URL)
}

// elementFrame is the id of the frame that an iframe element holds.
func (p *Page) elementFrame(ctx context.Context, l Locator) (string, error) {
	if err := checkLocator(l); err != nil {
		return "", err
	}
	return p.frameOf(ctx, p.frameFor(l.query()), l)
}

// staleAdvice is the end of what the page script says of a stale ref (web/src/actions/refs.ts).
const staleAdvice = ": take a new snapshot"

// frameOf is the id of the frame of an element, which is looked for in another
// frame.
func (p *Page) frameOf(ctx context.Context, in string, l Locator) (string, error) {
	w, object, err := p.findElement(ctx, in, l)
	if err != nil {
		return "", err
	}
	var out struct {
		Node struct {
			FrameID         string
			ContentDocument struct{ FrameID string }
		}
	}
	if err := p.callCommands(ctx, command{w.session, "DOM.describeNode", obj{"objectId": object}, &out}); err != nil {
		return "", err
	}
	id := out.Node.FrameID
	if id == "" {
		return "", newError(FrameNotFound, "not found: %s is not a frame", l)
	}
	return id, nil
}

// findElement finds the objectId of an element in the page script's world, or of the
// document where l is nil. The objectId is good in the session of the world, until
// the document goes.
func (p *Page) findElement(ctx context.Context, frame string, l Locator) (*world, string, error) {
	args := obj{}
	if l != nil {
		args["locator"] = l.query()
	}
	// The script waits for the element itself.
	args = p.scriptArguments(args, elementPatience(ctx))
	w, err := p.worldOf(ctx, frame)
	if err != nil {
		return nil, "", err
	}
	_, args["ids"], _ = p.reserveNumbers(w, scriptCall{args: args})
	var out evaluated
	err = p.callCommands(ctx, command{w.session, "Runtime.callFunctionOn", obj{
		"objectId": w.object, "functionDeclaration": "function(args){return this.element(args)}", "awaitPromise": true,
		"arguments": []obj{{"value": args}},
	}, &out})
	if err != nil {
		// The next call installs the script again.
		if KindOf(err) == ContextDestroyed {
			p.forgetWorld(w)
		}
		return nil, "", err
	}
	if text := out.exception(); text != "" {
		e := newError(ElementNotFound, "element not found: %s", l)
		if strings.HasSuffix(text, staleAdvice) {
			e = newError(StaleRef, "element not found: %s is in no snapshot of this document%s", l, staleAdvice)
		}
		e.Details.Locator = l.String()
		return nil, "", e
	}
	return w, out.Result.ObjectID, nil
}

// backendNodeID is the number by which CDP's trees name an element of the main
// document.
func (p *Page) backendNodeID(ctx context.Context, l Locator) (int, error) {
	if err := checkLocator(l); err != nil {
		return 0, err
	}
	w, object, err := p.findElement(ctx, "", l)
	if err != nil {
		return 0, err
	}
	var node struct{ Node struct{ BackendNodeID int } }
	err = p.callCommands(ctx, command{w.session, "DOM.describeNode", obj{"objectId": object}, &node})
	return node.Node.BackendNodeID, err
}

// callFunction calls a function of the caller's in the page's main world, with an
// element, or with nothing where l is nil. The element is found in the isolated
// world. Its objectId is good there alone, so the element goes to the main world by
// its backendNodeId (CDP, DOM.resolveNode).
func (p *Page) callFunction(ctx context.Context, function string, l Locator, out *evaluated) error {
	var q query
	if l != nil {
		if err := checkLocator(l); err != nil {
			return err
		}
		q = l.query()
	}
	w, object, err := p.findElement(ctx, p.frameFor(q), l)
	if err != nil {
		return err
	}
	var node struct{ Node struct{ BackendNodeID int } }
	if err := p.callCommands(ctx, command{w.session, "DOM.describeNode", obj{"objectId": object}, &node}); err != nil {
		return err
	}
	var resolved struct{ Object struct{ ObjectID string } }
	if err := p.callCommands(ctx, command{w.session, "DOM.resolveNode", obj{"backendNodeId": node.Node.BackendNodeID}, &resolved}); err != nil {
		return err
	}
	params := obj{
		// The function is text of the caller. The line break ends a line comment at
		// its end.
		"objectId": resolved.Object.ObjectID, "functionDeclaration": "function(...a){return (" + function + "\n).apply(undefined,a)}",
		"returnByValue": true, "awaitPromise": true, "userGesture": true,
	}
	if l != nil {
		params["arguments"] = []obj{{"objectId": resolved.Object.ObjectID}}
	}
	return p.callCommands(ctx, command{w.session, "Runtime.callFunctionOn", params, out})
}

// owner is the element that holds a frame, in the session of the document
// around it.
type owner struct {
	session string
	node    int // its backendNodeId
}

// frameOffset is how far the viewport of a frame's script is from that of the page,
// in CSS pixels. A script gives points in its own viewport; Input.dispatchMouseEvent
// wants those of the page. Which elements hold the frame and the frames around it
// does not change while its document lives, and is asked for once.
func (p *Page) frameOffset(ctx context.Context, frame string) (x, y float64, err error) {
	if frame == "" {
		return 0, 0, nil
	}
	w, err := p.worldOf(ctx, frame)
	if err != nil {
		return 0, 0, err
	}
	p.mu.Lock()
	list := w.owners
	p.mu.Unlock()
	if list != nil {
		if x, y, err = p.ownersOffset(ctx, list); err == nil || ctx.Err() != nil {
			return x, y, err
		} // else one of them has another session now
	}
	if list, err = p.findOwners(ctx, frame); err != nil {
		return 0, 0, err
	}
	p.mu.Lock()
	w.owners = list
	p.mu.Unlock()
	return p.ownersOffset(ctx, list)
}

// findOwners finds the elements between a frame and the page that stand in documents which
// the frame's script cannot reach, because they are of another process or origin.
func (p *Page) findOwners(ctx context.Context, frame string) ([]owner, error) {
	// The script adds the offsets itself as far as it reaches.
	var depth int // of frames around it that the script reaches
	if err := p.callScriptIn(ctx, frame, scriptCall{verb: "depth", result: &depth}); err != nil {
		return nil, err
	}
	table, err := p.listFrames(ctx)
	if err != nil {
		return nil, err
	}
	chain, err := table.chain(frame)
	if err != nil {
		return nil, err
	}
	if depth < 0 || depth >= len(chain) {
		return nil, newError(Internal, "the page script says that the depth of its frame is %d, and the tree of frames has %d", depth, len(chain)-1)
	}
	// nil would mean that nothing is known.
	owners := make([]owner, 0, len(chain))
	var commands []command
	for chain = chain[depth:]; len(chain) > 1; {
		root, session := p.rootOf(chain[1:])
		owners = append(owners, owner{session: session})
		commands = append(commands, command{session, "DOM.getFrameOwner", obj{"frameId": chain[0]}, new(struct{ BackendNodeID int })})
		chain = chain[1+root:]
	}
	if err := p.callCommands(ctx, commands...); err != nil {
		return nil, err
	}
	for i, c := range commands {
		owners[i].node = c.result.(*struct{ BackendNodeID int }).BackendNodeID
	}
	return owners, nil
}

// rootOf is the outermost frame of the process of the first of these frames, each of
// which lies in the next, and the session of that process. DOM.getBoxModel gives its boxes
// relative to that frame.
func (p *Page) rootOf(chain []string) (root int, session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, frame := range chain {
		if s, apart := p.frames.sessions[frame]; apart {
			return i, s
		}
	}
	return len(chain) - 1, p.session
}

// ownersOffset is where the content of the innermost of these elements begins, in the
// viewport of the page: the sum of the corners of their content boxes.
func (p *Page) ownersOffset(ctx context.Context, list []owner) (x, y float64, err error) {
	boxes := make([]struct{ Model struct{ Content []pixels } }, len(list))
	commands := make([]command, len(list))
	for i, o := range list {
		commands[i] = command{o.session, "DOM.getBoxModel", obj{"backendNodeId": o.node}, &boxes[i]}
	}
	if err := p.callCommands(ctx, commands...); err != nil {
		return 0, 0, err
	}
	for _, b := range boxes {
		if len(b.Model.Content) < 2 {
			return 0, 0, newError(NotVisible, "element not visible: the frame has no box")
		}
		x, y = x+float64(b.Model.Content[0]), y+float64(b.Model.Content[1])
	}
	return x, y, nil
}
