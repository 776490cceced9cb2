package relay

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/downloads"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// Downloads of frames. The browser around a frame saves a file for its user. The Host of the
// page reports it (bridge.Events), and brings the content in parts while a Client wants it. The
// hub writes them to one file. In the end it keeps the file for each Client that wants it
// (Options.Keep), and saves it to the folder that the Client has named, if it may be written to. A
// Client that cannot have the file gets the state "canceled".

const (
	downloadBegins   = "Browser.downloadWillBegin"
	downloadProgress = "Browser.downloadProgress"
	downloadFinished = "CdpHub.downloadFinished"
)

// Why a Client has no file.
const (
	whyUnread    = "the page could not read the file"
	whyParts     = "parts of the file are missing"
	whyGone      = "the page has ended"
	whyUnwritten = "the hub cannot write the file (its log says why)"
)

// maxDownload is how many bytes a download may have.
const maxDownload = 256 << 20

// DownloadFile is the content of a download while it comes.
type DownloadFile interface {
	io.Writer
	// Name is the path of the file.
	Name() string
	// Measure is the size of what was written, and its SHA-256.
	Measure() (size int64, sum string)
	// SaveTo saves the whole file to a folder that a Client has named.
	SaveTo(folder, name string) (path string, err error)
	// Close frees it. What was saved stays.
	io.Closer
}

type (
	// DownloadItem is the file of a download, to keep.
	DownloadItem = downloads.Item
	// KeptDownload is a file that is kept.
	KeptDownload = downloads.Kept
)

// frameDownloads are the downloads of the frames of a hub. Hub.mu guards them.
type frameDownloads struct {
	takers  downloads.Table[origin]              `held:"download behaviors"`
	running map[*connection]map[string]*download `held:"hosts with downloads"` // by guid
}

// setDownloads answers Browser.setDownloadBehavior. It holds for all frames of the hub that
// the Client sees, until the session ends in which it was asked for.
func setDownloads(h *Hub, r *request) ([]byte, *wire.Error) {
	p := &r.args
	if p.behavior == "" {
		p.behavior = "default"
	}
	w, err := downloads.ReadWish(p.behavior, p.downloadPath)
	if err == nil {
		h.downloads.takers.Set(origin{r.client, r.session}, "", &w, p.eventsEnabled)
	}
	return nil, err
}

// restoreDownloadsLocked keeps what a Client has asked for at another node.
func (h *Hub) restoreDownloadsLocked(at origin, d DownloadState) {
	w := downloads.Wish{Behavior: "allow", Folder: strings.Clone(d.Folder)}
	if d.ByGUID {
		w.Behavior = "allowAndName"
	}
	h.downloads.takers.Set(at, "", &w, d.Events)
}

// addDownloadsLocked describes what was asked for.
func (st *ClientState) addDownloadsLocked(h *Hub, at origin, id string) {
	if a := h.downloads.takers[at]; a != nil {
		w := a.Wishes[""]
		st.Downloads = append(st.Downloads, DownloadState{id, a.Events, w.Behavior == "allowAndName", w.Folder})
	}
}

// takersLocked returns who gets a download of a Target, or its events.
func (h *Hub) takersLocked(of targets.Info) []downloads.Recipient[origin] {
	list, _ := h.downloads.takers.Recipients("", func(o origin) bool { return !o.client.sees(of) })
	return list
}

// allowsFile reports whether one of them wants the file.
func allowsFile(takers []downloads.Recipient[origin]) bool {
	return slices.ContainsFunc(takers, func(t downloads.Recipient[origin]) bool { return t.Wish.Allows() })
}

// download is one of a frame that is under way.
type download struct {
	hub             *Hub // static, as is what follows
	of              targets.Info
	guid, name, url string

	mu       sync.Mutex   // guards everything below
	file     DownloadFile // nil until there is content that a Client wants
	received int64        `stays:"counts what has come"`
	over     bool         // no more is wanted
	why      string       // there is no file
}

