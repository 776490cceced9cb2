package dashboard

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/server/internal/front"
)

// timelineOf finds the target of a request, among the targets that its token may see
// and those that have ended. It answers 404 when there is none.
func (d *Dashboard) timelineOf(w http.ResponseWriter, r *http.Request) (hub, target string, ok bool) {
	at := front.RouteOf(r)
	if !front.OnlyReads(w, r) || d.o.Sandboxes.Refuses(w, at.Hub) {
		return "", "", false
	}
	h, release := d.o.Hubs.Peek(at.Hub)
	defer release()
	target = r.URL.Query().Get("target")
	if _, known := h.Control().WatchedTarget(front.WatcherOf(r), target); !known && !d.o.Journal.Shows(at.Hub, target, front.WatcherOf(r)) {
		http.Error(w, "The target does not exist on this hub: set ?target=ID to an id of /ui/api/state.", http.StatusNotFound)
		return "", "", false
	}
	return at.Hub, target, true
}

// serveTimeline answers ?target=ID[&after=SEQ] with {"entries":[…]}.
func (d *Dashboard) serveTimeline(w http.ResponseWriter, r *http.Request) {
	hub, target, ok := d.timelineOf(w, r)
	if !ok {
		return
	}
	after, err := seqOf(r, "after")
	if err != nil {
		http.Error(w, "after must be the seq of an entry: a number, such as 12.", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	// The entries are those that the asker may see.
	json.NewEncoder(w).Encode(timeline{d.o.Journal.Entries(hub, target, after, front.WatcherOf(r))}) //nolint:errcheck // a peer that is gone
}

// timeline is the answer to /ui/api/timeline.
type timeline struct {
	Entries []journal.Entry `json:"entries"`
}

// seqOf is a number of the query; 0 when it is not there. 63 bits keep it in range of
// signed integers.
func seqOf(r *http.Request, name string) (uint64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	return strconv.ParseUint(text, 10, 63)
}

// servePicture answers ?target=ID&seq=SEQ with a JPEG.
func (d *Dashboard) servePicture(w http.ResponseWriter, r *http.Request) {
	hub, target, ok := d.timelineOf(w, r)
	if !ok {
		return
	}
	seq, err := seqOf(r, "seq")
	picture := d.o.Journal.Picture(hub, target, seq, front.WatcherOf(r))
	if err != nil || len(picture) == 0 {
		http.Error(w, "The picture with this seq does not exist (it may have been deleted): use the seq of an entry whose picture is true.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "image/jpeg")
	w.Write(picture) //nolint:errcheck // a peer that is gone
}
