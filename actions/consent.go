package actions

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cdphub/cdphub/relay/quota"
)

// Consents decides whose scripts run in pages of which origins. Its zero value
// denies all.
type Consents struct {
	Allow []string // origins, "https://app.example", or "*"
	Deny  []string // the same, denied even if allowed
	// Ask asks somebody about an origin of neither list; nil: nobody, which is
	// no. It has until ctx ends.
	Ask func(ctx context.Context, caller, origin string) (bool, error)

	mu      sync.Mutex         // guards what is below
	decided map[[2]string]bool `stays:"what people have decided"`
}

// consentWithin is how long there is for an answer.
const consentWithin = time.Minute

// maxDecided is how many answers are remembered; past it those of the caller with most
// are forgotten, for whom somebody is asked again.
const maxDecided = 10_000

// Check returns nil if a caller may run scripts in pages of an origin. Otherwise it
// returns an *Error of kind ConsentDenied or ApprovalTimeout. An answer of Ask is
// remembered for the caller and the origin, until the process ends or the caller has most
// of maxDecided answers. Deny is stronger than Allow.
func (c *Consents) Check(ctx context.Context, caller, origin string) error {
	denied := newError(ConsentDenied, "consent denied: scripts are not allowed in %s", origin)
	switch {
	case c == nil, slices.Contains(c.Deny, origin), slices.Contains(c.Deny, "*"):
		return denied
	case slices.Contains(c.Allow, origin), slices.Contains(c.Allow, "*"):
		return nil
	case c.Ask == nil:
		return denied
	}
	key := [2]string{caller, origin}
	c.mu.Lock()
	yes, known := c.decided[key]
	c.mu.Unlock()
	// Without the lock: Ask may wait for a person. Two requests at once then ask
	// twice.
	if !known {
		ctx, cancel := context.WithTimeout(ctx, consentWithin)
		defer cancel()
		var err error
		if yes, err = c.Ask(ctx, caller, origin); err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				return newError(ApprovalTimeout, "approval timed out")
			}
			return denied
		}
		c.mu.Lock()
		if c.decided == nil {
			c.decided = make(map[[2]string]bool)
		}
		if len(c.decided) >= maxDecided {
			c.forgetLocked()
		}
		c.decided[key] = yes
		c.mu.Unlock()
	}
	if !yes {
		return denied
	}
	return nil
}

// forgetLocked forgets the answers for the caller with most of them.
func (c *Consents) forgetLocked() {
	counts := make(map[string]int64)
	for key := range c.decided {
		counts[key[0]]++
	}
	most := quota.Most(counts)
	maps.DeleteFunc(c.decided, func(key [2]string, _ bool) bool { return key[0] == most })
}
