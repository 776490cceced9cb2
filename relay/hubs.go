package relay

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/relay/quota"
)

// DefaultHub is the name of the hub at the root paths.
const DefaultHub = ""

// linger is how long a hub outlives its last user.
const linger = 30 * time.Second

// ErrTooManyHubs refuses one more hub in a process that holds enough (quota.Hubs): any name
// makes a hub. The text says whose hubs they are.
var ErrTooManyHubs = errors.New("too many hubs in this process")

// Hubs holds the hubs of one process by name. A hub comes into being when it
// is first asked for and goes when it has not been used for a while.
type Hubs struct {
	opts Options

	mu       sync.Mutex        // guards everything below
	hubs     map[string]*entry `held:"*"`
	past     Stats             `stays:"counts what has been"` // of hubs that are no more
	draining bool
}

// entry is one hub. Hubs.mu guards it.
type entry struct {
	hub    *Hub
	users  int         `held:"users of hubs"`
	idle   *time.Timer // set while there are no users
	forget func()      // gives its place back
}

// NewHubs makes an empty set of hubs, all with the same options.
func NewHubs(o Options) *Hubs {
	return &Hubs{opts: o.withDefaults(), hubs: make(map[string]*entry)}
}

// maxHubName is the longest name of a hub, in bytes: that of a DNS label (RFC 1035,
// section 2.3.4).
const maxHubName = 63

// ValidName reports whether a hub can have this name: [a-z0-9-]{1,63}. The default hub,
// whose name is "", is not reached by name.
func ValidName(name string) bool {
	if name == "" || len(name) > maxHubName {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// beforeShare stands between the name of a hub and that of a share. No name of a hub
// alone has it, and neither has a DNS label.
const beforeShare = "_"

// HubOfShare is the name of the hub that a share of tokens has in place of a hub:
// "work_team", and "_team" in place of the default hub. Without a share it is the hub.
func HubOfShare(hub, share string) string {
	if share == "" {
		return hub
	}
	return hub + beforeShare + share
}

// CutShare is the inverse of HubOfShare.
func CutShare(name string) (hub, share string) {
	hub, share, _ = strings.Cut(name, beforeShare)
	return hub, share
}

// ValidHub reports whether a hub can have this name: that of HubOfShare, of a valid name
// or the default hub.
func ValidHub(name string) bool {
	hub, share := CutShare(name)
	return name == HubOfShare(hub, share) && (hub == DefaultHub || ValidName(hub)) && (share == "" || ValidName(share))
}

// Acquire is AcquireFor without a Payer.
func (hs *Hubs) Acquire(name string) (h *Hub, release func(), err error) {
	return hs.AcquireFor(quota.Payer{}, name)
}

// AcquireFor returns the hub of that name for as long as the caller needs it;
// release must be called once when it no longer does. A hub that is made now counts for
// the Payer. The error is ErrTooManyHubs. A second call of release does nothing.
func (hs *Hubs) AcquireFor(payer quota.Payer, name string) (h *Hub, release func(), err error) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	e := hs.hubs[name]
	if e == nil {
		forget, err := hs.opts.Quotas.Take(quota.Hubs, payer, 1)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrTooManyHubs, err)
		}
		o := hs.opts
		o.Name = name
		o.Log = o.Log.With(zap.String("hub", name))
		e = &entry{hub: New(o), forget: forget}
		if hs.draining {
			e.hub.Drain()
		}
		hs.hubs[name] = e
	}
	return e.hub, hs.useLocked(name, e), nil
}

// Peek is Acquire for those who only look: it makes no hub that lasts. Where there
// is none of that name it returns an empty one, for this caller alone.
func (hs *Hubs) Peek(name string) (h *Hub, release func()) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	e := hs.hubs[name]
	if e == nil {
		return New(hs.opts), func() {}
	}
	return e.hub, hs.useLocked(name, e)
}

// PeekShares is Peek for the hub of that name and those that shares have in its place.
// It makes none.
func (hs *Hubs) PeekShares(name string) (list []*Hub, release func()) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	var releases []func()
	for other, e := range hs.hubs {
		if hub, _ := CutShare(other); hub == name || other == name {
			list, releases = append(list, e.hub), append(releases, hs.useLocked(other, e))
		}
	}
	return list, func() {
		for _, f := range releases {
			f()
		}
	}
}

// Has reports whether there is a hub of that name.
func (hs *Hubs) Has(name string) bool {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	return hs.hubs[name] != nil
}

// useLocked counts one more user, and stops the timer that would end the hub.
func (hs *Hubs) useLocked(name string, e *entry) (release func()) {
	if e.idle != nil {
		e.idle.Stop()
		e.idle = nil
	}
	e.users++
	return sync.OnceFunc(func() { hs.release(name, e) })
}

// release counts one user less, and has the hub end later if it was the last. A timer that
// has fired just as the hub is used again finds another idle timer, or none, and does
// nothing. The counters of the hub go on in past, so that those of the process never fall.
func (hs *Hubs) release(name string, e *entry) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if e.users--; e.users > 0 {
		return
	}
	// The function compares e.idle with this very timer.
	var t *time.Timer
	t = time.AfterFunc(linger, func() {
		hs.mu.Lock()
		defer hs.mu.Unlock()
		if e.idle == t && hs.hubs[name] == e {
			delete(hs.hubs, name)
			e.forget()
			end := e.hub.Stats()
			end.Hubs = 0
			hs.past.add(end)
		}
	})
	e.idle = t
}

// byNameLocked is a copy of the map, for use without the lock.
func (hs *Hubs) byNameLocked() map[string]*Hub {
	list := make(map[string]*Hub, len(hs.hubs))
	for name, e := range hs.hubs {
		list[name] = e.hub
	}
	return list
}

// Len is the number of hubs that exist.
func (hs *Hubs) Len() int {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	return len(hs.hubs)
}
