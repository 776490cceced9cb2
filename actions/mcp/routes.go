package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/cdphub/cdphub/actions"
)

// routeTools are the tools that change requests, of all pages of the client.
var routeTools = []tool{
	defineTool("browser_route", "Answer requests", "Answers requests to addresses that match a pattern, or changes their headers, in the pages that the client has and in those that it opens.", full|alters, addRoute),
	defineTool("browser_route_list", "List routes", "Lists what browser_route has set up.", full|pageless, listRoutes),
	defineTool("browser_unroute", "Remove routes", "Ends what browser_route has set up.", full|alters|pageless, removeRoutes),
	defineTool("browser_network_state_set", "Set the network state", "Takes the client's pages off the network, or back.", full|alters, setNetwork),
}

// route says what becomes of requests to addresses that match a pattern.
type route struct {
	pattern string
	match   *actions.Pattern
	decide  actions.RouteDecision
	about   string
}

type routeArgs struct {
	onPage
	Pattern       string   `json:"pattern" jsonschema:"Of addresses: * is all but a slash, ** is all, {a,b} is one of them: **/api/users"`
	Status        float64  `json:"status,omitempty" jsonschema:"The status of the answer; 200 when left out"`
	Body          *string  `json:"body,omitempty" jsonschema:"The body of the answer"`
	ContentType   string   `json:"contentType,omitempty" jsonschema:"The type of the body"`
	Headers       []string `json:"headers,omitempty" jsonschema:"Headers of the answer, as Name: Value; those of the request when there is neither status nor body"`
	RemoveHeaders string   `json:"removeHeaders,omitempty" jsonschema:"Names of headers that the request goes on without, with commas in between"`
}

// route reads the arguments. A status, a body or a type answers requests; otherwise
// the headers are changed.
func (in routeArgs) route() (*route, error) {
	match, err := actions.CompileURLGlob(in.Pattern)
	if err != nil {
		return nil, err
	}
	r := &route{pattern: in.Pattern, match: match}
	headers := map[string]string{}
	for _, line := range in.Headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, invalidArgument(fmt.Sprintf("headers: %q is not Name: Value", line))
		}
		headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	var about []string
	if in.Status != 0 || in.Body != nil || in.ContentType != "" {
		if status := int(in.Status); in.Status != 0 && (status < 100 || status > 599) {
			return nil, invalidArgument(fmt.Sprintf("status: %g is not a status: it must be 100 to 599", in.Status))
		}
		answer := &actions.RouteResponse{Status: int(in.Status), Headers: headers}
		if in.Body != nil {
			answer.Body = []byte(*in.Body)
			about = append(about, "body of "+english.Plural(len(answer.Body), "byte", ""))
		}
		if in.ContentType != "" {
			headers["Content-Type"] = in.ContentType
		}
		if in.Status != 0 {
			about = append(about, fmt.Sprintf("status %d", answer.Status))
		}
		r.decide.Respond = answer
	} else {
		r.decide.With = headers
	}
	for name := range strings.SplitSeq(in.RemoveHeaders, ",") {
		if name = strings.TrimSpace(name); name != "" {
			r.decide.Without = append(r.decide.Without, name)
			about = append(about, "without "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		about = append(about, name+": "+headers[name])
	}
	r.about = strings.Join(about, ", ")
	return r, nil
}

// addRoute is browser_route. The route stands in the list before pages ask for it, so
// that no request gets by in between; if a page cannot ask, it is taken out again.
func addRoute(ctx context.Context, c *call, in routeArgs) error {
	r, err := in.route()
	if err != nil {
		return err
	}
	c.mu.Lock()
	full := len(c.routes) >= actions.MaxGlobs
	if !full {
		c.routes = append(c.routes, r)
	}
	c.mu.Unlock()
	if full {
		return invalidArgument(fmt.Sprintf("there are %d routes already: remove some with browser_unroute", actions.MaxGlobs))
	}
	if err := c.routePages(ctx); err != nil {
		c.mu.Lock()
		c.routes = slices.DeleteFunc(c.routes, func(o *route) bool { return o == r })
		c.mu.Unlock()
		return err
	}
	c.say("Requests to %s are routed", in.Pattern)
	c.ran("await page.context().route(%s, …);", jsLiteral(in.Pattern))
	return nil
}

// decision is what becomes of a request, by the newest route that matches. It is
// called for each request of a routed page, and looks for it until ctx ends.
func (s *session) decision(ctx context.Context, r actions.Request) actions.RouteDecision {
	s.mu.Lock()
	routes := slices.Clone(s.routes)
	s.mu.Unlock()
	for _, route := range slices.Backward(routes) {
		if found, _ := route.match.Match(ctx, r.URL); found {
			return route.decide
		}
	}
	return actions.RouteDecision{}
}

// routePages has the requests of all pages of the client decided by its routes.
func (c *call) routePages(ctx context.Context) error {
	return c.eachPage(func(p *actions.Page) error { return c.routePage(ctx, p) })
}

// eachPage calls do for each page of the client, until do fails.
func (c *call) eachPage(do func(*actions.Page) error) error {
	c.mu.Lock()
	own := slices.Clone(c.session.tabs.list)
	c.mu.Unlock()
	for _, id := range own {
		p, err := c.b.Page(id)
		if err != nil {
			continue // it has just gone
		}
		if err := do(p); err != nil {
			return err
		}
	}
	return nil
}

// routePage has one page ask for its requests, once. The lock is not held while the
// page is asked: the decision about a request takes the same lock.
func (c *call) routePage(ctx context.Context, p *actions.Page) error {
	c.mu.Lock()
	already := c.stateOf(p.ID).unroute != nil
	c.mu.Unlock()
	if already {
		return nil
	}
	cancel, err := p.Route(ctx, actions.Route{Decide: c.decision})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stateOf(p.ID).unroute = cancel
	return nil
}

// routed is the function that prepares a new page for routes and the network state;
// nil where neither is set.
func (c *call) routed() func(context.Context, *actions.Page) error {
	c.mu.Lock()
	routes, offline := len(c.routes) > 0, c.offline
	c.mu.Unlock()
	if !routes && !offline {
		return nil
	}
	return func(ctx context.Context, p *actions.Page) error {
		if offline {
			if err := p.Emulate(ctx, actions.Emulation{Offline: &offline}); err != nil {
				return err
			}
		}
		if !routes {
			return nil
		}
		return c.routePage(ctx, p)
	}
}

// listRoutes is browser_route_list.
func listRoutes(_ context.Context, c *call, _ none) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, r := range c.routes {
		c.say("%d. %s (%s)", i+1, r.pattern, r.about)
	}
	if c.lines == nil {
		c.say("No routes")
	}
	return nil
}

