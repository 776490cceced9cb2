package chrome

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
)

// The pauses of Run. A browser that cannot run, as with a full disk, is tried twice a
// minute in the end.
const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 30 * time.Second
)

// Run serves a browser as Serve does, and starts it again whenever it ends. It
// calls onReady each time the hub has accepted a browser. Pauses between
// starts that fail double from 100 ms to 30 s. A browser that has started and then ends is
// no such failure: a page or a Client may have ended it, for which nobody else shall wait.
//
// Run returns the cause of ctx when that ends, ErrReplaced when another Host
// has taken the hub, ErrDenied when the user of Own has said no, or the error of the first start.
func Run(ctx context.Context, o Options, hub bridge.Hub, onReady func()) error {
	return superviseRuns(ctx, o.logger(), func(ctx context.Context) (ready bool, err error) {
		err = Serve(ctx, o, readyHub{hub, func() { ready = true; onReady() }})
		return ready, err
	})
}

// readyHub is a hub that calls onReady when it has accepted a browser.
type readyHub struct {
	bridge.Hub
	onReady func()
}

// SetHost implements bridge.Hub.
func (r readyHub) SetHost(h bridge.Host, as bridge.Announcement) (bridge.Events, error) {
	e, err := r.Hub.SetHost(h, as)
	if err == nil {
		r.onReady()
	}
	return e, err
}

// superviseRuns calls run again whenever it returns, after a pause that doubles
// with each start that fails. run reports whether the hub had accepted its browser. A first start that fails
// is returned at once: the options are wrong, and somebody waits for the error.
func superviseRuns(ctx context.Context, log *zap.Logger, run func(context.Context) (bool, error)) error {
	pause := minBackoff
	for first := true; ; first = false {
		ready, err := run(ctx)
		switch {
		case first && !ready && ctx.Err() == nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		// To start again would take the hub back from the Host that has replaced this one.
		// Nor is the user of Own asked again and again.
		case errors.Is(err, ErrReplaced), errors.Is(err, errShutdown), errors.Is(err, ErrDenied):
			return err
		case ready:
			pause = minBackoff
		}
		log.Warn("the browser has ended: it is started again", zap.Error(err), zap.Duration("after", pause))
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
		pause = min(2*pause, maxBackoff)
	}
}
