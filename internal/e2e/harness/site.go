package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// Site serves testdata/e2e on two origins, the app's and the Host page's, and
// speaks to the witnesses in the pages.
type Site struct {
	App  *httptest.Server // the origin of the app's pages
	Host *httptest.Server // the origin of the Host pages /host/NAME

	mux *http.ServeMux

	mu        sync.Mutex
	hub       string // base URL of the hub's Host side; empty: pages without an agent
	witnesses []*witness
	requests  []string // paths, for the log of a test that fails
}

// witness is one document's socket. The newest document of a path is asked.
type witness struct {
	path string
	conn *websocket.Conn
	gone chan struct{}

	mu      sync.Mutex
	next    int
	waiting map[int]chan answer
}

// answer is what a witness sends: {"id":1,"value":…} or {"id":1,"error":"…"}.
type answer struct {
	ID    int             `json:"id"`
	Value json.RawMessage `json:"value"`
	Error string          `json:"error"`
}

// NewSite serves until the test ends.
func NewSite(t testing.TB) *Site {
	t.Helper()
	mux := http.NewServeMux()
	s := &Site{mux: mux}
	mux.HandleFunc("/witness", s.witness)
	mux.HandleFunc("/host/{name}", func(w http.ResponseWriter, _ *http.Request) { s.page(w, "host.html") })
	mux.HandleFunc("/{name}", func(w http.ResponseWriter, r *http.Request) { s.page(w, r.PathValue("name")) })
	s.App, s.Host = httptest.NewServer(s.noted("app", mux)), httptest.NewServer(s.noted("host", mux))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("The site was asked for: %s", s.asked())
		}
		s.App.CloseClientConnections()
		s.Host.CloseClientConnections()
		s.App.Close()
		s.Host.Close()
	})
	return s
}

// noted keeps which paths a browser asks one of the origins for.
func (s *Site) noted(origin string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, origin+r.URL.Path)
		s.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func (s *Site) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		return "nothing"
	}
	return strings.Join(s.requests[max(0, len(s.requests)-30):], " ")
}

// UseHub puts the agent of the hub at this base URL into the app's pages.
func (s *Site) UseHub(base string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hub = base
}

// Handle adds an address to both origins, as http.ServeMux.HandleFunc does.
func (s *Site) Handle(pattern string, handler http.HandlerFunc) {
	s.mux.HandleFunc(pattern, handler)
}

// Agent is the element that puts the hub's agent into a page, or nothing without a hub.
func (s *Site) Agent() string {
	_, element := s.agent()
	return element
}

func (s *Site) agent() (hub, element string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hub == "" {
		return "", ""
	}
	parents := s.Host.URL + " " + s.hub // Host pages of the site, and the shell
	return s.hub, fmt.Sprintf(`<script src="%s/agent.js" data-parents="%s" crossorigin></script>`, s.hub, parents)
}

func (s *Site) page(w http.ResponseWriter, name string) {
	text, err := os.ReadFile(filepath.Join(Repository(), "testdata", "e2e", filepath.Base(name)))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	hub, agent := s.agent()
	kind := "text/html; charset=utf-8"
	if strings.HasSuffix(name, ".js") {
		kind = "text/javascript; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	strings.NewReplacer(
		"<!--agent-->", agent,
		"{{hub}}", hub,
		"{{bridge}}", "ws"+strings.TrimPrefix(hub, "http")+"/icdp/host",
		"{{app}}", s.App.URL,
	).WriteString(w, string(text)) //nolint:errcheck // a browser that is gone
}

func (s *Site) witness(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	conn.SetReadLimit(1 << 20)
	doc := &witness{
		path: r.URL.Query().Get("page"), conn: conn,
		gone: make(chan struct{}), waiting: map[int]chan answer{},
	}
	s.mu.Lock()
	s.witnesses = append(s.witnesses, doc)
	s.mu.Unlock()
	defer close(doc.gone)
	for {
		var a answer
		if wsjson.Read(r.Context(), conn, &a) != nil {
			return
		}
		doc.mu.Lock()
		reply := doc.waiting[a.ID]
		delete(doc.waiting, a.ID)
		doc.mu.Unlock()
		if reply != nil {
			reply <- a
		}
	}
}

// newest returns the witness of the newest living document at path, or nil.
func (s *Site) newest(path string) *witness {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.witnesses) - 1; i >= 0; i-- {
		doc := s.witnesses[i]
		select {
		case <-doc.gone:
		default:
			if doc.path == path {
				return doc
			}
		}
	}
	return nil
}

// Ask evaluates a JavaScript question in the newest document at path and returns
// the answer as JSON.
func (s *Site) Ask(path, question string) (string, error) {
	doc := s.newest(path)
	if doc == nil {
		return "", fmt.Errorf("no document of %s is open", path)
	}
	reply := make(chan answer, 1)
	doc.mu.Lock()
	doc.next++
	id := doc.next
	doc.waiting[id] = reply
	doc.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), Started)
	defer cancel()
	if err := wsjson.Write(ctx, doc.conn, map[string]any{"id": id, "question": question}); err != nil {
		return "", err
	}
	select {
	case a := <-reply:
		if a.Error != "" {
			return "", fmt.Errorf("%s in %s: %s", question, path, a.Error)
		}
		return string(a.Value), nil
	case <-doc.gone:
		return "", fmt.Errorf("%s went away while it was asked %s", path, question)
	case <-ctx.Done():
		return "", fmt.Errorf("%s did not answer %s", path, question)
	}
}

// Expect asks until the answer is want.
func (s *Site) Expect(t testing.TB, path, question, want string) {
	t.Helper()
	Eventually(t, Started, func() error {
		got, err := s.Ask(path, question)
		if err == nil && got != want {
			err = fmt.Errorf("the page %s answers %s with\n  %s\nwant\n  %s", path, question, got, want)
		}
		return err
	})
}
