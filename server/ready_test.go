package server

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestReadyMeansServed wants /readyz to fail, with the reason, while no browser
// can be had.
func TestReadyMeansServed(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	s, admin := startAdmin(t, func(o *Options) {
		o.Browsers = fakeBrowsers(func() error {
			if broken.Load() {
				return errors.New("no sandbox")
			}
			return nil
		}, "a", "b")
	})
	ready := func() (int, string) { return s.get(t, admin, "/readyz", nil) }
	if status, body := ready(); status != 200 {
		t.Errorf("at first: %d %s, want 200", status, body)
	}
	broken.Store(true)
	if status, body := s.get(t, s.addr(false), "/hub/a/json/list", nil); status != 503 {
		t.Errorf("without a browser: %d %s, want 503", status, body)
	}
	if status, body := ready(); status != 503 || !strings.Contains(body, "no sandbox") {
		t.Errorf("then /readyz: %d %s, want 503 and the reason", status, body)
	}
	broken.Store(false)
	for end := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) { // it looks by itself
		if status, _ := ready(); status == 200 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it is never ready again")
		}
	}
}

// TestNotReadyWithoutTheBrowserToConnectTo starts before the browser that it is to
// connect to.
func TestNotReadyWithoutTheBrowserToConnectTo(t *testing.T) {
	s, admin := startAdmin(t, func(o *Options) {
		o.Browsers = &Browsers{Chrome: chrome.Options{URL: "http://127.0.0.1:1"}}
	})
	if status, body := s.get(t, s.addr(false), "/health", nil); status != 200 {
		t.Errorf("/health: %d %s", status, body)
	}
	if status, body := s.get(t, admin, "/readyz", nil); status != 503 || !strings.Contains(body, "127.0.0.1:1") {
		t.Errorf("/readyz: %d %s, want 503 and the address", status, body)
	}
}

// TestBrowserQueue has one Client more than browsers, which waits, and one that is
// told when to try again.
func TestBrowserQueue(t *testing.T) {
	s, admin := startAdmin(t, func(o *Options) {
		o.Browsers = fakeBrowsers(works, "*")
		o.Browsers.Max, o.Browsers.Queue = 1, within
	})
	first := dial(t, "ws://"+s.addr(false)+"/hub/a/devtools/browser", nil)
	second := make(chan int, 1)
	go func() {
		resp, err := http.Get("http://" + s.addr(false) + "/hub/b/json/version")
		if err != nil {
			second <- 0
			return
		}
		resp.Body.Close()
		second <- resp.StatusCode
	}()
	for end := time.Now().Add(within); s.browsers.Numbers().Queued != 1; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody waits")
		}
	}
	if _, body := s.get(t, admin, "/metrics", nil); !strings.Contains(body, "cdphub_browser_queue_length 1\n") {
		t.Error("/metrics does not say that one waits")
	}
	first.Conn.Close(wsconn.ReasonNormal)
	if status := <-second; status != 200 {
		t.Errorf("who waited: %d, want 200", status)
	}
	_, body := s.get(t, admin, "/metrics", nil)
	for _, want := range []string{
		"cdphub_browser_queue_length 0\n", `cdphub_browser_queue_seconds_count{outcome="served"} 1`, "cdphub_browser_start_seconds_count 2\n",
		`cdphub_browser_queue_seconds_count{outcome="gave_up"} 0`, `cdphub_slow_consumers_total{side="client"} 0`, `cdphub_browser_queue_seconds_count{outcome="own_limit"} 0`,
		"# TYPE cdphub_command_latency_seconds histogram",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("/metrics has no %s", want)
		}
	}
	none := start(t, func(o *Options) {
		o.Browsers = fakeBrowsers(works, "*")
		o.Browsers.Max = 1
	})
	dial(t, "ws://"+none.addr(false)+"/hub/a/devtools/browser", nil)
	if got := raw(t, none.addr(false), handshake("/hub/b/devtools/browser")); got.status != 503 || got.header.Get("Retry-After") == "" {
		t.Errorf("without a queue: %d %v, want 503 with Retry-After", got.status, got.header)
	}
}

// TestLoginsAreCounted wants failed logins of every listener in the metrics.
func TestLoginsAreCounted(t *testing.T) {
	s, admin := startAdmin(t, withOperators)
	s.get(t, s.addr(false), "/json/list", bearer(wrongToken))
	s.get(t, s.addr(false), "/json/list", bearer(hostToken))
	s.get(t, s.addr(true), "/icdp/host", nil)
	s.get(t, admin, "/metrics", bearer(clientToken))
	_, body := s.get(t, admin, "/metrics", bearer(adminToken))
	for _, want := range []string{
		`listener="clients",reason="unknown"`, `listener="clients",reason="other_role"`, `listener="hosts",reason="missing"`,
		`listener="admin",reason="other_role"`,
	} {
		if !strings.Contains(body, "cdphub_logins_failed_total{"+want+"} 1\n") {
			t.Errorf("/metrics does not count %s", want)
		}
	}
}