// write adds a part to the file, and reports whether more is wanted.
func (d *download) write(part []byte, wanted bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.received += int64(len(part))
	if d.received > maxDownload {
		d.dropLocked(downloads.TooLarge(maxDownload))
	}
	if !wanted || d.hub.opts.Download == nil {
		d.dropLocked(downloads.Unasked)
	}
	if d.over {
		return false
	}
	var err error
	if d.file == nil {
		d.file, err = d.hub.opts.Download()
	}
	if err == nil {
		_, err = d.file.Write(part)
	}
	switch {
	case errors.Is(err, downloads.ErrNoRoom):
		d.dropLocked(err.Error())
	case err != nil:
		d.hub.log.Warn("a download of a frame is lost: its file cannot be written", zap.Error(err))
		d.dropLocked(whyUnwritten)
	}
	return err == nil
}

// dropLocked frees what has come.
func (d *download) dropLocked(why string) {
	if !d.over {
		d.over, d.why = true, why
	}
	if d.file != nil {
		if err := d.file.Close(); err != nil {
			d.hub.log.Warn("a download of a frame is left behind", zap.Error(err))
		}
		d.file = nil
	}
}

// downloadState is the params of Browser.downloadProgress. Of a Host of version 1, the last
// has the file: Contents are base64 in JSON, as encoding/json has []byte; Clients never get them.
type downloadState struct {
	GUID     string `json:"guid"`
	Total    int64  `json:"totalBytes"`
	Received int64  `json:"receivedBytes"`
	State    string `json:"state"`
	Path     string `json:"filePath,omitempty"`
	Name     string `json:"suggestedFilename,omitempty"` // with Contents only
	Contents []byte `json:"contents,omitempty"`
}

// downloadEnd is the params of CdpHub.downloadFinished.
type downloadEnd struct {
	State  string `json:"state"` // completed or canceled
	Reason string `json:"reason,omitempty"`
	KeptDownload
}

// encode is the event's params.
func (e *downloadEnd) encode() []byte {
	b, _ := json.Marshal(e) // numbers and texts alone: there is no error
	return b
}

// end keeps and saves the file for those that want it, and sends the last events to those that have
// asked for them: for a Client that does not have its file the download is canceled.
func (d *download) end(takers []downloads.Recipient[origin], st downloadState, why string) {
	if st.State == "completed" && st.Total == 0 {
		d.write(nil, allowsFile(takers)) // an empty file has no parts
	}
	d.mu.Lock()
	if d.file == nil || why != "" {
		d.dropLocked(cmp.Or(why, downloads.Unasked))
	}
	states, ends := make([][]byte, len(takers)), make([][]byte, len(takers))
	for i, t := range takers {
		own := downloadState{d.guid, st.Total, st.Received, st.State, "", "", nil}
		e := downloadEnd{State: st.State, KeptDownload: KeptDownload{GUID: d.guid, Name: cmp.Or(d.name, d.guid), URL: d.url, TargetID: d.of.ID}}
		if own.State == "completed" && !d.deliverLocked(t, &own, &e) || own.State == "canceled" {
			own.State, e.State, e.Reason = "canceled", "canceled", cmp.Or(e.Reason, d.why)
			d.hub.log.Info("download canceled", zap.String("target", d.of.ID), zap.String("reason", e.Reason))
		}
		states[i], _ = json.Marshal(own)                     // numbers and texts alone: there is no error
		if e.State == "completed" || e.State == "canceled" { // a page may have made up another
			ends[i] = e.encode()
		}
	}
	d.dropLocked("")
	d.mu.Unlock()
	d.hub.tellDownload(d.of, takers, downloadFinished, func(i int) []byte { return ends[i] })
	d.hub.tellDownload(d.of, takers, downloadProgress, func(i int) []byte { return states[i] })
}

