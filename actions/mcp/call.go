package mcp

import (
	"cmp"
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/actions"
)

// The times that parts of a call may take: to act on an element beside the wait for it, to
// load a page, and to read one.
const (
	acting      = 10 * time.Second
	loadTimeout = 60 * time.Second
	readTimeout = 30 * time.Second
)

// call is one use of a tool. Only the goroutine that carries it out uses it; after a
// dialog, race leaves it to that goroutine.
type call struct {
	*session
	b    *actions.Browser
	page *actions.Page        // nil while there is none
	calm bool                 // nothing will come of it that is not there at once
	mode actions.SnapshotMode // that it asks for
	reply
}

// actTimeout is how long an action on an element may take.
func (s *session) actTimeout() time.Duration { return s.acts + acting }

// use carries out a call when its turn comes, and makes its answer. The queue bounds
// how many calls wait; one runs at a time.
func (s *session) use(ctx context.Context, t *tool, pageID string, mode actions.SnapshotMode, do func(context.Context, *call) error) *sdk.CallToolResult {
	end, err := s.caller.Begin()
	if err != nil {
		return new(reply).result(err)
	}
	defer end()
	select {
	case s.queue <- struct{}{}:
	default:
		return new(reply).result(s.meter.TooMany())
	}
	defer func() { <-s.queue }()
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return new(reply).result(&actions.Error{Kind: actions.Timeout, Message: "cancelled"})
	case <-s.gone:
		return new(reply).result(sessionOverError())
	}
	defer func() { <-s.turn }()
	ctx, cancel := context.WithTimeout(ctx, actions.MaxTimeout)
	defer cancel()
	b, err := s.open(ctx)
	if err != nil {
		return new(reply).result(err)
	}
	if err := b.Loss(); err != nil {
		s.check(b)
		if actions.KindOf(err) == actions.NoBrowser { // the hub may be there again
			if _, failed := s.open(ctx); failed != nil {
				err = &actions.Error{Kind: actions.NoBrowser, Message: err.Error() + ". Now there is " + failed.Error()}
			}
		}
		return new(reply).result(err)
	}
	// An item in asked is from an earlier call, and would end this one.
	select { // what an earlier call has left
	case <-s.asked:
	default:
	}
	c := &call{session: s, b: b, mode: mode}
	if c.page, err = s.pageOf(b, pageID, !t.has(pageless)); err != nil && (pageID != "" || !t.has(pageless)) {
		return c.result(err)
	}
	if c.page != nil {
		// A page with a dialog runs no script, so that most tools would only time
		// out.
		if d, open := c.page.OpenDialog(); open && !t.has(modal) {
			c.modal = []actions.Dialog{d}
			return c.result(&actions.Error{Kind: actions.InvalidArgument, Message: t.name + " cannot be used while a dialog is open"})
		}
	}
	done := c.race(ctx, t, do)
	switch actions.KindOf(done.failed) {
	// The connection may have ended with such an error.
	case actions.TargetClosed, actions.NoBrowser, actions.Internal:
		s.check(b)
	}
	done.events = s.reportDownloads(ctx)
	return done.result(done.failed)
}

// race carries out a call until it is done, or until its page opens a dialog, which
// the client must answer first. Then the call goes on, but its answer is dropped.
func (c *call) race(ctx context.Context, t *tool, do func(context.Context, *call) error) *reply {
	page := c.page
	// The call must go on after its request: only a cancelled request ends it.
	on, cancel := context.WithTimeout(context.WithoutCancel(ctx), actions.MaxTimeout)
	done := make(chan *reply, 1)
	go func() {
		defer cancel()
		c.carryOut(on, t, do)
		done <- &c.reply
	}()
	for {
		select {
		case r := <-done:
			r.looked.Seen()
			return r
		case <-ctx.Done():
			cancel()
			return &reply{failed: &actions.Error{Kind: actions.Timeout, Message: "cancelled"}}
		case <-c.gone:
			cancel()
			return &reply{failed: sessionOverError()}
		case <-c.asked:
			if page == nil {
				continue
			}
			if d, open := page.OpenDialog(); open {
				r := &reply{modal: []actions.Dialog{d}}
				info := page.Info()
				info.Title = c.learned(info)
				r.header(info, 0, c.written(page))
				return r
			}
		}
	}
}

// carryOut does the call, and then looks at the page if the tool shows it.
func (c *call) carryOut(ctx context.Context, t *tool, do func(context.Context, *call) error) {
	_, c.failed = actions.Try(c.log, t.name, func() (any, error) {
		if c.page != nil && !t.has(modal) { // it would wait behind a dialog
			c.watch(ctx, c.page)
		}
		before := c.begunDownloads()
		err := do(ctx, c)
		if err == nil && t.has(shows) {
			c.look(ctx)
		}
		c.awaitDownloads(ctx, before)
		return nil, err
	})
}

// look adds the state of the page after an action: address, console and snapshot. If
// these cannot be read, the action has succeeded all the same.
func (c *call) look(ctx context.Context) {
	if c.page == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	settle := c.page.Settle
	if c.calm {
		settle = c.page.Follow
	}
	if settle(ctx) != nil {
		return
	}
	c.header(c.page.Info(), c.status, c.written(c.page))
	if d, open := c.page.OpenDialog(); open {
		c.modal = append(c.modal, d)
	} else if mode := cmp.Or(c.mode, c.usual); mode.Kind != actions.NoSnapshot {
		if l, err := c.page.Look(ctx, actions.LookOptions{Mode: mode, Most: c.looks}); err == nil {
			c.describe(l.Whole, true)
			c.showLook(l)
		}
	}
	c.newTabs()
}

// showLook adds what the answer shows of the page.
func (c *call) showLook(l actions.Look) {
	c.looked, c.snapshot, c.cut = l, l.Text, cutNoteOf(l.Cut)
}

// describe adds the address, the title and the text of a snapshot. whole says that it
// is of the whole page.
func (c *call) describe(s actions.YAMLSnapshot, whole bool) {
	info := c.page.Info()
	info.URL, info.Title = s.URL, s.Title
	c.learn(info)
	c.header(info, c.status, c.written(c.page))
	c.show(s.Text, whole)
}

// show adds a snapshot, and remembers it for the refs in it: element looks there for
// roles and names.
func (c *call) show(text string, whole bool) {
	c.snapshot = text
	c.mu.Lock()
	defer c.mu.Unlock()
	if state := c.stateOf(c.page.ID); whole || state.shown == nil {
		state.shown = []string{text}
	} else {
		state.shown = []string{state.shown[0], text}
	}
}

// shownOf lists the latest snapshots of a page that the client has seen. The one of
// the whole page is the first: only there can similar elements be counted.
func (s *session) shownOf(p *actions.Page) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stateOf(p.ID).shown
}

// written is a copy of the page's console.
func (s *session) written(p *actions.Page) *console {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stateOf(p.ID).console.clone()
}
