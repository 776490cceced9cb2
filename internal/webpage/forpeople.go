package webpage

import (
	"net/http"
	"strings"
)

// NothingHere begins a refusal in plain text whose rest is for programs.
const NothingHere = "Not found."

// maxText is how much of a refusal's text a page shows, in bytes.
const maxText = 2 << 10

// ForPeople replaces refusals in plain text by error pages, for browsers that ask for
// a page. All other answers pass unchanged. home returns the path of the home page
// for a request.
func ForPeople(next http.Handler, home func(*http.Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !WantsHTML(r) {
			next.ServeHTTP(w, r)
			return
		}
		f := &refusal{ResponseWriter: w}
		next.ServeHTTP(f, r)
		if f.status != 0 {
			Write(w, explainRefusal(f.status, strings.TrimSpace(f.text.String()), home(r)))
		}
	})
}

// explainRefusal makes the page for a refusal.
func explainRefusal(status int, text, home string) Problem {
	p := Problem{Status: status, Text: text, Link: home, Label: "Go to the home page of this hub"}
	switch status {
	case http.StatusNotFound:
		p.Title = "There is nothing at this address"
		p.Text, p.Next = "", "Check the address. The home page lists what the hub serves."
		if text != "Not found" && text != "404 page not found" && !strings.HasPrefix(text, NothingHere) {
			p.Text = text
		}
	case http.StatusUnauthorized:
		p.Title = "This address needs a token"
		p.Next = "In a browser, enter the token on the home page. A Host page takes it from the end of its address: #token=TOKEN."
	case http.StatusForbidden:
		p.Title = "The hub has refused this request"
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		p.Title = "Not now"
		p.Next = "Try again in a moment."
	case http.StatusMethodNotAllowed, http.StatusUpgradeRequired, http.StatusBadRequest:
		p.Title = "This address is for programs"
		p.Next = "The home page shows how each client connects."
	}
	return p
}

// refusal holds back an answer in plain text with a status of 400 or above, so that a
// page can be written in its place.
type refusal struct {
	http.ResponseWriter
	begun  bool
	status int // of the refusal; 0: it is none
	text   strings.Builder
}

// Unwrap lets http.ResponseController reach the connection, for its deadlines and to
// take it over.
func (f *refusal) Unwrap() http.ResponseWriter { return f.ResponseWriter }

// FlushError is for http.ResponseController. It keeps a refusal back: httputil.ReverseProxy
// flushes what another node has answered, and that would send status 200.
func (f *refusal) FlushError() error {
	if f.status != 0 {
		return nil
	}
	return http.NewResponseController(f.ResponseWriter).Flush()
}

// WriteHeader implements http.ResponseWriter.
func (f *refusal) WriteHeader(status int) {
	// A second status does nothing, as in net/http.
	if f.begun {
		return
	}
	f.begun = true
	if status >= http.StatusBadRequest && strings.HasPrefix(f.Header().Get("Content-Type"), "text/plain") {
		f.status = status
		f.Header().Del("Content-Length") // of the text, where another node has answered
		return
	}
	f.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (f *refusal) Write(p []byte) (int, error) {
	if !f.begun {
		f.WriteHeader(http.StatusOK)
	}
	if f.status == 0 {
		return f.ResponseWriter.Write(p)
	}
	// What does not fit is dropped. It counts as written, so that the handler goes
	// on.
	if room := maxText - f.text.Len(); room > 0 {
		f.text.WriteString(strings.ToValidUTF8(string(p[:min(len(p), room)]), ""))
	}
	return len(p), nil
}
