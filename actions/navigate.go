package actions

import (
	"context"
	"strings"

	"github.com/cdphub/cdphub/internal/urlpolicy"
)

// LoadState is how far a document has come.
type LoadState int

// The states, each after the one before.
const (
	Commit LoadState = iota
	DOMContentLoaded
	Load
	NetworkIdle
)

var stateNames = map[string]LoadState{"commit": Commit, "domcontentloaded": DOMContentLoaded, "load": Load, "networkidle": NetworkIdle}

// ParseLoadState reads "commit", "domcontentloaded", "load" or "networkidle"; ""
// is Load.
func ParseLoadState(name string) (LoadState, error) {
	if s, ok := stateNames[name]; ok {
		return s, nil
	}
	if name == "" {
		return Load, nil
	}
	return 0, invalidArgument("%q is not a load state: use load, domcontentloaded, networkidle or commit", name)
}

// Navigation is what has become of a navigation.
type Navigation struct {
	URL       string // redacted, as the title is
	Title     string
	Status    int               // of the document; 0 when it is not known
	Headers   map[string]string // redacted; nil when they are not known
	Committed bool              // the page shows the new document
	Reached   bool              // it has come as far as was asked for
	Moved     bool              // of history: there was an entry to go to
}

// GotoOptions are for Goto. Its zero value waits for load.
type GotoOptions struct {
	WaitUntil *LoadState // nil is Load
	Referer   string
	Untitled  bool // leave the title out, which costs a command
}

// loadStateOf is the state that options mean.
func loadStateOf(s *LoadState) LoadState {
	if s == nil {
		return Load
	}
	return *s
}

// Goto shows a URL and waits until its document has come as far as WaitUntil. Errors:
// URLBlocked; NavigationFailed with the browser's net::ERR_…, and for a download;
// NavigationTimeout. If the time is over after the new document was committed, the
// Navigation still says what there is.
func (p *Page) Goto(ctx context.Context, url string, o GotoOptions) (Navigation, error) {
	if err := p.b.check(ctx, url); err != nil {
		return Navigation{}, err
	}
	return p.runNavigation(ctx, loadStateOf(o.WaitUntil), func(ctx context.Context, s string) (started, error) {
		from := p.address()
		params := obj{"url": url}
		if o.Referer != "" {
			params["referrer"] = o.Referer
		}
		var out struct {
			LoaderID, ErrorText string
			IsDownload          bool
		}
		if err := p.callCommands(ctx, command{s, "Page.navigate", params, &out}); err != nil {
			return started{}, navigationError(err)
		}
		switch {
		case out.IsDownload:
			return started{}, newError(NavigationFailed, "navigation failed: %s is a download", url)
		case out.ErrorText != "":
			return started{}, p.navigationFailure(ctx, out.ErrorText)
		}
		// Chromium gives no loaderId for a navigation within the document (CDP,
		// Page.navigate).
		within := out.LoaderID == "" && sameDocument(from, url)
		return started{loader: out.LoaderID, within: within, next: out.LoaderID == "" && !within, untitled: o.Untitled}, nil
	})
}

// sameDocument reports whether a URL leads to another place of the same document: all
// but the fragment is the same, and the URL has a fragment (HTML Standard,
// "navigate").
func sameDocument(from, to string) bool {
	a, _, _ := strings.Cut(from, "#")
	b, _, fragment := strings.Cut(to, "#")
	return fragment && a == b
}

// navigationError is the error of a navigation that the target has refused, with the
// target's words but without the name of the method.
func navigationError(err error) error {
	if KindOf(err) == Internal {
		_, why, _ := strings.Cut(err.Error(), ": ")
		return newError(NavigationFailed, "navigation failed: %s", why)
	}
	return err
}

// refusedByBrowser is how a browser's own policy fails a request for a document.
const refusedByBrowser = "net::ERR_ACCESS_DENIED"

// navigationFailure is the error of a navigation that the browser has failed. If the URL policy
// was the reason, it is the policy's error: the events so far say so.
func (p *Page) navigationFailure(ctx context.Context, text string) *Error {
	_ = p.b.settle(ctx) // without it the reason is said less well
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.blocked != nil {
		return p.blocked
	}
	if text == refusedByBrowser {
		return refuseBlocked(&urlpolicy.Refusal{Reason: BlockDomain, Text: "the browser may not go where this address leads"})
	}
	return newError(NavigationFailed, "navigation failed: %s", text)
}

// Reload loads the page's document again.
func (p *Page) Reload(ctx context.Context, waitUntil *LoadState) (Navigation, error) {
	return p.runNavigation(ctx, loadStateOf(waitUntil), func(ctx context.Context, s string) (started, error) {
		return started{next: true}, p.callCommands(ctx, command{s, "Page.reload", nil, nil})
	})
}

// GoBack goes to the page before this one in the history. Without one it does
// nothing, and Moved is false.
func (p *Page) GoBack(ctx context.Context, waitUntil *LoadState) (Navigation, error) {
	return p.traverseHistory(ctx, -1, loadStateOf(waitUntil))
}

// GoForward is GoBack in the other direction.
func (p *Page) GoForward(ctx context.Context, waitUntil *LoadState) (Navigation, error) {
	return p.traverseHistory(ctx, +1, loadStateOf(waitUntil))
}

