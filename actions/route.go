package actions

import (
	"context"
	"encoding/base64"
	"maps"
	"slices"
	"strings"
)

// Route decides what becomes of requests that match one of its patterns.
type Route struct {
	Patterns []RoutePattern                               // none: all requests
	Decide   func(context.Context, Request) RouteDecision // the context ends with the Browser, or after 30 s
}

// RoutePattern matches requests that all its fields match. Empty fields match
// everything.
type RoutePattern struct {
	URL          string // see CompileGlob
	ResourceType string // in CDP's words: "Document", "XHR", "Image"
	Method       string

	glob *Pattern // of URL; nil for ""
}

// RouteDecision is what becomes of a request: the first of Abort, Respond, Without
// with With, and Change that is set. Its zero value lets the request go on.
type RouteDecision struct {
	Abort   string // the reason, a Network.ErrorReason; "" does not
	Respond *RouteResponse
	Without []string          // headers that the request goes on without
	With    map[string]string // headers that it has then
	Change  RequestChange
}

// RequestChange is how a request goes on. Empty fields are as they were.
type RequestChange struct {
	URL, Method string
	Headers     map[string]string
	Body        []byte
}

// params are those of Fetch.continueRequest. Headers replace all headers of the
// request there.
func (c *RequestChange) params() obj {
	params := obj{}
	if c.URL != "" {
		params["url"] = c.URL
	}
	if c.Method != "" {
		params["method"] = c.Method
	}
	if len(c.Headers) > 0 {
		params["headers"] = headerList(c.Headers)
	}
	if len(c.Body) > 0 {
		params["postData"] = base64.StdEncoding.EncodeToString(c.Body)
	}
	return params
}

// RouteResponse takes the place of the server's.
type RouteResponse struct {
	Status  int // 200 when 0
	Headers map[string]string
	Body    []byte
}

// Route has requests of the page decided, by the newest Route that matches, until the
// function that it returns is called. Decide may block; it runs outside of all locks,
// in a goroutine for each request. An error means that the target cannot hold
// requests, and nothing has changed.
func (p *Page) Route(ctx context.Context, r Route) (cancel func(context.Context) error, err error) {
	ctx, done := withDeadline(ctx)
	defer done()
	if err := r.compile(); err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.routes = append(p.routes, &r)
	p.mu.Unlock()
	remove := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.routes = slices.DeleteFunc(p.routes, func(o *Route) bool { return o == &r })
	}
	if err := p.refreshRoutes(ctx); err != nil {
		remove()
		return nil, err
	}
	return func(ctx context.Context) error {
		ctx, done := withDeadline(ctx)
		defer done()
		remove()
		return p.refreshRoutes(ctx)
	}, nil
}

// refreshRoutes tells the target which requests to hold (Fetch.enable). Each call
// replaces the patterns of the last. CDP has no pattern for the method, which requestPaused
// checks.
func (p *Page) refreshRoutes(ctx context.Context) error {
	p.mu.Lock()
	patterns := p.routes.patterns()
	p.mu.Unlock()
	if len(patterns) == 0 {
		return p.callMethod(ctx, "Fetch.disable", nil, nil)
	}
	return p.callMethod(ctx, "Fetch.enable", obj{"patterns": patterns}, nil)
}

// routes are those of a page, the newest last. Page.mu guards them.
type routes []*Route

// patterns are those of Fetch.enable.
func (rs routes) patterns() (patterns []obj) {
	for _, r := range rs {
		if len(r.Patterns) == 0 {
			patterns = append(patterns, obj{"urlPattern": "*"})
		}
		for _, m := range r.Patterns {
			one := obj{"urlPattern": "*"}
			if m.URL != "" {
				one["urlPattern"] = m.URL
			}
			if m.ResourceType != "" {
				one["resourceType"] = m.ResourceType
			}
			patterns = append(patterns, one)
		}
	}
	return patterns
}

// pausedEvent is Fetch.requestPaused.
type pausedEvent struct {
	RequestID, ResourceType string

	Request struct {
		URL, Method string
		Headers     map[string]string
		HasPostData bool
	}
}

