package share

import (
	"bytes"
	"slices"

	"github.com/cdphub/cdphub/internal/wire"
)

// Requests are paused at the browser for all patterns together. A paused request goes to one session after another, as in
// Chromium 156 to the one first that has begun to intercept last, and on to the network when all have let it. A response
// and a challenge come back in the other direction. What one of them changes, answers or fails goes no further.

// interception is what a session has asked for with Fetch.enable.
type interception struct {
	patterns []requestPattern
	raw      []byte // list of patterns
	auth     bool
	kept     int
}

// requestPattern is a Fetch.RequestPattern.
type requestPattern struct {
	url, resourceType string
	response          bool
}

// pausedRequest is a request that waits for a session.
type pausedRequest struct {
	method string // Fetch.requestPaused or Fetch.authRequired
	params []byte
	at     *clientSession
	passed map[*clientSession]struct{}
	// responses are those who wanted to see the response (interceptResponse).
	responses map[*clientSession]struct{}
}

var errNotPaused = &wire.Error{Code: wire.CodeInvalidParams, Message: "Invalid InterceptionId."}

func (r *realSession) anyFetch() bool {
	return slices.ContainsFunc(r.views, func(v *clientSession) bool { return v.fetch != nil })
}

// fetchParams are those of Fetch.enable for all sessions together.
func (r *realSession) fetchParams() []byte {
	list, auth := []byte{'['}, false
	for _, v := range r.views {
		if v.fetch == nil {
			continue
		}
		auth = auth || v.fetch.auth
		if len(v.fetch.raw) > 2 {
			if len(list) > 1 {
				list = append(list, ',')
			}
			list = append(list, v.fetch.raw[1:len(v.fetch.raw)-1]...)
		}
	}
	params := withMember(wire.Empty, "patterns", append(list, ']'))
	if auth {
		params = withMember(params, "handleAuthRequests", []byte("true"))
	}
	return params
}

// enableFetchLocked is Fetch.enable.
func (t *Tab) enableFetchLocked(v *clientSession, c *command) *wire.Error {
	raw := valueOf(c.params, "patterns")
	if raw == nil {
		raw = []byte(`[{}]`) // Chromium: all requests
	}
	if raw[0] != '[' {
		return wire.InvalidParams("Failed to deserialize params.patterns - CBOR: array start expected")
	}
	f := &interception{raw: bytes.TrimSpace(bytes.Clone(raw)), auth: isTrue(c.params, "handleAuthRequests"), kept: len(raw)}
	eachElement(f.raw, func(from, to int) {
		one := f.raw[from:to]
		p := requestPattern{textOf(one, "urlPattern"), textOf(one, "resourceType"), textOf(one, "requestStage") == "Response"}
		if valueOf(one, "urlPattern") == nil {
			p.url = "*"
		}
		f.patterns = append(f.patterns, p)
	})
	if len(f.patterns) > maxItems {
		return errFull
	}
	if err := v.client.keep(f.kept); err != nil {
		return err
	}
	before := v.fetch
	if before != nil {
		v.client.drop(before.kept)
	}
	v.fetch = f
	r := v.r
	if before == nil {
		r.fetchers = slices.Insert(r.fetchers, 0, v)
	}
	t.sendLocked(&call{r: r, view: v, id: c.id, method: c.method, done: t.doneLocked(v, c, func(ok bool) {
		if !ok && v.fetch == f && !v.over {
			t.dropFetch(v)
			if r.anyFetch() {
				t.ownLocked(r, "Fetch.enable", r.fetchParams())
			}
		}
	})}, r.fetchParams())
	return nil
}

// dropFetch forgets what a session intercepts.
func (t *Tab) dropFetch(v *clientSession) {
	v.client.drop(v.fetch.kept)
	v.fetch = nil
	v.r.fetchers = removeView(v.r.fetchers, v)
}

