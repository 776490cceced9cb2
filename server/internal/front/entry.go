// Package front is what all rooms of a server share: rows of the route table, the route and the
// holder of a request, and the access log.
package front

import (
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/doors"
	"github.com/cdphub/cdphub/relay"
)

// Entry is a row of the route table: what a path leads to, and who is let in: first by what a
// request says of the page that it comes from, then by its token.
type Entry struct {
	Path string                   // below the prefix of the hub; {name...} is the rest of the path
	On   listeners                // that serve it
	When func(*http.Request) bool // only such requests are meant; nil: all
	Off  bool                     // the options leave it out

	Methods []string  // that are answered; nil: serve sees to that
	JSON    bool      // a body must be JSON by its Content-Type, see WithJSON
	Pages   pages     // whose requests are heard
	Role    auth.Role // whose token lets in; "" for what needs none
	Every   bool      // a token for every hub is needed
	Login   bool      // the token may come later
	Guests  bool      // the key of a handoff's guest is as good as a token
	WS      bool      // it is a WebSocket: other requests are answered before there is a hub
	Hub     bool      // it is about a hub: in a cluster, the node that owns the hub serves it
	Plain   bool      // it carries requests that find their hubs themselves: it is in no share
	Serve   http.HandlerFunc

	Speaks []doors.Protocol // what clients say there; nil for what is no protocol of theirs

	Session   string // its name below /session/NAME/, which leads to a hub that there is; "" for none
	Named     bool   // it has named sessions
	Unnamed   string // what to do in place of a named session, where it has none
	Elsewhere string // the answer of listeners that do not serve it

	Resource bool // a list of the hub, or a thing in it: a parameter without effect is refused, as it may be meant as a filter

	Claim bool // the hub has no owner yet: the node that it is forwarded to claims it
}

// listeners are those that serve an entry.
type listeners int

// The listeners of an entry.
const (
	allListeners listeners = iota
	ForClients
	ForHosts
	ForPeople // those for Clients that have the dashboard
)

// LeadsFrom reports whether a path below the prefix of a hub is one of the entry's. What clients ask
// for may end in a slash.
func (e *Entry) LeadsFrom(path string) bool {
	folder, _, below := strings.Cut(e.Path, "{")
	return path == folder || below && strings.HasPrefix(path, folder) || path == folder+"/" && folder != "/" && e.Pages != AllPages
}

// pages are those whose requests are heard. Unless an entry says otherwise
// they are those that may be Clients.
type pages int

// The pages of an entry.
const (
	ClientPages pages = iota
	HostPages
	ExtensionPages // the browser extension of this module
	OwnPages       // and those of the origin that is asked, for a WebSocket as well
	DashboardPages // those of the origin that is asked, and no others
	AllPages       // what is served is the same for everybody, or wants a key of its own
)

// Ask is what a request wants of the gate. A name that no hub can have asks for
// NoHub, so that the answer does not depend on the hubs that exist.
func (e Entry) Ask(r *http.Request) auth.Ask {
	at := RouteOf(r)
	a := auth.Ask{Role: e.Role, Path: at.Path, Listener: at.On.Name(), WebSocket: auth.IsWebSocket(r)}
	a.Hub, a.Share = relay.CutShare(at.Hub)
	switch {
	case e.Every:
		a.Hub = auth.EveryHub
	case !relay.ValidHub(at.Hub):
		a.Hub, a.Share = auth.NoHub, ""
	}
	return a
}

// Undivided reports whether an entry is served at the hub that the address names: what
// needs no token, and what is about all hubs or the process.
func (e Entry) Undivided() bool { return e.Role == "" || e.Every || e.Plain }
