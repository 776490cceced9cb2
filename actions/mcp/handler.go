package mcp

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
)

const (
	// sessionHeader names the session of a request.
	sessionHeader = "Mcp-Session-Id"
	// maxSessions is how many sessions there may be, and maxOfOne how many with
	// one token: others want some, too.
	maxSessions = 1000
	maxOfOne    = maxSessions / 4
	// idle is how long a session lives without requests: agents wait for people.
	idle = 30 * time.Minute
)

// Handler serves streamable HTTP, for callers who have been let in.
type Handler struct {
	http *sdk.StreamableHTTPHandler // static after NewHandler
	log  *zap.Logger

	mu       sync.Mutex // guards everything below
	sessions map[string]*entry
	closed   bool
}

// entry is a session, and whose it is.
type entry struct {
	*session
	hub, caller string
	letGo       func() // ends the wait for the end of the caller's token
	peer        *sdk.ServerSession
}

type serverKey struct{}

// NewHandler makes a Handler. Close ends its sessions.
func NewHandler(log *zap.Logger) *Handler {
	if log == nil {
		log = zap.NewNop()
	}
	server := func(r *http.Request) *sdk.Server {
		s, _ := r.Context().Value(serverKey{}).(*sdk.Server)
		return s
	}
	return &Handler{
		log: log.Named("mcp"), sessions: make(map[string]*entry),
		http: sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{
			JSONResponse: true, SessionTimeout: idle, MaxRequestBodyBytes: actions.MaxRequest,
			DisableLocalhostProtection: true, // Host headers have been checked, by rules that can be set
		}),
	}
}

// ServeHTTP answers one request of a caller: a POST with messages, or a DELETE
// that ends their session. Nothing but answers is ever sent. A session belongs
// to who began it: to others it is not there.
func (h *Handler) ServeHTTP(c actions.Caller, w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	switch {
	case id == "":
		h.begin(c, w, r)
	case !h.owns(c, id):
		http.Error(w, "session not found: begin one with initialize", http.StatusNotFound)
	case r.Method == http.MethodDelete:
		h.end(id) // cuts off its calls, for which the peer would wait
		w.WriteHeader(http.StatusNoContent)
	default:
		h.http.ServeHTTP(w, r)
	}
}

func (h *Handler) owns(c actions.Caller, id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.sessions[id]
	return e != nil && e.hub == c.Hub && e.caller == c.ID
}

// begin serves a request without a session: it makes one if it is to be one.
func (h *Handler) begin(c actions.Caller, w http.ResponseWriter, r *http.Request) {
	groups, err := Groups(r.URL.Query()["caps"])
	if err != nil {
		http.Error(w, "caps: "+err.Error(), http.StatusBadRequest)
		return
	}
	id := rand.Text()
	e := &entry{session: newSession(c.Metered(), Options{Groups: groups}, h.log), hub: c.Hub, caller: c.ID, letGo: func() {}}
	h.mu.Lock()
	full := h.closed || len(h.sessions) >= maxSessions || c.ID != "" && h.ofLocked(c.ID) >= maxOfOne
	if !full {
		h.sessions[id] = e
	}
	h.mu.Unlock()
	if full {
		http.Error(w, "There are too many sessions: end one that is not needed, or try again later.", http.StatusServiceUnavailable)
		return
	}
	server := e.server(func() string { return id })
	h.http.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), serverKey{}, server)))
	for peer := range server.Sessions() {
		h.keep(c, id, e, peer)
		return
	}
	h.end(id)
}

// ofLocked counts the sessions of a token.
func (h *Handler) ofLocked(caller string) (n int) {
	for _, e := range h.sessions {
		if e.caller == caller {
			n++
		}
	}
	return n
}

// keep ends a session with its peer's connection, or with the caller's token.
func (h *Handler) keep(c actions.Caller, id string, e *entry, peer *sdk.ServerSession) {
	h.mu.Lock()
	e.peer = peer
	ended := h.sessions[id] != e
	h.mu.Unlock()
	if ended {
		_ = peer.Close() // nobody is there to tell
		return
	}
	if c.Hold != nil {
		letGo := c.Hold(func() { go h.end(id) })
		h.mu.Lock()
		e.letGo = letGo
		h.mu.Unlock()
	}
	go func() {
		_ = peer.Wait() // how it ended does not matter
		h.end(id)
	}()
}

// end ends a session, if it has not.
func (h *Handler) end(id string) {
	h.mu.Lock()
	e := h.sessions[id]
	delete(h.sessions, id)
	var peer *sdk.ServerSession
	letGo := func() {}
	if e != nil {
		peer, letGo = e.peer, e.letGo
	}
	h.mu.Unlock()
	if e == nil {
		return
	}
	letGo()
	e.close()
	if peer != nil {
		_ = peer.Close() // it may have been first
	}
}

// Close ends all sessions; there are no more from then on.
func (h *Handler) Close() {
	h.mu.Lock()
	h.closed = true
	ids := make([]string, 0, len(h.sessions))
	for id := range h.sessions {
		ids = append(ids, id)
	}
	h.mu.Unlock()
	for _, id := range ids {
		h.end(id)
	}
}
