package chrome

import (
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// Chromium has one download behavior a context, the last one set. For the
// default context, which all Clients share, the Host sets it: downloads go to
// a folder of its own, and from there to each Client that wants them. Contexts
// of a Client are left to it.
//
// Chromium tells of every download, in whatever context, in each session that
// has asked for events. The root asks, and passes them on to those who may
// know.

// downloads is what the Host knows of them. Host.mu guards it.
type downloads struct {
	takers  map[*session]struct{} // who have set a behavior
	last    *want                 // the newest for the default context
	set     string                // params of the behavior that holds now; "" is the browser's own
	running map[string]download   // by guid
}

// want is what a session has asked for the downloads of the default context:
// the params of Browser.setDownloadBehavior.
type want struct {
	Behavior string `json:"behavior"` // "allow", "allowAndName", "deny", "default"
	Path     string `json:"downloadPath,omitempty"`
	Events   bool   `json:"eventsEnabled"`
}

// allows reports whether files are wanted; a nil want wants none.
func (w *want) allows() bool {
	return w != nil && (w.Behavior == "allow" || w.Behavior == "allowAndName")
}

// download is one under way.
type download struct {
	owner *session // the Client whose context it is in; nil for the default context
	name  string
}

// stranger owns the downloads of which nobody can say whose they are.
var stranger = new(session)

// makeFolder makes the folder that downloads go to, unless the browser runs on
// another machine. In a fresh profile it goes with that, even if this process
// is killed.
func (h *Host) makeFolder(o *Options) (err error) {
	var profile string
	if l, ok := h.conn.(*launched); ok {
		profile = l.process.profile.temporary()
	}
	if o.local() {
		h.dir, err = os.MkdirTemp(profile, "cdphub-downloads-")
	}
	return err
}

// local reports whether the browser runs on this machine.
func (o *Options) local() bool {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" {
		return true // a folder, or none
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// setDownloadsLocked acts on a Client's Browser.setDownloadBehavior, or
// Page.setDownloadBehavior. Only what is meant for a context that a Client has
// created goes to the browser.
func (h *Host) setDownloadsLocked(s *session, c *bridge.Command, a *after, contextID string) error {
	w := new(want)
	if c.Params == nil || json.Unmarshal(c.Params, w) != nil || w.Behavior == "" {
		return invalid("behavior must be given, and each member have its type")
	}
	if c.Method == "Page.setDownloadBehavior" {
		w.Events = s.takes
		if _, created := h.contexts[s.context]; created {
			contextID = s.context
		}
	}
	if c.NoFiles && w.Path != "" {
		if h.dir == "" { // they would be written on another machine
			acknowledge(c, a)
			return nil
		}
		w.Path = h.dir
		c.Params = replaced(c.Params, "downloadPath", wire.AppendString(nil, h.dir))
	}
	switch {
	case contextID != "" && contextID != h.context:
		s.takes = w.Events
		w = s.want
	case w.allows() && w.Path == "":
		return &wire.Error{Code: wire.CodeInvalidParams, Message: "downloadPath not provided"}
	default:
		acknowledge(c, a)
		s.takes = w.Events
		h.downloads.last = w
	}
	s.want = w
	h.downloads.takers[s] = struct{}{}
	h.applyWantsLocked()
	return nil
}

// dropWantLocked forgets what a session has asked for.
func (h *Host) dropWantLocked(s *session) {
	if _, ok := h.downloads.takers[s]; ok {
		delete(h.downloads.takers, s)
		h.applyWantsLocked()
	}
}

// applyWantsLocked sets the behavior that serves all Clients.
func (h *Host) applyWantsLocked() {
	d := &h.downloads
	w := want{Behavior: "default", Events: len(d.takers) > 0}
	switch {
	case h.wantedLocked() && h.dir != "":
		w.Behavior, w.Path = "allowAndName", h.dir
	case d.last != nil:
		for s := range d.takers {
			if s.want != nil && (s.want == d.last || w.Behavior == "default") {
				w.Behavior, w.Path = s.want.Behavior, s.want.Path
			}
		}
	}
	params, err := json.Marshal(w)
	if err != nil || string(params) == d.set {
		return
	}
	d.set = string(params)
	h.askLocked("Browser.setDownloadBehavior", params, func(_, cdpErr []byte) {
		if cdpErr != nil {
			h.log.Warn("downloads do not reach the clients: the browser refuses to say where they go", zap.ByteString("error", cdpErr))
		}
	})
}

// wantedLocked reports whether any Client wants files of the default context.
func (h *Host) wantedLocked() bool {
	for s := range h.downloads.takers {
		if s.want.allows() {
			return true
		}
	}
	return false
}

// placeDownload learns from a page whose download it is that is about to
// begin. Its frame may be one that is no target.
func (h *Host) placeDownload(s *session, params []byte) {
	guid := text(params, "guid")
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.downloads.takers) > 0 {
		h.downloads.running[guid] = download{owner: h.ownerLocked(s.context)}
	}
}

// downloadBegins passes on a Browser.downloadWillBegin.
func (h *Host) downloadBegins(params []byte) {
	guid, frame := text(params, "guid"), text(params, "frameId")
	h.mu.Lock()
	d, placed := h.downloads.running[guid]
	if t, ok := h.targets[frame]; ok {
		d.owner = t.owner
	} else if !placed && len(h.contexts) > 0 {
		d.owner = stranger
	}
	d.name = text(params, "suggestedFilename")
	h.downloads.running[guid] = d
	takers := h.takersLocked(d)
	h.mu.Unlock()
	for _, t := range takers {
		if t.events {
			h.events.SessionEvent(t.sessionID, "Browser.downloadWillBegin", params)
		}
	}
}

// downloadGoesOn passes on a Browser.downloadProgress. A file in the Host's
// own folder is given to those who want it first.
func (h *Host) downloadGoesOn(params []byte) {
	guid, state := text(params, "guid"), text(params, "state")
	h.mu.Lock()
	d, ok := h.downloads.running[guid]
	if state != "inProgress" {
		delete(h.downloads.running, guid)
	}
	takers := h.takersLocked(d)
	h.mu.Unlock()
	path := text(params, "filePath")
	if state == "completed" && h.dir != "" && filepath.Dir(path) == h.dir {
		params := append([]byte(nil), params...)
		h.saving.Go(func() { h.save(path, guid, d.name, takers, params) })
		return
	}
	for _, t := range takers {
		if ok && t.events {
			h.events.SessionEvent(t.sessionID, "Browser.downloadProgress", params)
		}
	}
}

// taker is one who gets a download, or is told of it.
type taker struct {
	sessionID string
	want      want
	events    bool
}

// takersLocked returns who gets a download. While any Client wants the files
// of the default context, those who have refused them hear nothing of them.
func (h *Host) takersLocked(d download) (list []taker) {
	wanted := h.wantedLocked()
	for s := range h.downloads.takers {
		t := taker{sessionID: s.id}
		common := d.owner == nil && (s.want.allows() || !wanted)
		t.events = s.takes && (common || d.owner == s.client || h.shared)
		if s.want.allows() && (d.owner == nil || d.owner == stranger) {
			t.want = *s.want
		}
		if t.events || t.want.allows() {
			list = append(list, t)
		}
	}
	return list
}

// save links a file to where each taker wants it, tells them, and lets go of
// it.
func (h *Host) save(path, guid, name string, takers []taker, params []byte) {
	for _, t := range takers {
		told := params
		if t.want.allows() {
			saved := t.want.place(guid, name)
			if err := link(path, saved); err != nil {
				h.log.Info("a client does not get a download: its folder is not on this machine, or cannot be written to", zap.Error(err))
			}
			told = replaced(params, "filePath", wire.AppendString(nil, saved))
		}
		if t.events {
			h.events.SessionEvent(t.sessionID, "Browser.downloadProgress", told)
		}
	}
	if err := os.Remove(path); err != nil {
		h.log.Warn("a download is left behind until the browser ends", zap.Error(err))
	}
}

// place is the path of a file of that guid or, where it is to keep its own,
// name.
func (w *want) place(guid, name string) string {
	if w.Behavior == "allow" && name != "." && filepath.IsLocal(name) && !strings.ContainsAny(name, `/\`) {
		return filepath.Join(w.Path, name)
	}
	return filepath.Join(w.Path, guid)
}