// deliverLocked keeps the file for a Client, and saves it where the Client wants it: if it may not
// name files, only in a folder that it has made for them. It reports whether the Client has the file.
func (d *download) deliverLocked(t downloads.Recipient[origin], st *downloadState, e *downloadEnd) bool {
	switch {
	case !t.Wish.Allows():
		e.Reason = downloads.Unasked
		return false
	case d.file == nil:
		return false
	}
	c, folder := t.To.client, t.Wish.Folder
	item := DownloadItem{GUID: d.guid, Target: d.of.ID, URL: d.url, Name: d.name, Path: d.file.Name()}
	item.Size, item.SHA256 = d.file.Measure()
	if folder != "" && (!c.noFiles || downloads.IsClientFolder(folder)) {
		path, err := d.file.SaveTo(folder, t.Wish.FileName(d.guid, d.name))
		if err == nil {
			st.Path = path
		} else {
			e.Reason = err.Error()
		}
	}
	if c.noFiles {
		item.Copy = st.Path
	}
	if d.hub.opts.Keep == nil {
		return st.Path != ""
	}
	kept, err := c.keep(item)
	if err == nil {
		e.KeptDownload, e.Reason = kept, ""
		return true
	}
	e.Reason = err.Error()
	if item.Copy != "" {
		st.Path = ""
		os.Remove(item.Copy) //nolint:errcheck // the Client may have removed it
	}
	return st.Path != ""
}

// keep keeps a file for a Client.
func (c *Client) keep(i DownloadItem) (KeptDownload, error) {
	i.Owner = downloads.Owner{Hub: c.hub.opts.Name, Account: c.bearer, Tabs: c.tabsOf}
	i.Payer = c.account.payer
	k, err := c.hub.opts.Keep(i)
	if err == nil && c.address != "" {
		k.Address = c.address + DownloadsPath + k.ID
	}
	return k, err
}

// DownloadsPath is before the ids of kept downloads, below the paths of a hub.
const DownloadsPath = "/downloads/"

// DownloadFinished implements bridge.Events. It runs in a goroutine of the Host's own.
func (hc *connection) DownloadFinished(sessionID string, d bridge.Finished) bool {
	if !hc.lock() {
		return false
	}
	h := hc.hub
	s := h.sessions.get(sessionID)
	h.mu.Unlock()
	if s == nil || sideOf(s) != hc.side {
		return false
	}
	e := downloadEnd{State: "canceled", Reason: d.Why, KeptDownload: KeptDownload{GUID: d.GUID, Name: d.GUID, URL: downloads.CutURL(d.URL), TargetID: d.TargetID}}
	if bridge.IsFileName(d.SuggestedFilename) {
		e.Name = d.SuggestedFilename
	}
	kept := d.Path != ""
	if kept {
		e.State = "completed"
	}
	if kept && h.opts.Keep != nil {
		var err error
		e.KeptDownload, err = s.client.keep(DownloadItem{GUID: e.GUID, Target: e.TargetID, URL: e.URL, Name: e.Name, Path: d.Path, Copy: d.Copy})
		if kept = err == nil; !kept {
			e.State, e.Reason = "canceled", err.Error()
			e.KeptDownload = KeptDownload{GUID: d.GUID, Name: d.GUID, URL: downloads.CutURL(d.URL), TargetID: d.TargetID}
		}
	}
	if !kept {
		h.log.Info("download canceled", zap.String("target", d.TargetID), zap.String("reason", e.Reason))
	}
	if !d.Mute {
		hc.sessionEvent(sessionID, downloadFinished, e.encode())
	}
	return kept
}

