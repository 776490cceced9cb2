// Package journal keeps what happened on the targets of a process: what Clients did,
// where pages went, what they said and asked for, and pictures of them. It keeps the
// newest of it in memory, and writes all of it to files if it is to record.
//
//	j, err := journal.New(journal.Options{})
//	hubs := relay.NewHubs(relay.Options{Observe: j.Observe})
//	entries := j.Entries(hub, targetID, 0, watcher)
//
// It never keeps typed text, only how long the text is.
package journal

// Kind says what an Entry is about.
type Kind string

// The kinds of entries.
const (
	Command    Kind = "command"    // a Client acted on the page
	Navigation Kind = "navigation" // the page has another address
	Console    Kind = "console"    // the page wrote to its console
	Error      Kind = "error"      // a script failed, or the page crashed
	Request    Kind = "request"    // the page has loaded something, or failed to
	Dialog     Kind = "dialog"     // the page opened or closed a dialog
	Takeover   Kind = "takeover"   // a person took the page, or gave it back
	Picture    Kind = "picture"    // what the page looked like
	Reads      Kind = "reads"      // what a person could notice, for exports: only in recordings
)

// Entry is one thing that happened on a target. Its texts are redacted.
type Entry struct {
	Seq     uint64 `json:"seq"` // increases within a target
	At      int64  `json:"at"`  // when it began, in milliseconds since 1970
	Kind    Kind   `json:"kind"`
	Client  string `json:"client,omitempty"` // who acted
	Method  string `json:"method,omitempty"` // of CDP
	Text    string `json:"text,omitempty"`   // for a person to read
	Ms      int64  `json:"ms,omitempty"`     // how long it took
	Error   string `json:"error,omitempty"`
	Picture bool   `json:"picture,omitempty"` // there is a picture with this Seq

	// Typed says of a navigation that a short text that was typed is a part of its address: it
	// will be another one with another text.
	Typed bool `json:"typed,omitempty"`

	Action *Action   `json:"action,omitempty"` // of a command
	Load   *Exchange `json:"load,omitempty"`   // of a request

	// NotWeb says that the page showed no page of the web, or may have: it is for those
	// alone who may see files. It stays within the process.
	NotWeb bool `json:"-"`
}

// Action is what a command did to the page, for exports.
type Action struct {
	Do     string   `json:"do"`
	X      float64  `json:"x,omitempty"` // in CSS pixels of the viewport
	Y      float64  `json:"y,omitempty"`
	ToX    float64  `json:"toX,omitempty"` // where a drag ended; how far it scrolled
	ToY    float64  `json:"toY,omitempty"`
	Button string   `json:"button,omitempty"`
	Length int      `json:"length,omitempty"` // characters that were typed, or files that were chosen
	Keys   bool     `json:"keys,omitempty"`   // typed key by key
	Key    string   `json:"key,omitempty"`    // that was pressed: Enter, Control+A; the value of an option; a text to read
	Values []string `json:"values,omitempty"` // the options that were chosen, or the value of a slider
	Inside bool     `json:"inside,omitempty"` // in a frame of another origin: the position is one in it
	URL    string   `json:"url,omitempty"`
	On     *Element `json:"on,omitempty"` // what was under the pointer or in focus; only while recording
}

// What an Action does.
const (
	Click       = "click"
	DoubleClick = "dblclick"
	Drag        = "drag"
	Scroll      = "scroll"
	Type        = "type"
	Press       = "press"
	Navigate    = "navigate"
	Reload      = "reload"
	History     = "history"
	Upload      = "upload"
	Answer      = "dialog"
	Viewport    = "viewport"
	Close       = "close"
	Replace     = "content"

	Fill    = "fill" // a script has set the text of a field, or the field has a value that is not typed
	Select  = "select"
	Check   = "check"
	Uncheck = "uncheck"

	Title    = "title" // of Reads, as are the others
	Heading  = "heading"
	Text     = "text"
	Download = "download" // the page has begun to download a file
)

// Exchange is a request with its response.
type Exchange struct {
	Method   string            `json:"method"`
	URL      string            `json:"url"`
	Type     string            `json:"type,omitempty"` // of the resource, as in CDP: Document, Fetch
	Status   int               `json:"status,omitempty"`
	Reason   string            `json:"reason,omitempty"` // of the status
	Protocol string            `json:"protocol,omitempty"`
	Mime     string            `json:"mime,omitempty"`
	Asked    map[string]string `json:"asked,omitempty"`    // headers of the request
	Answered map[string]string `json:"answered,omitempty"` // headers of the response
	Size     int64             `json:"size,omitempty"`     // bytes on the network
	Redirect string            `json:"redirect,omitempty"`
	Body     []byte            `json:"body,omitempty"` // only with --record-text
}

// Summary is an Exchange without headers and body; nil for nil.
func (x *Exchange) Summary() *Exchange {
	if x == nil {
		return nil
	}
	return &Exchange{Method: x.Method, URL: x.URL, Type: x.Type, Status: x.Status, Mime: x.Mime}
}

// overhead is about how many bytes an Entry needs in memory beside its texts.
const overhead = 160

// size is about how many bytes an Entry needs in memory.
func (e *Entry) size() int64 {
	n := overhead + len(e.Client) + len(e.Text) + len(e.Error)
	if a := e.Action; a != nil {
		n += overhead + len(a.URL) + len(a.Key)
		if on := a.On; on != nil {
			n += overhead + on.size()
		}
	}
	if l := e.Load; l != nil {
		n += overhead + len(l.Method) + len(l.URL) + len(l.Type) + len(l.Mime)
	}
	return int64(n)
}
