package hooks

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

// TestRequestsAreCounted posts more than a token may in a second, one request a
// connection: they are counted together, whatever comes of them.
func TestRequestsAreCounted(t *testing.T) {
	c := caller(read)
	c.ID, c.Options = "1", actions.Options{Shared: new(actions.Shared), Limits: actions.Limits{Requests: 1}}
	limited := 0
	for range 20 {
		w := httptest.NewRecorder()
		Invoke(c, w, httptest.NewRequest(http.MethodPost, "/hooks/invoke", strings.NewReader(`{"name":"browser.list"}`)))
		switch w.Code {
		case http.StatusOK:
		case http.StatusTooManyRequests:
			limited++
			if w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "rate limited: 1 request a second") {
				t.Errorf("%v %s", w.Header(), w.Body)
			}
		default:
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if limited == 0 {
		t.Error("20 requests at once are answered")
	}
	c.ID = "2"
	if status, got := post(c, `{"name":"browser.list"}`); status != http.StatusOK {
		t.Errorf("another token: %d %s", status, got)
	}
}
