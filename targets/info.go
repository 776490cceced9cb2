// Package targets keeps what a hub knows of its Targets, in order of
// appearance.
package targets

// Info describes one Target as its Host announces it.
type Info struct {
	ID    string // the Host's own, at most MaxID bytes
	Title string
	URL   string
	Type  string // "page", "iframe", "worker" …; empty is a page
	// OpenerID is the Target whose page opened this one; empty for most.
	OpenerID string
}

// Limits on what a Host may announce, in bytes.
const (
	MaxID    = 256      // a longer id is refused
	MaxTitle = 4 << 10  // a longer title is cut
	MaxURL   = 64 << 10 // a longer URL is cut
	MaxCount = 8192     // Targets a hub
)
