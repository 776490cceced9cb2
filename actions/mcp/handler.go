package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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
	numbers     numbering
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
	e := h.owned(c, id)
	switch {
	case id == "":
		h.begin(c, w, r)
	case e == nil:
		http.Error(w, "session not found: start a session with initialize", http.StatusNotFound)
	case r.Method == http.MethodDelete:
		h.end(id) // cuts off its calls, for which the peer would wait
		w.WriteHeader(http.StatusNoContent)
	default:
		h.post(e, w, r)
	}
}

// owned is a session of a caller, or nil. It compares also the hub: the same token may be good for
// several.
func (h *Handler) owned(c actions.Caller, id string) *entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e := h.sessions[id]; e != nil && e.hub == c.Hub && e.caller == c.ID {
		return e
	}
	return nil
}

// post has the SDK serve a message of a session, or answers what is no message as JSON-RPC does, with
// status 400 (MCP specification, "Sending Messages to the Server").
func (h *Handler) post(e *entry, w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, actions.MaxRequest))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		http.Error(w, fmt.Sprintf("A request has at most %d bytes.", actions.MaxRequest), http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil { // perhaps the caller has gone
		http.Error(w, "bad request: "+err.Error(), http.StatusRequestTimeout)
		return
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{") // a body must be there: it is answered as half a message
	}
	m := e.numbers.read(text)
	switch {
	case bytes.TrimSpace(text)[0] == '[' && json.Valid(text):
		// Versions of MCP before 2025-06-18 have batches. The SDK knows the version, and keeps their ids
		// as far as they are whole numbers.
		m = message{call: text}
	case m.answer != nil:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(m.answer) // a peer that is gone
		return
	case m.call == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(m.call)), int64(len(m.call))
	defer e.numbers.end(m.id)
	held := &heldAnswer{ResponseWriter: w}
	h.http.ServeHTTP(held, r)
	held.send(&e.numbers, m.id)
}

// heldAnswer keeps the answer of the SDK until it has the client's own id.
type heldAnswer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader implements http.ResponseWriter.
func (a *heldAnswer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *heldAnswer) Write(p []byte) (int, error) { return a.body.Write(p) }

// unhandled begins what the SDK says, as plain text, of a method that it does not know.
const unhandled = "JSON RPC not handled"

// send sends the answer to the call id, "" for a notification. What the SDK refuses as plain text is
// an error of JSON-RPC.
func (a *heldAnswer) send(n *numbering, id string) {
	text := a.body.Bytes()
	answer := new(jsonrpc.Response)
	if m, err := jsonrpc.DecodeMessage(text); err == nil {
		answer, _ = m.(*jsonrpc.Response)
	} else if bytes.HasPrefix(text, []byte("[")) {
		answer = nil
	} else if unknown := bytes.HasPrefix(text, []byte(unhandled)); unknown && id == "" {
		a.ResponseWriter.WriteHeader(http.StatusAccepted)
		return
	} else if answer.ID, err = jsonrpc.MakeID(cmp.Or(id, " null")); a.status >= http.StatusBadRequest && err == nil {
		e := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: strings.TrimSpace(string(text))}
		if unknown {
			e.Code = jsonrpc.CodeMethodNotFound
		}
		answer.Error = e
		a.Header().Set("Content-Type", "application/json")
	} else {
		answer = nil
	}
	if answer != nil {
		if own, err := n.write(answer); err == nil {
			text = own
		}
	}
	a.Header().Del("Content-Length")
	if a.status != 0 {
		a.ResponseWriter.WriteHeader(a.status)
	}
	_, _ = a.ResponseWriter.Write(text) // a peer that is gone
}

// begin serves a request without a session. If it is an initialize, the SDK makes a
// session of it, which is kept. All else is answered and forgotten.
func (h *Handler) begin(c actions.Caller, w http.ResponseWriter, r *http.Request) {
	groups, err := Groups(r.URL.Query()["caps"])
	if err != nil {
		http.Error(w, "caps: "+err.Error(), http.StatusBadRequest)
		return
	}
	o := Options{Groups: groups, Mode: c.Snapshots}
	if text := r.URL.Query().Get("snapshot"); text != "" {
		if o.Snapshot, err = strconv.Atoi(text); err != nil || o.Snapshot < 1 {
			http.Error(w, "snapshot: how many characters of the page's snapshot an answer has, 1 or more", http.StatusBadRequest)
			return
		}
	}
	if o.NoImages, err = OmitsImages(r.URL.Query().Get("image-responses")); err != nil {
		http.Error(w, "image-responses: "+err.Error(), http.StatusBadRequest)
		return
	}
	if text := r.URL.Query().Get("timeout"); text != "" {
		if o.Action, err = time.ParseDuration(text); err != nil || o.Action <= 0 {
			http.Error(w, "timeout: how long a tool waits for its element, such as 5s", http.StatusBadRequest)
			return
		}
	}
	giveBack, err := cmp.Or(c.Quotas, h.quotas).Take(quota.MCPSessions, c.Payer, 1)
	if err != nil {
		http.Error(w, err.Error()+".", http.StatusServiceUnavailable)
		return
	}
	id := rand.Text()
	e := &entry{
		session: newSession(c.Metered(), o, h.log),
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
	h.post(e, w, r.WithContext(context.WithValue(r.Context(), serverKey{}, server)))
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
