package bap

import (
	"cmp"
	"context"

	"golang.org/x/time/rate"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wire"
)

var eventMethods = map[string]method{
	"events/subscribe":   methodOf("observe:*", subscribeEvents),
	"approval/respond":   methodOf("approval:respond", respondToApproval),
	"stream/cancel":      methodOf("observe:*", cancelStream),
	"discovery/discover": onPage("observe:*", discoverTools),
}

// eventKinds are the kinds of events by their names.
var eventKinds = map[string]actions.EventKind{
	"page": actions.PageEvents, "console": actions.ConsoleEvents, "network": actions.NetworkEvents,
	"dialog": actions.DialogEvents, "download": actions.DownloadEvents,
}

// subscribeParams name the kinds of events: as Events in the reference
// implementation, as Types in the protocol's documents. The names of the events
// differ with that, see session.documents.
type subscribeParams struct{ Events, Types []string }

func (p *subscribeParams) check() *failure {
	switch {
	case p.Events == nil && p.Types == nil:
		return invalidParam("events", "is missing")
	case p.Events != nil && p.Types != nil:
		return invalidParam("types", "has the same meaning as events: use one of them")
	}
	for field, list := range map[string][]string{"events": p.Events, "types": p.Types} {
		for i := range list {
			if _, known := eventKinds[list[i]]; !known {
				return invalidParam(field, "%q is not known: use page, console, network, dialog, download", list[i])
			}
		}
	}
	return nil
}

// subscribeEvents takes the place of the last subscription. An empty list ends it.
func subscribeEvents(ctx context.Context, k *call, p subscribeParams) (any, error) {
	var kinds actions.EventKind
	for _, name := range append(p.Events, p.Types...) {
		kinds |= eventKinds[name]
	}
	s := k.session
	b, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.subscribed, s.kinds, s.documents = true, kinds, p.Types != nil
	s.mu.Unlock()
	s.hear(ctx, b)
	return none{}, nil
}

// hear subscribes to the browser's events of the session's kinds. The subscription is
// active when hear returns: a client acts as soon as it has the answer, and must not
// miss the events of that.
func (s *session) hear(ctx context.Context, b *actions.Browser) {
	s.mu.Lock()
	if s.subscription != nil {
		s.subscription.Cancel()
		s.subscription = nil
	}
	if s.kinds != 0 {
		s.subscription = b.Subscribe(s.kinds|actions.FromNow, s.event)
	}
	subscription := s.subscription
	s.mu.Unlock()
	if subscription != nil {
		subscription.Ready(ctx)
	}
}

// use notes that the client works with a page. A client without subscriptions gets
// the errors of the pages that it works with. from may be actions.FromNow, which
// leaves out what the console has already.
func (s *session) use(p *actions.Page, from actions.EventKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subscribed || s.heard[p.ID] {
		return
	}
	s.heard[p.ID] = true
	p.Subscribe(actions.ConsoleEvents|from, s.errorEvent)
}

// errorEvent sends an error of a page's console to a client without subscriptions.
func (s *session) errorEvent(e actions.Event) {
	m, ok := e.Body.(actions.ConsoleMessage)
	s.mu.Lock()
	silent := s.subscribed
	s.mu.Unlock()
	if ok && !silent && m.Level == "error" {
		s.send(e, "notifications/console", consoleEvent(m))
	}
}

// event sends an event to a client that has subscribed to its kind.
func (s *session) event(e actions.Event) {
	name, body := s.body(e)
	if body == nil {
		return
	}
	s.mu.Lock()
	prefix := "events/"
	if s.documents {
		prefix = "notifications/"
	}
	s.mu.Unlock()
	s.send(e, prefix+name, body)
}

// send sends an event, unless its page has sent too many in this second. Without a
// connection the event is dropped.
func (s *session) send(e actions.Event, name string, body obj) {
	s.mu.Lock()
	limit := s.limits[e.Page.ID]
	if limit == nil {
		limit = rate.NewLimiter(rate.Limit(s.srv.options.Events), s.srv.options.Events)
		s.limits[e.Page.ID] = limit
	}
	owner := s.owner
	s.mu.Unlock()
	if owner == nil || !limit.Allow() {
		return
	}
	body["pageId"] = e.Page.Alias
	body["timestamp"] = e.Time.UnixMilli()
	frame := wire.Frame{Head: encodeMessage(notification{"2.0", name, body})}
	// Offer drops the frame when the queue is full; Deliver closes the connection
	// then.
	if e.Kind&(actions.ConsoleEvents|actions.NetworkEvents) != 0 {
		owner.conn.Offer(frame) // the client can do without
	} else {
		owner.conn.Deliver(frame)
	}
}

