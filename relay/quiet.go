package relay

import (
	"slices"

	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/targets"
)

// A person does in a handoff what nobody may read, such as typing a password. Meanwhile the
// page is quiet: to others go neither answers about it nor the parts of events that show
// what is typed. The same holds for all that reaches the page by script. Clients whose token
// has scope privileged go on reading, but for those of the token that has asked.

// quiet is what a lease remembers while its page is quiet.
type quiet struct {
	asker string // the account that had asked when it began; "" is none
	// origins are those of the documents that the page has shown meanwhile.
	origins map[string]struct{}
}

// maxOrigins is how many origins a page may show during one lease until every page of its
// browser context counts as of the same origin.
const maxOrigins = 64

// hushLocked makes a lease quiet until it ends; o is the handoff that its viewer answers.
// Only what the viewer does leads here.
func (l *lease) hushLocked(o *handoff) {
	if l.quiet == nil {
		l.quiet = &quiet{origins: make(map[string]struct{})}
	}
	if o != nil {
		l.quiet.asker = o.account()
	}
	if t, known := l.side.targets.Get(l.target); known {
		l.quiet.note(t.URL)
	}
}

// note remembers the origin of a document.
func (q *quiet) note(url string) {
	if origin := scope.Origin(url); origin != "" && len(q.origins) <= maxOrigins {
		q.origins[origin] = struct{}{}
	}
}

// has reports whether the page has shown a document of the origin of a URL.
func (q *quiet) has(url string) bool {
	origin := scope.Origin(url)
	_, shown := q.origins[origin]
	return shown || len(q.origins) > maxOrigins && origin != ""
}

// noteAddress notes what a Target shows that may be quiet.
func (ls *leases) noteAddress(on *side, t targets.Info) {
	if l := ls.find(on, t.ID); l != nil && l.quiet != nil {
		l.quiet.note(t.URL)
	}
}

// askers are the accounts that have asked for what the person of a lease does.
func (l *lease) askers() (list []string) {
	if l.quiet != nil {
		list = append(list, l.quiet.asker)
	}
	if o := l.side.hub.handoffs[l.target]; o != nil {
		list = append(list, o.account())
	}
	return list
}

// Readable reports whether somebody may read the target meanwhile: always if the lease is
// not quiet, and for an account whose token has scope privileged, unless it has asked for
// what the person does.
func (held Holding) Readable(privileged bool, account string) bool {
	return !held.Quiet || privileged && account != "" && !slices.Contains(held.askers, account)
}

// hushesLocked reports whether a lease keeps from a Client what its person does.
func (l *lease) hushesLocked(c *Client) bool {
	return l.quiet != nil && c != l.owner && (!c.privileged() || slices.Contains(l.askers(), c.bearer))
}

// privileged reports whether the Client has a token of scope privileged. Without tokens no
// Client is: whoever asks for a handoff would be, too.
func (c *Client) privileged() bool { return c.bearer != "" && !c.noFiles }

// closes are the commands by which a privileged Client may end a page that a person has.
var closes = map[string]bool{"Page.close": true, "Target.closeTarget": true, "Target.disposeBrowserContext": true}

// countQuiet notes whether any page is quiet, for events on their way.
func (ls *leases) countQuiet() {
	ls.quiet.Store(slices.ContainsFunc(ls.list, func(l *lease) bool { return l.quiet != nil }))
}

// seen is what the Client of a session sees of an event.
func (ls *leases) seen(v *views, s *clientSession) (seen []byte, ok bool) {
	c := s.client
	if v.hushed != nil { // else it came before the page was quiet
		for _, l := range ls.list {
			if l.hushesLocked(c) && (l.hears(s) || l.intercepts(s, v.method) || v.about != "" && l.reaches(v.about)) {
				return v.hushed.of(c)
			}
		}
	}
	return v.of(c)
}

// Quieted is the lease because of which a target is quiet: its own, or that of a page that it
// reaches.
func (h Control) Quieted(targetID string) (Holding, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.leases.list {
		if l.quiet != nil && l.reaches(targetID) {
			return l.holding(), true
		}
	}
	return Holding{}, false
}

// quietFor is the quiet lease that what happens in a session would show; nil for none.
func (ls *leases) quietFor(s *clientSession) *lease {
	if !ls.quiet.Load() {
		return nil
	}
	for _, l := range ls.list {
		if l.quiet != nil && l.hears(s) {
			return l
		}
	}
	return nil
}

// hushes reports whether the title and the address of a Target are kept from a
// Client; nil is anybody who is none.
func (ls *leases) hushes(c *Client, targetID string) bool {
	return slices.ContainsFunc(ls.list, func(l *lease) bool {
		return l.quiet != nil && (c == nil || l.hushesLocked(c)) && l.reaches(targetID)
	})
}

// shown is a Target as a Client sees it, nil for anybody who is none: without the
// title, and with no more of the address than its origin, while it is quiet.
func (ls *leases) shown(c *Client, t targets.Info) targets.Info {
	if ls.quiet.Load() && ls.hushes(c, t.ID) {
		return quietInfo(t)
	}
	return t
}

// quietInfo is a Target as scope.Hush leaves one.
func quietInfo(t targets.Info) targets.Info {
	t.Title, t.URL = Hide(t.Title, t.URL)
	return t
}

// Hide is as much of the title and the address of a page as others see while it is quiet.
func Hide(_, url string) (title, reduced string) { return "", scope.Reduce(url) }

// hushList removes the same from the result of Target.getTargets or
// Target.getTargetInfo of a Host, for a Client. While no page is quiet, the result stays.
func (ls *leases) hushList(c *Client, result []byte) []byte {
	if !ls.quiet.Load() {
		return result
	}
	return scope.HushTargets(result, func(targetID string) bool { return ls.hushes(c, targetID) })
}
