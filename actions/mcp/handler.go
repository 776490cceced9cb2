package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/relay/quota"
)

// Limits and names of streamable HTTP (MCP specification, "Transports").
const (
	// sessionHeader names the session of a request.
	sessionHeader = "Mcp-Session-Id"
	// idle is how long a session lives without requests: agents wait for people.
	idle = 30 * time.Minute
)

// Handler serves MCP over streamable HTTP to callers who have been let in. It may be
// used from any goroutine.
type Handler struct {
	http *sdk.StreamableHTTPHandler // static after NewHandler
	log  *zap.Logger
	// quotas count the sessions of callers without Quotas.
	quotas *quota.Ledger

	mu       sync.Mutex        // guards everything below
	sessions map[string]*entry `held:"MCP sessions"`
	closed   bool
}

// entry is a session with its hub and its caller: both must be the same for each
// request of it.
type entry struct {
	*session
	hub, caller string
	letGo       func() // ends the wait for the end of the caller's token
	giveBack    func() // of quota.MCPSessions
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
		log: log.Named("mcp"), sessions: make(map[string]*entry), quotas: quota.New(quota.Options{}),
		http: sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{
			JSONResponse: true, SessionTimeout: idle, MaxRequestBodyBytes: actions.MaxRequest,
			DisableLocalhostProtection: true, // Host headers have been checked, by rules that can be set
		}),
	}
}

// ServeHTTP answers one request of a caller: a POST with messages, or a DELETE that
// ends the session. The server never sends requests or notifications of its own, so
// there is no stream for a GET. A session belongs to the caller that began it; for
// others it does not exist (404).
func (h *Handler) ServeHTTP(c actions.Caller, w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	switch {
	case id == "":
		h.begin(c, w, r)
	case !h.owns(c, id):
		http.Error(w, "session not found: start a session with initialize", http.StatusNotFound)
	case r.Method == http.MethodDelete:
		h.end(id) // cuts off its calls, for which the peer would wait
		w.WriteHeader(http.StatusNoContent)
	default:
		h.http.ServeHTTP(w, r)
	}
}

// owns compares also the hub: the same token may be good for several.
func (h *Handler) owns(c actions.Caller, id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.sessions[id]
	return e != nil && e.hub == c.Hub && e.caller == c.ID
}

// begin serves a request without a session. If it is an initialize, the SDK makes a
// session of it, which is kept. All else is answered and forgotten.
func (h *Handler) begin(c actions.Caller, w http.ResponseWriter, r *http.Request) {
	groups, err := Groups(r.URL.Query()["caps"])
	if err != nil {
		http.Error(w, "caps: "+err.Error(), http.StatusBadRequest)
		return
	}
	giveBack, err := cmp.Or(c.Quotas, h.quotas).Take(quota.MCPSessions, c.Payer, 1)
	if err != nil {
		http.Error(w, err.Error()+".", http.StatusServiceUnavailable)
		return
	}
	id := rand.Text()
	e := &entry{
		session: newSession(c.Metered(), Options{Groups: groups}, h.log),
		hub:     c.Hub, caller: c.ID, letGo: func() {}, giveBack: giveBack,
	}
	h.mu.Lock()
	closed := h.closed
	if !closed {
		h.sessions[id] = e
	}
	h.mu.Unlock()
	if closed {
		giveBack()
		http.Error(w, "The hub is shutting down.", http.StatusServiceUnavailable)
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

// keep ends a session when its peer's connection ends, or when the caller's token is
// no longer good.
func (h *Handler) keep(c actions.Caller, id string, e *entry, peer *sdk.ServerSession) {
	h.mu.Lock()
	e.peer = peer
	ended := h.sessions[id] != e
	h.mu.Unlock()
	if ended {
		_ = peer.Close() // the peer has gone
		return
	}
	if c.Hold != nil {
		// In a goroutine: Hold's function must not wait.
		letGo := c.Hold(func() { go h.end(id) })
		h.mu.Lock()
		e.letGo = letGo
		ended = h.sessions[id] != e // the token may have ended before the function was there
		h.mu.Unlock()
		if ended {
			letGo()
		}
	}
	go func() {
		_ = peer.Wait() // how it ended does not matter
		h.end(id)
	}()
}

// end ends a session, if it has not ended. The lock is not held while it does.
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
	defer e.giveBack()
	e.close()
	if peer != nil {
		_ = peer.Close() // it may have been first
	}
}

// Close ends all sessions. New ones are refused from then on.
func (h *Handler) Close() {
	h.mu.Lock()
	h.closed = true
	ids := slices.Collect(maps.Keys(h.sessions))
	h.mu.Unlock()
	for _, id := range ids {
		h.end(id)
	}
}