// disableFetchLocked is Fetch.disable. What is paused for the session goes on, and the others go on intercepting.
func (t *Tab) disableFetchLocked(v *clientSession, c *command) *wire.Error {
	r := v.r
	if v.fetch != nil {
		t.dropFetch(v)
	}
	if !r.anyFetch() {
		clear(r.paused)
		return t.forwardLocked(v, c, nil)
	}
	t.fenceByLocked(v, c, "Fetch.enable", r.fetchParams(), func() { t.passAllLocked(r, v) })
	return nil
}

// stopInterceptionLocked ends the interception of a session that ends.
func (t *Tab) stopInterceptionLocked(v *clientSession) {
	r := v.r
	if v.fetch == nil {
		return
	}
	t.dropFetch(v)
	if !r.anyFetch() {
		clear(r.paused)
		t.ownLocked(r, "Fetch.disable", wire.Empty) // what is paused goes on
		return
	}
	t.sendLocked(&call{r: r, method: "Fetch.enable", done: func(_, _ []byte) { t.passAllLocked(r, v) }}, r.fetchParams())
}

// passAllLocked passes on what waits for a session.
func (t *Tab) passAllLocked(r *realSession, v *clientSession) {
	ids := make([]string, 0, len(r.paused))
	for id, p := range r.paused {
		if delete(p.passed, v); p.at == v {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		t.passLocked(r, id)
	}
}

// requestPausedLocked takes a request that the browser has paused.
func (t *Tab) requestPausedLocked(r *realSession, params []byte) {
	t.pauseLocked(r, "Fetch.requestPaused", params)
}

// authRequiredLocked takes a request for which the browser needs a password.
func (t *Tab) authRequiredLocked(r *realSession, params []byte) {
	t.pauseLocked(r, "Fetch.authRequired", params)
}

func (t *Tab) pauseLocked(r *realSession, method string, params []byte) {
	id := string([]byte(textOf(params, "requestId")))
	p := &pausedRequest{method: method, params: bytes.Clone(params), passed: make(map[*clientSession]struct{})}
	if before := r.paused[id]; before != nil {
		p.responses = before.responses
	}
	if r.paused[id] == nil && len(r.paused) >= maxPaused {
		t.goOnLocked(r, p, id, false)
		return
	}
	r.paused[id] = p
	t.passLocked(r, id)
}

// passLocked shows a paused request to the next session that wants it, or lets it go on.
func (t *Tab) passLocked(r *realSession, id string) {
	p := r.paused[id]
	list := r.fetchers
	if p.method == "Fetch.authRequired" || p.isResponse() {
		list = slices.Clone(list)
		slices.Reverse(list)
	}
	for _, v := range list {
		if _, passed := p.passed[v]; !passed && p.wantedBy(v) {
			p.passed[v], p.at = struct{}{}, v
			t.deliverLocked(v, p.method, p.params)
			return
		}
	}
	t.settleLocked(r, id)
	t.goOnLocked(r, p, id, len(p.responses) > 0)
}

// settleLocked forgets a request that is paused no more. What wants its response is remembered until that comes.
func (t *Tab) settleLocked(r *realSession, id string) {
	p := r.paused[id]
	if p.at = nil; len(p.responses) == 0 || p.isResponse() {
		delete(r.paused, id)
	}
}

// goOnLocked has the browser go on with a request.
func (t *Tab) goOnLocked(r *realSession, p *pausedRequest, id string, response bool) {
	params := withMember(wire.Empty, "requestId", quoteText(id))
	if p.method == "Fetch.authRequired" {
		t.ownLocked(r, "Fetch.continueWithAuth", withMember(params, "authChallengeResponse", []byte(`{"response":"Default"}`)))
		return
	}
	if response {
		params = withMember(params, "interceptResponse", []byte("true"))
	}
	t.ownLocked(r, "Fetch.continueRequest", params)
}

func (p *pausedRequest) isResponse() bool {
	return valueOf(p.params, "responseStatusCode") != nil || valueOf(p.params, "responseErrorReason") != nil
}

// wantedBy reports whether a session wants to see a paused request.
func (p *pausedRequest) wantedBy(v *clientSession) bool {
	if p.method == "Fetch.authRequired" {
		return v.fetch.auth
	}
	response := p.isResponse()
	if _, asked := p.responses[v]; asked && response {
		return true
	}
	url, kind := textOf(p.params, "request", "url"), textOf(p.params, "resourceType")
	return slices.ContainsFunc(v.fetch.patterns, func(q requestPattern) bool {
		return q.response == response && (q.resourceType == "" || q.resourceType == kind) && matchURL(q.url, url)
	})
}

// matchURL matches an address with a pattern: * is any text, ? any byte, and \ takes the next one as it is.
func matchURL(pattern, url string) bool {
	star, back := -1, 0
	i, n := 0, 0
	for n < len(url) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, back = i, n
			i++
			continue
		case i < len(pattern) && pattern[i] == '?':
			i, n = i+1, n+1
			continue
		case i < len(pattern):
			at := i
			if pattern[i] == '\\' && i+1 < len(pattern) {
				at++
			}
			if pattern[at] == url[n] {
				i, n = at+1, n+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		back++
		i, n = star+1, back
	}
	for i < len(pattern) && pattern[i] == '*' {
		i++
	}
	return i == len(pattern)
}

// handlePausedLocked is Fetch.continueRequest and all others that name a paused request: only the session that was shown it
// may send them.
func (t *Tab) handlePausedLocked(v *clientSession, c *command) *wire.Error {
	r := v.r
	id := string([]byte(textOf(c.params, "requestId")))
	p := r.paused[id]
	if p == nil || p.at != v {
		return errNotPaused
	}
	if c.method == "Fetch.continueRequest" && isTrue(c.params, "interceptResponse") && !p.isResponse() {
		if p.responses == nil {
			p.responses = make(map[*clientSession]struct{})
		}
		p.responses[v] = struct{}{}
	}
	switch {
	case c.method == "Fetch.getResponseBody" || c.method == "Fetch.takeResponseBodyAsStream":
		return t.forwardLocked(v, c, nil)
	case isUnchanged(c) && t.hasNext(r, p):
		p.at = nil
		t.browserFenceLocked(v, c, func() {
			if r.paused[id] == p && p.at == nil {
				t.passLocked(r, id)
			}
		})
		return nil
	}
	params := c.params
	if c.method == "Fetch.continueRequest" && len(p.responses) > 0 {
		params = withMember(params, "interceptResponse", []byte("true"))
	}
	if c.method == "Fetch.fulfillRequest" || c.method == "Fetch.failRequest" {
		p.responses = nil
	}
	t.settleLocked(r, id)
	return t.forwardLocked(v, &command{c.id, c.method, params}, t.doneLocked(v, c, func(ok bool) {
		// What the browser refuses, such as a header that is none, leaves the request paused.
		if now := r.paused[id]; !ok && !v.over && v.fetch != nil && (now == nil || now == p) {
			p.at = v
			r.paused[id] = p
		}
	}))
}

// hasNext reports whether another session wants a paused request.
func (t *Tab) hasNext(r *realSession, p *pausedRequest) bool {
	return slices.ContainsFunc(r.fetchers, func(v *clientSession) bool {
		_, passed := p.passed[v]
		return !passed && p.wantedBy(v)
	})
}

// isUnchanged reports whether a command lets a request go on as it is.
func isUnchanged(c *command) bool {
	switch c.method {
	case "Fetch.continueWithAuth":
		return textOf(c.params, "authChallengeResponse", "response") == "Default"
	case "Fetch.continueRequest", "Fetch.continueResponse":
		changes := false
		eachMember(c.params, func(name string, _, _ int) bool {
			changes = changes || name != "requestId" && name != "interceptResponse"
			return true
		})
		return !changes
	}
	return false
}
