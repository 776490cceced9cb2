package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// interceptTransport is the transport that answers in the upstream's place where a
// client wants it to.
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

// decideResponse shows an answer, or why there is none, and does what is decided.
func (t interceptTransport) decideResponse(h *pausedRequest, e *exchange, req *http.Request, res *http.Response, err error) (*http.Response, error) {
	n := agentEvent{What: "response", Held: true}
	if err == nil {
		n.Status, n.StatusText, n.Headers = res.StatusCode, statusText(res), flatHeader(e.moveAddresses(res.Header), "")
	} else {
		n.Error = netErrorOf(err)
	}
	h.notify(n)
	o := h.wait(req.Context())
	for ; o.Do == "body"; o = h.wait(req.Context()) {
		h.notify(agentEvent{What: "body", Body: h.readBody(res)})
	}
	switch o.Do {
	case "fail":
		if res != nil {
			res.Body.Close()
		}
		return nil, netError(o.Error)
	case "fulfill":
		res, err = o.response(req, res), nil
	}
	if err == nil {
		t.reportResponse(h, e, res)
	}
	return res, err
}

// readBody reads the body of a response, which it goes on having.
func (h *pausedRequest) readBody(res *http.Response) []byte {
	if res == nil {
		return nil
	}
	if strings.EqualFold(res.Header.Get("Content-Encoding"), "gzip") {
		res.Body = &gunzip{src: res.Body}
		res.Header.Del("Content-Encoding")
		res.Header.Del("Content-Length")
		res.ContentLength = -1
	}
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxResponseBody))
	res.Body = readCloser{io.MultiReader(bytes.NewReader(body), res.Body), res.Body}
	return body
}

// response is what a client has made up, or made of an answer.
func (o *order) response(req *http.Request, from *http.Response) *http.Response {
	res := &http.Response{
		StatusCode: o.Status, Status: strconv.Itoa(o.Status) + " " + o.Phrase, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Request: req, Body: http.NoBody,
	}
	if o.Phrase == "" {
		res.Status = strconv.Itoa(o.Status) + " " + http.StatusText(o.Status)
	}
	if from != nil {
		res.Header, res.Body, res.ContentLength = from.Header.Clone(), from.Body, from.ContentLength
	}
	if o.Headers != nil {
		res.Header = http.Header{}
		for _, h := range o.Headers {
			for _, value := range strings.Split(h[1], "\n") {
				res.Header.Add(h[0], value)
			}
		}
	}
	if o.Body != nil || from == nil {
		var body []byte
		if o.Body != nil {
			body = *o.Body
		}
		res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		// Clients see the headers that they gave, but give bodies unpacked.
		exchangeOf(req.Context()).clientHeader = res.Header.Clone()
		for _, name := range []string{"Content-Encoding", "Transfer-Encoding", "Content-Length"} {
			res.Header.Del(name)
		}
		res.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return res
}

// reportResponse tells of an answer, and of its end when that comes.
func (t interceptTransport) reportResponse(h *pausedRequest, e *exchange, res *http.Response) {
	n := agentEvent{What: "response", Status: res.StatusCode, StatusText: statusText(res), Headers: flatHeader(e.moveAddresses(e.visibleHeader(res)), "Set-Cookie")}
	if !e.navigates && res.Header.Get("Content-Encoding") == "" && res.StatusCode != http.StatusSwitchingProtocols {
		res.Body, n.Key = t.bodies.add(res.Body, n.Headers["content-type"])
	}
	h.notify(n)
	res.Body = &countedBody{ReadCloser: res.Body, h: h}
}

// visibleHeader is that of an answer as clients see it.
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

// moveAddresses is a header whose addresses are the browser's.
func (e *exchange) moveAddresses(h http.Header) http.Header {
	h = h.Clone()
	moveHeader(h, "Location", e.upstream, e.own)
	return h
}

// countedBody tells of the end of a body.
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
