package relay

import (
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// Why commands in flight fail when their Target or Host ends.
var (
	errTargetDestroyed = wire.ServerError("Target destroyed")
	errHostGone        = wire.ServerError("Host disconnected")
	errHostReplaced    = wire.ServerError("Host replaced by a newer connection")
	errHostReannounced = wire.ServerError("Host re-announced")
	errDetached        = wire.ServerError("Session detached")
)

// side is one Host of a hub, with its Targets. It outlives the Host's connection
// while the Host may come back. Hub.mu guards it.
//
// Most sides are emulated: the hub stands for the browser around the Host's
// Targets, mints all sessions and answers the browser level. A Host that has the
// ability bridge.BrowserSessions does this itself.
type side struct {
	hub  *Hub   // static
	slot string // static: which Hosts replace one another

	// What follows is set while the Host is connected.
	host       bridge.Host
	connection *connection            // what the Host speaks to
	browser    bridge.BrowserSessions // nil while the side is emulated
	lifecycle  bridge.Lifecycle       // nil for a Host without this ability

	version      bridge.Version
	hostID       string // "" for a Host that does not come back
	disconnected *disconnection
	targets      targets.Registry
	sessions     sessionsByTarget
	scripts      scripts
	// roots holds the session of each Client at the browser level of its Host;
	// empty while the side is emulated.
	roots map[*Client]*clientSession
}

// slotOf is the slot of a Host.
func slotOf(host bridge.Host) string {
	if s, ok := host.(bridge.Slotter); ok {
		return s.Slot()
	}
	return ""
}

// SetHost implements bridge.Hub. A Host that comes back keeps its Targets with
// their sessions; those of any other Host that was in its slot end. It may come back before
// its old connection is known to be lost; commands in flight fail. The HostID is a secret,
// so that no other Host can take the Targets.
func (h *Hub) SetHost(host bridge.Host, a bridge.Announcement) (bridge.Events, error) {
	slot := slotOf(host)
	hc := &connection{hub: h}
	browser, _ := host.(bridge.BrowserSessions)
	if browser != nil {
		a.HostID = "" // what it minted is lost with its connection
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	// Asked under the same lock as the slot is taken: of two Hosts on standby, one gets it.
	if browser == nil && a.Yields && !h.sides.isFree() {
		return nil, bridge.ErrTaken
	}
	s := h.sides.inSlot(slot)
	back := s != nil && a.HostID != "" && a.HostID == s.hostID
	if s != nil {
		s.makeRoomLocked(back)
	}
	if !back {
		old := s
		s = &side{hub: h, slot: slot, browser: browser}
		if old != nil { // what it has left can still be fetched
			s.scripts = old.scripts
		}
		h.sides.add(s)
	}
	// Answers to calls up to before are of another connection, and dropped as outdated.
	hc.side, hc.before = s, h.calls.last
	s.host, s.connection, s.browser = host, hc, browser
	s.lifecycle, _ = host.(bridge.Lifecycle)
	h.log.Info("host connected", zap.String("slot", slot), zap.String("product", a.Version.Product),
		zap.Int("targets", len(a.Targets)), zap.Bool("back", back))
	s.enterLocked(a, back)
	h.arrivedLocked()
	if slot == "" {
		h.returning.end()
	}
	return hc, nil
}

// enterLocked takes over what a Host announces when it connects. For a Host that is back,
// Attached comes for each session that goes on, and then Resumed.
func (s *side) enterLocked(a bridge.Announcement, back bool) {
	if back {
		s.hostID, s.version = strings.Clone(a.HostID), a.Version
		s.resumeLocked(a.Targets)
	} else {
		s.adoptLocked(a)
	}
	if s.browser != nil {
		return
	}
	if r, ok := s.host.(bridge.Resumer); ok {
		r.Resumed()
	}
}

// makeRoomLocked ends the connection of the side's Host for the next one: the
// same Host come back, or another. Without back it ends the side, too. The old Host hears
// of it last, once nothing that it says counts any more.
func (s *side) makeRoomLocked(back bool) {
	s.stopWaitingLocked()
	why := errHostGone // of a Host that was away
	old := s.host
	if old != nil {
		why = errHostReplaced
		s.disconnectLocked()
	}
	if back {
		s.failAllLocked(errHostGone)
	} else {
		s.endLocked(why)
	}
	if old != nil {
		old.Close(bridge.ReasonReplaced)
	}
}

// disconnectLocked forgets the Host's connection: nothing that the Host says
// counts any more, and it is not asked to release anything. Targets and sessions stay; the
// caller ends them, or waits.
func (s *side) disconnectLocked() {
	s.host, s.connection, s.lifecycle = nil, nil, nil
}

// endLocked forgets a side whose Host has gone for good. If it served the browser level,
// the next Host that can do so gets the Clients' subscriptions.
func (s *side) endLocked(why *wire.Error) {
	h := s.hub
	s.stopWaitingLocked()
	s.hostID = ""
	s.dropLocked(why)
	served := s == h.sides.browser()
	h.sides.remove(s)
	if next := h.sides.browser(); served && next != nil {
		next.askAllLocked()
	}
}

// adoptLocked takes over what a Host has announced: all of it is new.
func (s *side) adoptLocked(a bridge.Announcement) {
	s.version = a.Version
	if s.browser == nil {
		s.hostID = strings.Clone(a.HostID)
	}
	s.hub.activity++ // they are equally active, and keep their order
	for _, t := range a.Targets {
		s.createdLocked(t)
	}
	if s == s.hub.sides.browser() {
		s.askAllLocked()
	}
}

// dropLocked ends every Target with its sessions, and fails every command in
// flight. The Host is not asked to release the sessions: it has gone, or has started over.
func (s *side) dropLocked(why *wire.Error) {
	if s.browser != nil {
		s.dropBrowserLocked(why)
		return
	}
	h := s.hub
	s.failUnownedLocked(why)
	for t := range s.targets.Clear() {
		h.endedLocked(s, t)
		s.endTargetLocked(t, why)
	}
}

// createdLocked adds or updates a Target. It reports false when the Target is refused: its
// id is not usable or another Target's, or there are too many.
func (s *side) createdLocked(t targets.Info) bool {
	if s.isElsewhereLocked(t.ID) {
		return false
	}
	if _, known := s.targets.Get(t.ID); !known {
		defer func() { s.targets.Activate(t.ID, s.hub.activity) }()
	}
	defer s.hub.observeWebLocked(s, t.ID)
	s.hub.leases.noteAddress(s, t)
	if s.browser == nil {
		return s.announceTargetLocked(t)
	}
	added, ok := s.targets.Set(t)
	if added {
		s.hub.notePrivateLocked(t)
		s.hub.tabs.inherit(&s.hub.pools, t)
		s.hub.coverLocked(s, t.ID)
	}
	return ok
}

// noteActiveLocked notes which Target a command brings to the front.
func (h *Hub) noteActiveLocked(r *request) {
	id := ""
	switch {
	case r.Method == "Target.activateTarget":
		id = r.args.targetID
	case r.Method == "Page.bringToFront" && r.session != nil:
		id = r.session.TargetID
	default:
		return
	}
	h.activity++
	for _, s := range h.sides.list {
		s.targets.Activate(id, h.activity)
	}
}

// isElsewhereLocked reports whether an id names a Target of another side, or what
// the hub emulates around those. Ids of Targets are unique in a hub: two Targets with the
// same id could not be told apart by Clients.
func (s *side) isElsewhereLocked(id string) bool {
	if _, own := s.targets.Get(id); own {
		return false
	}
	if _, emulated := s.hub.find(id); emulated {
		return true
	}
	_, _, known := s.hub.sides.target(id)
	return known
}

// announceTargetLocked adds or updates a Target of an emulated side, and tells
// the Clients that want to know. A Client with auto-attach gets targetCreated, if it
// discovers, then attachedToTarget.
func (s *side) announceTargetLocked(t targets.Info) bool {
	h := s.hub
	added, ok := s.targets.Set(t)
	if !ok {
		return false
	}
	// As the registry has it: its texts may have been cut.
	t, _ = s.targets.Get(t.ID)
	h.listing.note(t.ID, added)
	h.listing.partial = h.listing.partial || t.NotWeb || t.Owner != ""
	if added {
		h.owners.inherit(t)
	}
	for _, k := range kinds[1:] { // the tab, then the page in it
		at := target{k, s, t}
		if !added {
			h.notifyInfoLocked("Target.targetInfoChanged", at)
			continue
		}
		h.notifyInfoLocked("Target.targetCreated", at)
		h.autoAttachLocked(at)
	}
	return true
}

// goneLocked ends one Target with its sessions. The Host of a browser has ended
// those before.
func (s *side) goneLocked(targetID string, why *wire.Error) {
	info, known := s.targets.Get(targetID)
	if !known {
		return
	}
	s.targets.Delete(info.ID)
	s.hub.endedLocked(s, info)
	if s.browser == nil {
		s.endTargetLocked(info, why)
	}
}

// endTargetLocked ends the sessions of a Target and announces its end. It has
// left the registry before, so that the end of its last session is not
// announced as a change of it.
func (s *side) endTargetLocked(info targets.Info, why *wire.Error) {
	h := s.hub
	h.listing.stale = true
	for _, k := range [...]session.Kind{session.Page, session.Tab} {
		id := h.idOf(k, info)
		for _, on := range slices.Clone(s.sessions.ofTarget(id)) {
			h.endSessionLocked(on, why)
		}
		h.notifyLocked("Target.targetDestroyed", k, info, func(*Client) []byte {
			return append(wire.AppendString([]byte(`{"targetId":`), id), '}')
		})
	}
	h.dialogs.forget(info.ID)
	h.owners.gone(info.ID)
}

// announceLocked tells the Host of a session on a Target of its side.
func (s *side) announceLocked(on *clientSession) {
	a, ok := s.host.(bridge.Announcer)
	if !ok {
		return
	}
	key := ""
	if s.browser == nil {
		key = s.dialogKeyLocked(on.TargetID)
	}
	s.hub.notified = s.host
	a.Attached(attachmentOf(on, key))
}

// releaseLocked tells the Host that a session has ended, if the Host was told of
// its beginning. What a Host has minted ends with the session around it.
func (s *side) releaseLocked(ended *clientSession) {
	if s == nil || s.host == nil || !inTarget(ended) || s.browser != nil && ended.parent != nil {
		return
	}
	s.hub.notified = s.host
	s.host.Release(ended.ID, ended.TargetID)
}

// failAllLocked answers every command in flight of the side, the oldest first.
func (s *side) failAllLocked(why *wire.Error) {
	s.hub.calls.failWhere(why, func(c *call) bool { return c.side == s })
}

// failUnownedLocked answers every command in flight that no session owns.
func (s *side) failUnownedLocked(why *wire.Error) {
	s.hub.calls.failWhere(why, func(c *call) bool { return c.side == s && c.session == nil })
}
