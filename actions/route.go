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

// RoutePattern matches requests. Empty fields match all.
type RoutePattern struct {
	URL          string // with "*" for any characters
	ResourceType string // in CDP's words: "Document", "XHR", "Image"
	Method       string
}

// RouteDecision is what becomes of a request. Its zero value lets it go on.
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

// Route has requests of the page decided, by the newest Route that matches,
// until the function that it returns is called. Decide may block; it runs
// outside of all locks.
func (p *Page) Route(ctx context.Context, r Route) (cancel func(context.Context) error, err error) {
	ctx, done := bounded(ctx)
	defer done()
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
		ctx, done := bounded(ctx)
		defer done()
		remove()
		return p.refreshRoutes(ctx)
	}, nil
}

// refreshRoutes tells the target which requests to hold.
func (p *Page) refreshRoutes(ctx context.Context) error {
	p.mu.Lock()
	var patterns []obj
	for _, r := range p.routes {
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
	p.mu.Unlock()
	if len(patterns) == 0 {
		return p.call(ctx, "Fetch.disable", nil, nil)
	}
	return p.call(ctx, "Fetch.enable", obj{"patterns": patterns}, nil)
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

func (p *Page) paused(session string, e pausedEvent) {
	p.mu.Lock()
	routes := slices.Clone(p.routes)
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
		method, params := decide(p.b.ending(ctx), routes, r, e.Request.Headers)
		cancel()
		params["requestId"] = e.RequestID
		ctx, cancel = p.b.while()
		defer cancel()
		_, _ = do(ctx, p.b.client, command{session, method, params, nil}) // the request may have ended by itself
	})
}

// decide is the command that carries out what the newest matching route says;
// headers are those of the request as they are.
func decide(ctx context.Context, routes []*Route, r Request, headers map[string]string) (method string, params obj) {
	for _, route := range slices.Backward(routes) {
		if !route.matches(r) {
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

// headers are those with which a request goes on. Their names have no case.
func (d RouteDecision) headers(of map[string]string) []obj {
	changed := maps.Clone(of)
	maps.DeleteFunc(changed, func(name, _ string) bool {
		is := func(other string) bool { return strings.EqualFold(name, other) }
		return slices.ContainsFunc(d.Without, is) || slices.ContainsFunc(slices.Collect(maps.Keys(d.With)), is)
	})
	return append(headerList(changed), headerList(d.With)...)
}

// headerList is headers as CDP takes them.
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

func (r *Route) matches(q Request) bool {
	return len(r.Patterns) == 0 || slices.ContainsFunc(r.Patterns, func(m RoutePattern) bool {
		return (m.URL == "" || glob(m.URL, q.URL)) && (m.Method == "" || m.Method == q.Method) &&
			(m.ResourceType == "" || m.ResourceType == q.ResourceType)
	})
}

// glob reports whether a text matches a pattern, in which * stands for any
// characters and ? for one.
func glob(pattern, text string) bool {
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(text) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, mark = i, j
			i++
		case i < len(pattern) && (pattern[i] == '?' || pattern[i] == text[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(pattern) && pattern[i] == '*' {
		i++
	}
	return i == len(pattern)
}
