package httpdiscovery

import (
	"net/http"
	"net/url"
	"strings"
)

// act serves the paths that change something, in Chromium 156's words, and
// reports whether path is one of them. Chromium takes every verb for activate and
// close; here only the one that its clients send changes anything. A page of another origin
// can send a GET, but no PUT without a preflight (Fetch standard): hence the verb of
// /json/new.
func (h *handler) act(w http.ResponseWriter, r *http.Request, path string) bool {
	name, id := "", ""
	switch {
	case strings.TrimSuffix(path, "/") == "/json/new" && h.New != nil:
		name = "/json/new"
	case strings.HasPrefix(path, "/json/activate/") && h.Activate != nil:
		name, id = "/json/activate", strings.TrimPrefix(path, "/json/activate/")
	case strings.HasPrefix(path, "/json/close/") && h.Close != nil:
		name, id = "/json/close", strings.TrimPrefix(path, "/json/close/")
	default:
		return false
	}
	verb := http.MethodGet
	if name == "/json/new" {
		verb = http.MethodPut
	}
	if r.Method != verb {
		w.Header().Set("Allow", verb)
		replyText(w, http.StatusMethodNotAllowed, "Using unsafe HTTP verb "+r.Method+" to invoke "+name+
			". This action supports only "+verb+" verb.")
		return true
	}
	// Before the id is looked up: whoever may not close pages need not learn which there are.
	if h.Refuse != nil {
		if why := h.Refuse(methodOf[name]); why != "" {
			replyText(w, http.StatusForbidden, why)
			return true
		}
	}
	if name == "/json/new" {
		h.create(w, r)
		return true
	}
	id = strings.TrimSuffix(id, "/")
	if !h.known(id) {
		replyText(w, http.StatusNotFound, "No such target id: "+id)
		return true
	}
	do, done, failed := h.Activate, "Target activated", "Could not activate target id: "
	if name == "/json/close" {
		do, done, failed = h.Close, "Target is closing", "Could not close target id: "
	}
	if err := do(r.Context(), id); err != nil {
		replyText(w, http.StatusInternalServerError, failed+id+": "+err.Error())
		return true
	}
	replyText(w, http.StatusOK, done)
	return true
}

// methodOf is the CDP method that each action stands for.
var methodOf = map[string]string{
	"/json/new":      "Target.createTarget",
	"/json/activate": "Target.activateTarget",
	"/json/close":    "Target.closeTarget",
}

// create makes a Target of the URL that is the query. The answer is one entry of
// /json/list, {"id":"…","type":"page",…}.
func (h *handler) create(w http.ResponseWriter, r *http.Request) {
	// The whole query is the address, as in Chromium: /json/new?https://app.example/?a=b.
	address, err := url.QueryUnescape(r.URL.RawQuery)
	if err != nil || address == "" {
		address = "about:blank"
	}
	t, err := h.New(r.Context(), address)
	if err != nil {
		replyText(w, http.StatusInternalServerError, "Could not create new page: "+err.Error())
		return
	}
	replyJSON(w, h.target(r, t, true))
}

// known reports whether the asker sees a Target with this id.
func (h *handler) known(id string) bool {
	for _, t := range h.Targets() {
		if t.ID == id {
			return true
		}
	}
	return false
}

// replyText answers with a text.
func replyText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8") // text may echo the request
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write([]byte(text)) //nolint:errcheck // a peer that is gone
}
