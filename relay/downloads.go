package relay

import (
	"encoding/json"
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// Downloads of frames. The browser around a frame saves a file for its user. The agent
// announces it with Browser.downloadWillBegin and Browser.downloadProgress of its Target;
// the last of these has the content of the file. The hub passes the events on to where
// Clients have asked for them, and writes the file for each Client that has named a folder.
// A Client whose file was not written hears "canceled".

const (
	downloadBegins   = "Browser.downloadWillBegin"
	downloadProgress = "Browser.downloadProgress"
)

// downloadWish is what a Client has asked for by Browser.setDownloadBehavior. It holds for
// all frames of the hub that the Client sees, until the session ends in which it was asked
// for.
type downloadWish struct {
	events bool
	byGUID bool   // the name of the file is the guid
	folder string // "": no files
}

// setDownloads answers Browser.setDownloadBehavior. A Client that may use no files gets the
// events, and no file.
func setDownloads(_ *Hub, r *request) ([]byte, *wire.Error) {
	p, w := &r.args, downloadWish{events: r.args.eventsEnabled}
	switch p.behavior {
	case "allow", "allowAndName":
		w.byGUID = p.behavior == "allowAndName"
		if len(p.downloadPath) > bridge.MaxFolder && !r.client.noFiles {
			return nil, bridge.ErrLongFolder
		}
		w.folder = p.downloadPath
	case "", "deny", "default":
	default:
		return nil, wire.InvalidParams("behavior must be deny, allow, allowAndName or default")
	}
	r.client.wishLocked(r.session, w)
	return nil, nil
}

// wishLocked notes what the Client has asked for in a session, nil for the connection, here or at
// another node. A Client that may use no files gets none, whatever it might when it asked.
func (c *Client) wishLocked(in *clientSession, w downloadWish) {
	if c.downloads == nil {
		c.downloads = make(map[*clientSession]downloadWish)
	}
	if c.noFiles {
		w.folder = ""
	}
	w.folder = strings.Clone(w.folder)
	c.downloads[in] = w
}

// downloadTaker is where a Client has asked for downloads.
type downloadTaker struct {
	origin
	downloadWish
}

// takersLocked are the sessions and connections that get a download of a Target or its
// events.
func (h *Hub) takersLocked(of targets.Info) (takers []downloadTaker) {
	for c := range h.clients {
		if !c.sees(of) {
			continue
		}
		for on, w := range c.downloads {
			if w.events || w.folder != "" {
				takers = append(takers, downloadTaker{origin{c, on}, w})
			}
		}
	}
	return takers
}

// longestState is longer than any state of a download (CDP, Browser.downloadProgress).
const longestState = 32

// downloadState is the params of Browser.downloadProgress, with the file at the end.
// Contents are base64 in JSON, as encoding/json has []byte; Clients never get them.
type downloadState struct {
	GUID     string `json:"guid"`
	Total    int64  `json:"totalBytes"`
	Received int64  `json:"receivedBytes"`
	State    string `json:"state"`
	Name     string `json:"suggestedFilename,omitempty"` // with Contents only
	Contents []byte `json:"contents,omitempty"`
}

// download passes on what an agent says of a download. Files are written without
// the hub's lock. Between the two locks a Client may have left, a session may have ended and a
// tab may have been taken away, so all three are looked at again.
func (hc *connection) download(targetID, method string, params []byte) {
	if !hc.lock() {
		return
	}
	h := hc.hub
	h.counters.EventsIn++
	of, _ := hc.side.targets.Get(targetID) // of one that has just gone, Clients that see all tabs still hear
	takers := h.takersLocked(of)
	h.mu.Unlock()
	if len(takers) == 0 {
		return
	}
	var d downloadState
	if method == downloadProgress {
		if wire.Decode(params, &d) != nil || !bridge.IsFileName(d.GUID) || len(d.State) > longestState {
			return // a page has made it up
		}
		// Each taker gets params of its own, without the file.
		params = nil
	}
	told := make([]views, len(takers))
	for i, t := range takers {
		if method == downloadProgress {
			params = h.saved(t, d)
		}
		told[i] = h.viewsOf(method, params)
	}
	if !hc.lock() {
		return
	}
	defer h.mu.Unlock()
	for i, t := range takers {
		_, lives := t.client.sessions[t.session]
		if t.client.left || !t.events || t.session != nil && !lives || !t.client.sees(of) {
			continue
		}
		seen := &told[i]
		if seen.hushed != nil && h.leases.hushes(t.client, targetID) {
			seen = seen.hushed
		}
		if body, ok := seen.of(t.client); ok {
			t.client.event(t.session, method, body)
		}
	}
}

// saved writes the file of a finished download, if a Client wants it, and returns the
// params of the event about it. A file that was not written, for whatever
// reason, is "canceled" to its Client.
func (h *Hub) saved(t downloadTaker, d downloadState) []byte {
	if d.State == "completed" {
		name := d.Name
		if t.byGUID {
			name = d.GUID
		}
		d.State = "canceled"
		if t.folder != "" && h.opts.Download != nil && h.opts.Download(t.folder, name, d.Contents) == nil {
			d.State = "completed"
		}
	}
	d.Name, d.Contents = "", nil
	body, err := json.Marshal(d)
	if err != nil {
		return wire.Empty
	}
	return body
}
