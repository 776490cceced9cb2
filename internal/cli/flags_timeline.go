package cli

import (
	"time"

	"github.com/cdphub/cdphub/server"
)

// timelineFlags say what is kept of what happens on targets.
type timelineFlags struct {
	Timeline     bool             `help:"Keep what happened on each target in memory: what Clients did, navigations, console, errors, requests, dialogs, and pictures. What is typed is never kept." default:"true" negatable:"" env:"CDPHUB_TIMELINE" group:"Timeline:"`
	TimelineSize byteSize         `help:"Bytes of the timeline of one target in memory, with its pictures. The oldest entries make room. All timelines together have an eighth of --memory-budget, and at most 256 MiB." default:"2MiB" env:"CDPHUB_TIMELINE_SIZE" needs:"timeline" group:"Timeline:"`
	TimelineTime positiveDuration `help:"Time for which entries stay in memory." default:"30m" env:"CDPHUB_TIMELINE_TIME" needs:"timeline" group:"Timeline:"`
	Record       string           `help:"Directory to which the timelines of all targets are written, for cdphub replay. Only the user of the hub can read the files." env:"CDPHUB_RECORD" placeholder:"DIR" needs:"timeline" group:"Timeline:"`
	RecordSize   byteSize         `help:"Bytes of all recordings in the directory. The oldest recordings make room." default:"1GiB" env:"CDPHUB_RECORD_SIZE" needs:"record" group:"Timeline:"`
	RecordText   bool             `help:"Record the bodies of responses, which have the page's text. A HAR file has them only then." env:"CDPHUB_RECORD_TEXT" needs:"record" group:"Timeline:"`
}

func (f timelineFlags) options() server.Timeline {
	return server.Timeline{
		On: f.Timeline, Size: int64(f.TimelineSize), Time: time.Duration(f.TimelineTime),
		Record: f.Record, RecordSize: int64(f.RecordSize), RecordText: f.RecordText,
	}
}
