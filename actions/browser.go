package actions

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/urlpolicy"
)

// Options is how a Browser behaves. Its zero value works.
type Options struct {
	Log     *zap.Logger         // nothing when nil
	URLs    *urlpolicy.Policy   // where pages may go; the default list when nil
	Names   *urlpolicy.Resolver // of hosts; the system's when nil
	Strict  bool                // refuse Evaluate, which can send requests anywhere
	Dialogs DialogPolicy        // what happens to dialogs for which nothing is armed; DismissDialogs
	Shared  *Shared             // with other callers of the hub; nothing when nil
	Limits  Limits
	Meter   *Meter // counts what is asked for, and holds to its own limits; one of the Browser's own when nil
	Follow  bool   // the active page is that of all who follow, not the Browser's own
	Own     bool   // only pages are seen that it opens, that these open, or that are in its contexts
	// Lacking says why there can be no pages, and what to do; "" when there can. It
	// must not block. Nil knows nothing.
	Lacking func() string
	Reads   bool // for a caller that may only read: it writes nothing into pages, as with Blind
	Blind   bool // for a caller that may not run script: selectors do not find out what may not be read
}

// Logger is Log, or one that keeps nothing.
func (o Options) Logger() *zap.Logger {
	if o.Log == nil {
		return zap.NewNop()
	}
	return o.Log
}

// Browser is what one caller sees of one hub: its pages, and which of them is
// active. It has a connection of its own.
//
// Lock order: Browser.mu, then Page.mu.
type Browser struct {
	client Client // static after Open
	urls   *urlpolicy.Policy
	names  *urlpolicy.Resolver
	strict bool
	log    *zap.Logger
	shared *Shared
	meter  *Meter
	follow bool
	own    bool
	reads  bool
	blind  bool
	lacks  func() string
	events *queue
	stop   chan struct{}
	loops  sync.WaitGroup

	ended atomic.Bool            // the browser has, or the connection to it, and no call has said so
	shown atomic.Bool            // there were pages
	lost  atomic.Pointer[string] // why the connection has ended; nil where the browser has

	mu       sync.Mutex `stays:"goes with its caller"` // guards everything below
	closed   bool
	pages    []*Page          // in order of appearance
	sessions map[string]*Page // by the sessions that are open on them
	active   *Page            // the last navigated, opened or activated; nil for none
	sinks    map[*Subscription]struct{}
	dialogs  DialogPolicy
	created  map[string]bool       // contexts that this caller has made
	opened   map[string]bool       // pages that it has opened, by ID; where own
	others   map[string]targetInfo // pages of others, by ID; where own
	keeps    bool                  // the connection leads to a hub, which sends CdpHub.downloadFinished for each download
}

// Open makes a connection and learns which pages there are. Close ends it. The error
// has the kind NoBrowser where the hub has nothing to act on.
func Open(ctx context.Context, join Join, o Options) (*Browser, error) {
	if o.Shared == nil {
		o.Shared = new(Shared)
	}
	if o.Meter == nil {
		o.Meter = NewMeter(o.Limits)
	}
	b := &Browser{
		shared: o.Shared, meter: o.Meter, follow: o.Follow, own: o.Own, reads: o.Reads, blind: o.Reads || o.Blind, lacks: o.Lacking,
		urls: o.URLs, names: o.Names, strict: o.Strict, log: o.Logger().Named("actions"), events: newQueue(), stop: make(chan struct{}), dialogs: o.Dialogs,
		sessions: make(map[string]*Page), sinks: make(map[*Subscription]struct{}), created: make(map[string]bool),
		opened: make(map[string]bool), others: make(map[string]targetInfo),
	}
	client, err := join(b.event)
	if err != nil {
		return nil, NoBrowserFor(err)
	}
	b.client = client
	b.loops.Go(func() { b.events.run(b.stop) })
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	keeping := b.askForDownloads("")
	// Chromium answers with a Target.targetCreated for each target that exists.
	if err := b.call(ctx, "Target.setDiscoverTargets", obj{"discover": true}, nil); err != nil {
		b.Close()
		return nil, err
	}
	keeping(ctx)
	// The pages are in the list when Open returns.
	if err := b.settle(ctx); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Close ends the connection: calls that run fail, and what they have enabled in
// pages ends. The pages stay.
func (b *Browser) Close() {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return
	}
	b.closed = true
	pages := slices.Clone(b.pages)
	clear(b.sinks)
	b.mu.Unlock()
	// First the connection: then no new events come, and the calls that wait fail.
	b.client.Leave()
	for _, p := range pages {
		p.close()
	}
	close(b.stop)
	b.loops.Wait()
}

// settle waits until the events that have come so far have been handled. Events and
// answers come over one connection in one order: after settle, the state is at least
// as new as the last answer.
func (b *Browser) settle(ctx context.Context) error {
	done := make(chan struct{})
	b.events.put(func() { close(done) }, 0, false)
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return (*Page)(nil).translate("", ctx.Err())
	case <-b.stop:
		return newError(TargetClosed, "the connection is closed")
	}
}

// call sends a command at browser level.
func (b *Browser) call(ctx context.Context, method string, params, result any) error {
	if _, err := sendAll(ctx, b.client, command{method: method, params: params, result: result}); err != nil {
		return (*Page)(nil).translate(method, err)
	}
	return nil
}

