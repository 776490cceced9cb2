package chrome

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
)

const (
	firstPause = 100 * time.Millisecond
	mostPause  = 30 * time.Second
	longLife   = time.Minute // after which a browser counts as one that works
)

// Keep serves a browser as Serve does, and the next one whenever one ends, and
// calls came for each that has come to the hub. It returns when ctx ends, with
// its cause, when the hub wants no more of it, or when the first one does not
// come.
func Keep(ctx context.Context, o Options, hub bridge.Hub, came func()) error {
	return keep(ctx, o.logger(), func(ctx context.Context) (there bool, err error) {
		err = Serve(ctx, o, arrivals{hub, func() { there = true; came() }})
		return there, err
	})
}

// arrivals is a hub that tells when a browser has come to it.
type arrivals struct {
	bridge.Hub
	came func()
}

// SetHost implements bridge.Hub.
func (a arrivals) SetHost(h bridge.Host, as bridge.Announcement) (bridge.Events, error) {
	e, err := a.Hub.SetHost(h, as)
	if err == nil {
		a.came()
	}
	return e, err
}

// keep calls run again whenever it returns, after a pause that doubles each
// time. run reports whether its browser had come.
func keep(ctx context.Context, log *zap.Logger, run func(context.Context) (bool, error)) error {
	pause := firstPause
	for first := true; ; first = false {
		began := time.Now()
		there, err := run(ctx)
		switch {
		case first && !there && ctx.Err() == nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, ErrReplaced), errors.Is(err, errShutdown):
			return err
		case time.Since(began) >= longLife:
			pause = firstPause
		}
		log.Warn("the browser is gone: it is opened again", zap.Error(err), zap.Duration("after", pause))
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
		pause = min(2*pause, mostPause)
	}
}
