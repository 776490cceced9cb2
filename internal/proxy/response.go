package proxy

import (
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
)

// rewriteResponse makes the response for the browser from the response of the
// upstream. An error makes httputil call serveFailure.
func (p *handler) rewriteResponse(res *http.Response) error {
	e, h := exchangeOf(res.Request.Context()), res.Header
	var current hop
	var body string
	if len(e.scripts) > 0 {
		x := e.hopOf(res)
		extra := agentEvent{
			What: "extra", URL: x.URL, Method: x.Method, Sent: x.Sent, Status: x.Status, StatusText: x.StatusText, Headers: x.Headers,
		}
		for _, conn := range e.scripts {
			sendEvent(conn, extra)
		}
	}
	// Network.setCacheDisabled of a Client: the browser must keep nothing.
	if e.noCache {
		h.Set("Cache-Control", "no-store")
	}
	if e.navigates {
		current = e.hopOf(res)
		current.Announced = e.announced
		p.recordNavigation(res, e, current)
	}
	e.moves.moveResponse(h)
	// A proxy with TLS can keep Secure cookies as they are.
	if e.own.scheme == "http" {
		rewriteCookies(h, p.Upstream.Hostname(), p.jars)
	}
	// The browser would ask its user, and nothing goes on until then. A Client drives the
	// page, which sees the 401 and can give the credentials in other ways.
	if e.paused != nil || len(e.scripts) > 0 {
		h.Del("WWW-Authenticate")
	}
	// A WebSocket has no document and no policy.
	if res.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	h.Del("Alt-Svc") // names another port of the upstream
	// It keeps the app out of the Host page's frame; frame-ancestors is in
	// rewriteCSP.
	h.Del("X-Frame-Options")
	// The agent shows dialogs by a synchronous request, which this feature forbids.
	dropFeature(h, "Permissions-Policy", ",", "sync-xhr")
	dropFeature(h, "Feature-Policy", ";", "sync-xhr")
	if e.document {
		p.isolate(h)
	}
	if e.document && h.Get("Origin-Agent-Cluster") == "" {
		// Chromium then gives the app a process of its own: while it is busy,
		// or one of its dialogs is open, the Host page is not.
		h.Set("Origin-Agent-Cluster", "?1")
	}
	p.editText(res, e)
	if e.service {
		p.editServiceWorker(res, e.own)
		return nil
	}
	if e.worker != "" {
		p.editWorker(res, e)
	}
	integrity := needsIntegrity(h)
	nonce := rewriteCSP(h, p.KeepCSP, e.moves)
	if !e.document || !hasBody(res) || isDownload(h) {
		return nil
	}
	if h.Get("Content-Type") == "" {
		unpackBody(res) // so that its first bytes can be judged
	}
	manner := displayAsIs
	if !isHTML(res) && !isXML(res) {
		if manner = displayModeOf(res); manner == displayAsIs || !e.navigates {
			return nil
		}
	}
	p.makeEditable(res)
	if e.navigates {
		res.Body, body = p.bodies.add(res.Body, current.Headers["content-type"])
	}
	tag := p.tag(e.own, navigationResponse{hop: current, Redirects: e.redirects, Body: body}, nonce, integrity)
	if manner != displayAsIs {
		wrapDocument(res, manner, prefix+bodyPath[1:]+body, tag)
		return nil
	}
	p.editDocument(res, e, tag)
	return nil
}

// recordNavigation records where a navigation has led: to a redirect, to a download,
// to a document, or nowhere (204 and 205 leave the document in place).
func (p *handler) recordNavigation(res *http.Response, e *exchange, current hop) {
	switch {
	case isRedirect(res):
		p.redirects.add(e.redirects, current)
		if e.paused.isMain() {
			e.paused.redirected(current)
		}
	case e.paused == nil:
	case isDownload(res.Header):
		n := agentEvent{What: "failed", Error: "net::ERR_ABORTED", URL: current.URL, Download: fileName(res)}
		unpackBody(res)
		res.Body, n.Key = p.bodies.add(res.Body, "")
		e.paused.finish(n)
	case !e.paused.isMain():
	case res.StatusCode == http.StatusNoContent || res.StatusCode == http.StatusResetContent:
		e.paused.finish(agentEvent{What: "failed", Error: "net::ERR_ABORTED"})
	default:
		e.paused.committed(current.URL)
	}
}

// isDownload reports whether a response is to be saved and not shown (RFC 6266,
// section 4.2).
func isDownload(h http.Header) bool {
	return plainType(h.Get("Content-Disposition")) == "attachment"
}

// fileName is the name under which a browser saves a download: that of the header, or
// the last part of the path. It has no slash.
func fileName(res *http.Response) string {
	_, params, err := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
	name := path.Base(res.Request.URL.Path)
	if err == nil && params["filename"] != "" {
		name = path.Base(params["filename"])
	}
	if name == "." || name == "/" {
		return "download"
	}
	return name
}

// dropFeature removes one member of a list of features, such as "sync-xhr=()" of
// Permissions-Policy.
func dropFeature(h http.Header, name, separator, feature string) {
	values := h.Values(name)
	if !strings.Contains(strings.ToLower(strings.Join(values, separator)), feature) {
		return
	}
	var kept []string
	for _, value := range values {
		for member := range strings.SplitSeq(value, separator) {
			first, _, _ := strings.Cut(strings.TrimSpace(member), "=")
			first, _, _ = strings.Cut(first, " ")
			if !strings.EqualFold(first, feature) {
				kept = append(kept, strings.TrimSpace(member))
			}
		}
	}
	if h.Del(name); len(kept) > 0 {
		h.Set(name, strings.Join(kept, separator+" "))
	}
}

// hasBody reports whether a response carries a whole document. A part (206) has no
// place for the tag.
func hasBody(res *http.Response) bool {
	switch res.StatusCode {
	case http.StatusNoContent, http.StatusResetContent, http.StatusNotModified, http.StatusPartialContent:
		return false
	}
	return res.Request.Method != http.MethodHead
}

// isHTML reports whether the browser will show a response as HTML.
func isHTML(res *http.Response) bool {
	declared := res.Header.Get("Content-Type")
	if declared == "" { // as browsers do, unless nosniff forbids it
		return !strings.EqualFold(res.Header.Get("X-Content-Type-Options"), "nosniff") &&
			strings.HasPrefix(http.DetectContentType(peekBody(res)), "text/html")
	}
	return plainType(declared) == "text/html"
}

// isXML reports whether the browser will show a response as XML.
func isXML(res *http.Response) bool {
	t := plainType(res.Header.Get("Content-Type"))
	return t == "text/xml" || t == "application/xml" || strings.HasSuffix(t, "+xml")
}

// plainType is a Content-Type, or a Content-Disposition, without its parameters, in lower case.
func plainType(contentType string) string {
	t, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

type readCloser struct {
	io.Reader
	io.Closer
}

// bodyHeaders are headers that describe the bytes of a body. The tag changes these.
var bodyHeaders = []string{
	"Content-Length", "Content-Encoding", "ETag", "Accept-Ranges", "Content-MD5", "Digest", "Content-Digest", "Repr-Digest",
}

// makeEditable prepares the response of a document for a change of its text. The
// browser must ask for the document each time, since another run of the proxy has
// another tag.
func (p *handler) makeEditable(res *http.Response) {
	unpackBody(res)
	for _, name := range bodyHeaders {
		res.Header.Del(name)
	}
	if !strings.Contains(strings.ToLower(res.Header.Get("Cache-Control")), "no-store") {
		res.Header.Set("Cache-Control", "no-cache")
	}
	res.ContentLength = -1
}
