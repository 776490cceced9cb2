package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestDevTools wants both addresses of the targets asked for, and to hear of a hub
// without the front end.
func TestDevTools(t *testing.T) {
	front := true
	mux := http.NewServeMux()
	mux.HandleFunc("/json/list", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t" {
			http.Error(w, "This hub needs a token.", http.StatusUnauthorized)
			return
		}
		w.Write([]byte(`[{"id":"A","title":"one\u001b[2J","url":"http://a/"},{"id":"B"}]`))
	})
	mux.HandleFunc("/devtools/ui/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://"+r.Host+"/devtools/ui/inspector.html?ws=x%3Fticket%3D"+r.FormValue("target"))
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/devtools/ui/inspector.html", func(w http.ResponseWriter, r *http.Request) {
		if !front {
			http.Error(w, "run make devtools", http.StatusNotImplemented)
			return
		}
		w.WriteHeader(http.StatusFound)
	})
	hub := httptest.NewServer(mux)
	defer hub.Close()
	ask := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), append([]string{"devtools", "--url", hub.URL}, args...), &out, &out)
		return out.String(), err
	}
	out, err := ask("--token", "t", "A")
	if err != nil || !strings.Contains(out, hub.URL+"/devtools/ui/inspector.html?ws=x%3Fticket%3DA\n") ||
		!strings.Contains(out, "devtools://devtools/bundled/inspector.html?ws=x%3Fticket%3DA\n") || strings.Contains(out, "\x1b") || strings.Contains(out, "DB") {
		t.Errorf("%s%v", out, err)
	}
	if out, err := ask("--token", "t"); err != nil || strings.Count(out, "bundled") != 2 {
		t.Errorf("%s%v, want both targets", out, err)
	}
	if _, err := ask("--token", "t", "C"); err == nil || !strings.Contains(err.Error(), "no target with the id C") {
		t.Errorf("an unknown target: %v", err)
	}
	if _, err := ask(); err == nil || !strings.Contains(err.Error(), "--token or CDPHUB_TOKEN (the hub answered 401: This hub needs a token.)") {
		t.Errorf("without a token: %v", err)
	}
	if _, err := ask("shop/A"); err == nil || !strings.Contains(err.Error(), "/hub/shop/json/list does not exist: check the address") {
		t.Errorf("an unknown hub: %v", err)
	}
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<h1>hello</h1>")) }))
	defer app.Close()
	if err := run(t.Context(), []string{"devtools", "--url", app.URL}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "is not a list of targets") {
		t.Errorf("an app in place of a hub: %v", err)
	}
	front = false
	if out, err := ask("--token", "t", "A"); err != nil || !strings.Contains(out, "make devtools") {
		t.Errorf("without a front end: %s%v", out, err)
	}
}
