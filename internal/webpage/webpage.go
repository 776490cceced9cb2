// Package webpage renders the pages that people see of a hub in a browser: its home
// page, its dashboard and its error pages.
//
//	webpage.Write(w, webpage.Problem{Status: 502, Title: "The app does not answer", Text: "…", Next: "…"})
//
// All but the dashboard have the stylesheet of package web inline, so that a page
// looks the same at whatever origin and path it is served. The templates escape
// everything (html/template). The policy of each page allows no inline script.
package webpage

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/cdphub/cdphub/web"
)

//go:embed *.html
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"style": func() template.CSS { return template.CSS(web.Style) },
	"icon":  func() template.URL { return template.URL("data:image/svg+xml," + url.PathEscape(web.Favicon)) },
}).ParseFS(files, "*.html"))

// stylePolicy is the source of the stylesheet in a Content Security Policy: the hash
// of its text (CSP Level 3, section 2.3.1). Without a hash or a nonce an inline
// stylesheet needs 'unsafe-inline'.
var stylePolicy = func() string {
	sum := sha256.Sum256([]byte(web.Style))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// Policy is a Content Security Policy that allows the stylesheet, the icon and
// what more says, such as "script-src 'self'"; nothing else.
func Policy(more ...string) string {
	return strings.Join(append([]string{
		"default-src 'none'", "style-src " + stylePolicy, "img-src data:", "base-uri 'none'",
	}, more...), "; ")
}

// WantsHTML reports whether a person's browser asks for a page. Browsers name
// text/html when they open an address. Programs, and fetch() of a page, send */*
// unless told otherwise.
func WantsHTML(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.Header.Get("Upgrade") == "" &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}

// Problem is what an error page says.
type Problem struct {
	Status int           // of the answer, such as 404
	Title  string        // what is the case, in a few words; the name of the status if empty
	Text   string        // why
	Next   string        // what to do now
	Link   string        // address of a link below, such as the home page; empty: none
	Label  string        // of the link
	Head   template.HTML // goes first into the head, as it stands, such as the tag of a script; Write's policy forbids scripts
	Detail string        // in small, such as the error of a library
}

// Render returns the page as HTML, for a caller that has headers of its own: such as
// one whose page may be framed.
func (p Problem) Render() []byte {
	if p.Title == "" {
		p.Title = http.StatusText(p.Status)
	}
	return renderPage("problem.html", p)
}

// Write answers a request with the page, which may not be framed. Headers that are
// set already stay, except for its type, length and policy. Its policy forbids
// scripts and forms.
func Write(w http.ResponseWriter, p Problem) {
	body := p.Render()
	h := w.Header()
	h.Set("Content-Security-Policy", Policy("form-action 'none'", "frame-ancestors 'none'"))
	writeHTML(w, p.Status, body)
}

func writeHTML(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // a peer that is gone
}

func renderPage(name string, data any) []byte {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the templates are part of the program
	}
	return b.Bytes()
}