// tellDownload sends an event of a download. A Client may have left meanwhile, a session may have
// ended and a tab may have been taken away, so all three are looked at again.
func (h *Hub) tellDownload(of targets.Info, takers []downloads.Recipient[origin], method string, params func(i int) []byte) {
	all := make([]views, len(takers))
	for i := range takers {
		if body := params(i); body != nil {
			all[i] = h.viewsOf(method, body)
		} else {
			all[i].none = true
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, t := range takers {
		c, in := t.To.client, t.To.session
		_, lives := c.sessions[in]
		if c.left || !t.Events || in != nil && !lives || !c.sees(of) {
			continue
		}
		seen := &all[i]
		if seen.hushed != nil && h.leases.hushes(c, of.ID) {
			seen = seen.hushed
		}
		if body, ok := seen.of(c); ok {
			c.event(in, method, body)
		}
	}
}

// DownloadBegins implements bridge.Events.
func (hc *connection) DownloadBegins(b bridge.Download) (wanted bool) {
	if !bridge.IsFileName(b.GUID) || !hc.lock() {
		return false
	}
	h := hc.hub
	h.counters.EventsIn++
	of, known := hc.side.targets.Get(b.TargetID)
	running := h.downloads.running[hc]
	if !known || hc.side.browser != nil || running[b.GUID] != nil || len(running) >= downloads.MaxRunning {
		h.mu.Unlock()
		return false
	}
	d := &download{hub: h, of: of, guid: strings.Clone(b.GUID), url: downloads.CutURL(b.URL)}
	if bridge.IsFileName(b.SuggestedFilename) {
		d.name = strings.Clone(b.SuggestedFilename)
	}
	if running == nil {
		running = make(map[string]*download)
		h.downloads.running[hc] = running
	}
	running[d.guid] = d
	takers := h.takersLocked(of)
	h.mu.Unlock()
	params, _ := json.Marshal(struct { // texts alone: there is no error
		FrameID string `json:"frameId"`
		GUID    string `json:"guid"`
		URL     string `json:"url"`
		Name    string `json:"suggestedFilename"`
	}{b.FrameID, b.GUID, b.URL, b.SuggestedFilename})
	h.tellDownload(of, takers, downloadBegins, func(int) []byte { return params })
	return h.opts.Download != nil && allowsFile(takers)
}

// DownloadPart implements bridge.Events.
func (hc *connection) DownloadPart(guid string, part []byte) (wanted bool) {
	if !hc.lock() {
		return false
	}
	d := hc.hub.downloads.running[hc][guid]
	wanted = d != nil && allowsFile(hc.hub.takersLocked(d.of))
	hc.hub.mu.Unlock()
	return d != nil && d.write(part, wanted)
}

// DownloadEnds implements bridge.Events. A file of which parts are missing is canceled.
func (hc *connection) DownloadEnds(guid string, total int64) {
	hc.endDownloads(func(d *download) bool { return d.guid == guid }, func(d *download) (downloadState, string) {
		d.mu.Lock()
		defer d.mu.Unlock()
		switch {
		case total < 0:
			return downloadState{State: "canceled"}, whyUnread
		case d.file != nil && d.received != total:
			return downloadState{State: "canceled"}, whyParts
		}
		return downloadState{Total: total, Received: total, State: "completed"}, ""
	})
}

// cancelDownloads cancels those of a Target that ends, or all, "", of a Host that does.
func (hc *connection) cancelDownloads(targetID string) {
	hc.endDownloads(func(d *download) bool { return targetID == "" || d.of.ID == targetID },
		func(*download) (downloadState, string) { return downloadState{State: "canceled"}, whyGone })
}

// endDownloads ends those that are meant. It does so for a connection that is not current, too.
func (hc *connection) endDownloads(meant func(*download) bool, as func(*download) (st downloadState, why string)) {
	h := hc.hub
	h.mu.Lock()
	ended := make(map[*download][]downloads.Recipient[origin])
	running := h.downloads.running[hc]
	for guid, d := range running {
		if meant(d) {
			h.counters.EventsIn++
			ended[d] = h.takersLocked(d.of)
			delete(running, guid)
		}
	}
	if len(running) == 0 {
		delete(h.downloads.running, hc)
	}
	h.mu.Unlock()
	for d, takers := range ended {
		st, why := as(d)
		d.end(takers, st, why)
	}
}

// longestState is longer than any state of a download (CDP, Browser.downloadProgress).
const longestState = 32

// downloadEvent takes an event by which a Host of version 1 reports a download.
func (hc *connection) downloadEvent(targetID, method string, params []byte) {
	if !hc.lock() {
		return
	}
	h := hc.hub
	h.counters.EventsIn++
	of, _ := hc.side.targets.Get(targetID)
	of.ID = targetID // of one that has just gone, Clients that see all tabs still hear
	takers := h.takersLocked(of)
	h.mu.Unlock()
	if len(takers) == 0 {
		return
	}
	if method == downloadBegins {
		h.tellDownload(of, takers, method, func(int) []byte { return params })
		return
	}
	var st downloadState
	if wire.Decode(params, &st) != nil || !bridge.IsFileName(st.GUID) || len(st.State) > longestState {
		return // a page has made it up
	}
	d := &download{hub: h, of: of, guid: st.GUID, name: st.Name}
	if len(st.Contents) > 0 {
		d.write(st.Contents, allowsFile(takers))
	}
	why := ""
	if st.State == "canceled" {
		why = whyUnread
	}
	d.end(takers, st, why)
}