// traverseHistory goes to another entry of the history. The entry may be of the same
// document, which then changes only its address.
func (p *Page) traverseHistory(ctx context.Context, by int, state LoadState) (Navigation, error) {
	moved := true
	n, err := p.runNavigation(ctx, state, func(ctx context.Context, s string) (started, error) {
		var history struct {
			CurrentIndex int
			Entries      []struct{ ID int }
		}
		if err := p.callCommands(ctx, command{s, "Page.getNavigationHistory", nil, &history}); err != nil {
			return started{}, err
		}
		to := history.CurrentIndex + by
		if to < 0 || to >= len(history.Entries) {
			moved = false
			return started{within: true, stay: true}, nil
		}
		return started{next: true, orWithin: true},
			p.callCommands(ctx, command{s, "Page.navigateToHistoryEntry", obj{"entryId": history.Entries[to].ID}, nil})
	})
	n.Moved = moved
	return n, err
}

// started is how to recognize the document that a navigation leads to.
type started struct {
	loader   string // by its loader
	next     bool   // it is the next one
	orWithin bool   // or the same one at another address
	within   bool   // it is the one that is there
	stay     bool   // and nothing happens to it
	untitled bool   // nobody asks for its title
}

// runNavigation runs a navigation that start begins, and waits until its document has
// come as far as state. It is input: it runs after earlier actions of the page.
func (p *Page) runNavigation(ctx context.Context, state LoadState, start func(context.Context, string) (started, error)) (n Navigation, err error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if err := p.acquireLock(ctx, p.input); err != nil {
		return n, err
	}
	defer func() { <-p.input }()
	s, err := p.attach(ctx)
	if err != nil {
		return n, err
	}
	// The status and the headers come with Network events. A target without them
	// still navigates.
	if err := p.enableNetwork(ctx, s); err != nil && KindOf(err) != Unsupported {
		return n, err
	}
	p.b.use(p)
	// A page that is being blanked would take that for the new document.
	if err := p.awaitState(ctx, NavigationTimeout, func() (bool, *Error) { return p.blanking == 0, nil }); err != nil {
		return n, err
	}
	p.mu.Lock()
	before, within := p.doc.loader, p.doc.within
	p.blocked = nil
	p.mu.Unlock()
	inTime, stop := context.WithTimeout(ctx, elementPatience(ctx)) // the rest is for saying what there is
	defer stop()
	how, err := start(inTime, s)
	if err != nil {
		return n, p.asNavigationTimeout(inTime, err)
	}
	err = p.awaitState(inTime, NavigationTimeout, func() (bool, *Error) {
		if p.blocked != nil {
			return false, p.blocked
		}
		// The loader's request has failed before the document was committed.
		if why := p.doc.failure(how.loader); why != "" {
			return false, newError(NavigationFailed, "navigation failed: %s", why)
		}
		n.Committed = how.within || p.doc.arrived(how.loader, before) || how.orWithin && p.doc.within != within
		n.Reached = n.Committed && (how.stay || p.doc.reached(state) || state == Commit)
		return n.Reached, nil
	})
	if !n.Committed {
		return n, err
	}
	if how.untitled {
		p.describeByEvents(&n)
		n.Title = ""
	} else {
		p.describeDocument(ctx, &n)
	}
	return n, err
}

// asNavigationTimeout makes NavigationTimeout of a failure for lack of time.
func (p *Page) asNavigationTimeout(ctx context.Context, err error) error {
	if KindOf(err) == Timeout && ctx.Err() != nil {
		return newError(NavigationTimeout, "navigation timed out")
	}
	return err
}

// describeDocument fills in the address and the title that the document has now, and the
// status and headers of its load. The script may have changed the title since.
func (p *Page) describeDocument(ctx context.Context, n *Navigation) {
	var out evaluated
	err := p.callMethod(ctx, "Runtime.evaluate", obj{"expression": "[location.href, document.title]", "returnByValue": true}, &out)
	var text [2]string
	if err == nil && out.decode(&text) {
		n.URL, n.Title = p.redactURL(text[0]), p.redact(text[1])
	}
	p.describeByEvents(n)
}

// describeByEvents fills in what events have said of the document, without a command. It
// changes no URL that is there.
func (p *Page) describeByEvents(n *Navigation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n.URL == "" {
		n.URL, n.Title = p.redactURL(p.urlLocked()), p.redact(p.info.Title)
	}
	if l := p.doc.loads[p.doc.loader]; l != nil {
		n.Status, n.Headers = l.status, l.headers
	}
}

// WaitForLoadState waits until the page's document has come that far.
func (p *Page) WaitForLoadState(ctx context.Context, state LoadState) (Navigation, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	n := Navigation{Committed: true}
	if _, err := p.attach(ctx); err != nil {
		return n, err
	}
	inTime, stop := context.WithTimeout(ctx, elementPatience(ctx))
	defer stop()
	err := p.awaitState(inTime, NavigationTimeout, func() (bool, *Error) {
		n.Reached = state == Commit || p.doc.reached(state)
		return n.Reached, nil
	})
	if err == nil { // what somebody has typed may stand in the title
		_ = p.callScriptIn(inTime, "", scriptCall{verb: "secrets"})
	}
	p.describeDocument(ctx, &n)
	return n, err
}
