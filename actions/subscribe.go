package actions

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// EventKind is a set of kinds of events.
type EventKind uint8

// The kinds of events.
const (
	PageEvents     EventKind = 1 << iota // Body is a PageChange
	ConsoleEvents                        // Body is a ConsoleMessage
	NetworkEvents                        // Body is a NetworkEvent
	DialogEvents                         // Body is a Dialog
	DownloadEvents                       // Body is a Download
	LogEvents                            // Body is a ConsoleMessage, of the browser itself

	FromNow // of the console only what comes from now on, not what pages had logged before
)

// Event is something that happened on a page.
type Event struct {
	Kind EventKind
	Page *Page
	Time time.Time
	Body any
}

// PageChange is that a page is another, or in another state.
type PageChange struct {
	Type string // "created", "navigated", "domcontentloaded", "load", "close"
	URL  string // redacted
}

// ConsoleMessage is a message that a page's script wrote, or an error that it threw
// and did not catch.
type ConsoleMessage struct {
	Level        string // "log", "debug", "info", "warning", "error", …
	Text         string // cut after 16 KiB, redacted
	URL          string // of the script, redacted
	Line, Column int    // from 1
	Earlier      bool   // it was there before the subscription
}

// Subscription is one subscriber with the kinds of events that it wants.
type Subscription struct {
	b     *Browser
	kinds EventKind
	page  *Page          // nil is every page
	old   map[*Page]bool // the pages that there were, where only what is new is wanted
	f     func(Event)
	asked sync.WaitGroup // the pages that there were, until their events are enabled
}

// of reports whether the subscription is to a page's events.
func (s *Subscription) of(p *Page) bool { return s.page == nil || s.page == p }

// Subscribe calls f for each event of these kinds, on every page, until the
// subscription is cancelled. Calls come one after the other, in the goroutine of the
// Browser's events. f must not block, and must not call a function that takes a
// context: that would wait for the events that f holds up.
func (b *Browser) Subscribe(kinds EventKind, f func(Event)) *Subscription {
	return b.subscribe(&Subscription{b: b, kinds: kinds, f: f})
}

// Subscribe is Browser.Subscribe for one page.
func (p *Page) Subscribe(kinds EventKind, f func(Event)) *Subscription {
	return p.b.subscribe(&Subscription{b: p.b, kinds: kinds, page: p, f: f})
}

// subscribe has the pages that there are enable what is needed. Later pages do so
// when they appear.
func (b *Browser) subscribe(s *Subscription) *Subscription {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return s
	}
	b.sinks[s] = struct{}{}
	s.old = make(map[*Page]bool)
	for _, p := range b.pages {
		if s.of(p) {
			s.old[p] = s.kinds&FromNow != 0
			s.asked.Add(1)
			b.watchLocked(p, s.asked.Done)
		}
	}
	return s
}

// Cancel ends the subscription. A call of f that has begun may still run. Domains
// stay enabled.
func (s *Subscription) Cancel() {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	delete(s.b.sinks, s)
}

// unready is how long Ready waits for a page that does not answer. Such a page sends
// its events once it answers.
const unready = 3 * time.Second

// Ready waits until the events of the pages that existed at Subscribe are enabled, so
// that nothing that they do afterwards is missed. It returns after unready, or when
// ctx ends, in any case.
func (s *Subscription) Ready(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, unready)
	defer cancel()
	ready := make(chan struct{})
	go func() { s.asked.Wait(); close(ready) }() // ends with the Browser at the latest
	select {
	case <-ready:
	case <-ctx.Done():
	}
}

// watchLocked enables the events of a page that the subscriptions need, in the
// background. It calls done when they are enabled or cannot be. It needs Browser.mu.
func (b *Browser) watchLocked(p *Page, done func()) {
	var kinds EventKind
	for s := range b.sinks {
		if s.of(p) {
			kinds |= s.kinds
		}
	}
	if kinds == 0 || b.closed {
		done()
		return
	}
	b.loops.Go(func() {
		defer done()
		ctx, cancel := b.while()
		defer cancel()
		session, err := p.attach(ctx)
		if err != nil {
			return // it has gone, or will be attached to when it is used
		}
		if kinds&NetworkEvents != 0 {
			_ = p.enableNetwork(ctx, session) // a target without is silent
		}
		if kinds&ConsoleEvents != 0 {
			_ = p.enableConsole(ctx, session)
		}
		if kinds&LogEvents != 0 {
			_ = p.enableDomain(ctx, session, "Log.enable", p.log)
		}
	})
}

// enableNetwork enables the events of requests in a session.
func (p *Page) enableNetwork(ctx context.Context, session string) error {
	return p.enableDomain(ctx, session, "Network.enable", p.network)
}

// enableConsole enables the events of the console in a session.
func (p *Page) enableConsole(ctx context.Context, session string) error {
	return p.enableDomain(ctx, session, "Runtime.enable", p.console)
}

// setEarlier notes that the page now sends what it has logged before, or has sent all of
// it. Chromium replays the console with Runtime.enable.
func (p *Page) setEarlier(earlier bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.earlier = earlier
}

// domain is a CDP domain that a session enables once.
type domain struct {
	lock chan struct{} // holds an item while it is being enabled
	on   bool          // guarded by Page.mu
}

