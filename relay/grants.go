package relay

import (
	"errors"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// A Client with tabs of its own gets further ones by CdpHub.grant:
//
//	CdpHub.getClients -> {"you":"puppeteer #4","clients":["playwright #3","puppeteer #4"]}
//	CdpHub.grant {"targetId":"…","client":"playwright #3"}
//	CdpHub.revoke {"targetId":"…","client":"playwright #3"}
//
// A Client may grant each Target that it sees, and goes on seeing it. It may give
// back what it was granted. It may take away from others what it has opened, and one
// that sees all tabs may take away any.

var (
	errNoClient = errors.New("no Client has this name: CdpHub.getClients and the dashboard list the names, such as \"playwright #3\"")
	errNotGiver = errors.New("only the Client that has opened the tab, or a Client that sees all tabs, may take it away from another Client")
	errSeesAll  = errors.New("this Client sees all tabs: connect it with tabs=own, then tabs can be granted to it and taken away")
	errHidden   = errors.New("this Client may see only pages of the web")
	errShared   = errors.New("the browser of this hub cannot keep the tabs of Clients apart: its tabs cannot be granted")
)

// clientLocked finds a Client by its name; nil is none.
func (h *Hub) clientLocked(name string) *Client {
	for c := range h.clients {
		if c.name != "" && c.name == name {
			return c
		}
	}
	return nil
}

// Grant lets the Client of that name see a Target, as CdpHub.grant does. Its error
// is for people, or ErrNoTarget.
func (h Control) Grant(targetID, client string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.grantLocked(targetID, h.clientLocked(client))
}

// grantLocked is Grant with the lock held; to is nil where no Client has the name. A
// Target that is private to a Client (targets.Info.Owner) cannot be granted, nor can a
// frame or a worker without its page.
func (h *Hub) grantLocked(targetID string, to *Client) error {
	t, s, known := h.sides.target(targetID)
	switch {
	case !known || t.Owner != "" || t.Type != "" && t.Type != "page":
		return ErrNoTarget
	case to == nil:
		return errNoClient
	case !policyShows(to.policy, nil, t):
		return errHidden
	case s.browser != nil && !s.keepsTabsOf(to):
		return errShared
	case to.owner == nil || !to.owner.tabs.Give(t.ID): // it sees the Target already
		return nil
	}
	if k, ok := s.host.(bridge.TabKeeper); ok {
		k.Given(&to.owner.tabs, t.ID)
	} else if s.browser == nil {
		s.tellLocked(to.owner, t)
	}
	return nil
}

// Revoke takes a Target away from the Client of that name, as CdpHub.revoke does.
// What the Client has on it ends as if the Target had ended. Its error is for
// people, or ErrNoTarget.
func (h Control) Revoke(targetID, client string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.revokeLocked(targetID, h.clientLocked(client))
}

// revokeLocked is Revoke under the lock; from is nil where no Client has the name.
func (h *Hub) revokeLocked(targetID string, from *Client) error {
	t, s, known := h.sides.target(targetID)
	switch {
	case !known || t.Type != "" && t.Type != "page": // frames and workers go with their pages
		return ErrNoTarget
	case from == nil:
		return errNoClient
	case from.owner == nil:
		return errSeesAll
	case !from.owner.tabs.Has(t.ID):
		return nil
	}
	if k, ok := s.host.(bridge.TabKeeper); ok {
		k.Taken(&from.owner.tabs, t.ID)
	} else if s.browser == nil {
		s.withdrawLocked(from.owner, t)
	}
	return nil
}

// getClients names the Clients, for CdpHub.grant.
func getClients(h *Hub, r *request) ([]byte, *wire.Error) {
	var names []string
	for c := range h.clients {
		if c.name != "" {
			names = append(names, c.name)
		}
	}
	slices.Sort(names)
	b := append(wire.AppendString([]byte(`{"you":`), r.client.name), `,"clients":[`...)
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, name)
	}
	return append(b, ']', '}'), nil
}

// TabClient is a Client with tabs of its own: {"client":"playwright #3","tabs":["T1"]}. It is an entry of the dashboard's list, hence
// the JSON.
type TabClient struct {
	Client string   `json:"client"` // its name
	Tabs   []string `json:"tabs"`   // ids of Targets
}

// TabClients lists the Clients with tabs of their own, by name, each with those of
// these Targets that it has.
func (h Control) TabClients(ids []string) (list []TabClient) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.clients {
		if c.owner == nil || c.name == "" {
			continue
		}
		has := TabClient{c.name, []string{}}
		for _, id := range ids {
			if c.owner.tabs.Has(id) {
				has.Tabs = append(has.Tabs, id)
			}
		}
		list = append(list, has)
	}
	slices.SortFunc(list, func(a, b TabClient) int { return strings.Compare(a.Client, b.Client) })
	return list
}

// grantTab answers CdpHub.grant.
func grantTab(h *Hub, r *request) ([]byte, *wire.Error) {
	id, err := h.namedTabLocked(r)
	if err != nil {
		return nil, err
	}
	if r.args.client == "" {
		return nil, missingParam("client")
	}
	return nil, grantError(h.grantLocked(id, h.clientLocked(r.args.client)))
}

// revokeTab answers CdpHub.revoke; without a name it is the Client itself that gives
// the tab back. What a Client was given it cannot take away from others: only what it has
// opened.
func revokeTab(h *Hub, r *request) ([]byte, *wire.Error) {
	id, err := h.namedTabLocked(r)
	if err != nil {
		return nil, err
	}
	from := r.client
	if r.args.client != "" {
		from = h.clientLocked(r.args.client)
	}
	if own := r.client.tabs(); own != nil && from != r.client && !own.Opened(id) {
		return nil, grantError(errNotGiver)
	}
	return nil, grantError(h.revokeLocked(id, from))
}

// namedTabLocked is the Target, or that of the tab, which a command names.
func (h *Hub) namedTabLocked(r *request) (string, *wire.Error) {
	if !r.args.hasTargetID {
		return "", missingParam("targetId")
	}
	id := strings.TrimPrefix(r.args.targetID, h.tabPrefix)
	if t, _, known := h.sides.target(id); !known || !r.client.sees(t) {
		return "", errNoTarget
	}
	return id, nil
}

// grantError is the CDP error for an error of Grant or Revoke.
func grantError(err error) *wire.Error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNoTarget):
		return errNoTarget
	}
	return wire.ServerError(err.Error())
}
