package actions

import (
	"context"
	"time"

	"github.com/cdphub/cdphub/targets"
)

// attach returns the page's session. The first call makes it; calls at the same time
// wait for that one. Errors: TargetClosed, Timeout, NoBrowser.
func (p *Page) attach(ctx context.Context) (session string, err error) {
	p.mu.Lock()
	session, gone := p.session, p.gone
	p.mu.Unlock()
	switch {
	case gone:
		return "", p.closedError()
	case session != "":
		return session, nil
	}
	if err := p.acquireLock(ctx, p.join); err != nil {
		return "", err
	}
	defer func() { <-p.join }()
	p.mu.Lock()
	session = p.session
	p.mu.Unlock()
	if session != "" {
		return session, nil
	}
	for patience := attaching; ; patience *= 2 {
		inTime, stop := context.WithTimeout(ctx, patience)
		session, err = p.createSession(inTime)
		late := inTime.Err() != nil && ctx.Err() == nil
		stop()
		if err == nil || !late {
			return session, err
		}
	}
}

// attachToDocument is attach for what reads the document or acts on it. It is refused with
// URLBlocked at an address where no page may be: the page may have come there while
// it had no session.
func (p *Page) attachToDocument(ctx context.Context) (session string, err error) {
	if session, err = p.attach(ctx); err != nil {
		return "", err
	}
	p.keepPainting(ctx, session)
	if e := p.b.refusal(p.address()); e != nil {
		e.Details.PageID = p.ID
		return "", e
	}
	return session, nil
}

// keepPainting has a browser go on painting a tab while this connection works with it,
// whether or not the tab is in front. Without that Chromium runs no animation frames
// there, for which actions and captures wait. It brings no tab to the front.
func (p *Page) keepPainting(ctx context.Context, session string) {
	p.mu.Lock()
	awake := p.awake == session || p.kind != BrowserTarget
	p.awake = session
	p.mu.Unlock()
	if !awake {
		_, _ = p.sendCommands(ctx, command{session, "Emulation.setFocusEmulationEnabled", obj{"enabled": true}, nil}) // else it is slow there
	}
}

// attaching is how long a new session may take to answer until another takes its
// place: Chromium 156 has some that never do, when they are made while a
// document is being committed.
const attaching = 3 * time.Second

// createSession makes the session. What it needs of the page's domains goes out at
// once.
func (p *Page) createSession(ctx context.Context) (string, error) {
	p.mu.Lock()
	before := p.doc.loader
	p.mu.Unlock()
	var made struct{ SessionID string }
	// A flat session has its sessionId in each message of the same connection (CDP,
	// Target.attachToTarget).
	if err := p.b.call(ctx, "Target.attachToTarget", obj{"targetId": p.ID, "flatten": true}, &made); err != nil {
		return "", err
	}
	s := made.SessionID
	p.b.mu.Lock()
	p.b.sessions[s] = p
	p.b.mu.Unlock()
	var tree struct{ FrameTree frameTree }
	var version struct{ Revision string }
	method, err := p.sendCommands(
		// All go out at once: each round trip would delay the first action. The order
		// matters: with Page enabled first, no change after the tree is missed.
		ctx,
		command{s, "Page.enable", nil, nil},
		command{s, "Page.setLifecycleEventsEnabled", obj{"enabled": true}, nil},
		command{s, "Page.getFrameTree", nil, &tree},
		command{s, "Browser.getVersion", nil, &version},
		command{s, "Target.setAutoAttach", obj{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}, nil},
	)
	if err != nil {
		p.b.endSession(s)
		return "", p.translate(method, err)
	}
	// A Frame Agent says by this revision that it stands for a browser.
	emulated := version.Revision == targets.EmulatedRevision
	if !emulated {
		p.b.watchFields(s)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// Target.targetDestroyed came while the session was made.
	if p.gone {
		return "", p.closedError()
	}
	root := tree.FrameTree.Frame
	p.session, p.doc.frame = s, root.ID
	if p.doc.loader == before { // else an event was faster
		p.doc.loader, p.doc.url, p.doc.unreachable = root.LoaderID, root.URL, root.UnreachableURL
	}
	p.kind = BrowserTarget
	if emulated {
		p.kind = FrameTarget
	}
	p.changeLocked()
	return s, nil
}

// endSession detaches, in the background, from a session that is of no use.
func (b *Browser) endSession(s string) {
	b.mu.Lock()
	delete(b.sessions, s)
	b.mu.Unlock()
	b.background("", "Target.detachFromTarget", obj{"sessionId": s}) // it may have ended by itself
}
