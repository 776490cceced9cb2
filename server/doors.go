package server

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/httpdiscovery"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/doors"
	"github.com/cdphub/cdphub/internal/webpage"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server/internal/front"
)

// entrance tells a client at the path of another protocol where its own is served. A client that waits
// for the answer to a message which the path does not understand would not find out.
type entrance struct {
	own     []doors.Protocol                      // that the path speaks; none: nobody is right there
	address func(doors.Protocol) (address string) // of a protocol; "" where it is not served
	found   bool                                  // a message of the path's own protocol has come
}

// entranceOf is the entrance at which a request asks.
func (s *Server) entranceOf(r *http.Request) *entrance {
	e := s.find(front.Entry{}, r)
	return s.entranceAt(r, e.Speaks)
}

// entranceAt is the entrance of what speaks these protocols.
func (s *Server) entranceAt(r *http.Request, own []doors.Protocol) *entrance {
	return &entrance{own: own, address: func(p doors.Protocol) string { return s.addressFor(r, p) }}
}

// addressFor is where the asker reaches a protocol at the same hub; "" where it is not served.
func (s *Server) addressFor(r *http.Request, p doors.Protocol) string {
	on := front.RouteOf(r).On
	base := s.siblingURL(r, on.Clients, s.ClientAddr())
	switch {
	case p == doors.Bridge:
		base = s.siblingURL(r, on.Hosts, s.HostAddr())
	case p != doors.CDP && s.o.Actions.Off:
		return ""
	}
	if base == "" {
		return ""
	}
	if p != doors.MCP {
		base = "ws" + strings.TrimPrefix(base, "http")
	}
	return base + p.Path()
}

// direct says where a protocol is served.
func (in *entrance) direct(p doors.Protocol) string {
	address := in.address(p)
	switch {
	case address == "":
		return "which is not served here."
	case p == doors.CDP:
		return "which is served at " + address + ", and for one page alone at /devtools/page/ID."
	case p == doors.MCP:
		return "which is served at " + address + " over HTTP (POST)."
	case p == doors.Hooks:
		return "which are served at " + address + ", and over HTTP at POST /hooks/invoke."
	}
	return "which is served at " + address + "."
}

// refuse is the answer to a message that is not for this path; wrong is false for one that is, or
// that could be. No answer is for a notification.
func (in *entrance) refuse(message []byte) (answer []byte, wrong bool) {
	if in.found {
		return nil, false
	}
	p := doors.Of(message)
	if p == doors.Unknown || slices.Contains(in.own, p) {
		in.found = p != doors.Unknown
		return nil, false
	}
	return p.Refusal(message, "This message is of "+p.String()+", "+in.direct(p)), true
}

// guard has receive get only the messages that are for the path.
func (in *entrance) guard(conn *wsconn.Conn, receive func([]byte)) func([]byte) {
	return func(message []byte) {
		answer, wrong := in.refuse(message)
		switch {
		case answer != nil:
			conn.Deliver(wire.Frame{Head: answer})
		case !wrong:
			receive(message)
		}
	}
}

// list says where each protocol of clients is served, for who asks at no path at all.
func (in *entrance) list() string {
	var b strings.Builder
	for _, p := range doors.All() {
		if address := in.address(p); address != "" {
			b.WriteString(p.String() + ": " + address + "\n")
		}
	}
	return b.String()
}

// atDoor serves what an entry serves, but for requests that belong elsewhere: a WebSocket where there is
// none, a message that is posted to the path of another protocol, and discovery below another path.
// It stands behind the gate, so that all who have no token get the same answer.
func (s *Server) atDoor(e front.Entry) http.HandlerFunc {
	if e.Role != auth.RoleClient {
		return e.Serve
	}
	peeks := e.WS || e.Path == "" || e.Speaks != nil || httpdiscovery.Serves(e.Path)
	return func(w http.ResponseWriter, r *http.Request) {
		in := s.entranceAt(r, e.Speaks)
		path := strings.TrimSuffix(front.RouteOf(r).Path, "/")
		switch {
		case auth.IsWebSocket(r) && !e.WS && e.Path != "":
			noWebSocket(w, in)
			return
		case peeks && r.Method == http.MethodPost && isJSON(r):
			if e.WS { // its own clients do not post, either
				in.own = nil
			}
			head, err := io.ReadAll(io.LimitReader(r.Body, maxBeforeLogin))
			r.Body = body{io.MultiReader(bytes.NewReader(head), failing{err}, r.Body), r.Body}
			if answer, wrong := in.refuse(head); wrong {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusNotFound)
				w.Write(answer) //nolint:errcheck // a peer that is gone; a notification has no answer
				return
			}
		case r.Method == http.MethodGet && !auth.IsWebSocket(r) && !strings.HasPrefix(path, "/json") && isDiscovery(path):
			http.Error(w, "CDP clients find the hub at "+s.siblingURL(r, true, "")+"/json/version: give them the address before /json.", http.StatusNotFound)
			return
		}
		e.Serve(w, r)
	}
}

// noWebSocket answers a WebSocket at a path that has none.
func noWebSocket(w http.ResponseWriter, in *entrance) {
	http.Error(w, "Not found: there is no WebSocket at this address. These are the addresses of the hub:\n"+in.list(), http.StatusNotFound)
}

// serveNowhere answers what no path leads to, and names where else a client may have wanted to go.
func (s *Server) serveNowhere(w http.ResponseWriter, r *http.Request) {
	in := s.entranceAt(r, nil)
	switch {
	case auth.IsWebSocket(r):
		noWebSocket(w, in)
	case r.Method == http.MethodPost, strings.Contains(r.Header.Get("Accept"), "text/event-stream"):
		http.Error(w, "Not found. These are the addresses of the hub:\n"+in.list(), http.StatusNotFound)
	default:
		s.notFound(w, r)
	}
}

// notFound says where it stands what there is.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	http.Error(w, webpage.NothingHere+" "+s.siblingURL(r, true, "")+"/llms.txt says how clients connect.", http.StatusNotFound)
}

// isDiscovery reports whether a path ends like one of discovery.
func isDiscovery(path string) bool {
	for _, end := range []string{"/json", "/json/version", "/json/list", "/json/protocol"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// isJSON reports whether the body of a request is JSON by its Content-Type.
func isJSON(r *http.Request) bool {
	name, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && name == "application/json"
}

// body is the body of a request whose beginning has been read.
type body struct {
	io.Reader
	io.Closer
}

// failing is a reader that has failed, or that has nothing.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}
