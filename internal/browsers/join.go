package browsers

import (
	"context"
	"sync"
	"time"

	"github.com/cdphub/cdphub/relay"
)

// Client is a Client within the process that keeps its hub, and the browser of
// that, until it leaves.
type Client struct {
	*relay.Local

	mu      sync.Mutex `stays:"goes with its caller"` // guards everything below
	left    bool
	onLeave []func()
}

// rejoining is how long a hub's browser may take to come back for a caller
// whose session has outlived it.
const rejoining = time.Minute

// Join makes a Client of the hub that acquire finds. It waits for that hub's
// browser for a minute at most.
func Join(ctx context.Context, acquire func(context.Context) (*relay.Hub, func(), error), o relay.LocalOptions) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, rejoining)
	defer cancel()
	hub, release, err := acquire(ctx)
	if err != nil {
		return nil, err
	}
	l, err := hub.JoinLocal(o)
	if err != nil {
		release()
		return nil, err
	}
	return &Client{Local: l, onLeave: []func(){release}}, nil
}

// OnLeave has f called when the Client leaves, or at once if it has left. f is called
// without the lock.
func (c *Client) OnLeave(f func()) {
	c.mu.Lock()
	left := c.left
	if !left {
		c.onLeave = append(c.onLeave, f)
	}
	c.mu.Unlock()
	if left {
		f()
	}
}

// Leave ends the Client, and calls the functions of OnLeave in their order. Further
// calls do nothing.
func (c *Client) Leave() {
	c.Local.Leave()
	c.mu.Lock()
	c.left = true
	todo := c.onLeave
	c.onLeave = nil
	c.mu.Unlock()
	for _, f := range todo {
		f()
	}
}
