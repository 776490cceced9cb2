package proxy

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// A pausedRequest is a request that an agent hears of and that, if it is to, waits for
// what its clients decide.
type pausedRequest struct {
	agents        *agentRegistry
	id            string
	target        *agentTarget
	conn          *wsconn.Conn
	waits         bool
	main          bool // it is for the main frame's document
	pauseResponse bool // the response is to wait, too
	fulfill       *order
	fail          string
	decisions     chan order
	finished      bool // it has been told how it ended
}

// agentEvent is a message to an agent.
type agentEvent struct {
	What       string            `json:"what"`
	ID         string            `json:"id"`
	URL        string            `json:"url,omitempty"`
	Method     string            `json:"method,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	Body       []byte            `json:"body,omitempty"`
	Dest       string            `json:"dest,omitempty"`
	Mode       string            `json:"mode,omitempty"`
	Referrer   string            `json:"referrer,omitempty"`
	Held       bool              `json:"held,omitempty"`
	Main       bool              `json:"main,omitempty"`
	Redirects  []hop             `json:"redirects,omitempty"`
	Status     int               `json:"status,omitempty"`
	StatusText string            `json:"statusText,omitempty"`
	Key        string            `json:"key,omitempty"` // of the body, below bodyPath
	Length     int64             `json:"length,omitempty"`
	Error      string            `json:"error,omitempty"`
}

// A netError is why there is no answer, as Chromium calls it.
type netError string

func (e netError) Error() string { return string(e) }

// maxRequestBody bounds what is told of a request's body, and maxSeenBody what a
// client may see of a response's.
const (
	maxRequestBody  = 1 << 20
	maxResponseBody = 20 << 20
)

// notify tells the agent, or the one that is to come.
func (h *pausedRequest) notify(n agentEvent) {
	h.agents.mu.Lock()
	defer h.agents.mu.Unlock()
	h.notifyLocked(n)
}

func (h *pausedRequest) notifyLocked(n agentEvent) {
	if n.ID = h.id; h.conn != nil {
		send(h.conn, n)
	} else if len(h.target.backlog) < maxBacklog {
		h.target.backlog = append(h.target.backlog, n)
	}
}

// decide hands over what an agent has decided; the first decision of a stage
// counts.
func (h *pausedRequest) decide(o order) {
	select {
	case h.decisions <- o:
	default:
	}
}

// intercept finds out who is to hear of a request and does what its Target wants
// for all of them.
func (p *handler) intercept(r *http.Request, e *exchange) *pausedRequest {
	dest := r.Header.Get("Sec-Fetch-Dest")
	t, main := p.agents.findTarget(r, e, p.fromHost(r))
	if t == nil {
		return nil
	}
	c := p.agents
	c.mu.Lock()
	hold := t.state.Hold
	c.mu.Unlock()
	if hold && !main {
		referrer := withoutFragment(r.Referer())
		c.await(r, successorTimeout, func() bool { return t.conn != nil && (t.next == "" || t.next != referrer) })
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := t.state
	applyOverridesLocked(t, r, main)
	e.noCache = s.NoCache
	address := e.own.String() + e.uri
	switch {
	case dest == "worker" || dest == "sharedworker" || dest == "serviceworker":
		c.recordOwnerLocked(address, resourceOwner{t.id, true})
	case dest != "empty":
		c.recordOwnerLocked(address, resourceOwner{t.id, false})
	}
	h := &pausedRequest{agents: c, id: rand.Text(), target: t, conn: t.conn, main: main, decisions: make(chan order, 1)}
	coming := time.Now().Before(t.until) && (t.conn == nil || t.next != "" && t.next == withoutFragment(r.Referer()))
	if coming {
		h.conn = nil
	}
	if s.Offline {
		h.fail, h.finished = "net::ERR_INTERNET_DISCONNECTED", true
		return h
	}
	script := dest == "empty" && !c.owners[withoutFragment(r.Referer())].worker
	if script || dest == "" || h.conn == nil && !coming || !s.Hold && !s.Tell && !main {
		if !main {
			return nil
		}
	}
	h.waits = s.Hold && h.conn != nil && len(c.paused) < maxPaused
	c.paused[h.id] = h
	return h
}

// applyOverridesLocked does what a Target wants for its requests.
func applyOverridesLocked(t *agentTarget, r *http.Request, main bool) {
	for name, value := range t.state.Extra {
		r.Header.Set(name, value)
	}
	if t.state.UserAgent != "" {
		r.Header.Set("User-Agent", t.state.UserAgent)
	}
	if t.state.NoCache {
		for _, name := range []string{"If-None-Match", "If-Modified-Since"} {
			r.Header.Del(name)
		}
		r.Header.Set("Cache-Control", "no-cache")
		r.Header.Set("Pragma", "no-cache")
	}
	if main && t.referrer != "" {
		r.Header.Set("Referer", t.referrer)
		t.referrer = ""
	}
}

// pauseRequest tells of a request, waits if it is to, and changes it as decided.
func (h *pausedRequest) pauseRequest(r *http.Request, e *exchange) {
	if h.fail != "" {
		return
	}
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(io.LimitReader(r.Body, maxRequestBody))
		r.Body = readCloser{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	}
	h.notify(agentEvent{
		What: "request", URL: e.own.String() + e.uri, Method: r.Method, Headers: visibleHeaders(r.Header), Body: body,
		Dest: r.Header.Get("Sec-Fetch-Dest"), Mode: r.Header.Get("Sec-Fetch-Mode"), Referrer: r.Referer(),
		Held: h.waits, Main: h.main, Redirects: e.redirects,
	})
	if !h.waits {
		return
	}
	e.announced = true
	o := h.wait(r.Context())
	h.pauseResponse = o.See
	switch o.Do {
	case "fail":
		h.fail = o.Error
	case "fulfill":
		h.fulfill = &o
	case "go":
		o.change(r, e)
	}
}

// wait returns the next decision; without one in time the request goes on.
func (h *pausedRequest) wait(ctx context.Context) order {
	select {
	case o := <-h.decisions:
		return o
	case <-time.After(pauseTimeout):
	case <-ctx.Done():
	}
	return order{Do: "go"}
}

// visibleHeaders are the headers of a request that clients see and may replace.
func visibleHeaders(h http.Header) map[string]string {
	all := make(map[string]string, len(h))
	for name, values := range h {
		if !isHiddenHeader(name) {
			all[name] = strings.Join(values, ", ")
		}
	}
	return all
}

func isHiddenHeader(name string) bool {
	switch name {
	case "Cookie", "Connection", "Content-Length", "Accept-Encoding":
		return true
	}
	return strings.HasPrefix(name, "Sec-Fetch-")
}

// change makes the request the one that a client wants.
func (o *order) change(r *http.Request, e *exchange) {
	if o.URL != "" {
		if u, err := r.URL.Parse(o.URL); err == nil && (u.Host == "" || originOf(u) == e.own) {
			r.URL.Path, r.URL.RawPath, r.URL.RawQuery = u.Path, u.RawPath, u.RawQuery
		}
	}
	if o.Method != "" {
		r.Method = o.Method
	}
	if o.Headers != nil {
		for name := range r.Header {
			if !isHiddenHeader(name) {
				r.Header.Del(name)
			}
		}
		for _, h := range o.Headers {
			if !isHiddenHeader(http.CanonicalHeaderKey(h[0])) {
				r.Header.Set(h[0], h[1])
			}
		}
	}
	if o.Body != nil {
		r.Body = io.NopCloser(bytes.NewReader(*o.Body))
		r.ContentLength = int64(len(*o.Body))
		r.Header.Set("Content-Length", strconv.Itoa(len(*o.Body)))
	}
}

// finish tells how a request has ended, once, and forgets it.
func (h *pausedRequest) finish(n agentEvent) {
	h.agents.mu.Lock()
	defer h.agents.mu.Unlock()
	if delete(h.agents.paused, h.id); h.finished {
		return
	}
	h.finished = true
	h.notifyLocked(n)
}

// redirected notes that the main frame's document is asked for elsewhere.
func (h *pausedRequest) redirected(by hop) {
	from, err := url.Parse(by.URL)
	if err != nil {
		return
	}
	if to, err := from.Parse(by.Headers["location"]); err == nil {
		h.agents.mu.Lock()
		defer h.agents.mu.Unlock()
		h.target.announced = to.String()
	}
}

// committed notes that a document is on its way into the main frame.
func (h *pausedRequest) committed(address string) {
	h.agents.mu.Lock()
	defer h.agents.mu.Unlock()
	h.target.announced, h.target.next, h.target.until = "", address, time.Now().Add(successorTimeout)
	h.agents.recordOwnerLocked(address, resourceOwner{target: h.target.id})
}
