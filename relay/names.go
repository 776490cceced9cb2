package relay

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// maxName is how long the name of a Client may be without its number, in bytes.
const maxName = 48

// nameLocked makes the name of a Client, which no other Client of the hub has ever
// had: "playwright #3". It is "" for one that did not ask for a name. A name with "#" could
// pass for that of another Client.
func (h *Hub) nameLocked(wish string) string {
	wish = strings.Map(func(r rune) rune {
		if r == '#' || r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, targets.Cut(wish, maxName))
	if wish = strings.TrimSpace(wish); wish == "" {
		return ""
	}
	h.named++
	return wish + " #" + strconv.Itoa(h.named)
}

// Name is what people call the Client: "playwright #3". It never changes, and no
// two Clients of a hub have the same. It is "" for a Client that asked for none.
func (c *Client) Name() string { return c.name }

// Name is Client.Name of the Client.
func (l *Local) Name() string { return l.client.name }

// Drivers are the names of the Clients that have a session on a Target, in
// alphabetical order. Clients without a name are not among them. A Client with several
// sessions is named once.
func (h Control) Drivers(targetID string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, s, known := h.sides.target(targetID)
	if !known {
		return nil
	}
	var list []string
	for _, on := range s.sessions.ofTarget(targetID) {
		if c := on.client; c.name != "" && on.Kind == session.Page {
			list = append(list, c.name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
