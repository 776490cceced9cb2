package relay

import (
	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay/quota"
)

// errNoUploads refuses files by path for a page: the Host could not open the path, and
// the hub may only read below a folder that its user has named.
var errNoUploads = wire.ServerError("File upload by path is disabled on this hub: start it with an upload directory (--upload-dir)")

// upload puts the contents of files in the place of their paths, for a Host
// that has no access to them. It reads files, so it runs without the lock.
func (c *Client) upload(env *wire.Envelope) *wire.Error {
	h := c.hub
	h.mu.Lock()
	s := sideOf(h.sessionLocked(c, env))
	if s == nil { // as for a session that is not there
		s = h.sides.inSlot("")
	}
	var u bridge.Uploads
	if s != nil {
		u, _ = s.host.(bridge.Uploads)
	}
	// The session may end while files are read. The command then fails, as any for an
	// unknown session.
	h.mu.Unlock()
	if u == nil || !u.TakesFiles() {
		return nil
	}
	if h.opts.Upload == nil {
		return errNoUploads
	}
	account := h.opts.Quotas.Process(quota.Uploads).Open(c.account.payer)
	taken := int64(0)
	defer func() {
		account.Add(-taken)
		account.Close()
	}()
	params, err := h.opts.Upload(env.Params, func(bytes int64) error {
		err := account.Take(bytes)
		if err == nil {
			taken += bytes
		}
		return err
	})
	if err != nil {
		return wire.ServerError(err.Error())
	}
	env.Params = params
	return nil
}