// requestPaused decides one request. It is called by the queue of events and must not wait,
// so a goroutine does the work: a request waits in the browser until its answer.
func (p *Page) requestPaused(session string, e pausedEvent) {
	p.mu.Lock()
	list := slices.Clone(p.routes)
	p.mu.Unlock()
	r := Request{
		ID: e.RequestID, URL: e.Request.URL, Method: e.Request.Method, ResourceType: e.ResourceType,
		Headers: RedactHeaders(e.Request.Headers), HasBody: e.Request.HasPostData,
	}
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	if p.b.closed {
		return
	}
	p.b.loops.Go(func() {
		ctx, cancel := p.b.while()
		method, params := list.decide(p.b.ending(ctx), r, e.Request.Headers)
		cancel()
		params["requestId"] = e.RequestID
		// A new context: Decide may have used up the time of the first, and the
		// request must not be held for ever.
		ctx, cancel = p.b.while()
		defer cancel()
		_, _ = sendAll(ctx, p.b.client, command{session, method, params, nil}) // the request may have ended by itself
	})
}

// decide is the command that carries out what the newest matching route says;
// headers are those of the request as they are.
func (rs routes) decide(ctx context.Context, r Request, headers map[string]string) (method string, params obj) {
	for _, route := range slices.Backward(rs) {
		if !route.matches(ctx, r) {
			continue
		}
		switch d := route.Decide(ctx, r); {
		case d.Abort != "":
			return "Fetch.failRequest", obj{"errorReason": d.Abort}
		case d.Respond != nil:
			return "Fetch.fulfillRequest", d.Respond.params()
		case len(d.Without)+len(d.With) > 0:
			return "Fetch.continueRequest", obj{"headers": d.headers(headers)}
		default:
			return "Fetch.continueRequest", d.Change.params()
		}
	}
	return "Fetch.continueRequest", obj{}
}

// headers are the headers with which a request goes on. Their names are compared
// without case (RFC 9110, section 5.1).
func (d RouteDecision) headers(of map[string]string) []obj {
	changed := maps.Clone(of)
	maps.DeleteFunc(changed, func(name, _ string) bool {
		is := func(other string) bool { return strings.EqualFold(name, other) }
		return slices.ContainsFunc(d.Without, is) || slices.ContainsFunc(slices.Collect(maps.Keys(d.With)), is)
	})
	return append(headerList(changed), headerList(d.With)...)
}

// headerList is headers as CDP takes them, an array of Fetch.HeaderEntry.
func headerList(headers map[string]string) []obj {
	list := []obj{}
	for name, value := range headers {
		list = append(list, obj{"name": name, "value": value})
	}
	return list
}

func (r *RouteResponse) params() obj {
	status := r.Status
	if status == 0 {
		status = 200
	}
	return obj{"responseCode": status, "responseHeaders": headerList(r.Headers), "body": base64.StdEncoding.EncodeToString(r.Body)}
}

// matches reports whether a request is for the route. A pattern that is not done when ctx
// ends matches nothing.
func (r *Route) matches(ctx context.Context, q Request) bool {
	return len(r.Patterns) == 0 || slices.ContainsFunc(r.Patterns, func(m RoutePattern) bool {
		return (m.Method == "" || m.Method == q.Method) && (m.ResourceType == "" || m.ResourceType == q.ResourceType) && m.matchesURL(ctx, q.URL)
	})
}

func (m *RoutePattern) matchesURL(ctx context.Context, url string) bool {
	if m.glob == nil {
		return true
	}
	found, err := m.glob.Match(ctx, url)
	return found && err == nil
}

// compile compiles the patterns of the route, in a copy of its list.
func (r *Route) compile() error {
	if len(r.Patterns) > MaxGlobs {
		return invalidArgument("there are %d patterns, at most %d are possible", len(r.Patterns), MaxGlobs)
	}
	r.Patterns = slices.Clone(r.Patterns)
	for i := range r.Patterns {
		m := &r.Patterns[i]
		if m.URL == "" {
			continue
		}
		var err error
		if m.glob, err = CompileGlob(m.URL); err != nil {
			return err
		}
	}
	return nil
}
