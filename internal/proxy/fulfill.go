package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// interceptTransport is a transport that carries out what agents have decided: it
// fails a request, answers it, or sends it on.
type interceptTransport struct {
	http.RoundTripper
	bodies *bodyCache
}

// RoundTrip implements http.RoundTripper.
func (t interceptTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	e := exchangeOf(req.Context())
	h := e.paused
	if h == nil {
		return t.RoundTripper.RoundTrip(req)
	}
	switch {
	case h.fail != "":
		return nil, netError(h.fail)
	case h.fulfill != nil:
		res := h.fulfill.response(req, nil)
		t.reportResponse(h, e, res)
		return res, nil
	}
	res, err := t.RoundTripper.RoundTrip(req)
	if !h.pauseResponse || !h.waits {
		if err == nil {
			t.reportResponse(h, e, res)
		}
		return res, err
	}
	return t.decideResponse(h, e, req, res, err)
}

// decideResponse pauses a response, or the error in its place, until the agent has
// decided. The agent may ask for the body first, any number of times.
func (t interceptTransport) decideResponse(h *pausedRequest, e *exchange, req *http.Request, res *http.Response, err error) (*http.Response, error) {
	n := agentEvent{What: "response", Held: true}
	if err == nil {
		n.Status, n.StatusText, n.Headers = res.StatusCode, statusText(res), scriptHeader(e.moveAddresses(res.Header))
	} else {
		n.Error = netErrorOf(err)
	}
	h.notify(n)
	d := h.wait(req.Context())
	for ; d == (getBody{}); d = h.wait(req.Context()) {
		h.notify(agentEvent{What: "body", Body: readBody(res)})
	}
	switch d := d.(type) {
	case failRequest:
		e.failed = true
		if res != nil {
			res.Body.Close()
		}
		return nil, netError(d.Error)
	case fulfillRequest:
		res, err = d.response(req, res), nil
	}
	if err == nil {
		t.reportResponse(h, e, res)
	}
	return res, err
}

// readBody reads the body of a response, at most maxResponseBody bytes of it, and
// puts it back in front of the rest. The bytes are the caller's.
func readBody(res *http.Response) []byte {
	if res == nil {
		return nil
	}
	unpackBody(res)
	// An error comes again when the body is read on.
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxResponseBody))
	res.Body = readCloser{io.MultiReader(bytes.NewReader(body), res.Body), res.Body}
	return body
}

// response is the response that the agent wants. It is made of the paused one, if
// there is one: members that the agent leaves out keep the values of that one.
func (f *fulfillRequest) response(req *http.Request, from *http.Response) *http.Response {
	res := &http.Response{
		StatusCode: f.Status, Status: strconv.Itoa(f.Status) + " " + f.Phrase, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Request: req, Body: http.NoBody,
	}
	if f.Phrase == "" {
		res.Status = strconv.Itoa(f.Status) + " " + http.StatusText(f.Status)
	}
	if from != nil {
		res.Header, res.Body, res.ContentLength = from.Header.Clone(), from.Body, from.ContentLength
	}
	if f.Headers != nil {
		res.Header = http.Header{}
		// The agent has not seen them. A browser stores the cookies of a response before it
		// pauses the response.
		if from != nil {
			res.Header["Set-Cookie"] = cookieLines(from.Header, true)
		}
		for _, h := range f.Headers {
			// CDP separates several values of a header by line feeds.
			for value := range strings.SplitSeq(h[1], "\n") {
				res.Header.Add(h[0], value)
			}
		}
	}
	if f.Body != nil || from == nil {
		var body []byte
		if f.Body != nil {
			body = withoutTag(*f.Body)
		}
		res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		// Clients see the headers that they gave. Their body is not compressed,
		// whatever those say.
		exchangeOf(req.Context()).clientHeader = res.Header.Clone()
		for _, name := range []string{"Content-Encoding", "Transfer-Encoding", "Content-Length"} {
			res.Header.Del(name)
		}
		res.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return res
}

// withoutTag is a document without the agent's script element. A Client may have got
// the document through this proxy (route.fetch of Playwright) and means the app's
// own; the element would be there twice.
func withoutTag(body []byte) []byte {
	before, from, found := bytes.Cut(body, []byte(`<script src="`+prefix+`agent.js" `))
	_, after, whole := bytes.Cut(from, []byte("></script>"))
	if !found || !whole {
		return body
	}
	return append(before[:len(before):len(before)], after...)
}

// reportResponse announces a response and, when it comes, the end of its body. It
// counts the bytes as they are read.
func (t interceptTransport) reportResponse(h *pausedRequest, e *exchange, res *http.Response) {
	x := e.hopOf(res)
	n := agentEvent{What: "response", Status: x.Status, StatusText: x.StatusText, Headers: x.Headers}
	if e.clientHeader == nil { // else the app's server has not been asked
		n.Sent = x.Sent
	}
	if !e.navigates && res.Header.Get("Content-Encoding") == "" && res.StatusCode != http.StatusSwitchingProtocols {
		res.Body, n.Key = t.bodies.add(res.Body, n.Headers["content-type"])
	}
	h.notify(n)
	res.Body = &countedBody{ReadCloser: res.Body, h: h}
}

// visibleHeader is the header of a response as Clients see it.
func (e *exchange) visibleHeader(res *http.Response) http.Header {
	if e.clientHeader != nil {
		return e.clientHeader
	}
	return res.Header
}

func statusText(res *http.Response) string {
	_, text, _ := strings.Cut(res.Status, " ")
	return text
}

// moveAddresses returns a header with the addresses that the browser knows.
func (e *exchange) moveAddresses(h http.Header) http.Header {
	h = h.Clone()
	moveHeaders(h, e.moves.toOwn, "Location")
	return h
}

// countedBody announces the end of a body, and its length.
type countedBody struct {
	io.ReadCloser
	h *pausedRequest
	n int64
}

// Read implements io.Reader.
func (c *countedBody) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.n += int64(n)
	if errors.Is(err, io.EOF) {
		c.h.finish(agentEvent{What: "end", Length: c.n})
	}
	return n, err
}

// Close implements io.Closer.
func (c *countedBody) Close() error {
	c.h.finish(agentEvent{What: "end", Length: c.n})
	return c.ReadCloser.Close()
}
