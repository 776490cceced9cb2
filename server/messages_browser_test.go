package server

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// showPage opens a page in the Chromium behind the hub "chromium", and returns what
// says what its body shows.
func showPage(t *testing.T, s started, url string) (text func() string) {
	t.Helper()
	b, err := actions.Open(t.Context(), s.Join("chromium"), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	p, err := b.NewPage(t.Context(), url, "")
	if err != nil {
		t.Fatal(err)
	}
	return func() string {
		v, err := p.Evaluate(t.Context(), "document.body.innerText", actions.EvaluateOptions{})
		if err != nil {
			return err.Error()
		}
		return string(v.JSON)
	}
}

// shows waits until a page shows a text.
func shows(t *testing.T, text func() string, want string) {
	t.Helper()
	hubtest.Eventually(t, want, func() bool { return strings.Contains(text(), want) })
}

// TestAppThatIsDown shows an app by the proxy before it is started, follows a link to
// its own address, and looks for a frame that no agent is in.
func TestAppThatIsDown(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<p>other") }))
	defer other.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	s := start(t, func(o *Options) {
		o.App = &App{URL: addr, Addr: "127.0.0.1:0"}
	})
	page, _ := s.AppPage()
	showPage(t, usersBrowser(t), page)
	s.await(t, `"title":"The app cannot be shown - cdphub"`)
	if ln, err = net.Listen("tcp", addr); err != nil {
		t.Fatal(err)
	}
	app := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Disposition", `attachment; filename="notes.txt"`)
		}
		fmt.Fprintf(w, `<!doctype html><title>At %s</title><a id=own href="http://%s/own">own</a><a id=file href="/file">file</a>`+
			`<a id=save href="/page" download>save</a><iframe src="%s"></iframe>`, r.URL.Path, addr, other.URL)
	})}
	defer app.Close()
	go app.Serve(ln)
	s.await(t, `"title":"At /"`)

	b, err := actions.Open(t.Context(), s.Join(""), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p, err := b.Page("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Click(t.Context(), actions.CSS("#own"), actions.ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	s.await(t, `"title":"At /own"`)

	c := s.client(t)
	session := c.Attach(p.ID)
	c.send(`{"id":1,"method":"Log.enable","sessionId":"` + session + `"}`)
	if got := c.until("Log.entryAdded"); !strings.Contains(got, "clients cannot see into the iframe "+other.URL) || !strings.Contains(got, s.app.Addr().String()) {
		t.Errorf("of a frame without an agent a client is told %s", got)
	}
	for i, domain := range []string{"Page", "Network"} { // the proxy tells of requests while somebody wants to know
		c.send(fmt.Sprintf(`{"id":%d,"method":"%s.enable","sessionId":%q}`, i+2, domain, session))
		c.until(fmt.Sprintf(`"id":%d`, i+2))
	}
	for link, name := range map[string]string{"#save": "page", "#file": "notes.txt"} {
		if _, err := p.Click(t.Context(), actions.CSS(link), actions.ClickOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := c.until("Page.downloadWillBegin"); !strings.Contains(got, `"suggestedFilename":"`+name+`"`) {
			t.Errorf("of the download of %s a client is told %s", link, got)
		}
		c.until(`"state":"completed"`)
	}
}

// TestFrameOfAnotherOrigin shows an app in the shell that leads to another origin.
func TestFrameOfAnotherOrigin(t *testing.T) {
	t.Parallel()
	var s started
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>There</title><script src="http://%s/agent.js"></script>`, s.addr(true))
	}))
	defer there.Close()
	app := httptest.NewServer(http.RedirectHandler(there.URL, http.StatusFound))
	defer app.Close()
	s = start(t, nil)
	user := usersBrowser(t)
	shell := "http://" + s.addr(true) + "/shell?app=" + app.URL + "/"
	text := showPage(t, user, shell)
	shows(t, text, "The frame shows a document of "+there.URL+", which is not among the origins that this Host page pairs")
	c := s.client(t)
	session := c.Attach(s.statusOf(t)[0].TargetID)
	c.send(`{"id":1,"method":"DOM.getDocument","sessionId":"` + session + `"}`)
	if got := c.until(`"id":1`); !strings.Contains(got, there.URL) || !strings.Contains(got, "Page.navigate to "+app.URL+"/ leads back") {
		t.Errorf("a client is told %s", got)
	}
	shows(t, showPage(t, user, shell+"&origin="+there.URL), "Frame paired")
}

// TestHostPageWithoutToken opens the shell of a hub with tokens, without one and with
// one that is wrong.
func TestHostPageWithoutToken(t *testing.T) {
	t.Parallel()
	app := httptest.NewServer(http.NotFoundHandler())
	defer app.Close()
	s, user := start(t, withTokens), usersBrowser(t)
	shell := "http://" + s.addr(true) + "/shell?app=" + app.URL + "/"
	shows(t, showPage(t, user, shell), "This hub needs a token for Host pages.")
	shows(t, showPage(t, user, shell+"#token="+wrongToken), "The hub refuses this page: This token is not valid here")
	shows(t, showPage(t, user, shell+"#token="+clientToken), "This token is for the role client, and this address needs one for the role host")
}
