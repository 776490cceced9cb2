// Package browsers runs a browser behind each hub that is to have one: from
// the moment a caller first wants it until it was not used for a while.
//
//	hubs := relay.NewHubs(relay.Options{})
//	pool, err := browsers.New(hubs, browsers.Options{})
//	…
//	defer pool.Close()
//	hub, release, err := pool.Acquire(ctx, "work")
package browsers

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/optionname"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
)

// Options say which browsers there are. The zero value launches a headless
// Chromium for every hub.
type Options struct {
	// Chrome says which Chromium is launched, or connected to.
	Chrome chrome.Options

	// Adjust changes the options of a hub's browser before each start, if it is not nil.
	Adjust func(hub string, o *chrome.Options)

	// Run serves browsers of another kind in place of Chrome: it keeps one at
	// the hub until ctx ends, and calls ready whenever one is there. It returns
	// early when there is none to be had.
	Run func(ctx context.Context, hub bridge.Hub, ready func()) error

	// Hubs are those that have a browser: names, or patterns such as
	// "sandbox-*" (package path); RootHub is the hub without a name. Nil stands
	// for every hub, or for the hub without a name alone when Chrome.URL is set.
	Hubs []string
	// Undivided has all who may use a hub use one browser. Otherwise each share of
	// tokens has a hub of its own in its place (relay.HubOfShare), and so a browser of
	// its own. A browser of Chrome.URL cannot be divided.
	Undivided bool

	Max  int           // browsers at a time, 8; 1 with a profile that is kept
	Idle time.Duration // how long one outlives the last user of its hub, 5 min

	// Queue is how long a user waits for a browser while Max of them are in use; 0:
	// not at all.
	Queue time.Duration

	// Reserve is asked before a browser is started, if it is not nil: it may wait as long
	// as Queue, and ErrAllFull says that there may be no more. left is called when
	// the browser has ended.
	Reserve func(ctx context.Context) (left func(), err error)

	// Started is called when a browser has come to a hub, with the time that it
	// took, and Queued when a user has left the queue. They must not wait.
	// Both may be nil.
	Started func(took time.Duration)
	Queued  func(waited time.Duration, how Outcome)

	// Quotas share the browsers out, and the places in the queue. If it is nil, there is
	// one Payer, who may take everything.
	Quotas *quota.Ledger

	Log *zap.Logger // nothing is logged when nil
}

// RootHub stands for the hub without a name in Options.Hubs.
const RootHub = "/"

// The errors of Use and Acquire that say nothing about the machine.
var (
	ErrFull   error = advice.BrowsersFull
	ErrClosed       = errors.New("the hub is shutting down")
	// ErrAllFull is ErrFull where all nodes of a cluster together have no more.
	ErrAllFull error = advice.ClusterFull
	// ErrRestarting says that a browser that has ended is not back yet.
	ErrRestarting error = advice.Restarting
	// The browser is the user's own, which waits for her, or she has said no.
	ErrSwitchedOff, ErrAsks, ErrDenied = chrome.ErrSwitchedOff, chrome.ErrAsks, chrome.ErrDenied
)

// New makes a pool for the hubs of a process. It starts no browser yet.
func New(hubs *relay.Hubs, o Options) (*Pool, error) {
	patterns := o.Hubs
	switch {
	case len(patterns) > 0:
	case o.Chrome.URL != "": // one browser to connect to cannot serve every hub
		patterns = []string{RootHub}
	default:
		patterns = []string{RootHub, "*"}
	}
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, optionname.Errorf("{server.Browsers.Hubs} %q can never match: %w", pattern, err)
		}
	}
	log := cmp.Or(o.Log, zap.NewNop())
	p := &Pool{
		serves: func(hub string) bool { return Matches(patterns, hub) },
		named:  patterns,
		hubs:   hubs, max: cmp.Or(o.Max, int(quota.Table[quota.Browsers].Total)), idle: cmp.Or(o.Idle, 5*time.Minute), log: log.Named("pool"),
		reserve: o.Reserve, patience: o.Queue, onStart: o.Started, onQueue: o.Queued,
		launches: o.Chrome.URL == "", divided: o.Chrome.URL == "" && !o.Undivided, keeps: o.Chrome.URL == chrome.Own, sick: make(chan struct{}, 1),
	}
	p.try = func(context.Context) (string, error) { return "", nil }
	if p.run = o.Run; p.run == nil {
		browser := o.Chrome
		browser.Log = cmp.Or(browser.Log, o.Log)
		if err := browser.Check(); err != nil {
			return nil, err
		}
		var inUse profiles
		p.run = func(ctx context.Context, hub bridge.Hub, ready func()) error {
			browser := browser
			if named, ok := hub.(interface{ Name() string }); ok && o.Adjust != nil {
				o.Adjust(named.Name(), &browser)
			}
			browser.Waiting = p.noteWaiting
			left, err := inUse.enter(ctx, browser.Profile)
			if err != nil {
				return err
			}
			defer left()
			return chrome.Run(ctx, browser, hub, ready)
		}
		p.try = func(ctx context.Context) (string, error) { return chrome.Try(ctx, browser) }
		if p.keeps {
			p.try = p.connectOnce
		}
	}
	// A pool of Chromium is unhealthy until Check has seen a browser.
	if o.Run == nil {
		p.health = errUnchecked
	}
	// Chromium locks its profile folder: a second process with the same folder hands
	// its URL to the first one and ends.
	if o.Chrome.Profile != "" {
		p.max = 1 // two browsers cannot share a profile
	}
	p.share(cmp.Or(o.Quotas, quota.New(quota.Options{})))
	return p, nil
}

// None makes a pool without browsers: every hub is ready without one.
func None(hubs *relay.Hubs) *Pool {
	return &Pool{serves: func(string) bool { return false }, hubs: hubs}
}

// IsFull reports whether an error says that all browsers are in use.
func IsFull(err error) bool { return errors.Is(err, ErrFull) || errors.Is(err, ErrAllFull) }

// Matches reports whether a hub's name fits one of the patterns of Options.Hubs. "*"
// does not fit the hub without a name; RootHub does. The hub that a share has in place of
// another fits as that one. A wrong pattern, which New refuses, fits nothing.
func Matches(patterns []string, hub string) bool {
	hub, _ = relay.CutShare(hub)
	if hub == relay.DefaultHub {
		return slices.Contains(patterns, RootHub)
	}
	for _, p := range patterns {
		if ok, err := path.Match(p, hub); ok && err == nil {
			return true
		}
	}
	return false
}

// Acquire finds a hub, waits until its browser is there, and keeps both until release
// is called, which must happen once. Errors are ErrFull, ErrAllFull, ErrRestarting,
// ErrClosed, that of ctx, or why no browser can be had.
func (p *Pool) Acquire(ctx context.Context, name string) (hub *relay.Hub, release func(), err error) {
	done, err := p.Use(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	hub, forget, err := p.hubs.AcquireFor(quota.FromContext(ctx), name)
	if err != nil {
		done()
		return nil, nil, err
	}
	return hub, func() { forget(); done() }, nil
}
