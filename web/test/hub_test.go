package webtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// fakeHub is what frames ask a hub past their Host, answered as the Host page
// of a test has laid down beforehand: it may be blocked with the frame.
//
//	POST /answers       [{"delay":50,"status":200,"body":"{…}"}], one for each dialog to come; delay in ms
//	POST /dialog        answered by the next of them
//	GET  /dialogs       the bodies of the dialogs so far
//	POST /put/KEY       leaves the body as a script
//	GET  /eval/KEY.js   serves it, once
//	POST /events?after=MS   what the proxy will say to the next agent that connects, before its first answer
//	GET  /control       the proxy's connection to an agent (web/src/wire/proxy.ts)
type fakeHub struct {
	mu      sync.Mutex
	answers []dialogAnswer
	dialogs []string
	scripts map[string]string
	events  []json.RawMessage
	after   time.Duration
}

type dialogAnswer struct {
	Delay  int    `json:"delay"`
	Status int    `json:"status"`
	Body   string `json:"body"`
}

func (h *fakeHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/control" {
		h.control(w, r)
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch what, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); what {
	case "answers":
		err = json.Unmarshal(body, &h.answers)
	case "events":
		ms, _ := strconv.Atoi(r.FormValue("after"))
		h.after, err = time.Duration(ms)*time.Millisecond, json.Unmarshal(body, &h.events)
	case "dialog":
		h.dialog(w, string(body))
	case "dialogs":
		err = json.NewEncoder(w).Encode(h.dialogs)
	case "put":
		h.scripts[key] = string(body)
	case "eval":
		key = strings.TrimSuffix(key, ".js")
		source, ok := h.scripts[key]
		if delete(h.scripts, key); !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/javascript")
		_, err = io.WriteString(w, source)
	default:
		http.NotFound(w, r)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// control says to an agent what was laid down, and acknowledges each state.
func (h *fakeHub) control(w http.ResponseWriter, r *http.Request) {
	conn, _, _, err := ws.UpgradeHTTP(r, w)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	for {
		command, err := wsutil.ReadClientText(conn)
		if err != nil {
			return
		}
		if !bytes.Contains(command, []byte(`"do":"state"`)) {
			continue
		}
		h.mu.Lock()
		time.Sleep(h.after)
		for _, event := range append(h.events, json.RawMessage(`{"what":"state"}`)) {
			_ = wsutil.WriteServerText(conn, event) // the page may have gone
		}
		h.events, h.after = nil, 0
		h.mu.Unlock()
	}
}

// dialog answers one dialog; with no answer left it fails.
func (h *fakeHub) dialog(w http.ResponseWriter, body string) {
	h.dialogs = append(h.dialogs, body)
	if len(h.answers) == 0 {
		http.Error(w, "no answer was laid down", http.StatusInternalServerError)
		return
	}
	a := h.answers[0]
	h.answers = h.answers[1:]
	h.mu.Unlock()
	time.Sleep(time.Duration(a.Delay) * time.Millisecond)
	h.mu.Lock()
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	_, _ = io.WriteString(w, a.Body) // the page may have gone
}
