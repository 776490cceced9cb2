package proxy

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
)

// A displayMode is how Chromium shows a document that is not HTML.
type displayMode int

const (
	displayAsIs  displayMode = iota // no HTML page is made around it: XML, PDF, downloads
	displayText                     // in a pre element
	displayImage                    // in an img element
	displayMedia                    // in a video element
)

// displayModeOf decides by the Content-Type, or by the first bytes of a response that
// has none (WHATWG MIME Sniffing; http.DetectContentType implements a part of it).
func displayModeOf(res *http.Response) displayMode {
	declared := res.Header.Get("Content-Type")
	if declared == "" {
		declared = http.DetectContentType(peekBody(res))
	}
	t, _, err := mime.ParseMediaType(declared)
	if err != nil {
		t, _, _ = strings.Cut(strings.ToLower(declared), ";")
	}
	switch {
	// XML has a tree of its own, and text/html is the injector's.
	case t == "text/xml" || t == "application/xml" || strings.HasSuffix(t, "+xml") || t == "text/html":
		return displayAsIs
	case strings.HasPrefix(t, "image/"):
		return displayImage
	case strings.HasPrefix(t, "video/") || strings.HasPrefix(t, "audio/"):
		return displayMedia
	case t == "text/plain" && res.Header.Get("Content-Encoding") == "" && http.DetectContentType(peekBody(res)) == "application/octet-stream":
		return displayAsIs // a download
	case strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "json") || strings.HasSuffix(t, "javascript") || strings.HasSuffix(t, "ecmascript"):
		return displayText
	}
	return displayAsIs
}

// wrapDocument replaces a document by the HTML page in which Chromium 156 shows it,
// with the agent's tag. kept is the address of the original bytes below bodyPath,
// since an image must be loaded from somewhere.
func wrapDocument(res *http.Response, m displayMode, kept string, tag []byte) {
	sent := res.Header.Get("Content-Type")
	_, params, err := mime.ParseMediaType(sent)
	charset := "utf-8"
	if err == nil && params["charset"] != "" {
		charset = params["charset"]
	}
	res.Header.Set("Content-Type", "text/html; charset="+charset)
	address := html.EscapeString(res.Request.URL.RequestURI())
	switch m {
	case displayText:
		// A parser drops the first line break in pre (HTML Standard, section
		// 13.2.6.4.7). The extra one keeps that of the text.
		start := "<html><head>" + string(tag) + `<meta name="color-scheme" content="light dark"></head><body>` +
			`<pre style="word-wrap: break-word; white-space: pre-wrap;">` + "\n"
		text, before, after := decodeUTF16(res)
		page := after(wrapBody(start, &escaper{src: text}, "</pre></body></html>", res.Body))
		res.Body = wrapBody(string(before), page, "", res.Body)
	case displayImage:
		start := "<html><head>" + string(tag) + `<meta name="viewport" content="width=device-width, minimum-scale=0.1"><title>` +
			html.EscapeString(path.Base(res.Request.URL.Path)) + `</title></head><body style="margin: 0px; height: 100%; background-color: rgb(14, 14, 14);">` +
			`<img style="display: block;-webkit-user-select: none;margin: auto;background-color: hsl(0, 0%, 90%);transition: background-color 300ms;" src="` +
			kept + `"></body></html>`
		res.Body = wrapBody(start, &discardingReader{res.Body}, "", res.Body)
	case displayMedia:
		start := "<html><head>" + string(tag) + `<meta name="viewport" content="width=device-width"></head><body>` +
			fmt.Sprintf(`<video controls="" autoplay="" name="media"><source src="%s" type="%s"></video></body></html>`, address, html.EscapeString(sent))
		res.Body = readCloser{strings.NewReader(start), res.Body} // read again, in ranges
	}
}

// wrapBody is a body with text before and after it.
func wrapBody(before string, body io.Reader, after string, closer io.Closer) io.ReadCloser {
	return readCloser{io.MultiReader(strings.NewReader(before), body, strings.NewReader(after)), closer}
}

// escaper reads text with the characters escaped that HTML gives a meaning. Each of them
// is one byte.
type escaper struct {
	src io.Reader
	out []byte
	err error
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Read implements io.Reader.
func (e *escaper) Read(p []byte) (int, error) {
	for len(e.out) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		chunk := make([]byte, 4<<10)
		n, err := e.src.Read(chunk)
		e.out, e.err = []byte(escapes.Replace(string(chunk[:n]))), err
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// discardingReader reads a body to its end, so that it is kept, and returns
// nothing of it.
type discardingReader struct{ io.Reader }

// Read implements io.Reader.
func (s *discardingReader) Read([]byte) (int, error) {
	_, err := io.Copy(io.Discard, s.Reader)
	if err == nil {
		err = io.EOF
	}
	return 0, err
}

// peekBody returns the first bytes of a body, at most 1024, which are all that browsers
// judge it by. It waits for one read only, so that a slow body keeps streaming. The body
// stays whole.
func peekBody(res *http.Response) []byte {
	const sniffed = 1024 // as many as encodings are looked for in
	body := bufio.NewReaderSize(res.Body, sniffed)
	body.Peek(1) //nolint:errcheck // it comes up again when the body is read
	start, _ := body.Peek(body.Buffered())
	res.Body = readCloser{body, res.Body}
	return bytes.Clone(start)
}
