package named

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Request is how a connection asks for a named session. Sessions.Read makes it of a query.
type Request struct {
	Name  string        // of the session; "" for none
	Grace time.Duration // how long the session stays without a connection; 0 leaves it as it is
	Fresh bool          // what there is of that name ends, and another session begins
	// Numbered asks for the event CdpHub.session, by which to resume. Stream and After resume: After
	// is the number of the last message that was received of that stream.
	Numbered bool
	Stream   string
	After    uint64
	// Sent is how many messages the Client has sent, if it says so (Counted): after the
	// death of a node only the Client knows.
	Sent    uint64
	Counted bool
}

// Resumes reports whether the connection goes on where another has ended.
func (req *Request) Resumes() bool { return req.Stream != "" }

// Granted is what the bearer's token says of named sessions.
type Granted struct {
	Name    string        // of the session of a connection that names none; "" for none
	Longest time.Duration // the longest grace time; 0 for that of the hub
}

// params are the names of what Read reads.
var params = []string{"session", "grace", "fresh", "resume"}

// Read reads the query of a connection:
//
//	session=NAME     [A-Za-z0-9._-]{1,64}
//	grace=10m        as time.ParseDuration reads it, at most the longest
//	fresh=true
//	resume=on        tell me the stream, see Request.Numbered
//	resume=STREAM.N  go on behind message N of the stream
//	resume=STREAM.N.M  the same, and M messages have been sent
//
// Its errors are for the person who has written the query.
func (ss *Sessions) Read(query url.Values, granted Granted) (req Request, err error) {
	// url.Values.Get would take the first one and ignore the others.
	for _, name := range params {
		if len(query[name]) > 1 {
			return req, errors.New(name + " is set more than once: set it once")
		}
	}
	req.Name = query.Get("session")
	if !query.Has("session") {
		req.Name = granted.Name
	} else if !ValidName(req.Name) {
		return req, fmt.Errorf("session=%s is not a valid name: use 1 to %d letters, digits, dots, hyphens or underscores", quoteBeginning(req.Name), maxName)
	}
	longest := ss.o.Longest
	if granted.Longest > 0 {
		longest = min(longest, granted.Longest)
	}
	if text := query.Get("grace"); query.Has("grace") {
		if req.Grace, err = time.ParseDuration(text); err != nil || req.Grace <= 0 {
			return req, fmt.Errorf("grace=%s is not a duration above 0: set it as 10m or 90s", quoteBeginning(text))
		}
		if req.Grace > longest {
			return req, fmt.Errorf("grace=%s is too long: the maximum is %s (from --session-grace or the token)", quoteBeginning(text), longest)
		}
	}
	// The hub's own default must not be longer than the token allows.
	if req.Grace == 0 && ss.o.Grace > longest {
		req.Grace = longest
	}
	if text := query.Get("fresh"); query.Has("fresh") {
		if req.Fresh = text == "true"; !req.Fresh {
			return req, fmt.Errorf("fresh=%s is not valid: set fresh=true to begin a new session, or leave it out", quoteBeginning(text))
		}
	}
	if err := req.readResume(query); err != nil {
		return req, err
	}
	if req.Name == "" && (req.Numbered || req.Resumes() || query.Has("grace") || req.Fresh) {
		return req, errors.New("grace, fresh and resume are for a named session: set session=NAME, too")
	}
	return req, nil
}

// readResume reads the param resume. A number has 53 bits at most, since JavaScript has no
// larger whole ones (Number.MAX_SAFE_INTEGER).
func (req *Request) readResume(query url.Values) (err error) {
	text := query.Get("resume")
	switch {
	case !query.Has("resume"):
		return nil
	case text == "on":
		req.Numbered = true
		return nil
	case req.Fresh:
		return errors.New("fresh=true begins a session and resume continues one: leave one of them out")
	}
	stream, number, ok := strings.Cut(text, ".")
	number, sent, counted := strings.Cut(number, ".")
	if counted {
		req.Sent, err = strconv.ParseUint(sent, 10, 53) // bits: JavaScript has no more
		ok = ok && err == nil
	}
	req.Counted = counted
	if req.After, err = strconv.ParseUint(number, 10, 53); !ok || err != nil || stream == "" || !ValidName(stream) {
		return fmt.Errorf("resume=%s is not valid: set resume=on to begin a stream, or resume=STREAM.N to continue a stream after message N", quoteBeginning(text))
	}
	req.Numbered, req.Stream = true, stream
	return nil
}

// maxName is the longest name of a session, in bytes.
const maxName = 64

// ValidName reports whether a session can have this name: [A-Za-z0-9._-]{1,64}.
func ValidName(name string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return name != "" && len(name) <= maxName && strings.Trim(name, allowed) == ""
}

// quoteBeginning quotes the begin of a text that a stranger has written.
func quoteBeginning(text string) string {
	if len(text) > maxName {
		text = text[:maxName] + "…"
	}
	return strconv.Quote(text)
}
