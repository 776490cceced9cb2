package relay

import "github.com/cdphub/cdphub/internal/wire"

// Policy says what a Client may do. It is asked once for each command, before
// anything is done, from any goroutine.
type Policy interface {
	// Refuse returns why a method is not allowed, for the Client to read, or
	// "".
	Refuse(method string) string
	// Files reports whether the Client may use files of the machine that the
	// Host runs on, as a browser does for file:// addresses.
	Files() bool
}

// Onlooker may be implemented by a Policy: whether the Client, by whatever it
// may do, only looks on. The dialogs of frames are not kept for it.
type Onlooker interface {
	LooksOn() bool
}

// refuse returns the answer to a method that the Client may not call, or nil.
func (c *Client) refuse(method string) *wire.Error {
	if c.policy == nil {
		return nil
	}
	if why := c.policy.Refuse(method); why != "" {
		return wire.ServerError(why)
	}
	return nil
}
