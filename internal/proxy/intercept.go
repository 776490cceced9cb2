package proxy

import (
	"bytes"
	"cmp"
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

// pausedRequest is a request that an agent gets events of. If waits is set, it is
// paused until the agent has decided, as with Fetch.requestPaused. agentRegistry.mu
// guards its members; decisions is a channel with room for one.
type pausedRequest struct {
	agents    *agentRegistry
	id        string
	target    *agentTarget
	conn      *wsconn.Conn // of the agent; nil until the one of a new document connects
	waits     bool
	main      bool   // it is for the document of the main frame
	document  string // the address of the document that it asks for; "" for anything else
	decisions chan decision
	finished  bool // the last event was sent

	// what was decided
	pauseResponse bool
	fulfill       *fulfillRequest // nil: the upstream responds
	fail          string          // the net error; "" for none
}

// netError is why there is no response, as Chromium names it: net::ERR_FAILED.
type netError string

func (e netError) Error() string { return string(e) }

// The largest body of a request and of a response that an agent gets, in bytes.
// The rest is cut off.
const (
	maxRequestBody  = 4 << 20
	maxResponseBody = 20 << 20
)

// notify sends an event to the agent, or keeps it for the agent that is expected.
func (h *pausedRequest) notify(n agentEvent) {
	h.agents.mu.Lock()
	defer h.agents.mu.Unlock()
	h.notifyLocked(n)
}

func (h *pausedRequest) notifyLocked(n agentEvent) {
	if n.ID = h.id; h.conn != nil {
		sendEvent(h.conn, n)
	} else if len(h.target.backlog) < maxBacklog {
		h.target.backlog = append(h.target.backlog, n)
	}
}

// isMain reports whether the request is for the document of the main frame, as far as
// the agent has announced that.
func (h *pausedRequest) isMain() bool {
	if h == nil {
		return false
	}
	h.agents.mu.Lock()
	defer h.agents.mu.Unlock()
	return h.main
}

// decide takes a decision. It never blocks: only the first one of a stage counts, and
// more are dropped.
func (h *pausedRequest) decide(d decision) {
	select {
	case h.decisions <- d:
	default:
	}
}

// intercept finds the Target that makes a request, and applies what the Target
// wants for all its requests. It returns nil when no agent gets an event of this one.
func (p *handler) intercept(r *http.Request, e *exchange) *pausedRequest {
	dest := r.Header.Get("Sec-Fetch-Dest")
	t, main := p.agents.findTarget(r, e, p.fromHost(r))
	c := p.agents
	if t == nil {
		// To another origin the browser says only from which origin a script asks. The agent that waits for the
		// headers knows the request by its address, and the others drop them.
		if dest == "empty" {
			e.scripts = c.hearing()
		}
		return nil
	}
	c.mu.Lock()
	hold := t.state.Hold
	c.mu.Unlock()
	// A document of the Target may be so new that its agent has not connected: its
	// requests wait a moment for that agent.
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
	case dest == "sharedworker" || dest == "serviceworker": // in dedicated ones there is an agent
		c.recordOwnerLocked(address, resourceOwner{t.id, true})
	case dest != "empty":
		c.recordOwnerLocked(address, resourceOwner{t.id, false})
	}
	h := &pausedRequest{agents: c, id: rand.Text(), target: t, conn: t.conn, main: main, decisions: make(chan decision, 1)}
	if e.navigates {
		h.document = address
	}
	coming := time.Now().Before(t.until) && (t.conn == nil || t.next != "" && t.next == withoutFragment(r.Referer()))
	if coming {
		h.conn = nil
	}
	if s.Offline {
		h.fail, h.finished = "net::ERR_INTERNET_DISCONNECTED", true
		return h
	}
	// The agent of a document wraps fetch and XMLHttpRequest itself, so that it needs
	// no event for them.
	script := dest == "empty" && !c.owners[withoutFragment(r.Referer())].worker && (!s.Hold || !isPreflight(r))
	if script || dest == "" || h.conn == nil && !coming || !s.Hold && !s.Tell && !main {
		if script && s.Tell && !main && h.conn != nil {
			e.scripts = []*wsconn.Conn{h.conn}
		}
		if !main {
			return nil
		}
	}
	h.waits = s.Hold && h.conn != nil && len(c.paused) < maxPaused
	c.paused[h.id] = h
	return h
}

