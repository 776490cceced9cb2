package wsconn_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestDialNamesTheProgram wants one User-Agent header: the program's, or that
// of the caller.
func TestDialNamesTheProgram(t *testing.T) {
	asked := make(chan http.Header, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header
		http.Error(w, "no", http.StatusNotFound)
	}))
	defer s.Close()
	for name, tt := range map[string]struct {
		header http.Header
		want   string
	}{
		"no header":     {nil, version.UserAgent()},
		"another":       {http.Header{"X-A": {"1"}}, version.UserAgent()},
		"the caller's":  {http.Header{"User-Agent": {"mine/1"}}, "mine/1"},
		"in lower case": {http.Header{"user-agent": {"mine/1"}}, "mine/1"},
	} {
		if _, err := wsconn.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), tt.header, wsconn.Limits{}); err == nil {
			t.Fatalf("%s: connected", name)
		}
		if got := (<-asked)["User-Agent"]; len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: User-Agent is %q, want %q", name, got, tt.want)
		}
	}
}
