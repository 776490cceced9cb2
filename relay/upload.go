package relay

import (
	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

var errNoUploads = wire.ServerError("File upload by path is disabled on this hub: start it with an upload directory (--upload-dir)")

// upload puts the contents of files in the place of their paths, for a Host
// that has no access to them. It reads files, so it runs without the lock.
func (c *Client) upload(env *wire.Envelope) *wire.Error {
	h := c.hub
	h.mu.Lock()
	host := h.host
	if s := h.sessionLocked(c, env); s != nil && s.Upstream {
		host = nil // a browser reads them itself
	}
	h.mu.Unlock()
	u, ok := host.(bridge.Uploads)
	if !ok || !u.TakesFiles() {
		return nil
	}
	if h.opts.Upload == nil {
		return errNoUploads
	}
	params, err := h.opts.Upload(env.Params)
	if err != nil {
		return wire.ServerError(err.Error())
	}
	env.Params = params
	return nil
}
