// Package targets keeps what a hub knows of its targets, in the order in which
// they appeared.
//
//	var r targets.Registry
//	r.Set(targets.Info{ID: "T1", Title: "App", URL: "https://app.example/"})
//	t, ok := r.Get("T1")
package targets

// Info describes one Target as its Host announces it.
type Info struct {
	ID    string // the Host's own, at most MaxID bytes
	Title string
	URL   string
	Type  string // "page", "iframe", "worker" …; empty is a page
	// OpenerID is the Target whose page opened this one; empty for most.
	OpenerID string
	// ParentID is the Target around a frame or a worker; empty for pages.
	ParentID string
	// NotWeb says that the document is no page of the web: a file, or a page
	// of the browser's own. Only Clients that may use files see it.
	NotWeb bool
	// Owner is the session of a Client at the browser level of the Host
	// (bridge.Attachment.SessionID), if the Target is in a browser context of that
	// Client's own: no other Client sees it. "" is a Target of all Clients.
	Owner string
	// Unresponsive says that its page was asked for a sign of life and has given
	// none yet: its process is stopped, its script does not end, or it shows a
	// dialog.
	Unresponsive bool
}

// Browser names a browser, as Browser.getVersion does. A field is empty where the
// Host does not say it.
type Browser struct {
	Product   string // "Chrome/156.0.8078.79"
	UserAgent string // navigator.userAgent
	Revision  string // of its source: "@a21ce95c24ce3964416f09ae1862f53f319eb4d0"
	JSVersion string // of its JavaScript engine: "15.6.75.27"
	Protocol  string // the version of CDP: "1.3"
}

// EmulatedRevision is the revision in the answer to Browser.getVersion of a
// session whose Target is in the browser that the hub emulates, as a frame of a
// page is. A browser of its own answers with its own.
const EmulatedRevision = "icdp-v1"

// Limits on what a Host may announce, in bytes where nothing else is said. A Client that
// discovers targets gets one event for each, so that their texts are bounded together.
const (
	MaxID    = 256      // a longer id is refused
	MaxTitle = 4 << 10  // a longer title is cut
	MaxURL   = 64 << 10 // a longer URL is cut
	MaxCount = 8192     // Targets a hub
	// MaxText is how much of titles and URLs is kept at full length; what comes
	// beyond it is cut to MaxShort. Clients are told all of them at once.
	MaxText  = 4 << 20
	MaxShort = 512
)
