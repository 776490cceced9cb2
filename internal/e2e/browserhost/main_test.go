package browserhost

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// page has a field, a button that tells of it, and its path as the title.
const page = `<!doctype html><title>%s</title>
<label>Name <input></label> <button onclick="document.title = 'Saved ' + document.querySelector('input').value">Save</button>`

// newSite serves data at /data and below, a page everywhere else, and returns its
// URL.
func newSite(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if strings.HasPrefix(r.URL.Path, "/data") {
			io.WriteString(w, "from the site")
			return
		}
		if r.URL.Path == "/never" {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, page, r.URL.Path)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// endpoint is where the Clients of a hub connect; the hub at the root has no name.
func endpoint(h *harness.Hub, name string) string {
	if name != "" {
		name = "/hub/" + name
	}
	return "http://" + h.ClientAddr + name
}

// listed is an entry of /json/list.
type listed struct{ ID, Type, URL string }

// list returns the entries of /json/list.
func list(t *testing.T, h *harness.Hub) (all []listed) {
	t.Helper()
	_, body := h.Get(t, http.MethodGet, "/json/list")
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		t.Fatalf("/json/list: %v of %s", err, body)
	}
	return all
}

// wantSoon runs a script until it returns what is wanted: pages come and go by events, which
// a busy machine delivers late.
func wantSoon(t *testing.T, what string, client *harness.Remote, script, want string) {
	t.Helper()
	harness.Eventually(t, harness.Started, func() error {
		if got := client.Run(t, script); got != want {
			return fmt.Errorf("%s: %s, want %s", what, got, want)
		}
		return nil
	})
}

// want compares what came with what should have.
func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n  %s\nwant\n  %s", what, got, want)
	}
}
