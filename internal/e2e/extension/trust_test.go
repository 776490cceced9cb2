package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// stranger is a hub of somebody else, which has no rules, and keeps all that the extension sends.
type stranger struct {
	t    *testing.T
	addr string
	own  []string // what it says of its own pages

	mu     sync.Mutex // guards what follows
	conn   *websocket.Conn
	frames []string
	last   int
	more   chan struct{}
}

// said is a message of the extension.
type said struct {
	Kind, Target, Reason, Install string
	ID                            int
	Result                        json.RawMessage
	Error                         *harness.CDPError
	Tabs                          []struct{ Target, URL, Title string }
}

func newStranger(t *testing.T, own ...string) *stranger {
	s := &stranger{t: t, more: make(chan struct{}), own: own}
	ctx, cancel := context.WithCancel(context.Background())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/icdp/extension" {
			http.NotFound(w, r)
			return
		}
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{OriginPatterns: []string{extensionID}})
		if err != nil {
			t.Error(err)
			return
		}
		conn.SetReadLimit(64 << 20)
		s.mu.Lock()
		s.conn = conn
		s.mu.Unlock()
		for {
			_, frame, err := conn.Read(ctx)
			if err != nil {
				return
			}
			s.mu.Lock()
			s.frames = append(s.frames, string(frame))
			close(s.more)
			s.more = make(chan struct{})
			s.mu.Unlock()
			if strings.HasPrefix(string(frame), `{"kind":"hello"`) {
				s.send(map[string]any{"kind": "welcome", "v": 1, "own": s.own})
			}
		}
	}))
	t.Cleanup(func() { cancel(); server.Close() })
	s.addr = strings.TrimPrefix(server.URL, "http://")
	return s
}

func (s *stranger) send(message map[string]any) {
	s.mu.Lock()
	conn := s.conn
	s.mu.Unlock()
	if err := wsjson.Write(context.Background(), conn, message); err != nil {
		s.t.Error(err)
	}
}

// all are the messages that have come.
func (s *stranger) all() (list []said) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, frame := range s.frames {
		var m said
		if err := json.Unmarshal([]byte(frame), &m); err != nil {
			s.t.Errorf("%s: %v", frame, err)
		}
		list = append(list, m)
	}
	return list
}

// await waits for a message.
func (s *stranger) await(what string, is func(said) bool) (found said) {
	s.t.Helper()
	harness.Eventually(s.t, harness.Started, func() error {
		list := s.all()
		i := slices.IndexFunc(list, is)
		if i < 0 {
			return errors.New("the extension has not sent " + what)
		}
		found = list[i]
		return nil
	})
	return found
}

// ask sends what is to be answered.
func (s *stranger) ask(message map[string]any) said {
	s.t.Helper()
	s.last++
	id := s.last
	message["id"] = id
	s.send(message)
	return s.await("an answer to "+fmt.Sprint(message), func(m said) bool { return m.Kind == "answer" && m.ID == id })
}

// cdp sends a command to the tab.
func (s *stranger) cdp(target, method string, params map[string]any) said {
	s.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	return s.ask(map[string]any{"kind": "cdp", "target": target, "method": method, "params": params})
}

// shared waits for the tab that is shared.
func (s *stranger) shared() string {
	s.t.Helper()
	m := s.await("its tabs", func(m said) bool { return m.Kind == "tabs" && len(m.Tabs) == 1 })
	return m.Tabs[0].Target
}

