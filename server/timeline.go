package server

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/relay"
)

// makeJournal begins to keep what happens on targets, if Timeline.On says so.
func (s *Server) makeJournal() (err error) {
	t := s.o.Timeline
	if !t.On {
		return nil
	}
	o := journal.Options{Log: s.log, Size: t.Size, Time: t.Time, Memory: s.o.timelineMemory(), Quotas: s.quotas}
	if t.Record != "" {
		o.Record = &journal.Record{Dir: t.Record, Size: t.RecordSize, Text: t.RecordText}
	}
	s.journal, err = journal.New(o)
	return err
}

// Timelines may use one part in timelineShare of the memory for queues and messages,
// and at most mostTimelines bytes.
const (
	timelineShare = 8
	mostTimelines = 256 << 20
)

// timelineMemory is how many bytes all timelines may have together. Where the memory
// is unknown it is a modest number.
func (o Options) timelineMemory() int64 {
	switch n := o.Limits.memory(); {
	case !o.Timeline.On:
		return 0
	case n > 0:
		return min(n/timelineShare, mostTimelines)
	}
	return mostTimelines / timelineShare
}

// observe is nil without a journal: then the hubs observe nothing, which costs
// nothing.
func (s *Server) observe() func(*relay.Hub) relay.Observer {
	if s.journal == nil {
		return nil
	}
	return s.journal.Observe
}

func (s *Server) closeJournal() {
	if s.journal != nil {
		s.journal.Close()
	}
}

// timelineOf finds the target of a request, among the targets that its token may see
// and those that have ended. It answers 404 when there is none.
func (s *Server) timelineOf(w http.ResponseWriter, r *http.Request) (hub, target string, ok bool) {
	if !onlyReads(w, r) {
		return "", "", false
	}
	at := routeOf(r)
	if err := s.sandboxes.check(at.hub); err != nil {
		refuseHub(w, err)
		return "", "", false
	}
	h, release := s.hubs.Peek(at.hub)
	defer release()
	target = r.URL.Query().Get("target")
	if _, known := h.Control().WatchedTarget(watcherOf(r), target); !known && !s.journal.Shows(at.hub, target, watcherOf(r)) {
		http.Error(w, "The target does not exist on this hub: set ?target=ID to an id of /ui/api/state.", http.StatusNotFound)
		return "", "", false
	}
	return at.hub, target, true
}

// serveTimeline answers ?target=ID[&after=SEQ] with {"entries":[…]}.
func (s *Server) serveTimeline(w http.ResponseWriter, r *http.Request) {
	hub, target, ok := s.timelineOf(w, r)
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
	json.NewEncoder(w).Encode(timeline{s.journal.Entries(hub, target, after, watcherOf(r))}) //nolint:errcheck // a peer that is gone
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
func (s *Server) servePicture(w http.ResponseWriter, r *http.Request) {
	hub, target, ok := s.timelineOf(w, r)
	if !ok {
		return
	}
	seq, err := seqOf(r, "seq")
	picture := s.journal.Picture(hub, target, seq, watcherOf(r))
	if err != nil || len(picture) == 0 {
		http.Error(w, "The picture with this seq does not exist (it may have been deleted): use the seq of an entry whose picture is true.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "image/jpeg")
	w.Write(picture) //nolint:errcheck // a peer that is gone
}
