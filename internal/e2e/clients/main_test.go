package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// scratch is the folder of everything the run leaves behind.
var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// newEndpoint starts the endpoint of -target with what the checks ask the app's
// server for beside its pages.
func newEndpoint(t *testing.T, args ...string) *harness.Endpoint {
	t.Helper()
	return newEndpointOf(t, harness.Target(), args...)
}

// newEndpointOf is newEndpoint for a target of another name than that of -target.
func newEndpointOf(t *testing.T, target string, args ...string) *harness.Endpoint {
	t.Helper()
	e := harness.EndpointOf(t, target, append(args, "--upload-dir", scratch)...)
	e.Site.Handle("/api/echo", echo)
	e.Site.Handle("/api/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/two.html", http.StatusFound)
	})
	e.Site.Handle("POST /api/ask", ask(e.Site))
	return e
}

// echo answers with the request: {"method":"POST","body":"…","word":"…"}, the last
// being the header X-Word.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Answer", "echo")
	json.NewEncoder(w).Encode(map[string]string{"method": r.Method, "body": string(body), "word": r.Header.Get("X-Word")})
}

// ask puts the question {"page":"/app.html","question":"…"} to the page's witness
// for a client that is no Go program.
func ask(s *harness.Site) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Page, Question string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer, err := s.Ask(q.Page, q.Question)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprint(w, answer)
	}
}

// check is one use of a feature by a client whose page, with what belongs to it, is
// a P.
type check[P any] struct {
	feature, name string
	run           func(t *testing.T, p P)
	hub           *difference[P] // nil: the hub does as Chromium does
}

// difference is what a check does instead where an iframe is not a tab.
type difference[P any] struct {
	result, reason string
	run            func(t *testing.T, p P)
}

// runChecks runs the table, which must have so many checks at least. open brings a
// page with the app, freshly loaded.
func runChecks[P any](t *testing.T, client string, least int, open func(t *testing.T) P, checks []check[P]) {
	t.Helper()
	names := map[string]bool{}
	for _, c := range checks {
		r := Result{Client: client, Feature: c.feature, Test: c.name, Target: harness.Target(), Result: Works}
		run := c.run
		if c.hub != nil && harness.ThroughHub() {
			r.Result, r.Reason, run = c.hub.result, c.hub.reason, c.hub.run
		}
		if names[c.name] {
			t.Errorf("%s has two checks called %q", client, c.name)
		}
		names[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			t.Cleanup(func() { report(t, r) })
			run(t, open(t))
		})
	}
	if len(checks) < least {
		t.Errorf("%s has %d checks, want at least %d", client, len(checks), least)
	}
}

// report records the result of the test that ends.
func report(t *testing.T, r Result) {
	t.Helper()
	if t.Failed() {
		r.Result, r.Reason = Fails, ""
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
	if err := r.Record(); err != nil {
		t.Error(err)
	}
}
