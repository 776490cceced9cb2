package proxy

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/proxy/rewrite"
)

// maxText is the longest script or style sheet that is read, in bytes.
const maxText = 16 << 20

// editText moves the addresses in a script, a style sheet or a manifest, and has scripts
// read the window of the app where they say top. One that has none of it keeps its bytes,
// its encoding and its cache headers.
func (p *handler) editText(res *http.Response, e *exchange) {
	edit := editorOf(res)
	if edit == nil || !hasBody(res) || res.StatusCode/100 != 2 {
		return
	}
	sent, err := io.ReadAll(io.LimitReader(res.Body, maxText))
	rest := res.Body
	keep := func() { res.Body = readCloser{io.MultiReader(bytes.NewReader(sent), rest), rest} }
	keep()
	if err != nil || len(sent) == maxText {
		return // an error comes again when the body is read
	}
	text := sent
	if codings := res.Header["Content-Encoding"]; len(codings) > 0 {
		packed := &http.Response{Header: http.Header{"Content-Encoding": codings}, Body: io.NopCloser(bytes.NewReader(sent))}
		unpackBody(packed)
		if text, err = io.ReadAll(io.LimitReader(packed.Body, maxText)); err != nil || len(text) == maxText {
			return
		}
	}
	edited := edit(text, p.rules(e))
	if bytes.Equal(edited, text) {
		return
	}
	if p.pins.pinned(e.uri) {
		p.warnPinned(e.uri, "a script or a style sheet is as the app has it, since a page has its hash (integrity): "+
			"what it says of top or of the app's own address leads out of the frame")
		return
	}
	p.makeEditable(res)
	res.Body = readCloser{bytes.NewReader(edited), rest}
}

// readsText reports whether a request may be for a text that editText reads.
func readsText(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "script", "style", "manifest", "worker", "sharedworker", "serviceworker":
		return true
	case "": // not a secure origin
		return r.Header.Get("X-Requested-With") == ""
	}
	return false
}

// editorOf returns the function for a response that is a text which the browser runs or
// applies; nil for any other. What script fetches is data.
func editorOf(res *http.Response) func([]byte, rewrite.Rules) []byte {
	if !readsText(res.Request) {
		return nil
	}
	switch t, dest := plainType(res.Header.Get("Content-Type")), res.Request.Header.Get("Sec-Fetch-Dest"); {
	case dest == "manifest":
		return rewrite.JSON
	case dest == "style", dest == "" && t == "text/css":
		return rewrite.StyleSheet
	case dest != "", rewrite.IsScript(t):
		return rewrite.Script
	}
	return nil
}

// rules are those for the documents and texts of a response.
func (p *handler) rules(e *exchange) rewrite.Rules {
	return rewrite.Rules{Move: e.moves.toOwn, Hosts: e.moves.hosts()}
}

// hosts are those of the sites at their servers, by each name of this machine.
func (m moves) hosts() []string {
	var list []string
	for _, site := range m {
		name, port := splitHost(site.upstream.host)
		names := []string{site.upstream.host}
		if isLocal(name) {
			names = []string{"localhost", "127.", "[::1]", "0.0.0.0"}
		}
		if isLocal(name) && port != "" {
			names = []string{":" + port}
		}
		list = append(list, names...)
	}
	return list
}

// editDocument puts the agent into a document, moves the addresses in it, and has scripts
// read the window of the app where they say top.
func (p *handler) editDocument(res *http.Response, e *exchange, tag []byte) {
	rules := p.rules(e)
	if rules.KeepInline = hasHashes(res.Header); rules.KeepInline {
		p.warnPinned(e.uri, "the inline scripts and styles of a document are as the app has them, since its policy has hashes")
	}
	at, err := url.Parse(e.uri)
	rules.Pinned = func(address string) {
		if to, bad := url.Parse(address); err == nil && bad == nil {
			p.pins.add(at.ResolveReference(to).RequestURI())
		}
	}
	if !isXML(res) {
		declareCharset(res)
	}
	body, before, after := decodeUTF16(res)
	body = rewrite.Document(body, rules)
	if isXML(res) {
		body = &xmlInjector{src: body, tag: bytes.Replace(tag, []byte("<script "), []byte(`<script xmlns="http://www.w3.org/1999/xhtml" `), 1)}
	} else {
		body = &injector{src: io.NopCloser(body), tag: tag, dropCSP: !p.KeepCSP}
	}
	res.Body = readCloser{io.MultiReader(bytes.NewReader(before), after(body)), res.Body}
}

// hasHashes reports whether a policy lets inline scripts or styles in by their hashes.
func hasHashes(h http.Header) bool {
	for _, name := range cspHeaders {
		for _, value := range h.Values(name) {
			for _, policy := range parsePolicies(value) {
				for _, d := range policy {
					if slices.ContainsFunc(d.sources, func(s string) bool { return strings.HasPrefix(strings.ToLower(s), "'sha") }) {
						return true
					}
				}
			}
		}
	}
	return false
}

// maxPins is how many addresses are remembered that pages have the hashes of.
const maxPins = 1000

// pins are the paths of texts that elements have the hash of.
type pins struct {
	mu     sync.Mutex
	warned map[string]bool `stays:"paths of one app, bounded by number"`
}

func (p *pins) add(uri string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, is := p.warned[uri]; !is && len(p.warned) < maxPins {
		p.warned[uri] = false
	}
}

func (p *pins) pinned(uri string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, is := p.warned[uri]
	return is
}

// warnPinned warns once of each path.
func (p *handler) warnPinned(uri, text string) {
	p.pins.add(uri)
	p.pins.mu.Lock()
	defer p.pins.mu.Unlock()
	if told, is := p.pins.warned[uri]; told || !is {
		return
	}
	p.pins.warned[uri] = true
	path, _, _ := strings.Cut(uri, "?")
	p.Log.Named("proxy").Warn(text, zap.String("path", path))
}
