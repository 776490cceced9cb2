package relay

import (
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/targets"
)

// tabCount counts the tabs of browsers for those who have opened them, until the tabs end:
// also after the Client has left. What a page opens counts for the one who has the page. By
// targetId.
type tabCount map[string]*quota.Account

// refusesTabLocked is why the Client may not open one tab more; nil if it may.
func (c *Client) refusesTabLocked() *wire.Error {
	if err := c.account.tabs.FitsLocked(1); err != nil {
		return wire.ServerError("Too many tabs: " + err.Error() + ".")
	}
	return nil
}

// countTabLocked counts a tab that a Client has opened, as the Host has answered.
func (h *Hub) countTabLocked(c *Client, id string) {
	if _, on, known := h.sides.target(id); known && on.browser != nil {
		h.tabs.add(&h.pools, strings.Clone(id), c.account.payer)
	}
}

// inherit counts a tab that a page has opened. Nothing is refused: it is there.
func (tc tabCount) inherit(p *pools, t targets.Info) {
	if a := tc[t.OpenerID]; a != nil && t.OpenerID != "" {
		tc.add(p, t.ID, a.Payer())
	}
}

func (tc tabCount) add(p *pools, id string, payer quota.Payer) {
	if tc[id] == nil {
		tc[id] = p.tabs.OpenLocked(payer)
		tc[id].AddLocked(1)
	}
}

// gone forgets a tab that has ended.
func (tc tabCount) gone(id string) {
	if a := tc[id]; a != nil {
		delete(tc, id)
		a.AddLocked(-1)
		a.CloseLocked()
	}
}
