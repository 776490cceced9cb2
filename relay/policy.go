package relay

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
)

// Error is an error that a Client sees, with its CDP code.
type Error = wire.Error

// Object is the members of a JSON object, such as the params of a command.
type Object = wire.Object

// Policy says what a Client may do and see. It is asked without the hub's
// lock, from any goroutine; Policies are compared with ==. A scope.Scope is
// one.
type Policy interface {
	// Refuse returns why a method is not allowed, for the Client to read, or
	// "".
	Refuse(method string) string
	// Read judges the params of a method that is allowed: it returns their
	// members, and what goes to the Host in their place, as scope.Scope.Read
	// does.
	Read(method string, params []byte) (Object, []byte, *Error)
	// Event is what the Client sees of an event; ok is false for nothing.
	Event(method string, params []byte) (seen []byte, ok bool)
	// Redacts reports whether the Client gets what it sees without the secrets in it,
	// such as tokens in addresses: events by Event, and answers and what the hub itself
	// says by scope.Redact.
	Redacts() bool
	// Files reports whether the Client may use files of the machine that the
	// Host runs on, as a browser does for file:// addresses.
	Files() bool
}

// allowAll is the Policy of Clients that have none.
const allowAll = scope.Privileged

// ReadOnly may be implemented by a Policy: whether the Client only reads, with
// whatever commands that takes. The hub keeps no dialogs of pages open for it.
type ReadOnly interface {
	ReadOnly() bool
}

var _ ReadOnly = scope.Scope(0)

// refuse returns the answer to a method that the Client may not call, or nil.
func (c *Client) refuse(method string) *wire.Error {
	if why := c.policy.Refuse(method); why != "" {
		return wire.ServerError(why)
	}
	return nil
}

// views are the params of one event as Clients see them. Some Policies hide a part. There
// are few Policies, so made is a list.
type views struct {
	method string
	params []byte
	made   []view
	hushed *views // for Clients for whom a page is quiet; nil while none is
	about  string // the target that the event describes; "" for most, and while no page is quiet
	none   bool   // no Client sees it
}

// view is the params as Clients with one Policy see them.
type view struct {
	policy Policy
	seen   []byte
	ok     bool
}

// viewsOf makes the views for all Policies that Clients of the hub have. It runs
// without the hub's lock, since params may be long. A Client whose Policy is new since then
// is asked for under the lock (views.of).
func (h *Hub) viewsOf(method string, params []byte) views {
	v := views{method: method, params: params}
	if list := h.policies.list.Load(); list != nil {
		for _, p := range *list {
			v.add(p)
		}
	}
	if h.leases.quiet.Load() {
		seen, ok := scope.Hush(method, params)
		v.hushed = &views{method: method, params: seen, none: !ok}
		v.about = aboutTarget(method, params)
		for i := range v.made {
			if ok {
				v.hushed.add(v.made[i].policy)
			}
		}
	}
	return v
}

// aboutTarget is the target that an event at browser level describes, with its title or its
// address; "" for others.
//
//	Target.targetInfoChanged     {"targetInfo":{"targetId":"…",…}}
//	Browser.downloadWillBegin    {"frameId":"…",…}
//	CdpHub.downloadFinished      {"targetId":"…",…}
func aboutTarget(method string, params []byte) (id string) {
	object, name := params, "targetId"
	switch domain, _, _ := strings.Cut(method, "."); domain {
	case "Target":
		object = wire.MemberOf(params, "targetInfo")
	case "Browser":
		name = "frameId"
	case "CdpHub":
	default:
		return ""
	}
	id, _ = wire.Text(wire.MemberOf(object, name))
	return id
}

// add asks one more Policy. Most Clients have the same one, so that it runs once for an
// event, however many sessions get it.
func (v *views) add(p Policy) view {
	seen, ok := p.Event(v.method, v.params)
	made := view{p, seen, ok}
	v.made = append(v.made, made)
	return made
}

// of is what a Client sees.
func (v *views) of(c *Client) (seen []byte, ok bool) {
	if v.none {
		return nil, false
	}
	if c.policy == Policy(allowAll) {
		return v.params, true
	}
	for i := range v.made {
		if v.made[i].policy == c.policy {
			return v.made[i].seen, v.made[i].ok
		}
	}
	made := v.add(c.policy) // the Client has just come
	return made.seen, made.ok
}

// policies are those of the Clients of a hub, but for those that see everything. Hub.mu guards
// the changes. Events are made ready for them without the lock.
type policies struct {
	list      atomic.Pointer[[]Policy] // it is replaced, never changed
	redacting atomic.Bool              // one of them redacts
	clients   map[Policy]int           `held:"policies"`
}

// count counts the Clients of a Policy.
func (ps *policies) count(p Policy, more int) {
	if p == Policy(allowAll) {
		return
	}
	if ps.clients == nil {
		ps.clients = make(map[Policy]int)
	}
	before := ps.clients[p]
	if ps.clients[p] += more; ps.clients[p] == 0 {
		delete(ps.clients, p)
	}
	// Neither the first Client with this Policy nor the last one: the list stays.
	if before > 0 && before+more > 0 {
		return
	}
	list := slices.Collect(maps.Keys(ps.clients))
	ps.list.Store(&list)
	ps.redacting.Store(slices.ContainsFunc(list, Policy.Redacts))
}
