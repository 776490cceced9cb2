package webtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// gone counts the streams that their readers have given up.
var gone atomic.Int64

// networkPage is what the tests of the Network and Fetch domains ask for:
//
//	/net/echo        what was asked, as JSON: method, headers (first values), body as text
//	/net/status?n=N  an answer with status N, and the query's "type" and "body"
//	/net/slow        an answer after 3 s
//	/net/stream      a line every 20 ms until the peer goes, counted by /net/gone
//	/net/gone        how many streams were given up
//	/net/redirect    to /data.json
//	/net/drop        closes the connection instead of an answer
//	/net/events      server-sent events: id 7 "one", then "ping" "two", then a comment a second
//	/net/socket      a WebSocket that sends back what it gets
//	/net/set         sets the query's "cookie"
func networkPage(w http.ResponseWriter, r *http.Request) {
	switch r.PathValue("what") {
	case "echo":
		echo(w, r)
	case "status":
		n, _ := strconv.Atoi(r.FormValue("n"))
		w.Header().Set("Content-Type", r.FormValue("type"))
		w.WriteHeader(n)
		_, _ = io.WriteString(w, r.FormValue("body"))
	case "slow":
		select {
		case <-time.After(3 * time.Second):
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, "slow")
	case "stream":
		stream(w, r, 20*time.Millisecond, "line\n")
		gone.Add(1)
	case "gone":
		fmt.Fprint(w, gone.Load())
	case "redirect":
		http.Redirect(w, r, "/data.json", http.StatusFound)
	case "drop":
		panic(http.ErrAbortHandler)
	case "events":
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 7\ndata: one\n\nevent: ping\ndata: two\n\n")
		stream(w, r, time.Second, ": still here\n\n")
	case "socket":
		socket(w, r)
	case "set":
		w.Header().Set("Set-Cookie", r.FormValue("cookie"))
	default:
		http.NotFound(w, r)
	}
}

func echo(w http.ResponseWriter, r *http.Request) {
	headers := map[string]string{}
	for name, values := range r.Header {
		headers[http.CanonicalHeaderKey(name)] = values[0]
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Echo", "yes")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"method": r.Method, "path": r.URL.RequestURI(), "headers": headers, "body": string(body),
	})
}

func stream(w http.ResponseWriter, r *http.Request, period time.Duration, text string) {
	for {
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(period):
		case <-r.Context().Done():
			return
		}
	}
}

func socket(w http.ResponseWriter, r *http.Request) {
	upgrader := ws.HTTPUpgrader{Protocol: func(p string) bool { return p == "one" }}
	conn, _, _, err := upgrader.Upgrade(r, w)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	for {
		data, op, err := wsutil.ReadClientData(conn)
		if err != nil {
			return
		}
		if wsutil.WriteServerMessage(conn, op, data) != nil {
			return
		}
	}
}
