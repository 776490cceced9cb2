package browsers

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/relay"
)

// userPatience is how long a Client waits for the user's own browser, and for her, before it
// gets to know what it waits for: as long as for a browser that is being started again.
const userPatience = 10 * time.Second

// lateness fires after userPatience where the browser is the user's own.
func (p *Pool) lateness() (late <-chan time.Time, stop func()) {
	if !p.keeps {
		return nil, func() {}
	}
	t := time.NewTimer(userPatience)
	return t.C, func() { t.Stop() }
}

// noteWaiting is told what a connection to the user's own browser waits for.
func (p *Pool) noteWaiting(why error) {
	p.log.Warn("waiting for Chrome", zap.Error(why))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.awaits = why
	p.sickLocked(why)
}

// connectOnce begins to connect to the user's own browser when it is called first, and returns
// what that waits for. Once she has said no, only a Client asks again.
func (p *Pool) connectOnce(ctx context.Context) (product string, err error) {
	p.mu.Lock()
	first := !p.asked
	p.asked = true
	p.mu.Unlock()
	if !first {
		return "", p.Health()
	}
	done, err := p.Use(ctx, relay.DefaultHub)
	if err != nil {
		return "", err
	}
	done()
	return "", nil
}
