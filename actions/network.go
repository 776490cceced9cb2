package actions

import (
	"context"
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"time"
)

// Request is one request of a page. Its URL and headers are redacted; bodies are read
// with RequestBody and ResponseBody.
type Request struct {
	ID           string
	URL          string
	Method       string
	ResourceType string // "document", "script", "fetch", … in lower case
	Headers      map[string]string
	Status       int // 0 until there is a response
	StatusText   string
	MIMEType     string // of the response
	Response     map[string]string
	HasBody      bool
	Error        string        // "net::ERR_…" of one that failed
	Took         time.Duration // until the response was whole; 0 before
	Document     bool          // it began the load of the page's document

	session string
	began   float64 // by the target's clock, in seconds
}

// NetworkEvent is what became of a request.
type NetworkEvent struct {
	Type    string // "request", "response", "failed"
	Request Request
}

// requestLog is the requests of a page. Page.mu guards it.
type requestLog struct {
	byID   map[string]*Request // those that have not ended
	recent []*Request          // the newest last
}

// maxRequests is how many requests of a page are remembered.
const maxRequests = 500

// Requests lists the requests of the page, the oldest first, at most limit of them
// and at most maxRequests. They are known from the first call of this or of Goto on.
func (p *Page) Requests(ctx context.Context, limit int) ([]Request, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	s, err := p.attach(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.enableNetwork(ctx, s); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.requests.recent
	if limit > 0 && len(list) > limit {
		list = list[len(list)-limit:]
	}
	out := make([]Request, len(list))
	// A copy: the events change the original.
	for i, r := range list {
		out[i] = *r
		out[i].URL = p.redactURL(r.URL) // more may be known by now
	}
	return out, nil
}

// add files a request. It forgets the oldest, and their ids only if no newer request has the
// same.
func (l *requestLog) add(r *Request) {
	l.byID[r.ID] = r
	l.recent = append(l.recent, r)
	if over := len(l.recent) - maxRequests; over > 0 {
		for _, old := range l.recent[:over] {
			if l.byID[old.ID] == old {
				delete(l.byID, old.ID)
			}
		}
		l.recent = slices.Clone(l.recent[over:])
	}
}

// end forgets the id of a request that has ended, and returns the request; nil for one that is
// not known. It stays in the list.
func (l *requestLog) end(id string) *Request {
	r := l.byID[id]
	delete(l.byID, id)
	return r
}

// requestEvent is Network.requestWillBeSent.
type requestEvent struct {
	RequestID, LoaderID, FrameID, Type string

	Timestamp float64
	Request   struct {
		URL, Method string
		Headers     map[string]string
		HasPostData bool
	}
	RedirectResponse *struct {
		Status               int
		StatusText, MIMEType string
		Headers              map[string]string
	}
}

// requestWillBeSent takes Network.requestWillBeSent. A redirect comes as a second event
// with the same id, which has the response of the first.
func (p *Page) requestWillBeSent(session string, e requestEvent) {
	if len(e.RequestID) > longestWord { // those of a browser are short
		return
	}
	r := &Request{
		ID: e.RequestID, URL: p.redactURL(e.Request.URL), Method: cutText(e.Request.Method, longestWord), ResourceType: strings.ToLower(cutText(e.Type, longestWord)),
		Headers: p.redactHeaders(e.Request.Headers), HasBody: e.Request.HasPostData, session: session, began: e.Timestamp,
	}
	redirect := e.RedirectResponse
	var headers map[string]string
	if redirect != nil {
		headers = p.redactHeaders(redirect.Headers)
	}
	p.mu.Lock()
	main := e.FrameID == p.doc.frame
	r.Document = main && e.Type == "Document" && redirect == nil
	if before := p.requests.byID[r.ID]; before != nil && redirect != nil {
		before.Status, before.Response = redirect.Status, headers
		before.StatusText, before.MIMEType = cutText(redirect.StatusText, longestWord), cutText(redirect.MIMEType, longestWord)
		before.took(e.Timestamp)
	}
	p.requests.add(r)
	seen := *r
	p.mu.Unlock()
	// A redirect to an address that is not allowed is known before its document
	// comes.
	if main && e.Type == "Document" && e.RedirectResponse != nil {
		p.blankIfRefused(session, e.Request.URL)
	}
	p.b.emit(Event{Kind: NetworkEvents, Page: p, Body: NetworkEvent{"request", seen}})
}

// took notes when a request ended. Both times are of the target's clock
// (Network.MonotonicTime, in seconds).
func (r *Request) took(end float64) {
	if r.began > 0 && end > r.began {
		r.Took = time.Duration((end - r.began) * float64(time.Second))
	}
}

// RequestBody is the text that a request of Requests has sent, redacted.
func (p *Page) RequestBody(ctx context.Context, r Request) (string, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if !r.HasBody {
		return "", nil
	}
	var out struct{ PostData string }
	err := p.callCommands(ctx, command{r.session, "Network.getRequestPostData", obj{"requestId": r.ID}, &out})
	return p.redact(out.PostData), err
}

// ResponseBody is the body of the answer to a request of Requests. A browser keeps it
// as long as the page shows that document. Texts are redacted; binary bodies are as
// they came.
func (p *Page) ResponseBody(ctx context.Context, r Request) ([]byte, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	var out struct {
		Body          string
		Base64Encoded bool
	}
	if err := p.callCommands(ctx, command{r.session, "Network.getResponseBody", obj{"requestId": r.ID}, &out}); err != nil {
		return nil, err
	}
	if !out.Base64Encoded {
		return []byte(p.redact(out.Body)), nil
	}
	data, err := base64.StdEncoding.DecodeString(out.Body)
	if err != nil {
		return nil, newError(Internal, "Network.getResponseBody: %v", err)
	}
	return data, nil
}

// responseReceived takes Network.responseReceived. The status of the document is kept for
// Navigation.
func (p *Page) responseReceived(_ string, e struct {
	RequestID, LoaderID, FrameID, Type string

	Response struct {
		Status               int
		StatusText, MIMEType string
		Headers              map[string]string
	}
},
) {
	headers := p.redactHeaders(e.Response.Headers)
	p.mu.Lock()
	if e.Type == "Document" && e.FrameID == p.doc.frame {
		l := p.doc.load(e.LoaderID)
		l.status, l.headers = e.Response.Status, headers
	}
	r := p.requests.byID[e.RequestID]
	var seen Request
	if r != nil {
		r.Status, r.Response = e.Response.Status, headers
		r.StatusText, r.MIMEType = cutText(e.Response.StatusText, longestWord), cutText(e.Response.MIMEType, longestWord)
		seen = *r
		seen.Response = maps.Clone(headers)
	}
	p.mu.Unlock()
	if r != nil {
		p.b.emit(Event{Kind: NetworkEvents, Page: p, Body: NetworkEvent{"response", seen}})
	}
}

func (p *Page) loadingFinished(_ string, e struct {
	RequestID string
	Timestamp float64
},
) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.requests.end(e.RequestID); r != nil {
		r.took(e.Timestamp)
	}
}

func (p *Page) loadingFailed(_ string, e struct{ RequestID, ErrorText, Type string }) {
	p.mu.Lock()
	r := p.requests.end(e.RequestID)
	// CDP gives the request of a document the id of its loader.
	if l := p.doc.loads[e.RequestID]; l != nil || e.Type == "Document" { // a document's request has its loader's id
		p.doc.load(e.RequestID).failed = cutText(e.ErrorText, longestWord)
		p.changeLocked()
	}
	var seen Request
	if r != nil {
		r.Error = p.redact(cutText(e.ErrorText, longestWord))
		seen = *r
	}
	p.mu.Unlock()
	if r != nil {
		p.b.emit(Event{Kind: NetworkEvents, Page: p, Body: NetworkEvent{"failed", seen}})
	}
}