// TestR413AStrangersHub has a hub without any rules ask for all that a driver may not.
func TestR413AStrangersHub(t *testing.T) {
	site := newSite(t)
	elsewhere := strings.Replace(site, "127.0.0.1", "localhost", 1)
	u := newUser(t, site+"/shared")
	secret := u.open(elsewhere + "/secret")
	s := newStranger(t)
	u.share(site+"/shared", s.addr, "")
	tab := s.shared()
	if got := s.ask(map[string]any{"kind": "attach", "target": tab}); got.Error != nil {
		t.Fatalf("attach: %v", got.Error)
	}

	// Each of these works without the extension's rule.
	refused := func(got said, what string) {
		t.Helper()
		if got.Error == nil || !strings.Contains(got.Error.Message, "is not possible in a tab that its user shares") {
			t.Errorf("%s got %s %v", what, got.Result, got.Error)
		}
	}
	for _, to := range []string{"chrome://version/", "chrome-extension://" + extensionID + "/popup.html", "file:///etc/passwd", "http://" + s.addr + "/"} {
		refused(s.cdp(tab, "Page.navigate", map[string]any{"url": to}), to)
	}
	for method, params := range map[string]map[string]any{
		"Target.createTarget":         {"url": "chrome://version/"},
		"Storage.clearCookies":        nil,
		"Network.clearBrowserCookies": nil,
		"Network.getCookies":          {"urls": []string{elsewhere}},
		"Network.setCookie":           {"name": "x", "value": "y", "url": elsewhere},
		"Network.deleteCookies":       {"name": "of", "url": elsewhere},
		"Storage.setCookies":          {"cookies": []any{map[string]any{"name": "x", "value": "y", "url": elsewhere}}},
		"Network.loadNetworkResource": {"url": elsewhere, "options": map[string]any{"disableCache": true, "includeCredentials": true}},
		"Tracing.start":               nil,
		"Page.crash":                  nil,
		"Input.dispatchDragEvent":     {"type": "dragEnter", "x": 1, "y": 1, "data": map[string]any{"items": []any{}, "files": []string{"/etc/hosts"}, "dragOperationsMask": 1}},
		"Page.deleteCookie":           {"cookieName": "of", "url": elsewhere},
		"DOM.setFileInputFiles":       {"files": []string{"/etc/hosts"}, "nodeId": 1},
	} {
		refused(s.cdp(tab, method, params), method)
	}
	for _, method := range []string{"Storage.getCookies", "Network.getAllCookies"} {
		text := string(s.cdp(tab, method, nil).Result)
		if !strings.Contains(text, `"value":"127.0.0.1"`) || strings.Contains(text, "localhost") {
			t.Errorf("%s got %s", method, text)
		}
	}

	// What is not shared cannot be named.
	for _, kind := range []string{"attach", "close"} {
		if got := s.ask(map[string]any{"kind": kind, "target": secret}); got.Error == nil || got.Error.Message != "The tab is not shared." {
			t.Errorf("%s of another tab got %s %v", kind, got.Result, got.Error)
		}
	}
	if got := s.cdp(secret, "Runtime.evaluate", map[string]any{"expression": "1"}); got.Error == nil {
		t.Errorf("another tab answers %s", got.Result)
	}
	u.chrome.Evaluate(t, u.chrome.Attach(t, secret), `document.title = "still secret"`)
	u.silent(s, secret)
	if u.find("page", elsewhere+"/secret") == "" {
		t.Error("the other tab has gone")
	}
}

// silent looks for what the extension has said of a tab that is not shared: its title, its address, its ids.
func (u *user) silent(s *stranger, secret string) {
	u.t.Helper()
	number := u.worker(`chrome.debugger.getTargets().then((l) => l.find((t) => t.id === "` + secret + `").tabId)`)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.frames) < 3 {
		u.t.Errorf("the extension has said %q only", s.frames)
	}
	for _, frame := range s.frames {
		for _, word := range []string{"secret", secret, number, "localhost"} {
			if strings.Contains(frame, word) {
				u.t.Errorf("%q has left the browser: %s", word, frame)
			}
		}
	}
}