func newDomain() *domain { return &domain{lock: make(chan struct{}, 1)} }

// enableDomain returns once a domain is enabled, whoever does it. An error leaves it
// disabled, and the next call tries again.
func (p *Page) enableDomain(ctx context.Context, session, method string, d *domain) error {
	if err := p.acquireLock(ctx, d.lock); err != nil {
		return err
	}
	defer func() { <-d.lock }()
	p.mu.Lock()
	already := d.on
	p.mu.Unlock()
	if already {
		return nil
	}
	if d == p.console {
		p.setEarlier(true)
		defer p.b.events.put(func() { p.setEarlier(false) }, 0, false) // after what comes before the answer
	}
	err := p.callCommands(ctx, command{session, method, nil, nil})
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil && p.session == session { // else it has been lost meanwhile
		d.on = true
	}
	return err
}

// emit queues an event for its subscribers, after the events that are being handled.
// Events that only inform may be dropped, see queue.
func (b *Browser) emit(e Event) {
	e.Time = time.Now()
	if c, ok := e.Body.(PageChange); ok {
		c.URL = e.Page.redactURL(c.URL)
		e.Body = c
	}
	b.events.put(func() {
		for _, s := range b.wanting(e.Kind, e.Page) {
			if m, _ := e.Body.(ConsoleMessage); !m.Earlier || !s.old[e.Page] {
				s.f(e)
			}
		}
	}, 0, e.Kind&(ConsoleEvents|NetworkEvents|LogEvents) != 0)
}

// wanting lists the subscriptions to a kind of a page's events. Their functions are
// called without the lock.
func (b *Browser) wanting(kind EventKind, p *Page) []*Subscription {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []*Subscription
	for s := range b.sinks {
		if s.kinds&kind != 0 && s.of(p) {
			list = append(list, s)
		}
	}
	return list
}

// ------------------------------------------------------------------ console

// remote is Runtime.RemoteObject.
type remote struct {
	Type, Description, UnserializableValue string

	Value json.RawMessage
}

// text is the object as a console shows it: texts without quotes, other values as
// JSON, objects by their description.
func (r remote) text() string {
	var s string
	switch {
	case r.UnserializableValue != "":
		return r.UnserializableValue
	case r.Type == "string" && wire.Decode(r.Value, &s) == nil:
		return s
	case r.Value != nil:
		return string(r.Value)
	case r.Description != "":
		return r.Description
	}
	return r.Type
}

// stackTrace is Runtime.StackTrace. Its lines and columns count from 0.
type stackTrace struct {
	CallFrames []struct {
		URL                      string
		LineNumber, ColumnNumber int
	}
}

// longestWord is how much an event has of what is a word in the protocol, such as a type or
// a level, in bytes.
const longestWord = 256

// longestMessage is how much of a console's message an event has, in bytes: many are
// kept.
const longestMessage = 16 << 10

// consoleAPICalled takes Runtime.consoleAPICalled. The message is cut before it is
// redacted: redaction runs a pattern over all of it.
func (p *Page) consoleAPICalled(_ string, e struct {
	Type       string
	Args       []remote
	StackTrace *stackTrace
},
) {
	words := make([]string, len(e.Args))
	for i, a := range e.Args {
		words[i] = a.text()
	}
	m := ConsoleMessage{Level: cutText(e.Type, longestWord), Text: p.redact(cutText(strings.Join(words, " "), longestMessage))}
	if e.StackTrace != nil && len(e.StackTrace.CallFrames) > 0 {
		f := e.StackTrace.CallFrames[0]
		m.URL, m.Line, m.Column = p.redactURL(f.URL), f.LineNumber+1, f.ColumnNumber+1
	}
	p.emitConsole(m)
}

// emitConsole passes a message of the page's console on to subscribers.
func (p *Page) emitConsole(m ConsoleMessage) {
	p.mu.Lock()
	m.Earlier = p.earlier
	p.mu.Unlock()
	p.b.emit(Event{Kind: ConsoleEvents, Page: p, Body: m})
}

// exceptionThrown takes Runtime.exceptionThrown, of an exception that nothing has caught.
func (p *Page) exceptionThrown(_ string, e struct {
	ExceptionDetails struct {
		Text, URL                string
		LineNumber, ColumnNumber int
		Exception                *remote
	}
},
) {
	d := e.ExceptionDetails
	m := ConsoleMessage{Level: "error", Text: d.Text, URL: p.redactURL(d.URL), Line: d.LineNumber + 1, Column: d.ColumnNumber + 1}
	if d.Exception != nil {
		m.Text += " " + d.Exception.text()
	}
	m.Text = p.redact(cutText(m.Text, longestMessage))
	p.emitConsole(m)
}

// logEntryAdded takes Log.entryAdded: what the browser itself writes into a page's console,
// such as that a picture was not found.
func (p *Page) logEntryAdded(_ string, e struct {
	Entry struct {
		Level, Text, URL string
		LineNumber       int
	}
},
) {
	m := ConsoleMessage{Level: cutText(e.Entry.Level, longestWord), Text: p.redact(cutText(e.Entry.Text, longestMessage)), URL: p.redactURL(e.Entry.URL), Line: e.Entry.LineNumber}
	p.b.emit(Event{Kind: LogEvents, Page: p, Body: m})
}
