package remote

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/downloads"
	"github.com/cdphub/cdphub/internal/limittest"
)

// TestDownloadsOfAHub lists and reads the downloads at a hub, with the token.
func TestDownloadsOfAHub(t *testing.T) {
	list := `{"downloads":[{"id":"A","name":"a.txt","size":2}]}`
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer t":
			w.WriteHeader(http.StatusForbidden)
		case r.URL.Path == "/hub/h/downloads":
			io.WriteString(w, list)
		case r.URL.Path == "/hub/h/downloads/A":
			io.WriteString(w, "hi")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer hub.Close()
	socket := "ws" + strings.TrimPrefix(hub.URL, "http")
	kept, err := Downloads(socket+"/hub/h/devtools/browser?tabs=own", http.Header{"Authorization": {"Bearer t"}})
	if err != nil {
		t.Fatal(err)
	}
	f, k, err := kept.Open(t.Context(), "A")
	if err != nil || k.Name != "a.txt" {
		t.Fatal(k, err)
	}
	if text, err := io.ReadAll(f); err != nil || string(text) != "hi" {
		t.Errorf("%q, %v", text, err)
	}
	f.Close()
	if _, _, err := kept.Open(t.Context(), "../A"); !errors.Is(err, downloads.ErrNotKept) {
		t.Error(err)
	}
	plain, _ := Downloads(socket+"/devtools/browser/x", http.Header{"Authorization": {"Bearer t"}})
	if _, err := plain.List(t.Context()); !errors.Is(err, downloads.ErrNotKept) {
		t.Errorf("a browser that keeps nothing: %v", err)
	}
	denied, _ := Downloads(socket+"/hub/h/devtools/browser", nil)
	if _, err := denied.List(t.Context()); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("without a token: %v", err)
	}
	limittest.Reach(t, "maxList", maxList, func(n int) bool {
		list = `{"downloads":[]}` + strings.Repeat(" ", n-17) + "\n"
		if n > maxList { // a list that is cut is no JSON
			list = strings.Repeat(" ", n-16) + `{"downloads":[]}`
		}
		_, err := kept.List(t.Context())
		return err == nil
	})
}
