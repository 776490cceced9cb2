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
