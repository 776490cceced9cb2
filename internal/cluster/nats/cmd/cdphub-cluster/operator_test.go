package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A node that does not answer in time is named, with what to do.
func TestOperatorsAreToldOfANodeThatIsSilent(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer s.Close()
	drain := drainCmd{Node: "a", operatorFlags: operatorFlags{URL: s.URL, Timeout: 10 * time.Millisecond}}
	err := drain.Run(t.Context(), io.Discard)
	if err == nil || !strings.Contains(err.Error(), s.URL+" has not answered within 10ms") || !strings.Contains(err.Error(), "Try again") {
		t.Errorf("the operator is told: %v", err)
	}
}

// An address at which no node is asked is named, with what is wrong with it.
func TestOperatorsAreToldOfAWrongAddress(t *testing.T) {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<h1>hello</h1>") }))
	defer app.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	for address, says := range map[string]string{
		"127.0.0.1:9224": `"127.0.0.1:9224" is not the address of a node: use one such as unix:/run/cdphub-cluster/admin.sock or http://127.0.0.1:9224`,
		closed.URL:       "no node answers at " + closed.URL,
		app.URL:          app.URL + " is not a node of a cluster",
	} {
		status := statusCmd{operatorFlags: operatorFlags{URL: address, Timeout: time.Second}}
		if err := status.Run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", address, err, says)
		}
	}
}

// the command prints what is left whenever that changes, until the node has ended.
func TestR322DrainCommandFollows(t *testing.T) {
	answers := []string{
		`{"nodes":[{"name":"a"},{"name":"b","draining":true,"waits":{"clients":2,"browsers":1,"until":"2026-01-02T03:04:05Z"}}]}`,
		`{"nodes":[{"name":"a"},{"name":"b","draining":true,"waits":{"clients":1,"until":"2026-01-02T03:04:05Z"}}]}`,
		`{"nodes":[{"name":"a"}]}`,
	}
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if got := r.URL.Query(); got.Get("node") != "b" || got.Get("wait") != "30m0s" {
				t.Errorf("the node is asked with %v", got)
			}
			w.WriteHeader(http.StatusNoContent)
			return
		}
		io.WriteString(w, answers[asked])
		asked++
	}))
	defer s.Close()
	var out strings.Builder
	drain := drainCmd{Node: "b", Wait: 30 * time.Minute, operatorFlags: operatorFlags{URL: s.URL, Timeout: time.Minute}}
	if err := drain.Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"takes no new hub", "b drains, waits for 2 Clients and 1 browser until ", "b drains, waits for 1 Client until ", "b has ended.\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it prints no %q:\n%s", want, out.String())
		}
	}
}

// the node that is asked to drain itself does not answer when it has ended.
func TestR322DrainCommandOfTheNodeItself(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	drain := drainCmd{Node: "a", operatorFlags: operatorFlags{URL: s.URL, Timeout: time.Minute}}
	if _, ended, err := drain.left(t.Context()); !ended || err != nil {
		t.Errorf("a node that is gone: %v, %v", ended, err)
	}
}
