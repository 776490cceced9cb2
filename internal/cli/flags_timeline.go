package cli

import (
	"time"

	"github.com/cdphub/cdphub/server"
)

// timelineFlags say what is kept of what happens on targets.
type timelineFlags struct {
	Timeline     bool             `help:"Keep a timeline of each target in memory: what Clients did, navigations, console, errors, requests, dialogs, and pictures. Typed text is never kept." default:"true" negatable:"" env:"CDPHUB_TIMELINE" group:"Timeline:"`
	TimelineSize byteSize         `help:"Maximum bytes of the timeline of one target in memory, including its pictures. The oldest entries are removed first. All timelines together use at most an eighth of --memory-budget, and at most 256 MiB." default:"2MiB" env:"CDPHUB_TIMELINE_SIZE" needs:"timeline" group:"Timeline:"`
	TimelineTime positiveDuration `help:"Time for which entries stay in memory." default:"30m" env:"CDPHUB_TIMELINE_TIME" needs:"timeline" group:"Timeline:"`
	Record       string           `help:"Directory to which the timelines of all targets are written, for cdphub replay. Only the user of the hub can read the files." env:"CDPHUB_RECORD" placeholder:"DIR" needs:"timeline" group:"Timeline:" basic:""`
	RecordSize   byteSize         `help:"Maximum bytes of all recordings in the directory. The oldest recordings are removed first." default:"1GiB" env:"CDPHUB_RECORD_SIZE" needs:"record" group:"Timeline:"`
	RecordText   bool             `help:"Record the bodies of responses, which contain the text of pages. An exported HAR file has bodies only with this option." env:"CDPHUB_RECORD_TEXT" needs:"record" group:"Timeline:"`
}

func (f timelineFlags) options() server.Timeline {
	return server.Timeline{
		On: f.Timeline, Size: int64(f.TimelineSize), Time: time.Duration(f.TimelineTime),
		Record: f.Record, RecordSize: int64(f.RecordSize), RecordText: f.RecordText,
	}
}
