package bap

import (
	"cmp"
	"context"
	"maps"
	"strings"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wire"
)

var networkMethods = map[string]method{
	"network/intercept": onPageOf("network:intercept", interceptRequests),
	"network/fulfill":   methodOf("network:intercept", fulfillRequest),
	"network/abort":     methodOf("network:intercept", abortRequest),
	"network/continue":  methodOf("network:intercept", continueRequest),
}

// resourceTypes are the resource types of CDP by the names of the protocol. CDP's
// domain Fetch calls requests of fetch() XHR (Chromium 156).
var resourceTypes = map[string]string{
	"document": "Document", "stylesheet": "Stylesheet", "image": "Image", "media": "Media", "font": "Font", "script": "Script",
	"texttrack": "TextTrack", "xhr": "XHR", "fetch": "XHR", "eventsource": "EventSource", "websocket": "WebSocket", "manifest": "Manifest", "other": "Other",
}

type interceptParams struct {
	Patterns []struct{ URLPattern, ResourceType, Method string }
	Handler  string
}

func (p *interceptParams) check() *failure {
	if p.Patterns == nil {
		return invalidParam("patterns", "is missing")
	}
	for _, m := range p.Patterns {
		if m.ResourceType != "" && resourceTypes[strings.ToLower(m.ResourceType)] == "" {
			return invalidParam("patterns", "%q is not a resource type", m.ResourceType)
		}
	}
	return oneOf("handler", &p.Handler, "continue", "abort", "respond", "callback")
}

// interceptRequests replaces the page's last interception; without patterns it only ends it.
// With the handlers respond and callback, each request is held and sent to the client
// as an event. The methods below decide it.
func interceptRequests(ctx context.Context, k *call, page *actions.Page, p interceptParams) (any, error) {
	s := k.session
	s.mu.Lock()
	before := s.intercepts[page.ID]
	delete(s.intercepts, page.ID)
	s.mu.Unlock()
	if before != nil {
		if err := before(ctx); err != nil {
			return nil, err
		}
	}
	if len(p.Patterns) == 0 {
		return none{}, nil
	}
	route := actions.Route{Decide: func(ctx context.Context, r actions.Request) actions.RouteDecision {
		switch p.Handler {
		case "continue":
			return actions.RouteDecision{}
		case "abort":
			return actions.RouteDecision{Abort: "BlockedByClient"}
		}
		return s.hold(ctx, page, r)
	}}
	for _, m := range p.Patterns {
		route.Patterns = append(route.Patterns, actions.RoutePattern{
			URL: m.URLPattern, ResourceType: resourceTypes[strings.ToLower(m.ResourceType)], Method: strings.ToUpper(m.Method),
		})
	}
	cancel, err := page.Route(ctx, route)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intercepts[page.ID] = cancel
	return none{}, nil
}

// hold sends a request to the client and waits for its decision. Without a client, or
// when ctx has ended, the request continues unchanged: a page must not hang.
func (s *session) hold(ctx context.Context, page *actions.Page, r actions.Request) actions.RouteDecision {
	id := page.Alias + ":" + r.ID // whose own is good for its page alone
	decided := make(chan actions.RouteDecision, 1)
	s.mu.Lock()
	owner, prefix := s.owner, "events/"
	if s.documents {
		prefix = "notifications/"
	}
	s.held[id] = decided
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.held, id)
	}()
	if owner == nil {
		return actions.RouteDecision{}
	}
	body := networkEvent(actions.NetworkEvent{Type: "request", Request: r})
	body["requestId"], body["intercepted"], body["pageId"], body["timestamp"] = id, true, page.Alias, time.Now().UnixMilli()
	owner.conn.Deliver(wire.Frame{Head: encodeMessage(notification{"2.0", prefix + "network", body})})
	select {
	case d := <-decided:
		return d
	case <-ctx.Done():
		return actions.RouteDecision{}
	}
}

// decide gives the decision of a held request to hold. It can be given once.
func (s *session) decide(id string, d actions.RouteDecision) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	decided := s.held[id]
	if decided == nil {
		return nil, invalidParam("requestId", "no paused request has the id %q", id)
	}
	delete(s.held, id)
	decided <- d
	return none{}, nil
}

type fulfillParams struct {
	RequestID string
	Response  *struct {
		Status            int
		Headers           map[string]string
		Body, ContentType string
	}
}

func (p *fulfillParams) check() *failure {
	if p.Response == nil {
		return cmp.Or(requireValue("requestId", p.RequestID), invalidParam("response", "is missing"))
	}
	// Browsers take no other status as a final response (RFC 9110, section 15).
	if n := p.Response.Status; n != 0 && (n < 200 || n > 599) {
		return invalidParam("response.status", "is %d: it must be 200 to 599", n)
	}
	return requireValue("requestId", p.RequestID)
}

// fulfillRequest is network/fulfill. A Content-Type among the headers comes before
// contentType.
func fulfillRequest(_ context.Context, k *call, p fulfillParams) (any, error) {
	r := actions.RouteResponse{Status: p.Response.Status, Headers: map[string]string{}, Body: []byte(p.Response.Body)}
	if p.Response.ContentType != "" {
		r.Headers["Content-Type"] = p.Response.ContentType
	}
	maps.Copy(r.Headers, p.Response.Headers)
	return k.session.decide(p.RequestID, actions.RouteDecision{Respond: &r})
}

// abortReasons are values of CDP's Network.ErrorReason by the names of the protocol.
var abortReasons = map[string]string{
	"aborted": "Aborted", "accessdenied": "AccessDenied", "blockedbyclient": "BlockedByClient", "failed": "Failed",
}

type abortParams struct{ RequestID, Reason string }

func (p *abortParams) check() *failure {
	return cmp.Or(requireValue("requestId", p.RequestID), oneOf("reason", &p.Reason, "aborted", "accessdenied", "blockedbyclient", "failed"))
}

func abortRequest(_ context.Context, k *call, p abortParams) (any, error) {
	return k.session.decide(p.RequestID, actions.RouteDecision{Abort: abortReasons[p.Reason]})
}

type continueParams struct {
	RequestID string
	Overrides struct {
		URL, Method, PostData string

		Headers map[string]string
	}
}

func (p *continueParams) check() *failure { return requireValue("requestId", p.RequestID) }

// continueRequest lets a held request continue, with changes if there are any. A new address
// must be one that the URL policy allows.
func continueRequest(ctx context.Context, k *call, p continueParams) (any, error) {
	o := p.Overrides
	if o.URL != "" {
		b, err := k.session.open(ctx)
		if err != nil {
			return nil, err
		}
		if err := b.Allows(ctx, o.URL); err != nil {
			return nil, err
		}
	}
	return k.session.decide(p.RequestID, actions.RouteDecision{
		Change: actions.RequestChange{URL: o.URL, Method: o.Method, Headers: o.Headers, Body: []byte(o.PostData)},
	})
}
