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
