package browsers

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"
)

// errUnchecked is the health of a pool before its first check.
var errUnchecked = errors.New("the browser is being started for the first time, to see that it works")

// slow is how long a check may take before the log says that it is under way.
const slow = 2 * time.Second

// Check finds out whether a browser can be had: it starts one and ends it, or
// connects to the one that runs already. Health returns what it found. It is not
// under the lock, since a start takes seconds.
func (p *Pool) Check(ctx context.Context) error {
	// None and Options.Run have nothing to try.
	if p.try == nil {
		return nil
	}
	notice := time.AfterFunc(slow, func() { p.log.Info("waiting for the browser, which is started once to see that it works") })
	defer notice.Stop()
	began := time.Now()
	product, err := p.try(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.sickLocked(err)
		return err
	}
	p.failed, p.health = failure{}, nil
	if product != "" {
		p.log.Info("the browser works", zap.String("browser", product), zap.Duration("took", time.Since(began)))
	}
	return nil
}

// Health is nil when a Client of a hub that has a browser would be served, as far
// as is known: else the error of the last start, or of the last check.
func (p *Pool) Health() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.health
}

// Launches reports whether the pool starts browsers itself. One that connects to
// a browser may have to wait for the caller that starts that.
func (p *Pool) Launches() bool { return p.launches }

// sickLocked notes that no browser can be had, and wakes Watch. The channel has room
// for one item: more would say the same.
func (p *Pool) sickLocked(err error) {
	p.health = err
	select {
	case p.sick <- struct{}{}:
	default:
	}
}

// Watch checks, after a start or a check has failed, whether a browser can be had
// again. Without Watch the pool could stay unhealthy for ever: no Client is sent to
// a hub that is not ready, so no Client asks for a browser. It returns when ctx ends.
func (p *Pool) Watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.sick:
		}
		for pause := firstPause; p.Health() != nil; pause = min(2*pause, mostPause) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			// A Client may have started a browser meanwhile.
			if p.Health() == nil {
				break
			}
			if err := p.Check(ctx); err != nil && ctx.Err() == nil && !p.keeps { // for that, noteWaiting logs
				p.log.Warn("there is still no browser", zap.Error(err), zap.Duration("next", min(2*pause, mostPause)))
			}
		}
	}
}
