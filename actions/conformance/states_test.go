package conformance

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestMessagesByState asks for a page by each protocol, of hubs that cannot open
// one. Each answer says what is the case, and what to do.
func TestMessagesByState(t *testing.T) {
	hosts := map[string]func(s *stage){
		"no page": func(*stage) {},
		"a page without the hook": func(s *stage) {
			hubtest.Dial(t, "ws://"+s.HostAddr()+"/icdp/host", nil).Send(hubtest.Ready)
			s.awaitStatus(t, `"hostConnected":true`)
		},
		"a page that is away": func(s *stage) {
			page := hubtest.Dial(t, "ws://"+s.HostAddr()+"/icdp/host", nil)
			page.Send(strings.Replace(hubtest.Ready, `"v":1`, `"v":1,"hostId":"H","features":["resume"]`, 1))
			s.awaitStatus(t, `"hostConnected":true`)
			page.Conn.Close(wsconn.ReasonGone)
			s.awaitStatus(t, `"hostConnected":false`)
		},
	}
	const open = "open http://{hosts}/shell?app=URL (URL is your app's address) "
	says := map[string]string{
		"no page":                 "No page is open in this hub: " + open + "in a browser, or start cdphub with --browser",
		"a page without the hook": "not supported by this target: Target.createTarget is not supported. This Host page cannot open new pages: give its Host the option createTarget, " + open + "instead, or start cdphub with --browser",
		"a page that is away":     "The Host page has lost its connection, and the hub keeps its sessions for a while: wait, or reload the page in its tab",
	}
	for name, host := range hosts {
		t.Run(name, func(t *testing.T) {
			s := &stage{Server: start(t, nil), app: &httptest.Server{URL: "http://127.0.0.1:1"}}
			host(s)
			want := strings.ReplaceAll(says[name], "{hosts}", s.HostAddr())
			for _, d := range doors {
				if d.path == "/hooks/invoke" { // hooks open no pages
					if d.hello = []string{d.navigate}; name != "no page" {
						continue
					}
				}
				t.Run(strings.Trim(d.path, "/"), func(t *testing.T) {
					v := &visitor{t: t, s: s, door: d, page: "page-1"}
					if !d.http {
						v.far = hubtest.Dial(t, "ws://"+s.ClientAddr()+d.path, nil)
					}
					got := ""
					for _, m := range d.hello {
						if got = ""; strings.Contains(m, `"id"`) || d.http {
							got = v.ask(m)
						}
					}
					if !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
						t.Errorf("got  %s\nwant %s", got, want)
					}
				})
			}
			t.Run("json/new", func(t *testing.T) {
				a := hubtest.Raw(t, s.ClientAddr(), hubtest.Request("PUT /json/new?about:blank HTTP/1.1", "Host: localhost"))
				want := strings.TrimPrefix(want, "not supported by this target: ")
				if a.Status != 500 || !strings.HasPrefix(a.Body, "Could not create new page: ") || !strings.Contains(a.Body, want) {
					t.Errorf("got %d %s", a.Status, a.Body)
				}
			})
		})
	}
}

// awaitStatus waits until the status of the hub at the root has a text.
func (s *stage) awaitStatus(t *testing.T, text string) {
	t.Helper()
	hubtest.Eventually(t, text, func() bool {
		_, body := hubtest.Get(t, s.ClientAddr(), "/icdp/status", nil)
		return strings.Contains(body, text)
	})
}
