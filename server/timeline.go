package server

import (
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
		o.Record = &journal.Record{Dir: t.Record, Size: t.RecordSize, Text: t.RecordText, Apps: s.appOrigins}
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