// TestR413History shares a tab that has shown a page of the extension, and one of the hub: a script for new documents
// would run in them with their rights.
func TestR413History(t *testing.T) {
	site := newSite(t)
	at, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	for name, before := range map[string]string{"the extension": "chrome-extension://" + extensionID + "/popup.html", "the hub": site + "/dashboard"} {
		t.Run(name, func(t *testing.T) {
			const page = "data:text/html,<title>here</title>"
			u := newUser(t, site+"/first")
			shown := u.chrome.Attach(t, u.find("page", site))
			for i, next := range []string{before, page} {
				u.await(shown, `performance.timing.loadEventEnd > 0`) // before that, the next page takes its place in the history
				u.chrome.Call(t, shown, "Page.navigate", map[string]any{"url": next})
				harness.Eventually(t, harness.Soon, func() error {
					got, err := u.chrome.Try(t, shown, "Page.getNavigationHistory", nil) // it fails while the process changes
					if err == nil && entries(t, got) != i+2 {
						err = fmt.Errorf("the tab has the history %s, want %d entries", got, i+2)
					}
					return err
				})
			}
			s := newStranger(t, at.Host)
			u.share("data:", s.addr, "")
			tab := s.shared()
			if got := s.ask(map[string]any{"kind": "attach", "target": tab}); got.Error != nil {
				t.Fatal(got.Error)
			}
			if n := entries(t, s.cdp(tab, "Page.getNavigationHistory", nil).Result); n != 1 {
				t.Errorf("the history has %d entries, want 1", n)
			}
		})
	}
}

// entries counts those of a history.
func entries(t *testing.T, result json.RawMessage) int {
	t.Helper()
	var history struct{ Entries []struct{ URL string } }
	if err := json.Unmarshal(result, &history); err != nil {
		t.Fatal(err)
	}
	return len(history.Entries)
}

// TestR413TheHubsOwnPages shares none of them, and stops with one.
func TestR413TheHubsOwnPages(t *testing.T) {
	site, other := newSite(t), newSite(t)
	u := newUser(t, site+"/shared")
	at, err := url.Parse(other)
	if err != nil {
		t.Fatal(err)
	}
	s := newStranger(t, at.Host)
	u.share(site+"/shared", s.addr, "")
	tab := s.shared()
	popup := u.popup(site + "/shared")
	u.shut(popup)
	u.open(other + "/dashboard")
	popup = u.popup(other + "/dashboard")
	u.press(popup, "share")
	u.await(popup, `document.getElementById("problem").textContent.includes("cannot be shared")`)
	u.shut(popup)
	u.chrome.Call(t, u.chrome.Attach(t, tab), "Page.navigate", map[string]any{"url": strings.Replace(other, "127.0.0.1", "localhost", 1) + "/dashboard"})
	m := s.await("that the tab is shared no more", func(m said) bool { return m.Kind == "gone" })
	if m.Target != tab || !strings.Contains(m.Reason, "page that is not shared") {
		t.Errorf("the extension says %+v", m)
	}
	if frames := fmt.Sprint(s.all()); strings.Contains(frames, "dashboard") {
		t.Errorf("the hub has been told of its own page: %s", frames)
	}
}

// TestR415Leaves has the user take a shared tab to a page of the browser: nothing of that is said.
func TestR415Leaves(t *testing.T) {
	site := newSite(t)
	u := newUser(t, site+"/shared")
	s := newStranger(t)
	u.share(site+"/shared", s.addr, "")
	tab := s.shared()
	if got := s.ask(map[string]any{"kind": "attach", "target": tab}); got.Error != nil {
		t.Fatal(got.Error)
	}
	u.chrome.Call(t, u.chrome.Attach(t, tab), "Page.navigate", map[string]any{"url": "chrome://version/"})
	m := s.await("that the tab is shared no more", func(m said) bool { return m.Kind == "gone" })
	if m.Target != tab || !strings.Contains(m.Reason, "page that is not shared") {
		t.Errorf("the extension says %+v", m)
	}
	if frames := fmt.Sprint(s.all()); strings.Contains(frames, "version") {
		t.Errorf("the hub has been told of a page of the browser: %s", frames)
	}
}