// PageInfo is a page as a list has it.
type PageInfo struct {
	ID     string // the Target's; good everywhere on the hub
	Alias  string // "page-1", never that of another page of the hub's
	URL    string
	Title  string
	Active bool
	Opener string // the ID of the page that opened it; mostly ""
}

// Pages lists the pages in order of appearance.
func (b *Browser) Pages() []PageInfo {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.followLocked()
	list := make([]PageInfo, len(b.pages))
	for i, p := range b.pages {
		list[i] = p.infoLocked()
	}
	return list
}

// Page finds a page by its ID or alias; "" is the active one. If no page has been
// active yet, the first one becomes it. Errors: PageNotFound, and NoBrowser where the
// hub has nothing to act on.
func (b *Browser) Page(id string) (*Page, error) {
	if err := b.Loss(); err != nil {
		return nil, err
	}
	p, none, err := b.find(id)
	if none && b.lacks != nil { // which may lock the hub, and so is asked without our lock
		if why := b.lacks(); why != "" {
			return nil, NoBrowserFor(errors.New(why))
		}
	}
	return p, err
}

// find is Page, and reports whether there are no pages at all.
func (b *Browser) find(id string) (p *Page, none bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.followLocked()
	if id == "" {
		if b.active == nil && len(b.pages) > 0 {
			b.active = b.pages[0]
		}
		if b.active != nil {
			return b.active, false, nil
		}
		why := "no active page"
		if b.shown.Load() {
			why += ": those that there were have been closed, or their browser has ended, and log-ins with it. Open a page"
		}
		return nil, len(b.pages) == 0, newError(PageNotFound, "%s", why)
	}
	for _, p := range b.pages {
		if p.ID == id || p.Alias == id {
			return p, false, nil
		}
	}
	e := newError(PageNotFound, "page not found: %s", id)
	e.Details.PageID = id
	return nil, len(b.pages) == 0, e
}

// BrowserEnded is the event that a Client sends once the browser has ended. A Client over a network
// sends it once its connection has, with the reason in place of params, a text: the browser may still be there.
const BrowserEnded = "CdpHub.browserEnded"

// Loss is the error of the first call after a browser with pages has ended: without it a caller
// would go on with an empty page of the next browser, or search for its own. Later it is nil. It has the
// kind NoBrowser if the connection to the hub has ended.
func (b *Browser) Loss() error {
	if !b.ended.Swap(false) || !b.shown.Load() {
		return nil
	}
	return b.lossError()
}

func (b *Browser) lossError() *Error {
	if why := b.lost.Load(); why != nil {
		return newError(NoBrowser, "connection lost: the hub has gone, or has ended the connection (%s). Its tabs, log-ins and unsaved input may be lost: "+
			"list the pages, log in again where that is needed, and do again what was not finished", *why)
	}
	return newError(TargetClosed, "browser replaced: the browser of this hub has ended, and a new one takes its place. Its tabs, log-ins and unsaved input are lost: "+
		"open the page again, log in again, and do again what was not finished")
}

// ClosePage closes a page. When it returns, the page is in no list any more. A page
// that asks before it is left (beforeunload) is answered by the dialog policy.
func (b *Browser) ClosePage(ctx context.Context, id string) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	p, err := b.Page(id)
	if err != nil {
		return err
	}
	for patience := closing; ; patience *= 2 {
		// TargetClosed: the page has closed itself, and the loop waits for its event.
		if err := b.call(ctx, "Target.closeTarget", obj{"targetId": p.ID}, nil); err != nil && KindOf(err) != TargetClosed {
			return err
		}
		inTime, stop := context.WithTimeout(ctx, patience)
		err := p.awaitState(inTime, Timeout, func() (bool, *Error) { return p.gone, nil })
		stop()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
}

// closing is how long a page may take to close until it is asked again: Chromium
// 156 does not close one that commits a navigation just then.
const closing = 250 * time.Millisecond

// ActivatePage brings a page to the front and makes it the active one.
func (b *Browser) ActivatePage(ctx context.Context, id string) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	p, err := b.Page(id)
	if err != nil {
		return err
	}
	if err := b.call(ctx, "Target.activateTarget", obj{"targetId": p.ID}, nil); err != nil {
		return err
	}
	b.use(p)
	return nil
}

// UsePage makes a page the active one without bringing it to the front.
func (b *Browser) UsePage(id string) error {
	p, err := b.Page(id)
	if err == nil {
		b.use(p)
	}
	return err
}

// use makes a page the active one.
func (b *Browser) use(p *Page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.Contains(b.pages, p) {
		b.active = p
		if b.follow {
			b.shared.setActive(p.ID)
		}
	}
}

// followLocked makes the page the active one that was made so last by any of
// those who follow.
func (b *Browser) followLocked() {
	if !b.follow {
		return
	}
	id := b.shared.activeID()
	if i := slices.IndexFunc(b.pages, func(p *Page) bool { return p.ID == id }); i >= 0 {
		b.active = b.pages[i]
	}
}

// Version is what the browser or the hub calls itself: "Chrome/156.0".
func (b *Browser) Version(ctx context.Context) (string, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	var v struct{ Product string }
	err := b.call(ctx, "Browser.getVersion", nil, &v)
	return v.Product, err
}
