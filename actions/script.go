package actions

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cdphub/cdphub/web"
)

// worldName is that of the isolated world in which the page script runs, where
// the target has such worlds.
const worldName = "cdphub-actions"

// source is an expression whose value is the page script's object.
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
	owners  []owner // of the frames around it; nil until they are known; guarded by Page.mu
}

// worldOf installs the page script in a frame, unless it is there.
func (p *Page) worldOf(ctx context.Context, frame string) (*world, error) {
	session, err := p.look(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	if frame == "" {
		frame = p.main
	}
	if s, apart := p.children[frame]; apart {
		session = s
	}
	w, loader, main := p.worlds[frame], p.loader, p.main
	p.mu.Unlock()
	if w != nil {
		return w, nil
	}
	install := obj{"expression": source()}
	var made struct{ ExecutionContextID int }
	err = p.calls(ctx, command{session, "Page.createIsolatedWorld", obj{"frameId": frame, "worldName": worldName}, &made})
	switch {
	case err == nil:
		install["contextId"] = made.ExecutionContextID
	case KindOf(err) != Unsupported || frame != main:
		return nil, err
	}
	var out evaluated
	if err := p.calls(ctx, command{session, "Runtime.evaluate", install, &out}); err != nil {
		return nil, err
	}
	if text := out.exception(); text != "" {
		return nil, errorf(Internal, "the page script does not run: %s", text)
	}
	w = &world{session: session, object: out.Result.ObjectID}
	p.mu.Lock()
	if p.loader == loader {
		p.worlds[frame] = w
	}
	p.mu.Unlock()
	return w, nil
}

// forget drops a page script that is gone.
func (p *Page) forget(w *world) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for frame, other := range p.worlds {
		if other == w {
			delete(p.worlds, frame)
		}
	}
}

// scriptCall is a call of the page script.
type scriptCall struct {
	verb   string
	args   obj  // "wait", in ms, is added
	result any  // nil: none is wanted
	acts   bool // it changes the page, and must not run twice
}

// invoke is the function with which the page script is called.
const invoke = "function(verb,args){return this.run(verb,args)}"

// script calls the page script of the frame where the locator is to be looked
// for, again when the document changes meanwhile.
func (p *Page) script(ctx context.Context, c scriptCall) error {
	q, _ := c.args["locator"].(query)
	return p.scriptIn(ctx, p.frameFor(q), c)
}

// The page script says what is missing after firstSlice, and then less and less
// often: so that this is known when the time is over, and that it does not wait
// on for a caller that has given up.
const (
	firstSlice = 100 * time.Millisecond
	maxSlice   = time.Second
)

// scriptIn is script in a frame; "" is the main one.
func (p *Page) scriptIn(ctx context.Context, frame string, c scriptCall) error {
	if !reading[c.verb] {
		if err := p.mayAct(ctx); err != nil {
			return err
		}
	}
	start := time.Now()
	var missing *Error // what was last
	for slice := firstSlice; ; slice = min(2*slice, maxSlice) {
		ran, err := p.scriptOnce(ctx, frame, c, slice)
		switch e, _ := errors.AsType[*Error](err); {
		case err == nil:
			return nil
		case mayPass[e.Kind]:
			e.Details.Waited = time.Since(start)
			if missing = e; waiting(ctx) <= time.Millisecond {
				return e
			}
			continue
		case ctx.Err() != nil && missing != nil:
			return missing
		case e.Kind != ContextDestroyed || c.acts && ran:
			return err
		}
		if err := p.sleep(ctx, 20*time.Millisecond); err != nil { // a new document is on its way
			return err
		}
	}
}

// mayPass are the failures that waiting may help against.
var mayPass = map[Kind]bool{ElementNotFound: true, NotVisible: true, NotEnabled: true, Obscured: true}

// scriptOnce calls the page script, which may wait for as long as slice, and
// reports whether the call may have run.
func (p *Page) scriptOnce(ctx context.Context, frame string, c scriptCall, slice time.Duration) (ran bool, err error) {
	w, err := p.worldOf(ctx, frame)
	if err != nil {
		return false, err
	}
	args := p.arguments(c.args, min(waiting(ctx), slice))
	var out evaluated
	method, failed := p.do(ctx, command{w.session, "Runtime.callFunctionOn", obj{
		"objectId": w.object, "functionDeclaration": invoke, "awaitPromise": true, "returnByValue": true, "userGesture": true,
		"arguments": []obj{{"value": c.verb}, {"value": args}},
	}, &out})
	if failed != nil {
		e := p.translate(method, failed)
		if e.Kind == ContextDestroyed {
			p.forget(w)
		}
		return !among(failed.Error(), neverRan), e
	}
	if text := out.exception(); text != "" {
		return true, errorf(Internal, "the page script failed: %s", text)
	}
	return true, p.read(&out, c.result)
}

// arguments are what the page script gets: who may only read finds elements by
// what he may read.
func (p *Page) arguments(given obj, wait time.Duration) obj {
	args := obj{"wait": wait.Milliseconds()}
	for name, v := range given {
		switch v := v.(type) {
		case query:
			v.Live = !p.b.reads
			args[name] = v
		case []query:
			list := slices.Clone(v)
			for i := range list {
				list[i].Live = !p.b.reads
			}
			args[name] = list
		default:
			args[name] = v
		}
	}
	return args
}

// neverRan are the answers to a call that came too late to run at all.
var neverRan = []string{"Cannot find context with specified id", "Could not find object with given id"}

// read takes the script's answer, and its result if one is wanted.
func (p *Page) read(out *evaluated, result any) error {
	answer, err := readScriptAnswer(out)
	if err != nil {
		return err
	}
	p.b.shared.learn(p.ID, answer.Secrets)
	if answer.Error != nil {
		return answer.Error.failure(p.ID)
	}
	if result == nil || answer.OK == nil { // null changes nothing
		return nil
	}
	if err := decodeResult(answer.OK, result); err != nil {
		return errorf(Internal, "the page script's answer: %v", err)
	}
	return nil
}

// while is the context of work in the background. Such work also ends
// with the Browser, whose connection then fails it.
func (b *Browser) while() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), defaultTimeout)
}

// ending is a context that ends with another one, and with the Browser.
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
