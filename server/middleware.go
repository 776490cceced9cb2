package server

import (
	"mime"
	"net/http"
	"slices"
	"strings"
)

// withMethods lets requests through to next that have one of these methods.
func withMethods(next http.HandlerFunc, methods []string) http.HandlerFunc {
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

// withJSON lets requests through to next whose body, if they have one, is JSON by its
// Content-Type. Browsers ask with a preflight request before they send JSON to
// another site; text and forms they send without asking (Fetch Standard,
// "CORS-safelisted request-header"). So no foreign page can post here.
func withJSON(next http.HandlerFunc) http.HandlerFunc {
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