type unrouteArgs struct {
	onPage
	Pattern string `json:"pattern,omitempty" jsonschema:"The pattern of the routes to remove; all when left out"`
}

// removeRoutes is browser_unroute. Without a pattern it removes all routes. Pages ask
// until the last route is gone.
func removeRoutes(ctx context.Context, c *call, in unrouteArgs) error {
	c.mu.Lock()
	before := len(c.routes)
	c.routes = slices.DeleteFunc(c.routes, func(r *route) bool { return in.Pattern == "" || r.pattern == in.Pattern })
	removed := before - len(c.routes)
	var cancels []func(context.Context) error
	if len(c.routes) == 0 { // pages need not ask any more
		for _, state := range c.pages {
			if state.unroute != nil {
				cancels = append(cancels, state.unroute)
				state.unroute = nil
			}
		}
	}
	c.mu.Unlock()
	for _, cancel := range cancels {
		_ = cancel(ctx) // else the page has gone
	}
	c.say("Removed %s", english.Plural(removed, "route", ""))
	c.ran("await page.context().unroute(%s);", jsLiteral(in.Pattern))
	return nil
}

type networkArgs struct {
	onPage
	State networkState `json:"state" jsonschema:"offline: every request fails"`
}

// setNetwork is browser_network_state_set.
func setNetwork(ctx context.Context, c *call, in networkArgs) error {
	offline := in.State == "offline"
	err := c.eachPage(func(p *actions.Page) error { return p.Emulate(ctx, actions.Emulation{Offline: &offline}) })
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.offline = offline
	c.mu.Unlock()
	c.say("The pages of this client are %s", in.State)
	c.ran("await page.context().setOffline(%t);", offline)
	return nil
}
