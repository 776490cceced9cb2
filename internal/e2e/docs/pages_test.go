package docs

import (
	"fmt"
	"net"
	"net/http"
	"testing"

	"github.com/cdphub/cdphub/internal/docstest"
	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestOwnPages puts the blocks "app" and "host" of a page into an app and a page
// around it: then the app can be driven.
func TestOwnPages(t *testing.T) {
	blocks, err := docstest.Blocks(harness.Repository())
	if err != nil {
		t.Fatal(err)
	}
	html := map[string]string{}
	for _, b := range blocks {
		if b.Kind == "app" || b.Kind == "host" {
			html[b.Kind] += b.Text
		}
	}
	app := listen(t)
	p := freePorts(t, app.port)
	page := listen(t)
	p["8080"] = page.port
	app.serve(t, p.in("<!doctype html><head>"+html["app"]+"<title>Field book</title></head><body>An app</body>"))
	page.serve(t, p.in("<!doctype html><title>A page</title>"+html["host"]))
	start(t, p, command(t, t.TempDir(), "cdphub", "serve"))
	harness.StartBrowser(t, "http://localhost:"+page.port, false)
	harness.Eventually(t, harness.Started, func() error { return serves(p["9222"], 1) })
}

// listener is a port of localhost, of both families.
type listener struct {
	net.Listener
	port string
}

func listen(t *testing.T) listener {
	t.Helper()
	ln, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return listener{ln, port}
}

// serve serves one page until the test ends.
func (l listener) serve(t *testing.T, html string) {
	t.Helper()
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, html)
	})}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
}
