package chrome

import (
	"cmp"
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/downloads"
	"github.com/cdphub/cdphub/internal/tempdir"
	"github.com/cdphub/cdphub/internal/wire"
)

// Chromium has one download behavior a context, the last one set. So the Host
// sets them all: downloads are denied in each context until a Client wants
// them. Then they go to a folder of the Host's own, one for each context, and
// from there to each Client that wants them: to the folder that it has named,
// or, if it may not name files, to one that the Host makes for it. What is
// there already is never replaced.
//
// Chromium sends the events of every download, in all contexts, to each session
// that has asked for them (Chromium 156). So only the root session asks, and the
// Host passes them on to the sessions that may see them.

// downloadState is what the Host knows of downloads. Host.mu guards it.
type downloadState struct {
	temporary *tempdir.Dir              // static, as dir
	dir       string                    // its path, where downloads go; "" when Clients save their own
	most      int64                     `stays:"configuration"` // Options.MaxDownload
	saving    sync.WaitGroup            // of files
	takers    downloads.Table[*session] `held:"sessions with a download behavior"` // sessions that have set a behavior
	folders   map[string]string         `held:"folders of downloads"`              // by context, where its downloads go; "" is the default context
	set       map[string]string         `held:"download behaviors"`                // by context, the params that hold now
	made      int                       `stays:"numbers the folders"`              // folders, ever
	last      *downloads.Wish           // the newest
	running   map[string]download       `held:"downloads"` // by guid
}

// behavior is the params of Browser.setDownloadBehavior. As the Host sends it,
// eventsEnabled is always true: it needs the events itself.
type behavior struct {
	Behavior string `json:"behavior"`
	Context  string `json:"browserContextId,omitempty"`
	Path     string `json:"downloadPath,omitempty"`
	Events   bool   `json:"eventsEnabled"`
}

// download is one under way.
type download struct {
	context   string // "" is the default one
	known     bool   // the context is
	target    string // that it belongs to; "" if that is not known
	name, url string
	received  int64  // bytes, so far
	why       string // the Host has canceled it; "" if it has not
}

// newDownloads makes the state of a new Host.
func newDownloads(o *Options) downloadState {
	return downloadState{
		most:    o.MaxDownload,
		takers:  make(downloads.Table[*session]),
		folders: make(map[string]string),
		set:     make(map[string]string),
		running: make(map[string]download),
	}
}

// forget forgets a context.
func (d *downloadState) forget(contextID string) {
	delete(d.set, contextID)
	delete(d.folders, contextID)
}

// newFolder makes a folder in that of the Host, for this user alone (0700).
func (d *downloadState) newFolder(kind string) (string, error) {
	d.made++
	folder := filepath.Join(d.dir, kind+strconv.Itoa(d.made))
	return folder, os.Mkdir(folder, 0o700)
}

// folderOf is the Host's folder for the downloads of a context, made when it is first wanted.
func (d *downloadState) folderOf(contextID string) (string, error) {
	if folder := d.folders[contextID]; folder != "" {
		return folder, nil
	}
	folder, err := d.newFolder("context-")
	if err == nil {
		d.folders[contextID] = folder
	}
	return folder, err
}

// contextOf is the context in whose folder a file is.
func (d *downloadState) contextOf(path string) (contextID string, found bool) {
	for contextID, folder := range d.folders {
		if name := filepath.Base(path); bridge.IsFileName(name) && path == filepath.Join(folder, name) {
			return contextID, true
		}
	}
	return "", false
}

// behaviorOf is the behavior of a context that serves all sessions which want its files, and
// denies them while none does.
func (d *downloadState) behaviorOf(contextID string) (b behavior, err error) {
	b = behavior{Behavior: "deny", Context: contextID, Events: true}
	for _, a := range d.takers {
		w := a.Wishes[contextID]
		if !w.Allows() {
			continue
		}
		if d.dir != "" {
			folder, err := d.folderOf(contextID)
			if err == nil {
				b.Behavior, b.Path = "allowAndName", folder
			}
			return b, err
		}
		if w.Folder != "" && (w == d.last || b.Path == "") { // only the browser can save them: the newest decides
			b.Behavior, b.Path = w.Behavior, w.Folder
		}
	}
	return b, nil
}

