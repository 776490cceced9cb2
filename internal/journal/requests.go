package journal

import (
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// loads are the requests of a page that have no response yet, by their id. A page, or
// a Host, may send any number of them and never end one, hence the limits.
type loads struct {
	open  map[string]*load
	order []string // the oldest first; some have ended
	bytes int      // that the open ones need
}

type load struct {
	Exchange
	began time.Time
	bytes int // as counted in loads
}

// How many requests of a page wait for their responses, and their bytes.
const (
	mostLoads     = 2000
	mostLoadBytes = 1 << 20

	longestID = 128 // bytes
)

// add adds a request. One with the same id is replaced: after a redirect CDP uses the
// id again.
func (ls *loads) add(id string, x *load) {
	if ls.open == nil {
		ls.open = make(map[string]*load)
	}
	ls.remove(id)
	ls.open[id] = x
	ls.order = append(ls.order, id)
	ls.count(x)
}

// count updates how many bytes a request needs. If all of them need too much, the
// oldest are forgotten; they never become entries.
func (ls *loads) count(x *load) {
	now := 2*overhead + len(x.Method) + len(x.URL) + len(x.Type) + len(x.Reason) + len(x.Protocol) + len(x.Mime)
	for _, headers := range []map[string]string{x.Asked, x.Answered} {
		for name, value := range headers {
			now += overhead/4 + len(name) + len(value)
		}
	}
	ls.bytes += now - x.bytes
	x.bytes = now
	for len(ls.order) > mostLoads || ls.bytes > mostLoadBytes && len(ls.order) > 0 {
		ls.remove(ls.order[0])
		ls.order = ls.order[1:]
	}
}

// remove leaves the id in order: taking it out of the list would cost more than
// skipping it later.
func (ls *loads) remove(id string) {
	if x := ls.open[id]; x != nil {
		ls.bytes -= x.bytes
		x.bytes = 0
		delete(ls.open, id)
	}
}

// Requests come by the thousand: their events are read in one pass, without what is not
// kept.

// requestParams are the params of Network.requestWillBeSent.
type requestParams struct {
	id, kind, url, method string
	headers               []byte // JSON
	redirect              []byte // the response that led here; nil: none
}

// readRequest reads Network.requestWillBeSent (CDP). It picks the members that count
// and does not decode the rest, since postData may be long.
func readRequest(params []byte) (p requestParams) {
	eachMember(params, func(key string, value []byte) {
		switch key {
		case "requestId":
			p.id = textOf(value)
		case "type":
			p.kind = textOf(value)
		case "redirectResponse":
			p.redirect = value
		case "request":
			eachMember(value, func(key string, value []byte) {
				switch key {
				case "url":
					p.url = textOf(value)
				case "method":
					p.method = textOf(value)
				case "headers":
					p.headers = value
				}
			})
		}
	})
	return p
}

// eachMember reads the members of a JSON object in one pass. After a fault it stops;
// members before it have been read. Values alias object.
func eachMember(object []byte, each func(key string, value []byte)) {
	_ = wire.ReadObject(object, func(key string, value []byte) error {
		each(key, value)
		return nil
	})
}

// textOf is a JSON string; "" for anything else. It is a copy.
func textOf(value []byte) string {
	s, _ := wire.Text(value)
	return strings.Clone(s)
}

// requestSent takes Network.requestWillBeSent. A redirect comes under the id of the
// first request, with its response.
func requestSent(j *Journal, l *line, e *event) {
	p := readRequest(e.params)
	if before := l.loads.open[p.id]; before != nil && p.redirect != nil {
		before.respond(j, l, p.redirect)
		before.Redirect = l.address(p.url)
		l.finish(j, e, p.id, before, "")
	}
	// Chromium's ids are short; a Host may choose any.
	if len(p.id) > longestID {
		return
	}
	l.loads.add(p.id, &load{began: e.at, Exchange: Exchange{
		Method: l.short(p.method), URL: l.address(p.url), Type: l.short(p.kind), Asked: l.headersIfRecording(j, p.headers),
	}})
}

// headersIfRecording reads headers only for recordings, since memory does not keep
// them.
func (l *line) headersIfRecording(j *Journal, raw []byte) map[string]string {
	if j.files == nil || raw == nil {
		return nil
	}
	var h map[string]string
	readParams(raw, &h)
	return l.headers(h)
}

// respond takes a Network.Response into account.
func (x *load) respond(j *Journal, l *line, response []byte) {
	eachMember(response, func(key string, value []byte) {
		switch key {
		case "status":
			n, _ := wire.Int(value)
			x.Status = int(n)
		case "statusText":
			x.Reason = l.short(textOf(value))
		case "mimeType":
			x.Mime = l.short(textOf(value))
		case "protocol":
			x.Protocol = l.short(textOf(value))
		case "headers":
			x.Answered = l.headersIfRecording(j, value)
		}
	})
	l.loads.count(x)
}

// responseReceived reads Network.responseReceived (CDP). Its type replaces that of
// the request.
func responseReceived(j *Journal, l *line, e *event) {
	var response, kind []byte
	id := ""
	eachMember(e.params, func(key string, value []byte) {
		switch key {
		case "requestId":
			id = textOf(value)
		case "response":
			response = value
		case "type":
			kind = value
		}
	})
	if x := l.loads.open[id]; x != nil {
		x.respond(j, l, response)
		x.Type = l.short(textOf(kind))
	}
}

// loadingFinished reads Network.loadingFinished (CDP). The request is an entry at
// once, unless its body is asked for first.
func loadingFinished(j *Journal, l *line, e *event) {
	// EncodedDataLength is the number of bytes on the network (CDP,
	// Network.loadingFinished).
	var p struct {
		RequestID         string
		EncodedDataLength float64
	}
	readParams(e.params, &p)
	x := l.loads.open[p.RequestID]
	if x == nil {
		return
	}
	x.Size = int64(min(max(p.EncodedDataLength, 0), 1<<53)) // as JSON has integers
	if !j.askBody(l, e, p.RequestID, x) {
		l.finish(j, e, p.RequestID, x, "")
	}
}

func loadingFailed(j *Journal, l *line, e *event) {
	var p struct{ RequestID, ErrorText string }
	readParams(e.params, &p)
	if x := l.loads.open[p.RequestID]; x != nil {
		l.finish(j, e, p.RequestID, x, l.text(p.ErrorText))
	}
}

// finish makes the entry of a request. Its time is the beginning of the request, and
// failed is its net error or "".
func (l *line) finish(j *Journal, e *event, id string, x *load, failed string) {
	l.loads.remove(id)
	text := x.Method + " " + x.URL + " " + statusText(x.Status)
	j.keepLocked(l, Entry{
		At: x.began.UnixMilli(), Kind: Request, Method: e.name, Text: text, Ms: e.at.Sub(x.began).Milliseconds(), Error: failed, Load: &x.Exchange,
	}, nil)
}
