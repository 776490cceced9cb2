package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// holding is the transport that answers in the upstream's place where a
// client wants it to.
type holding struct {
	http.RoundTripper
	bodies *bodies
}

// RoundTrip implements http.RoundTripper.
func (t holding) RoundTrip(req *http.Request) (*http.Response, error) {
	e := exchangeOf(req.Context())
	h := e.held
	if h == nil {
		return t.RoundTripper.RoundTrip(req)
	}
	switch {
	case h.fail != "":
		return nil, netError(h.fail)
	case h.fulfil != nil:
		res := h.fulfil.response(req, nil)
		t.respond(h, e, res)
		return res, nil
	}
	res, err := t.RoundTripper.RoundTrip(req)
	if !h.see || !h.holds {
		if err == nil {
			t.respond(h, e, res)
		}
		return res, err
	}
	return t.decide(h, e, req, res, err)
}

// decide shows an answer, or why there is none, and does what is decided.
func (t holding) decide(h *held, e *exchange, req *http.Request, res *http.Response, err error) (*http.Response, error) {
	n := news{What: "response", Held: true}
	if err == nil {
		n.Status, n.StatusText, n.Headers = res.StatusCode, statusText(res), plain(e.moved(res.Header), "")
	} else {
		n.Error = netErrorOf(err)
	}
	h.post(n)
	o := h.wait(req.Context())
	for ; o.Do == "body"; o = h.wait(req.Context()) {
		h.post(news{What: "body", Body: h.whole(res)})
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
		t.respond(h, e, res)
	}
	return res, err
}

// whole reads the body of a response, which it goes on having.
func (h *held) whole(res *http.Response) []byte {
	if res == nil {
		return nil
	}
	if strings.EqualFold(res.Header.Get("Content-Encoding"), "gzip") {
		res.Body = &gunzip{src: res.Body}
		res.Header.Del("Content-Encoding")
		res.Header.Del("Content-Length")
		res.ContentLength = -1
	}
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxSeenBody))
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
		exchangeOf(req.Context()).madeUp = res.Header.Clone()
		for _, name := range []string{"Content-Encoding", "Transfer-Encoding", "Content-Length"} {
			res.Header.Del(name)
		}
		res.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return res
}

// respond tells of an answer, and of its end when that comes.
func (t holding) respond(h *held, e *exchange, res *http.Response) {
	n := news{What: "response", Status: res.StatusCode, StatusText: statusText(res), Headers: plain(e.moved(e.header(res)), "Set-Cookie")}
	if !e.navigates && res.Header.Get("Content-Encoding") == "" && res.StatusCode != http.StatusSwitchingProtocols {
		res.Body, n.Key = t.bodies.keep(res.Body, n.Headers["content-type"])
	}
	h.post(n)
	res.Body = &counted{ReadCloser: res.Body, h: h}
}

// header is that of an answer as clients see it.
func (e *exchange) header(res *http.Response) http.Header {
	if e.madeUp != nil {
		return e.madeUp
	}
	return res.Header
}

func statusText(res *http.Response) string {
	_, text, _ := strings.Cut(res.Status, " ")
	return text
}

// moved is a header whose addresses are the browser's.
func (e *exchange) moved(h http.Header) http.Header {
	h = h.Clone()
	moveHeader(h, "Location", e.upstream, e.own)
	return h
}

// counted tells of the end of a body.
type counted struct {
	io.ReadCloser
	h *held
	n int64
}

// Read implements io.Reader.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.n += int64(n)
	if errors.Is(err, io.EOF) {
		c.h.ended(news{What: "end", Length: c.n})
	}
	return n, err
}

// Close implements io.Closer.
func (c *counted) Close() error {
	c.h.ended(news{What: "end", Length: c.n})
	return c.ReadCloser.Close()
}
