package chrome

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

var (
	// ErrReplaced says that another Host has taken the hub: to serve the same
	// browser again would take it back.
	ErrReplaced = errors.New("another browser has taken its place at the hub")

	errShutdown = errors.New("the hub ends")
	errEnded    = errors.New("the browser has ended")
	errBehind   = errors.New("the browser accepts no more messages")
	errNotCDP   = errors.New("the browser sent a message that is not CDP")
	errSilent   = errors.New("the browser does not answer any more")
)

// Host is one browser behind a hub. Each Client has a browser session of its
// own in it; what Chromium mints inside that session is the Client's too. The
// Host's own session, the root, which has no id, watches the targets and does
// for the Clients what they may not do for themselves.
//
// Lock order: the hub's lock, then Host.mu, then the locks inside conn. The
// reader calls Events with no lock held.
type Host struct {
	conn   conn // static, as is what follows
	hub    bridge.Hub
	log    *zap.Logger
	shared bool
	cancel context.CancelCauseFunc // ends the Host; never blocks
	heard  atomic.Uint64           `stays:"counts what has been"` // messages received

	events       bridge.Events // owned by the reader, as is what follows; nil before the hub has the Host
	announcement bridge.Announcement
	in           message

	network *network // judges requests; nil: nothing is judged

	mu            sync.Mutex            // guards everything below
	sessions      map[string]*session   `held:"sessions"`                        // by the hub's id
	upstream      map[string]*session   `held:"sessions in the browser"`         // by the browser's id
	waiters       map[*session]struct{} `held:"sessions for which targets wait"` // for which new targets wait
	onAnswers     map[int32]onAnswer    `held:"commands with an answer to come"` // by the id of the command towards the browser
	lastCall      bridge.CallID         `stays:"numbers the commands"`           // the newest
	lastOwn       int32                 `stays:"numbers the commands"`           // the root's newest, counted down from 0
	scratch       []byte                `stays:"its memory serves the next command"`
	context       string                // the default one, if the browser names it
	contexts      map[string]*session   `held:"contexts of clients"`
	passing       map[string]struct{}   `held:"contexts that end with a client"` // contexts that end with their Client, also in a shared browser
	targets       map[string]target     `held:"targets"`
	born          int                   `stays:"numbers the targets"` // how many targets there have been
	windows       int                   `stays:"numbers the windows"` // how many groups of windows there have been: see families.go
	stuck         map[string]*stuckPage `held:"pages that hang"`      // by the id of the target
	looks         map[string]int32      `held:"looks at pages"`       // by target: the newest command that asked it for a sign of life
	looked        time.Time             // when that was done last
	lastDestroyed string                // the last target that has gone: see destroyed
	refreshing    bool                  // an answer to Target.getTargets is due
	flooded       time.Time             // when a renderer was ended that had flooded the browser
	downloads     downloadState
	shadows       map[string][]shadow `held:"shadows"`              // by target
	groups        groups              `held:"groups of clients"`    // of Clients with tabs of their own
	probes        map[string]string   `held:"tabs that are probed"` // tabs whose page is looked for, and the session for that, "" at first
}

// Serve opens the browser that the options name and announces it to the hub. It returns
// when ctx or the browser ends, or the hub wants no more of it, with the reason. A browser
// that was launched is gone by then. It does not start the browser again; Run does.
func Serve(ctx context.Context, o Options, hub bridge.Hub) error {
	c, err := openBrowser(ctx, o)
	if err != nil {
		return err
	}
	return serveHost(ctx, c, &o, hub)
}

// serveHost runs the Host of a browser, which it closes. When c.Serve has returned, no other
// goroutine uses h.events: it is the reader's. Then what still runs is waited for, files of
// downloads and questions to DNS, before the folder is removed.
func serveHost(ctx context.Context, c conn, o *Options, hub bridge.Hub) error {
	ctx, cancel := context.WithCancelCause(ctx)
	h := newHost(c, o, hub, cancel)
	h.network = newNetwork(ctx, o)
	if err := h.makeFolder(o); err != nil {
		cancel(err)
	}
	var watching sync.WaitGroup
	watching.Go(func() {
		h.watch(ctx)
		c.Close()
	})
	h.start()
	err := c.Serve(receiver{h.receive, h.receiveCut})
	if err == nil {
		err = errEnded
	}
	cancel(err)
	why := context.Cause(ctx)
	if h.events != nil {
		h.failSilent(why)
		h.events.HostGone(false)
	}
	h.forgetTabs()
	if errors.Is(why, errBehind) && !errors.Is(err, errClosed) {
		why = err // it took no more because it had ended
	}
	watching.Wait()
	h.downloads.saving.Wait()
	h.network.wait()
	if err := h.downloads.temporary.Remove(); err != nil {
		h.log.Warn("the folder of downloads is left behind", zap.Error(err))
	}
	return why
}

// newHost makes the Host of a browser; cancel ends it.
func newHost(c conn, o *Options, hub bridge.Hub, cancel context.CancelCauseFunc) *Host {
	return &Host{
		conn: c, hub: hub, log: o.logger(), shared: o.Shared, cancel: cancel,
		sessions:  make(map[string]*session),
		upstream:  make(map[string]*session),
		waiters:   make(map[*session]struct{}),
		onAnswers: make(map[int32]onAnswer),
		contexts:  make(map[string]*session),
		passing:   make(map[string]struct{}),
		targets:   make(map[string]target),
		stuck:     make(map[string]*stuckPage),
		looks:     make(map[string]int32),
		downloads: newDownloads(o),
		shadows:   make(map[string][]shadow),
		groups:    make(groups),
		probes:    make(map[string]string),
	}
}

// discoverAll has the root session discover targets of all types.
const discoverAll = `{"discover":true,"filter":[{}]}`

// start sends the commands whose answers make the announcement to the hub. The
// targets come as events before the last answer, which calls announce. Chromium carries out
// the commands of one session in their order.
func (h *Host) start() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.askLocked("Browser.getVersion", wire.Empty, h.readVersion)
	h.askLocked("Target.getBrowserContexts", wire.Empty, h.readDefault)
	h.applyWantsLocked("")
	h.interceptLocked()
	h.askLocked("Target.setDiscoverTargets", []byte(discoverAll), h.announce)
}

// announce makes h a Host of the hub. It runs in the reader's goroutine, as all
// callbacks of answers do.
func (h *Host) announce(_, cdpErr []byte) {
	if cdpErr != nil {
		h.cancel(errors.New("the browser cannot list its targets: " + string(cdpErr)))
		return
	}
	events, err := h.hub.SetHost(h, h.announcement)
	if err != nil {
		h.cancel(err)
		return
	}
	h.events = events
	h.announcement = bridge.Announcement{}
}

// Slot implements bridge.Slotter.
func (h *Host) Slot() string { return bridge.BrowserSlot }

// Close implements bridge.Host. It does not wait for the browser to end: the hub calls it
// under its lock.
func (h *Host) Close(r bridge.Reason) {
	if r == bridge.ReasonReplaced {
		h.cancel(ErrReplaced)
		return
	}
	h.cancel(errShutdown)
}
