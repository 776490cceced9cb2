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

// A manner is how a browser shows a document that is not HTML.
type manner int

const (
	asItIs  manner = iota // as XML, say, or not at all
	asText                // in a pre element
	asImage               // in an img element
	asMedia               // in a video element
)

// mannerOf judges by the type, where there is none by the first bytes.
func mannerOf(res *http.Response) manner {
	declared := res.Header.Get("Content-Type")
	if declared == "" {
		declared = http.DetectContentType(peek(res))
	}
	t, params, err := mime.ParseMediaType(declared)
	if err != nil {
		t, _, _ = strings.Cut(strings.ToLower(declared), ";")
	}
	switch {
	case t == "text/xml" || t == "application/xml" || strings.HasSuffix(t, "+xml") || t == "text/html":
		return asItIs
	case strings.HasPrefix(t, "image/"):
		return asImage
	case strings.HasPrefix(t, "video/") || strings.HasPrefix(t, "audio/"):
		return asMedia
	case strings.HasPrefix(strings.ToLower(params["charset"]), "utf-16"):
		return asItIs // what follows is of single bytes
	case strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "json") || strings.HasSuffix(t, "javascript") || strings.HasSuffix(t, "ecmascript"):
		return asText
	}
	return asItIs
}

// show makes of a document an HTML page around it, as Chromium 156 shows it.
// kept is the address of what was sent, of which the body goes on being read.
func show(res *http.Response, m manner, kept string, tag []byte) {
	sent := res.Header.Get("Content-Type")
	_, params, err := mime.ParseMediaType(sent)
	charset := "utf-8"
	if err == nil && params["charset"] != "" {
		charset = params["charset"]
	}
	res.Header.Set("Content-Type", "text/html; charset="+charset)
	address := html.EscapeString(res.Request.URL.RequestURI())
	switch m {
	case asText:
		// A parser drops the first line break in pre.
		start := "<html><head>" + string(tag) + `<meta name="color-scheme" content="light dark"></head><body>` +
			`<pre style="word-wrap: break-word; white-space: pre-wrap;">` + "\n"
		res.Body = around(start, &escaper{src: res.Body}, "</pre></body></html>", res.Body)
		return
	case asImage:
		start := "<html><head>" + string(tag) + `<meta name="viewport" content="width=device-width, minimum-scale=0.1"><title>` +
			html.EscapeString(path.Base(res.Request.URL.Path)) + `</title></head><body style="margin: 0px; height: 100%; background-color: rgb(14, 14, 14);">` +
			`<img style="display: block;-webkit-user-select: none;margin: auto;background-color: hsl(0, 0%, 90%);transition: background-color 300ms;" src="` +
			kept + `"></body></html>`
		res.Body = around(start, &silent{res.Body}, "", res.Body)
	case asMedia:
		start := "<html><head>" + string(tag) + `<meta name="viewport" content="width=device-width"></head><body>` +
			fmt.Sprintf(`<video controls="" autoplay="" name="media"><source src="%s" type="%s"></video></body></html>`, address, html.EscapeString(sent))
		res.Body = readCloser{strings.NewReader(start), res.Body} // read again, in ranges
	}
}

// around reads a page with a body in it.
func around(before string, body io.Reader, after string, closer io.Closer) io.ReadCloser {
	return readCloser{io.MultiReader(strings.NewReader(before), body, strings.NewReader(after)), closer}
}

// escaper reads text as HTML has it.
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

// silent reads all and hands out nothing.
type silent struct{ io.Reader }

// Read implements io.Reader.
func (s *silent) Read([]byte) (int, error) {
	_, err := io.Copy(io.Discard, s.Reader)
	if err == nil {
		err = io.EOF
	}
	return 0, err
}

// peek returns the first bytes of a body, those that come at once, so that a
// slow body streams.
func peek(res *http.Response) []byte {
	const sniffed = 512
	body := bufio.NewReaderSize(res.Body, sniffed)
	body.Peek(1) //nolint:errcheck // it comes up again when the body is read
	start, _ := body.Peek(body.Buffered())
	res.Body = readCloser{body, res.Body}
	return bytes.Clone(start)
}
