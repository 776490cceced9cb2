package httpdiscovery

import (
	"context"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/urlhost"
)

// act serves the commands that change something, in Chromium 156's words, and reports whether
// a command is one of them. Chromium takes every verb for activate and close; here only the one
// that its clients send changes anything. A page of another origin can send a GET, but no PUT
// without a preflight (Fetch standard): hence the verb of /json/new.
func (h *handler) act(w http.ResponseWriter, r *http.Request, command, about string) bool {
	do, done, failed := h.Activate, "Target activated", "Could not activate target id: "
	verb, served := http.MethodGet, h.Activate != nil
	switch command {
	case "new":
		verb, served = http.MethodPut, h.New != nil
	case "activate":
	case "close":
		do, done, failed, served = h.closeTarget, "Target is closing", "Could not close target id: ", h.Close != nil
	default:
		return false
	}
	if !served {
		return false
	}
	if r.Method != verb && (command != "new" || !strings.EqualFold(r.Method, verb)) {
		w.Header().Set("Allow", verb)
		replyText(w, http.StatusMethodNotAllowed, "Using unsafe HTTP verb "+r.Method+" to invoke /json/"+command+
			". This action supports only "+verb+" verb.")
		return true
	}
	// Before the id is looked up: whoever may not close pages need not learn which there are.
	if h.Refuse != nil {
		if why := h.Refuse(methodOf[command]); why != "" {
			replyText(w, http.StatusForbidden, why)
			return true
		}
	}
	if command == "new" {
		h.create(w, r)
		return true
	}
	id := strings.TrimSuffix(about, "/")
	// Ids of Chromium need no escapes, those of a Host page may.
	if plain, err := url.PathUnescape(id); err == nil && h.known(plain) {
		id = plain
	}
	if !h.known(id) {
		replyText(w, http.StatusNotFound, "No such target id: "+id)
		return true
	}
	if err := do(r.Context(), id); err != nil {
		replyText(w, http.StatusInternalServerError, failed+id+": "+err.Error())
		return true
	}
	replyText(w, http.StatusOK, done)
	return true
}

// closing is how long the answer to /json/close waits until the Target has gone. A page may ask
// its user first (beforeunload).
const closing = time.Second

// closeTarget closes a Target, and waits until it is in no list any more: who asks next must not
// find it.
func (h *handler) closeTarget(ctx context.Context, id string) error {
	if err := h.Close(ctx, id); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, closing)
	defer cancel()
	for h.known(id) && ctx.Err() == nil {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return nil
}

// methodOf is the CDP method that each action stands for.
var methodOf = map[string]string{
	"new":      "Target.createTarget",
	"activate": "Target.activateTarget",
	"close":    "Target.closeTarget",
}

// create makes a Target of the URL that is the query. The answer is one entry of
// /json/list, {"id":"…","type":"page",…}.
func (h *handler) create(w http.ResponseWriter, r *http.Request) {
	t, err := h.New(r.Context(), addressOf(r.URL.RawQuery))
	if err != nil {
		replyText(w, http.StatusInternalServerError, "Could not create new page: "+err.Error())
		return
	}
	h.Refresh(r.Context()) // a headless shell tells the address only later
	for _, now := range h.Targets() {
		if now.ID == t.ID {
			t = now
		}
	}
	replyJSON(w, h.target(r, t, true))
}

// addressOf is the address of a new Target: the whole query, in which only %XX stands for another
// character, as in Chromium 156. What is no address is about:blank. "for_tab" asks for the tab around
// the page, which a hub does not list.
func addressOf(query string) string {
	query = strings.TrimPrefix(query+"&", "for_tab&")
	query = strings.TrimSuffix(strings.TrimSuffix(query, "&"), "&for_tab")
	if address := decodeEscapes(query); urlhost.IsAddress(address) {
		return address
	}
	return "about:blank"
}

// decodeEscapes decodes each %XX of a text, and leaves all else as it is.
func decodeEscapes(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if c, err := hex.DecodeString(text[i+1 : i+3]); err == nil {
				b.WriteByte(c[0])
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
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
	w.Header().Set("Content-Type", "application/json; charset=utf-8") // as Chromium 156 has it
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write([]byte(text)) //nolint:errcheck // a peer that is gone
}
