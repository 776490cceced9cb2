package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestR133ProxiedAppIsNoHost has the pages of a proxied app try to be Hosts, by
// the address of the proxy and by that which they come from.
func TestR133ProxiedAppIsNoHost(t *testing.T) {
	for upstream, origin := range map[string]string{ // as the origin of its pages is written, but for the name
		"http://127.0.0.1:3000": "http://NAME:3000", "http://localhost:3000": "http://NAME:3000", "http://[::1]:3000": "http://NAME:3000",
		"3000": "http://NAME:3000", "http://app.example:3000": "http://NAME:3000", "https://localhost:3000": "https://NAME:3000",
		"http://localhost": "http://NAME", "http://127.0.0.1:080": "http://NAME", "http://127.0.0.1:80": "http://NAME:80",
		"https://127.0.0.1": "https://NAME", "https://app.example": "https://NAME",
	} {
		s := start(t, func(o *Options) { o.App = &App{URL: upstream, Addr: "127.0.0.1:0"} })
		at, _ := s.AppPage()
		page, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := url.Parse(page.Query().Get("app"))
		if err != nil {
			t.Fatal(err)
		}
		ask := func(origin string) said { return raw(t, s.addr(true), handshake("/icdp/host", "Origin: "+origin)) }
		for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "127.0.0.2", "127.1", "app.localhost", "[::ffff:127.0.0.1]", "0x7f.1", "LocalHost", "app.example"} {
			for _, origin := range []string{strings.Replace(origin, "NAME", host, 1), "http://" + host + ":" + shown.Port()} {
				if got := ask(origin); got.status != 403 || !strings.Contains(got.body, "--host-origin="+origin) {
					t.Errorf("the app of %s as %s: %d %s", upstream, origin, got.status, got.body)
				}
			}
		}
		if got := ask("http://" + s.addr(true)); got.status != 101 {
			t.Errorf("the Host page itself: %d %s", got.status, got.body)
		}
		if got := ask("http://localhost:4711"); got.status != 101 {
			t.Errorf("another page on loopback: %d %s", got.status, got.body)
		}
	}
}

// withBrowser is a server whose hubs but "page" have a browser, which is never
// started.
func withBrowser(t *testing.T, pageHosts bool, change func(*Options)) started {
	t.Helper()
	return start(t, func(o *Options) {
		o.Browsers, o.PageHost = fakeBrowsers(works, "/", "one"), pageHosts
		if change != nil {
			change(o)
		}
	})
}

// TestR134HostsBesideABrowser comes as a page and as a browser to hubs that
// have a browser of their own.
func TestR134HostsBesideABrowser(t *testing.T) {
	const origin, asBrowser = "Origin: http://localhost:3000", `{"kind":"ready","v":1,"features":["browser","nested"],"targets":[{"targetId":"T1"}]}`
	refused := func(t *testing.T, s started, path string, header http.Header) {
		t.Helper()
		h := dial(t, "ws://"+s.addr(true)+path, header)
		h.send(asBrowser)
		if r := h.reason(); r.Code != 1008 || !strings.Contains(r.Text, "--browser-hub") {
			t.Errorf("%s as a browser: closed with %v", path, r)
		}
	}
	taken := func(t *testing.T, s started, path, first string, header http.Header) {
		t.Helper()
		h := dial(t, "ws://"+s.addr(true)+path, header)
		h.send(first)
		s.awaitTarget(t, strings.TrimSuffix(path, "/icdp/host"), "T1")
	}
	t.Run("without the option", func(t *testing.T) {
		s := withBrowser(t, false, nil)
		for _, path := range []string{"/icdp/host", "/hub/one/icdp/host"} {
			for _, line := range []string{origin, "X-None: a program"} {
				if got := raw(t, s.addr(true), handshake(path, line)); got.status != 403 || !strings.Contains(got.body, "--page-host") || !strings.Contains(got.body, "--host-token") {
					t.Errorf("%s with %s: %d %s", path, line, got.status, got.body)
				}
			}
		}
		taken(t, s, "/hub/page/icdp/host", asBrowser, nil) // which has none
		if n := s.browsers.Numbers(); n.Started != 0 {
			t.Errorf("%+v: a browser was started for a Host", n)
		}
	})
	t.Run("with the option", func(t *testing.T) {
		s := withBrowser(t, true, nil)
		refused(t, s, "/hub/one/icdp/host", http.Header{"Origin": {"http://localhost:3000"}})
		taken(t, s, "/hub/one/icdp/host", ready, http.Header{"Origin": {"http://localhost:3000"}})
		taken(t, s, "/hub/page/icdp/host", asBrowser, nil)
	})
	t.Run("with a Host token", func(t *testing.T) {
		s := withBrowser(t, false, func(f *Options) { f.Tokens.Host = hostToken })
		refused(t, s, "/hub/one/icdp/host", bearer(hostToken))
		h := dial(t, "ws://"+s.addr(true)+"/hub/one/icdp/host", bearer(hostToken))
		h.send(`{"kind":"ready","v":1,"features":["sessions"],"targets":[]}`)
		if got := h.next(); !strings.Contains(got, "accepted") {
			t.Errorf("a page: %s", got)
		}
		if got := raw(t, s.addr(true), handshake("/hub/one/icdp/host")); got.status != 401 {
			t.Errorf("without the token: %d, want 401", got.status)
		}
	})
}

// TestR133AppsFrames asks for the Host's socket through the app's own origin.
func TestR133AppsFrames(t *testing.T) {
	s, addrs := everything(t, nil)
	for _, path := range []string{
		"/__hub/icdp/host", "/__hub//icdp/host", "/__hub/./icdp/host", "/__hub/eval/../icdp/host", "/__hub/hub/one/icdp/host", "/__hub/%69cdp/host",
		"/__hub/eval/%2e%2e/icdp/host", "/__hub/eval/..%2ficdp/host", "/__hub/devtools/browser", "/__hub/eval/../devtools/browser", "/__hub/host.js", "/__hub/shell", "/__hub/icdp/host.js",
	} {
		if got := raw(t, addrs["app"], handshake(path, "Origin: http://"+addrs["app"], "Authorization: Bearer "+hostToken)); got.status != 404 && got.status != 307 && got.status != 400 && got.status != 403 {
			t.Errorf("%s: %d %.80s", path, got.status, got.body)
		}
	}
	if n := s.hubs.Len(); n != 0 {
		t.Errorf("%d hubs were made for the app", n)
	}
}

// TestR94PageSocketsOfNothing asks for Targets that there are not: nothing of
// their hubs stays.
func TestR94PageSocketsOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(Options{NoListeners: true})
		if err != nil {
			t.Fatal(err)
		}
		s.poller.Close() // a goroutine in epoll_wait would keep the bubble waiting
		handler := s.Handler()
		for i := range 20 {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://localhost/hub/h%d/devtools/page/none", i), http.NoBody)
			r.Header.Set("Connection", "Upgrade")
			r.Header.Set("Upgrade", "websocket")
			r.Header.Set("Sec-WebSocket-Version", "13")
			r.Header.Set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
			got := httptest.NewRecorder()
			if handler.ServeHTTP(got, r); got.Code != http.StatusNotFound || !strings.Contains(got.Body.String(), "target") {
				t.Errorf("%d %s, want 404", got.Code, got.Body)
			}
		}
		if n := s.hubs.Len(); n != 20 {
			t.Errorf("there are %d hubs, want those that were asked for", n)
		}
		time.Sleep(time.Minute) // a hub outlives its last user by 30 s
		if n := s.hubs.Len(); n != 0 {
			t.Errorf("%d hubs stay", n)
		}
	})
}