// isPreflight reports whether the browser asks by itself whether script may send a request (Fetch Standard, "CORS-preflight
// fetch"). Script learns nothing of it.
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// applyOverridesLocked applies the headers that a Target wants for its requests.
func applyOverridesLocked(t *agentTarget, r *http.Request, main bool) {
	for name, value := range t.state.Extra {
		r.Header.Set(name, value)
	}
	if t.credentials != "" && r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Basic "+t.credentials)
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

// pauseRequest announces a request, waits for the decision if it must, and changes
// the request. It reads at most maxRequestBody bytes of the body for the event; the
// upstream gets all of it.
func (h *pausedRequest) pauseRequest(r *http.Request, e *exchange) {
	if h.fail != "" {
		return
	}
	var body []byte
	if r.Body != nil {
		// An error comes again when the transport reads on.
		body, _ = io.ReadAll(io.LimitReader(r.Body, maxRequestBody))
		r.Body = readCloser{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	}
	h.notify(agentEvent{
		What: "request", URL: e.own.String() + e.uri, Method: r.Method, Headers: visibleHeaders(r.Header), Body: body,
		Dest: r.Header.Get("Sec-Fetch-Dest"), Mode: r.Header.Get("Sec-Fetch-Mode"), Referrer: r.Referer(),
		Held: h.waits, Main: h.isMain(), Redirects: e.redirects,
	})
	if !h.waits {
		return
	}
	e.announced = true
	switch d := h.wait(r.Context()).(type) {
	case failRequest:
		h.fail, e.failed = d.Error, true
	case fulfillRequest:
		h.fulfill = &d
	case continueRequest:
		h.pauseResponse = d.See
		d.change(r, e)
	}
}

// wait returns the next decision. After pauseTimeout, or when the browser has given
// up, the request continues: a Client that has gone must not hang the page.
func (h *pausedRequest) wait(ctx context.Context) decision {
	select {
	case d := <-h.decisions:
		return d
	case <-time.After(pauseTimeout):
	case <-ctx.Done():
	}
	return continueRequest{}
}

// visibleHeaders are the headers of a request that clients see and may replace.
func visibleHeaders(h http.Header) map[string]string {
	all := make(map[string]string, len(h))
	for name, values := range h {
		if !isHiddenHeader(name) {
			all[name] = strings.Join(values, ", ")
		}
	}
	// Cookies that are HttpOnly must not reach page script (RFC 6265, section
	// 4.1.2.6).
	if h.Get("Cookie") != "" {
		all["Cookie"] = "" // the agent fills in those that script can read
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

// change applies the changes to a request. The URL must be of the same origin: the
// proxy has one upstream.
func (c *continueRequest) change(r *http.Request, e *exchange) {
	if c.URL != "" {
		if u, err := r.URL.Parse(c.URL); err == nil && (u.Host == "" || originOf(u) == e.own) {
			r.URL.Path, r.URL.RawPath, r.URL.RawQuery = u.Path, u.RawPath, u.RawQuery
		}
	}
	if c.Method != "" {
		r.Method = c.Method
	}
	if c.Headers != nil {
		for name := range r.Header {
			if !isHiddenHeader(name) {
				r.Header.Del(name)
			}
		}
		for _, h := range c.Headers {
			if !isHiddenHeader(http.CanonicalHeaderKey(h[0])) {
				r.Header.Set(h[0], h[1])
			}
		}
	}
	refreshCookies(r.Header, c.Cookies)
	if c.Body != nil {
		r.Body = io.NopCloser(bytes.NewReader(*c.Body))
		r.ContentLength = int64(len(*c.Body))
		r.Header.Set("Content-Length", strconv.Itoa(len(*c.Body)))
	}
}

// refreshCookies gives the cookies of a request the values that they have now, as far as script knows: they may have
// changed while the request waited.
func refreshCookies(h http.Header, now string) {
	sent := h.Get("Cookie")
	if now == "" || sent == "" {
		return
	}
	values := map[string]string{}
	for cookie := range strings.SplitSeq(now, "; ") {
		name, _, _ := strings.Cut(cookie, "=")
		values[name] = cookie
	}
	cookies := strings.Split(sent, "; ")
	for i, cookie := range cookies {
		name, _, _ := strings.Cut(cookie, "=")
		cookies[i] = cmp.Or(values[name], cookie)
	}
	h.Set("Cookie", strings.Join(cookies, "; "))
}

// finish sends the last event of a request, once, and removes the request. A nil
// request does nothing.
func (h *pausedRequest) finish(n agentEvent) {
	if h == nil {
		return
	}
	h.agents.mu.Lock()
	defer h.agents.mu.Unlock()
	if delete(h.agents.paused, h.id); h.finished {
		return
	}
	h.finished = true
	h.notifyLocked(n)
}

// redirected records where a redirect leads the main frame, so that the next request
// is known as its document.
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

// committed records that the main frame gets a document. Its agent is expected within
// successorTimeout.
func (h *pausedRequest) committed(address string) {
	h.agents.mu.Lock()
	defer h.agents.mu.Unlock()
	h.target.announced, h.target.next, h.target.until = "", address, time.Now().Add(successorTimeout)
	h.agents.recordOwnerLocked(address, resourceOwner{target: h.target.id})
}