// body returns an event's kind and payload; nil for an event that is not sent.
func (s *session) body(e actions.Event) (string, obj) {
	switch b := e.Body.(type) {
	case actions.PageChange:
		if b.Type == "close" {
			s.forget(e.Page.ID)
		}
		if b.Type == "created" {
			return "", nil
		}
		return "page", obj{"type": b.Type, "url": b.URL}
	case actions.ConsoleMessage:
		return "console", consoleEvent(b)
	case actions.NetworkEvent:
		return "network", networkEvent(b)
	case actions.Dialog:
		body := obj{"type": b.Type, "message": b.Message}
		if b.Default != "" {
			body["defaultValue"] = b.Default
		}
		return "dialog", body
	case actions.Download:
		return "download", downloadEvent(b)
	}
	return "", nil
}

// consoleEvent has the members of both forms of the protocol, see subscribeParams.
func consoleEvent(m actions.ConsoleMessage) obj {
	if m.Level == "warning" {
		m.Level = "warn"
	}
	body := obj{"type": m.Level, "level": m.Level, "text": m.Text}
	if m.URL != "" {
		body["url"] = m.URL
	}
	if m.Line > 0 {
		body["line"], body["lineNumber"], body["column"] = m.Line, m.Line, m.Column
	}
	return body
}

func networkEvent(n actions.NetworkEvent) obj {
	r := n.Request
	body := obj{"type": n.Type, "requestId": r.ID, "url": r.URL}
	switch n.Type {
	case "request":
		body["method"], body["resourceType"], body["headers"], body["postData"] = r.Method, r.ResourceType, r.Headers, nil
		if r.HasBody {
			// A body may hold a password.
			body["postData"] = actions.Redacted
		}
	case "response":
		body["status"], body["headers"] = r.Status, r.Response
	case "failed":
		body["error"] = r.Error
	}
	return body
}

// downloadEvent has, of a file that the hub keeps, where it is to be had and what it is.
func downloadEvent(d actions.Download) obj {
	body := obj{"url": d.URL, "suggestedFilename": d.Suggested, "state": d.State, "downloadId": d.ID}
	if k := d.Kept; k.ID != "" {
		body["address"], body["size"], body["mimeType"], body["sha256"] = k.Address, k.Size, k.Type, k.SHA256
	}
	if d.Reason != "" {
		body["reason"] = d.Reason
	}
	return body
}

type respondParams struct{ RequestID, Decision string }

func (p *respondParams) check() *failure {
	return cmp.Or(requireValue("requestId", p.RequestID), requireValue("decision", p.Decision),
		oneOf("decision", &p.Decision, "approve", "deny", "approve-once", "approve-session"))
}

// respondToApproval always fails: the hub asks for no approvals.
func respondToApproval(_ context.Context, _ *call, p respondParams) (any, error) {
	return nil, invalidParam("requestId", "no waiting approval has the id %q", p.RequestID)
}

type streamParams struct{ StreamID string }

func (p *streamParams) check() *failure { return requireValue("streamId", p.StreamID) }

// cancelStream finds nothing to cancel: the hub streams no results.
func cancelStream(context.Context, *call, streamParams) (any, error) {
	return obj{"cancelled": false}, nil
}

type discoverParams struct {
	Options struct {
		MaxTools            int
		IncludeInputSchemas *bool
	}
}

// mostTools is how many tools of a page are listed, where the client does not say.
const mostTools = 50

// discoverTools lists the tools that a page declares, see actions.Page.DeclaredTools.
func discoverTools(ctx context.Context, page *actions.Page, p discoverParams) (any, error) {
	tools, err := page.DeclaredTools(ctx)
	if err != nil {
		return nil, err
	}
	total := len(tools)
	most := p.Options.MaxTools
	if most <= 0 {
		most = mostTools
	}
	tools = tools[:min(total, most)]
	if s := p.Options.IncludeInputSchemas; s != nil && !*s {
		for i := range tools {
			tools[i].InputSchema = nil
		}
	}
	return obj{"tools": tools, "totalDiscovered": total}, nil
}
