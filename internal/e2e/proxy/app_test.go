package proxy

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// app is the site under test: a response is what its request asks for.
//
//	/echo                                              method, headers and body of the request, as JSON
//	/asked?path=P                                      how often P was asked for
//	/drop                                              no response
//	/…?body=TEXT&type=TYPE&status=N&h=Name: value&…    any other path; delay=MS before the body; bytes=BASE64 before it
type app struct {
	mu    sync.Mutex
	asked map[string]int
}

// ServeHTTP implements http.Handler.
func (a *app) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	w.Header().Set("Cache-Control", "no-store")
	switch r.URL.Path {
	case "/echo":
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "headers": r.Header, "body": string(body)})
		return
	case "/asked":
		a.mu.Lock()
		defer a.mu.Unlock()
		fmt.Fprint(w, a.asked[q.Get("path")])
		return
	case "/drop":
		panic(http.ErrAbortHandler)
	}
	a.mu.Lock()
	a.asked[r.URL.Path]++
	a.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if kind := q.Get("type"); kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	for _, line := range q["h"] {
		name, value, _ := strings.Cut(line, ": ")
		w.Header().Add(name, value)
	}
	if status, err := strconv.Atoi(q.Get("status")); err == nil {
		w.WriteHeader(status)
	}
	if ms, err := strconv.Atoi(q.Get("delay")); err == nil {
		w.(http.Flusher).Flush()
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-r.Context().Done():
		}
	}
	if body, err := base64.StdEncoding.DecodeString(q.Get("bytes")); err == nil {
		w.Write(body)
	}
	io.WriteString(w, q.Get("body"))
}