// removeFolder removes the folder of a Client that has left.
func (d *downloadState) removeFolder(client *session) {
	if folder := client.folder; folder != "" {
		client.folder = ""
		d.saving.Go(func() { os.RemoveAll(folder) }) // files that cannot be removed yet go with the Host's folder
	}
}

// drop forgets what a session has asked for, and notes for which contexts.
func (d *downloadState) drop(s *session, contexts map[string]struct{}) {
	if asked := d.takers[s]; asked != nil {
		delete(d.takers, s)
		for contextID := range asked.Wishes {
			contexts[contextID] = struct{}{}
		}
	}
}

// makeFolder makes the folder that downloads go to, unless the browser runs on
// another machine. That of a browser that was started here is removed with the browser, even if this
// process is killed.
func (h *Host) makeFolder(o *Options) (err error) {
	parent := os.TempDir()
	if l, ok := h.conn.(*launched); ok {
		parent = l.process.profile.temporary.Path
	}
	if !o.local() {
		return nil
	}
	if h.downloads.temporary, err = tempdir.Make(parent, tempdir.Downloads); err == nil {
		h.downloads.dir = h.downloads.temporary.Path
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

// contextOfLocked is a context's id as downloads go by it: "" for the default
// one.
func (h *Host) contextOfLocked(contextID string) string {
	if _, created := h.contexts[contextID]; created {
		return contextID
	}
	return ""
}

// setDownloadsLocked acts on a Client's Browser.setDownloadBehavior, or
// Page.setDownloadBehavior. None of it goes to the browser.
func (h *Host) setDownloadsLocked(s *session, c *bridge.Command, a *onAnswer, contextID string) error {
	kind, _ := c.Args.Text("behavior")
	path, _ := c.Args.Text("downloadPath")
	w, err := downloads.ReadWish(kind, path)
	switch {
	case err != nil:
		return err
	case path == "" && w.Allows() && h.downloads.dir == "": // else the hub keeps them
		return (&wire.Error{Code: wire.CodeInvalidParams, Message: "downloadPath not provided"}).Advise("The hub keeps no downloads of this browser: it runs on another machine. Name a folder there.")
	}
	takes := c.Args.True("eventsEnabled")
	if c.Method == "Page.setDownloadBehavior" {
		contextID, takes = s.context, false
		if asked := h.downloads.takers[s]; asked != nil {
			takes = asked.Events
		}
	} else if contextID != "" && contextID != h.context && h.contextOfLocked(contextID) == "" {
		return noContext(contextID)
	}
	if s.client.noFiles && w.Allows() && path != "" && !downloads.IsClientFolder(path) {
		if err := h.ownFolderLocked(s.client, &w); err != nil {
			return err
		}
	}
	acknowledgeCommand(c, a)
	contextID = strings.Clone(h.contextOfLocked(contextID))
	h.downloads.last = &w
	h.downloads.takers.Set(s, contextID, &w, takes)
	h.applyWantsLocked(contextID)
	return nil
}

// ownFolderLocked has the downloads of a Client that may not name files go to a folder of
// the Client's own, which is removed when the Client leaves.
func (h *Host) ownFolderLocked(client *session, w *downloads.Wish) error {
	if h.downloads.dir == "" {
		return wire.ServerError("Downloads are not possible: the browser runs on another machine, and only a token of scope privileged may set a folder there")
	}
	if client.folder == "" {
		folder, err := h.downloads.newFolder("client-")
		if err != nil {
			h.log.Warn("no folder could be made for the downloads of a client", zap.Error(err))
			return wire.ServerError("Downloads are not possible: the hub cannot make a folder for them (its log says why)")
		}
		client.folder = folder
	}
	w.Folder = client.folder
	return nil
}

// unwantedLocked is for contexts whose downloads some session no longer wants. Those that
// have ended meanwhile need no new behavior.
func (h *Host) unwantedLocked(contexts map[string]struct{}) {
	for contextID := range contexts {
		if contextID == "" || h.contextOfLocked(contextID) != "" {
			h.applyWantsLocked(contextID)
		}
	}
}

// applyWantsLocked sets the behavior of a context. The browser is asked only when something
// changes.
func (h *Host) applyWantsLocked(contextID string) {
	b, err := h.downloads.behaviorOf(contextID)
	if err != nil {
		h.log.Warn("downloads are denied: there is no folder for them", zap.Error(err))
	}
	params, err := json.Marshal(b)
	if err != nil || string(params) == h.downloads.set[contextID] {
		return
	}
	h.downloads.set[contextID] = string(params)
	h.askLocked("Browser.setDownloadBehavior", params, func(_, cdpErr []byte) {
		if cdpErr != nil {
			h.log.Warn("the browser refused Browser.setDownloadBehavior", zap.ByteString("error", cdpErr))
		}
	})
}

// locateDownload records the context of a download from an event of its page.
// Browser.downloadWillBegin alone is not enough: its frame may be no target.
func (h *Host) locateDownload(s *session, params []byte) {
	guid := readText(params, "guid")
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.downloads.takers) > 0 && h.mayRunLocked(guid) {
		h.downloads.running[guid] = download{context: h.contextOfLocked(s.context), known: true, target: s.target}
	}
}

// mayRunLocked reports whether a download can have this guid, which becomes the name of a
// file, and whether there is a place for it. A browser that the hub has not started can say
// anything.
func (h *Host) mayRunLocked(guid string) bool {
	_, runs := h.downloads.running[guid]
	if bridge.IsFileName(guid) && (runs || len(h.downloads.running) < downloads.MaxRunning) {
		return true
	}
	h.log.Warn("download of the browser refused: its guid cannot be the name of a file, or too many are under way")
	return false
}

// downloadWillBegin handles Browser.downloadWillBegin: it goes to the sessions
// that may know of the download.
func (h *Host) downloadWillBegin(params []byte) {
	guid, frame := readText(params, "guid"), readText(params, "frameId")
	h.mu.Lock()
	d := h.downloads.running[guid]
	if t, ok := h.targets[frame]; ok {
		d.context, d.known, d.target = h.contextOfLocked(t.Context), true, t.ID
	} else if len(h.contexts) == 0 { // there is only the default one
		d.known = true
	}
	d.name, d.url = readText(params, "suggestedFilename"), downloads.CutURL(readText(params, "url"))
	var takers []taker
	if len(h.downloads.takers) > 0 && h.mayRunLocked(guid) {
		h.downloads.running[guid] = d
		takers = h.recipientsLocked(d)
	}
	h.mu.Unlock()
	h.tellOfDownload(takers, "Browser.downloadWillBegin", params)
}

// downloadProgress handles Browser.downloadProgress. A file that is complete is
// first saved where the sessions want it, if it is in a folder of the Host.
func (h *Host) downloadProgress(params []byte) {
	guid, state, path := readText(params, "guid"), readText(params, "state"), readText(params, "filePath")
	if !bridge.IsFileName(guid) { // its beginning was refused, too
		return
	}
	h.mu.Lock()
	d, ok := h.downloads.running[guid]
	if state != "inProgress" {
		delete(h.downloads.running, guid)
	}
	ours, why := false, ""
	if state == "completed" {
		if contextID, found := h.downloads.contextOf(path); found {
			d.context, d.known, ours = contextID, true, true
		}
	}
	takers := h.recipientsLocked(d)
	switch {
	case state == "canceled":
		why = cmp.Or(d.why, "the browser has canceled it: its page has ended, the network has failed, or somebody has canceled it")
	case ok && state == "inProgress":
		d.received, _ = wire.Int(wire.MemberOf(params, "receivedBytes"))
		h.limitLocked(guid, &d, takers)
		h.downloads.running[guid] = d
	}
	h.mu.Unlock()
	if ours {
		// The file is saved beside the reader, which goes on: params are its memory. Files
		// of different downloads may be saved at once.
		params := append([]byte(nil), params...)
		h.downloads.saving.Go(func() { h.save(path, guid, d, takers, params) })
		return
	}
	if ok {
		for _, t := range takers {
			if t.Events && why != "" {
				h.events.DownloadFinished(t.To.id, d.finished(guid, cmp.Or(explainUnasked(t), why)))
			}
		}
		h.tellOfDownload(takers, "Browser.downloadProgress", params)
	}
}

// taker is a session that gets a download, its events, or both.
type taker = downloads.Recipient[*session]

// recipientsLocked returns the sessions that get a download or its events. While
// any Client wants the files of a context, Clients that have denied downloads
// there get no events of them.
func (h *Host) recipientsLocked(d download) []taker {
	list, wanted := h.downloads.takers.Recipients(d.context, func(s *session) bool { return h.hidesDownloadLocked(s, d) })
	for i := range list {
		t := &list[i]
		t.Events = t.Events && (t.Wish.Allows() || !wanted || h.shared)
	}
	return list
}

// tellOfDownload sends an event to the sessions that have asked for it.
func (h *Host) tellOfDownload(takers []taker, method string, params []byte) {
	for _, t := range takers {
		if t.Events {
			h.events.SessionEvent(t.To.id, method, params)
		}
	}
}

// hidesDownloadLocked reports whether a session may not know of a download: that of a target, or of
// a context, which its Client does not see. What may be any of these is hidden.
func (h *Host) hidesDownloadLocked(s *session, d download) bool {
	return !h.shared && !d.known || s.client.group != nil && d.target == "" || h.hiddenLocked(s, d.target, d.context)
}

// finished describes a download that has ended.
func (d *download) finished(guid, why string) bridge.Finished {
	return bridge.Finished{Download: bridge.Download{TargetID: d.target, GUID: guid, URL: d.url, SuggestedFilename: d.name}, Why: why}
}

// explainUnasked is why a session gets no file that others may get; "" if it does.
func explainUnasked(t taker) string {
	if t.Wish.Allows() {
		return ""
	}
	return downloads.Unasked
}

// limitLocked cancels a download when those under way have more bytes than the hub keeps, unless a
// Client that may name files gets it in a folder of its own.
func (h *Host) limitLocked(guid string, d *download, takers []taker) {
	most := h.downloads.most
	if most == 0 || d.why != "" || slices.ContainsFunc(takers, func(t taker) bool { return t.Wish.Allows() && t.Wish.Folder != "" && !t.To.client.noFiles }) {
		return
	}
	sum := d.received
	for other, o := range h.downloads.running {
		if other != guid {
			sum += o.received
		}
	}
	if sum <= most {
		return
	}
	d.why = downloads.TooLarge(most)
	params, err := json.Marshal(struct {
		GUID    string `json:"guid"`
		Context string `json:"browserContextId,omitempty"`
	}{guid, d.context})
	if err == nil {
		h.askLocked("Browser.cancelDownload", params, func(_, _ []byte) {})
	}
}

// save gives a file to each recipient: the hub keeps it, and it is linked to where the Client wants it. It
// sends the events, and removes the original. The events come after the file is there. filePath
// names the file of a Client that wants it, and is empty for one that wants none, so that no Client sees the
// Host's own folder. A recipient whose folder cannot be written to still gets the events.
func (h *Host) save(path, guid string, d download, takers []taker, params []byte) {
	for _, t := range takers {
		if !t.Events && !t.Wish.Allows() {
			continue // it has denied what another Client downloads
		}
		saved, end := "", d.finished(guid, explainUnasked(t))
		end.Mute = !t.Events
		if t.Wish.Allows() {
			end.Path = path
		}
		if t.Wish.Allows() && t.Wish.Folder != "" {
			var err error
			if saved, err = downloads.SaveAs(path, filepath.Join(t.Wish.Folder, t.Wish.FileName(guid, d.name))); err != nil {
				h.log.Info("a client does not get a download: its folder is not on this machine, or cannot be written to", zap.Error(err))
			} else if t.To.client.noFiles {
				end.Copy = saved
			}
		}
		progress := params
		if kept := h.events.DownloadFinished(t.To.id, end); !kept && end.Copy != "" {
			if err := os.Remove(end.Copy); err != nil {
				h.log.Warn("a download is left behind until its client leaves", zap.Error(err))
			}
			saved, progress = "", withMember(params, "state", []byte(`"canceled"`))
		}
		if t.Events {
			h.events.SessionEvent(t.To.id, "Browser.downloadProgress", withMember(progress, "filePath", wire.AppendString(nil, saved)))
		}
	}
	if err := os.Remove(path); err != nil {
		h.log.Warn("a download is left behind until the browser ends", zap.Error(err))
	}
}
