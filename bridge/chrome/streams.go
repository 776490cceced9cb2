package chrome

import (
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// Handles of streams are small numbers, which all sessions on a page share
// (Chromium 156). So a session may only name those that it was given.

// streamMethods are the methods that may answer with a stream, and the member around
// it, if any.
var streamMethods = map[string]string{
	"Fetch.takeResponseBodyAsStream": "",
	"Network.loadNetworkResource":    "resource",
	"Page.printToPDF":                "",
	"Page.startScreenRecording":      "",
	"Page.stopScreenRecording":       "",
}

var errNoStream = &wire.Error{Code: wire.CodeInvalidParams, Message: "Invalid stream handle"}

// streamLocked refuses a command that names a stream of another session, and has
// those recorded that a command is answered with. The ids of blobs are
// unguessable.
func (h *Host) streamLocked(s *session, c *bridge.Command, a *onAnswer) error {
	if around, may := streamMethods[c.Method]; may {
		a.observe = func(result, _ []byte) {
			if around != "" {
				result = readMember(result, around)
			}
			h.registerStream(s, readText(result, "stream"))
		}
		return nil
	}
	handle, named := c.Args.Text("handle")
	if c.Method != "IO.read" && c.Method != "IO.close" || !named || strings.HasPrefix(handle, "blob:") {
		return nil
	}
	if _, given := s.streams[handle]; !given {
		return errNoStream
	}
	if c.Method == "IO.close" {
		delete(s.streams, handle)
	}
	return nil
}

// registerStream records a stream that a session may read, until it closes the stream.
func (h *Host) registerStream(s *session, handle string) {
	if handle == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.streams == nil {
		s.streams = make(map[string]struct{})
	}
	s.streams[handle] = struct{}{}
}
