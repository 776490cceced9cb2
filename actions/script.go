package actions

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/web"
)

// worldName is the name of the isolated world in which the page script runs, where
// the target has such worlds. An isolated world shares the document with the page but
// no variables, so that the page can neither see nor change the script.
const worldName = "cdphub-actions"

// source is an expression that installs the page script. Its value is the script's
// object.
var source = sync.OnceValue(func() string {
	js, err := web.Dist.ReadFile("dist/actions.js")
	if err != nil {
		panic(err) // it is embedded
	}
	return "(()=>{" + string(js) + "\nreturn CdpHubActions.start()})()"
})

// world is a frame's page script. It ends with the frame's document.
type world struct {
	session string
	object  string  // its objectId
	loader  string  // of the main document when it was installed
	owners  []owner // of the frames around it; nil until they are known; guarded by Page.mu
	numbers []span  // that its refs may have; guarded by Page.mu
}

// worldOf installs the page script in a frame, unless it is there. "" is the main
// frame. Two calls at once may install it twice, which is harmless.
func (p *Page) worldOf(ctx context.Context, frame string) (*world, error) {
	session, err := p.attachToDocument(ctx)
	if err != nil {
		return nil, err
	}
	given := frame
	p.mu.Lock()
	if frame == "" {
		frame = p.doc.frame
	}
	if s, apart := p.frames.sessions[frame]; apart {
		session = s
	}
	// The loader is read before the script is installed, see below.
	w, loader, main := p.frames.worlds[frame], p.doc.loader, p.doc.frame
	p.mu.Unlock()
	if w != nil {
		return w, nil
	}
	install := obj{"expression": source()}
	var made struct{ ExecutionContextID int }
	err = p.callCommands(ctx, command{session, "Page.createIsolatedWorld", obj{"frameId": frame, "worldName": worldName}, &made})
	switch {
	case err == nil:
		install["contextId"] = made.ExecutionContextID
	// A target without isolated worlds runs the script in its main world, and only in
	// its own document.
	case KindOf(err) != Unsupported || frame != main:
		return nil, err
	}
	var out evaluated
	if err := p.callCommands(ctx, command{session, "Runtime.evaluate", install, &out}); err != nil {
		return nil, err
	}
	if text := out.exception(); text != "" {
		return nil, newError(Internal, "the page script does not run: %s", text)
	}
	// The document may have changed meanwhile: the script of one document must not be
	// taken for that of another. The event of the change comes before the answer.
	if err := p.b.settle(ctx); err != nil {
		return nil, err
	}
	w = &world{session: session, object: out.Result.ObjectID, loader: loader}
	p.mu.Lock()
	same := p.doc.loader == loader
	if same {
		p.frames.worlds[frame] = w
	}
	p.mu.Unlock()
	if !same {
		return p.worldOf(ctx, given)
	}
	return w, nil
}

// forgetWorld drops a page script whose document has gone.
func (p *Page) forgetWorld(w *world) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.frames.worlds, func(_ string, other *world) bool { return other == w })
}

// scriptCall is a call of the page script.
type scriptCall struct {
	verb    string
	args    obj       // "wait", in ms, is added
	result  any       // nil: none is wanted
	acts    bool      // it changes the page, and must not run twice
	numbers numberUse // what it gives numbers to elements for; mostly ""
	count   int       // of numbers; firstNumbers
}

// invoke is the function with which the page script is called.
const invoke = "function(verb,args){return this.run(verb,args)}"

// callScript calls the page script in the frame where the locator of the call is looked
// for. If the document changes meanwhile, it calls the script of the next document.
func (p *Page) callScript(ctx context.Context, c scriptCall) error {
	q, _ := c.args["locator"].(query)
	return p.callScriptIn(ctx, p.frameFor(q), c)
}

// The page script waits for an element at most firstSlice, says what is missing, and
// is called again. Each slice is twice as long as the last, up to maxSlice. So the
// reason is known when the time is over, and the script does not wait on for a caller
// that has given up.
const (
	firstSlice = 100 * time.Millisecond
	maxSlice   = time.Second
)

// callScriptIn is callScript in a frame; "" is the main frame. A call that acts is not
// repeated once it may have run.
func (p *Page) callScriptIn(ctx context.Context, frame string, c scriptCall) error {
	if !reading[c.verb] {
		if err := p.mayAct(ctx); err != nil {
			return err
		}
	}
	start := time.Now()
	patience := MaxTimeout
	if c.verb != "wait" {
		patience = elementTime(ctx)
	}
	var missing *Error // what was last
	for slice := firstSlice; ; slice = min(2*slice, maxSlice) {
		ran, err := p.callScriptOnce(ctx, frame, c, min(slice, max(patience-time.Since(start), 0)))
		// Each error of callScriptOnce is an *Error.
		switch e, _ := errors.AsType[*Error](err); {
		case err == nil:
			return nil
		case mayPass[e.Kind]:
			e.Details.Waited = time.Since(start)
			if missing = e; min(elementPatience(ctx), patience-e.Details.Waited) <= time.Millisecond {
				return e
			}
			continue
		case e.Kind == numbersSpent && c.count < maxNumbers:
			c.count = min(moreNumbers*max(c.count, firstNumbers), maxNumbers)
			continue
		case e.Kind == numbersSpent:
			e.Kind = LimitExceeded
			return e
		case ctx.Err() != nil && missing != nil:
			return missing
		// Another document: what only reads, or never ran, is tried there.
		case e.Kind != ContextDestroyed || c.acts && ran:
			return err
		}
		if err := p.sleep(ctx, 20*time.Millisecond); err != nil { // a new document is on its way
			return err
		}
	}
}

