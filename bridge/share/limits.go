package share

import "github.com/cdphub/cdphub/internal/wire"

// What one Client may keep in a Tab, and what a Tab keeps of the browser. There may be many Clients, and pages decide what
// there is to know of them.
const (
	maxCalls    = 10_000   // commands of a Client at the browser
	maxKept     = 8 << 20  // bytes of a Client's params that are kept: scripts, bindings, settings, patterns, breakpoints
	maxItems    = 10_000   // how many of them, and of its object groups and streams
	maxWaiting  = 16 << 20 // bytes of commands that wait while the session is away
	maxCached   = 32 << 20 // bytes of events of a tab that are kept for those who enable a domain later
	maxMessages = 1000     // console messages among them, as many as Chromium keeps
	maxNodes    = 1 << 18  // nodes of one real session whose ids are known
	maxPaused   = 4096     // requests of one real session that are paused
	maxFilter   = 16 << 10 // bytes of the filter of Target.setAutoAttach
	maxDepth    = 1000     // levels of nodes, above or below one, in one event
	maxShared   = 4096     // remote objects that several Clients have from one event
)

var (
	errBusy = wire.ServerError("Too many commands of this client are in flight: wait for some of their answers")
	errAway = wire.ServerError("The tab is being attached again, and too many commands wait for it")
	errFull = wire.ServerError("This client keeps too much in the tab: scripts, bindings, settings, breakpoints and the like are limited to 8 MiB and 10000")
)

// overhead is added to the length of each thing that is kept, for the values of Go around it.
const overhead = 100

// keep counts something that a Client keeps.
func (c *client) keep(n int) *wire.Error {
	if c.kept+n+overhead > maxKept || c.items >= maxItems {
		return errFull
	}
	c.kept += n + overhead
	c.items++
	return nil
}

// drop says that it keeps something no more.
func (c *client) drop(n int) {
	c.kept -= n + overhead
	c.items--
}
