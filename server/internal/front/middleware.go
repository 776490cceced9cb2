package front

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// WithMethods lets requests through to next that have one of these methods.
func WithMethods(next http.HandlerFunc, methods []string) http.HandlerFunc {
	allow := strings.Join(methods, ", ")
	return func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(methods, r.Method) {
			w.Header().Set("Allow", allow)
			http.Error(w, "Send requests here with "+strings.Join(methods, " or ")+".", http.StatusMethodNotAllowed)
			return
		}
		next(w, r)
	}
}

// WithJSON lets requests through to next whose body, if they have one, is JSON by its
// Content-Type. Browsers ask with a preflight request before they send JSON to
// another site; text and forms they send without asking (Fetch Standard,
// "CORS-safelisted request-header"). So no foreign page can post here.
func WithJSON(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		kind := r.Header.Get("Content-Type")
		name, _, err := mime.ParseMediaType(kind)
		// A length of -1 is unknown, and counts as a body.
		if (kind != "" || r.ContentLength != 0) && (err != nil || name != "application/json") {
			w.Header().Set("Accept-Post", "application/json")
			http.Error(w, "The body must be JSON: send it with Content-Type: application/json.", http.StatusUnsupportedMediaType)
			return
		}
		next(w, r)
	}
}

// OnlyHandshakes lets WebSocket handshakes through to next. It answers a plain GET
// 426 with Upgrade: websocket (RFC 9110, section 15.5.22). Chromium 156 answers such
// a GET 200 with an empty body.
func OnlyHandshakes(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if wsconn.CheckHandshake(w, r, true) == nil {
			next(w, r)
		}
	}
}

// OnlyReads reports whether a request does no more than read. It answers others, and
// names the methods that are allowed (RFC 9110, section 15.5.6).
func OnlyReads(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
	return false
}

// ForEveryPage lets pages of all origins load what is answered: scripts by their
// address, modules by CORS, and both on pages with a Cross-Origin-Embedder-Policy.
func ForEveryPage(h http.Header, contentType string) {
	h.Set("Content-Type", contentType)
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// NotFound has the text that icdp's relay and package httpdiscovery have.
func NotFound(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "Not found", http.StatusNotFound)
}

// WriteJSON answers with a value.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) //nolint:errcheck // a peer that is gone
}

// ErrEnds says that a server takes no more requests.
var ErrEnds = errors.New("the hub is shutting down")

// RefuseForNow answers 503: no node can serve the request now. A client may try
// again after a second.
func RefuseForNow(w http.ResponseWriter, why error) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, why.Error(), http.StatusServiceUnavailable)
}

// RetryFull is after how many seconds a Client may try again that has found no
// browser free.
const RetryFull = "5"

// AnswerSessionEnd answers 204 when a named session was ended, else 404.
func AnswerSessionEnd(w http.ResponseWriter, ended bool) {
	if !ended {
		http.Error(w, "The named session does not exist (it may have ended).", http.StatusNotFound)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