// mayPass are the failures that can go away while the call waits: an element may
// appear, or what covers it may go.
var mayPass = map[Kind]bool{ElementNotFound: true, NotVisible: true, NotEnabled: true, Obscured: true}

// callScriptOnce calls the page script once, which may wait for an element as long as
// slice. ran is false only if the call cannot have run.
func (p *Page) callScriptOnce(ctx context.Context, frame string, c scriptCall, slice time.Duration) (ran bool, err error) {
	w, err := p.worldOf(ctx, frame)
	if err != nil {
		return false, err
	}
	numbers, ids, settle := p.reserveNumbers(w, c)
	args := p.scriptArguments(c.args, min(elementPatience(ctx), slice))
	args["numbers"], args["ids"] = numbers, ids
	var out evaluated
	method, failed := p.sendCommands(ctx, command{w.session, "Runtime.callFunctionOn", obj{
		"objectId": w.object, "functionDeclaration": invoke, "awaitPromise": true, "returnByValue": true, "userGesture": true,
		"arguments": []obj{{"value": c.verb}, {"value": args}},
	}, &out})
	if failed != nil {
		e := p.translate(method, failed)
		if e.Kind == ContextDestroyed {
			p.forgetWorld(w)
		}
		return !isAmong(failed.Error(), neverRan), e
	}
	if text := out.exception(); text != "" {
		return true, newError(Internal, "the page script failed: %s", text)
	}
	return true, p.decodeScriptAnswer(&out, c.result, settle)
}

// scriptArguments are what the page script gets: the given ones, with the time to wait in
// milliseconds. For a caller that may only read, the script writes nothing into the page.
// For one that may not run script, selectors do not match secrets: a selector such as
// [value^=a] could find out a password letter by letter.
func (p *Page) scriptArguments(given obj, wait time.Duration) obj {
	args := obj{"wait": wait.Milliseconds(), "reads": p.b.reads, "numbers": []span(nil), "ids": []span(nil)}
	for name, v := range given {
		switch v := v.(type) {
		case query:
			v.Live = !p.b.blind
			if v.By == string(Aria) {
				v.Taken = p.b.meter.refs.positionTaken(v.Value)
			}
			args[name] = v
		case []query:
			list := slices.Clone(v)
			for i := range list {
				list[i].Live = !p.b.blind
			}
			args[name] = list
		default:
			args[name] = v
		}
	}
	return args
}

// neverRan are the words of answers to a call that came too late to run at all: its
// world or its object had gone.
var neverRan = []string{"Cannot find context with specified id", "Could not find object with given id"}

// namesElement are the failures whose message has the name of an element, and not what the caller has
// searched for: that must come back as it was given, or the answer says that a guess was right.
var namesElement = map[Kind]bool{NotVisible: true, NotEnabled: true, Obscured: true}

// decodeScriptAnswer takes the script's answer, and decodes its result if one is wanted. Secrets
// that the script has found are learned also with an error. settle gets the highest number
// that the script has used.
func (p *Page) decodeScriptAnswer(out *evaluated, result any, settle func(used int)) error {
	answer, err := readScriptAnswer(out)
	if err != nil {
		return err
	}
	settle(answer.Used)
	p.b.shared.learn(p.ID, answer.Secrets)
	known := p.b.shared.secretsOf(p.ID)
	if answer.Error != nil {
		failed := answer.Error.failure(p.ID)
		if namesElement[failed.Kind] {
			failed.Message = known.hideEarlierIn(failed.Message)
		}
		return failed
	}
	if result == nil || answer.OK == nil { // null changes nothing
		return nil
	}
	if err := wire.Decode(known.hideEarlier(answer.Secrets, answer.OK), result); err != nil {
		return newError(Internal, "the page script's answer: %v", err)
	}
	return nil
}

// while is the context of work in the background, of 30 s. It does not end with the
// Browser: the connection of a closed Browser fails the work.
func (b *Browser) while() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), defaultTimeout)
}

// ending is a context that ends with another one, and with the Browser. Its goroutine
// ends with either.
func (b *Browser) ending(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		select {
		case <-b.stop:
		case <-ctx.Done():
		}
	}()
	return ctx
}
