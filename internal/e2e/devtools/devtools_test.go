// Package devtools tests the DevTools that a hub serves, in a real Chromium, on a
// page of a browser and on a frame.
package devtools

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

const (
	readToken = "token-of-readers"
	hostToken = "token-of-hosts--"
)

func TestDevTools(t *testing.T) {
	browser, err := harness.Chromium()
	if err != nil {
		t.Fatal(err)
	}
	front := harness.FrontEnd(t)
	page := harness.StartHub(t, "--browser", "--browser-no-sandbox", "--devtools", front)
	frame := harness.StartHub(t, "--devtools", front)
	tokens := filepath.Join(t.TempDir(), "tokens.yaml")
	text := "tokens: [{name: reader, token: " + readToken + ", role: client, scope: readonly}, {name: host, token: " + hostToken + ", role: host}]"
	if err := os.WriteFile(tokens, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	read := harness.StartHub(t, "--tokens", tokens, "--devtools", front)
	harness.RunPlaywright(t, 4, nil,
		"BROWSER="+browser, "READ_TOKEN="+readToken, "HOST_TOKEN="+hostToken,
		"PAGE_CLIENTS=http://"+page.ClientAddr, "PAGE_APP="+serve(t, ""),
		"FRAME_CLIENTS=http://"+frame.ClientAddr, "FRAME_HOSTS=http://"+frame.HostAddr, "FRAME_APP="+serve(t, frame.HostAddr),
		"READ_CLIENTS=http://"+read.ClientAddr, "READ_HOSTS=http://"+read.HostAddr, "READ_APP="+serve(t, read.HostAddr))
}

// The app of the test, with a sheet and a script of its own.
const (
	appPage = `<!doctype html><html lang="en"><head><!--agent--><title>Field book</title><link rel="stylesheet" href="/book.css"></head>
<body><h1 class="head">Field book</h1><p class="note" style="color: green">A note</p><section><i class="inner">Below</i></section><script src="/book.js"></script></body></html>`
	appSheet = `body { font-family: sans-serif; }

.note {
  margin: 3px;
  padding: 1px;
}
/* what a parser of sheets may meet */
@layer low, high;
@layer high { p.note { top: 1px } }
@layer low { #none, body p { top: 2px; /* left: 1px; */ nonsense: 3 } }
@media (min-width: 1px) { .head::before { content: "}{" } .head { color: rgb(1 2 3) !important } }
@media (max-width: 1px) { .head { color: red } }
section { color: teal; & > .inner, em { width: 5px } .inner:not(#a, .b) { height: 6px } }
`
	// A fetch as often as a test asks for one.
	appScript = `localStorage.setItem("book", "of fields"); document.cookie = "flock=of geese"; document.title = "Field book";
window.look = () => fetch("/birds.json").then((r) => r.json());
`
)

// serve serves the app, with the agent of the hub at this address, if any.
func serve(t *testing.T, hub string) string {
	t.Helper()
	agent := ""
	if hub != "" {
		agent = `<script src="http://` + hub + `/agent.js" data-parents="http://` + hub + `" crossorigin></script>`
	}
	files := map[string][2]string{
		"/":           {"text/html; charset=utf-8", strings.Replace(appPage, "<!--agent-->", agent, 1)},
		"/book.css":   {"text/css", appSheet},
		"/book.js":    {"text/javascript", appScript},
		"/birds.json": {"application/json", `{"birds":["crane","heron"]}`},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", file[0])
		w.Write([]byte(file[1]))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}
