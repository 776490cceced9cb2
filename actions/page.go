package actions

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/cdphub/cdphub/internal/wire"
)

// TargetKind says what a page is.
type TargetKind string

// The kinds of targets.
const (
	BrowserTarget TargetKind = "browser" // a tab of a real browser
	FrameTarget   TargetKind = "frame"   // a frame with the Frame Agent
)

// Page is one target. Its methods may be called from any goroutine. Input runs one
// operation at a time, in the order of the calls.
//
// Lock order: input or join, then Browser.mu, then Page.mu. Neither mutex is held
// while a command waits.
type Page struct {
	ID    string // the Target's
	Alias string // "page-1"

	b     *Browser
	input chan struct{} // holds an item while an input operation runs
	join  chan struct{} // the same while a session is being made

	network, console, log *domain // Network, Runtime, Log

	mu       sync.Mutex `stays:"goes with its caller"` // guards everything below
	info     targetInfo
	kind     TargetKind // "" until there is a session
	session  string     // "" while there is none
	awake    string     // the session in which the browser was asked to keep painting
	earlier  bool       // what the console tells was there before
	gone     bool
	lastCall int
	running  map[int]context.CancelCauseFunc // the calls that wait
	changed  chan struct{}                   // closed, and replaced, whenever what is below changes
	doc      mainDocument
	acted    string // the loader of the document on which an action was last begun
	blocked  *Error // why the page was blanked last
	blanking int    // how often it is being blanked now
	frames   pageFrames
	begun    Download // the newest
	dialog   dialogState
	dragged  json.RawMessage // what is being dragged, once the browser has said
	mouse    pointer         // of MouseMove and its like
	requests requestLog
	routes   routes
	handoffs handoffs
	shown    shownPage // what the caller knows of the page
}

func newPage(b *Browser, id, alias string) *Page {
	return &Page{
		ID: id, Alias: alias, b: b,
		input: make(chan struct{}, 1), join: make(chan struct{}, 1), network: newDomain(), console: newDomain(), log: newDomain(), changed: make(chan struct{}),
		running: make(map[int]context.CancelCauseFunc), doc: mainDocument{loads: make(map[string]*load)},
		frames:   pageFrames{sessions: make(map[string]string), worlds: make(map[string]*world)},
		requests: requestLog{byID: make(map[string]*Request)},
	}
}

// URL is the address of the page, from the last event of its target, redacted.
func (p *Page) URL() string { return p.redactURL(p.address()) }

// address is URL as it is, for what judges it.
func (p *Page) address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.urlLocked()
}

// urlLocked prefers the events of the session, which are of this moment;
// Target.targetInfoChanged comes later.
func (p *Page) urlLocked() string {
	if p.session != "" && p.doc.url != "" {
		return p.doc.url
	}
	return p.info.URL
}

// Info is the page as a list has it, redacted.
func (p *Page) Info() PageInfo {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	return p.infoLocked()
}

// infoLocked needs Browser.mu.
func (p *Page) infoLocked() PageInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	return PageInfo{
		ID: p.ID, Alias: p.Alias, URL: p.redactURL(p.urlLocked()), Title: p.redact(p.info.Title),
		Active: p.b.active == p, Opener: p.info.OpenerID,
	}
}

// Loading reports whether the document has not had its load event.
func (p *Page) Loading() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.doc.loads[p.doc.loader]
	return l != nil && !l.reached[Load]
}

// Kind says what the page is.
func (p *Page) Kind(ctx context.Context) (TargetKind, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if _, err := p.attach(ctx); err != nil {
		return "", err
	}
	return p.kindNow(), nil
}

func (p *Page) kindNow() TargetKind {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kind
}

// setInfo takes what a Target event says of the page.
func (p *Page) setInfo(t targetInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.info = t
}

// close marks the page as gone. Calls that wait fail with TargetClosed.
func (p *Page) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone, p.session = true, ""
	for _, cancel := range p.running {
		cancel(errGone)
	}
	p.changeLocked()
}

// changeLocked wakes all calls of awaitState, which then look at the new state. A closed
// channel wakes any number of them.
func (p *Page) changeLocked() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// awaitState waits until done reports true or an error. done runs under Page.mu, at once
// and after each change. If ctx ends first, the error is Timeout, or
// NavigationTimeout where late says so; if the page goes, TargetClosed.
func (p *Page) awaitState(ctx context.Context, late Kind, done func() (bool, *Error)) error {
	for {
		p.mu.Lock()
		ok, failed := done()
		changed, gone := p.changed, p.gone
		p.mu.Unlock()
		switch {
		case failed != nil:
			return failed
		case ok:
			return nil
		case gone:
			return p.closedError()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			e := p.translate("", ctx.Err())
			if late == NavigationTimeout {
				e.Kind, e.Message = late, "navigation "+e.Message
			}
			return e
		}
	}
}

// closedError is the error of calls on a page that has gone.
func (p *Page) closedError() *Error {
	e := p.b.gone()
	e.Details.PageID = p.ID
	return e
}

// acquireLock takes a lock that is a channel with one place, or fails with the context. A
// sync.Mutex could not be given up. A free lock is taken even when ctx has just
// ended.
func (p *Page) acquireLock(ctx context.Context, lock chan struct{}) error {
	select {
	case lock <- struct{}{}:
		return nil
	default:
	}
	select {
	case lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return p.translate("", ctx.Err())
	}
}

// callMethod sends a command in the page's session.
func (p *Page) callMethod(ctx context.Context, method string, params, result any) error {
	s, err := p.attach(ctx)
	if err != nil {
		return err
	}
	return p.callCommands(ctx, command{s, method, params, result})
}

// callCommands sends commands together and waits for all of them.
func (p *Page) callCommands(ctx context.Context, list ...command) error {
	if method, err := p.sendCommands(ctx, list...); err != nil {
		return p.translate(method, err)
	}
	return nil
}

// errGone is the answer to commands that wait when the page ends: Chromium
// gives none.
var errGone = wire.ServerError("Target closed")

// sendCommands sends commands that also end with the page, and returns the method that failed.
func (p *Page) sendCommands(ctx context.Context, list ...command) (method string, err error) {
	if len(list) == 0 {
		return "", nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.mu.Lock()
	if p.gone {
		p.mu.Unlock()
		return list[0].method, errGone
	}
	// Each call can be cancelled by close, and by its own context.
	p.lastCall++
	n := p.lastCall
	p.running[n] = cancel
	p.mu.Unlock()
	method, err = sendAll(ctx, p.b.client, list...)
	for _, c := range list {
		if out, is := c.result.(*evaluated); is && err == nil {
			method, err = c.method, out.absence()
		}
	}
	p.mu.Lock()
	delete(p.running, n)
	p.mu.Unlock()
	if err != nil && context.Cause(ctx) == errGone { //nolint:errorlint // it is that very value
		err = errGone
	}
	return method, err
}
