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

// Keep serves a browser as Serve does, and the next one whenever one ends. It
// returns when ctx ends, with its cause, or the hub wants no more of it.
func Keep(ctx context.Context, o Options, hub bridge.Hub) error {
	return keep(ctx, o.logger(), func(ctx context.Context) error { return Serve(ctx, o, hub) })
}

// keep calls run again whenever it returns, after a pause that doubles each
// time.
func keep(ctx context.Context, log *zap.Logger, run func(context.Context) error) error {
	pause := firstPause
	for {
		began := time.Now()
		err := run(ctx)
		switch {
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
