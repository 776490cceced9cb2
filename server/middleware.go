package server

import (
	"mime"
	"net/http"
	"slices"
	"strings"
)

// withMethods lets requests through to next that have one of these methods.
func withMethods(next http.Handler, methods ...string) http.Handler {
	allow := strings.Join(methods, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(methods, r.Method) {
			w.Header().Set("Allow", allow)
			http.Error(w, "Send requests here with "+strings.Join(methods, " or ")+".", http.StatusMethodNotAllowed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// withJSON lets requests through to next whose body, if they have any, is JSON
// by its name. Browsers ask first before they send that for a page of another
// site; other bodies they just send.
func withJSON(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := r.Header.Get("Content-Type")
		name, _, err := mime.ParseMediaType(kind)
		if (kind != "" || r.ContentLength != 0) && (err != nil || name != "application/json") {
			w.Header().Set("Accept-Post", "application/json")
			http.Error(w, "The body must be JSON: send it with Content-Type: application/json.", http.StatusUnsupportedMediaType)
			return
		}
		next.ServeHTTP(w, r)
	})
}
