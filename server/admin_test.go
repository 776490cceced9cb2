package server

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/logging/logtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// startAdmin runs a server with a listener for operators.
func startAdmin(t *testing.T, change func(*Options)) (s started, admin string) {
	t.Helper()
	l := logtest.Open(t, io.Discard)
	s = startLogged(t, l.Logger, func(o *Options) {
		o.AdminAddr, o.LogLevel = hubtest.AdminSocket(t), l.Level
		if change != nil {
			change(o)
		}
	})
	return s, s.AdminAddr()
}

func TestR104AdminListener(t *testing.T) {
	s, admin := startAdmin(t, nil)
	s.host(t)
	s.client(t).attach()
	for path, want := range map[string]string{
		"/metrics":              "cdphub_sessions 1\n",
		"/livez":                "ok",
		"/readyz":               "ok",
		"/hubs":                 `{"count":1,"hubs":[{"hub":"","hostConnected":true,"clients":1,"targets":1,"sessions":1}],"closes":[],"named":[]}`,
		"/log-level":            `{"level":"debug"}`,
		"/debug/pprof/":         "goroutine",
		"/debug/pprof/heap":     "",
		"/debug/pprof/symbol?1": "",
	} {
		if status, body := s.get(t, admin, path, nil); status != 200 || !strings.Contains(body, want) {
			t.Errorf("GET %s: %d %s, want 200 with %q", path, status, body, want)
		}
		for _, addr := range []string{s.addr(false), s.addr(true)} {
			if status, body := s.get(t, addr, path, nil); status != 404 {
				t.Errorf("GET %s from another listener: %d %s, want 404", path, status, body)
			}
		}
	}
	if status, _ := s.get(t, admin, "/json/version", nil); status != 404 {
		t.Errorf("GET /json/version from the admin listener: %d, want 404", status)
	}
}

func TestR104AdminListenerRefuses(t *testing.T) {
	s, admin := startAdmin(t, nil)
	for name, header := range map[string]http.Header{
		"rebound name":    {"Host": {"evil.example"}},
		"foreign page":    {"Origin": {"https://evil.example"}},
		"another site":    {"Sec-Fetch-Site": {"cross-site"}},
		"page as sandbox": {"Origin": {"null"}},
	} {
		if status, _ := s.get(t, admin, "/metrics", header); status != 403 {
			t.Errorf("%s: %d, want 403", name, status)
		}
	}
}

// TestR104AdminToken puts a check of tokens in front of the paths for
// operators, all of them.
func TestR104AdminToken(t *testing.T) {
	s, admin := startAdmin(t, func(o *Options) { o.AdminAddr, o.Tokens.Admin = "127.0.0.1:0", adminToken })
	for _, path := range []string{"/metrics", "/livez", "/readyz", "/hubs", "/log-level", "/debug/pprof/", "/nothing"} {
		if status, _ := s.get(t, admin, path, nil); status != 401 {
			t.Errorf("GET %s without a token: %d, want 401", path, status)
		}
	}
	if status, _ := s.get(t, admin, "/metrics", http.Header{"Authorization": {"Bearer " + adminToken}}); status != 200 {
		t.Errorf("GET /metrics with a token: %d, want 200", status)
	}
}

func TestLogLevel(t *testing.T) {
	s, admin := startAdmin(t, nil)
	socket, _ := httpserver.UnixPath(admin)
	client := http.Client{Transport: httpserver.UnixTransport(socket)}
	defer client.CloseIdleConnections()
	level := func() zapcore.Level { return s.o.LogLevel.(zap.AtomicLevel).Level() }
	put := func(body, contentType string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://localhost/log-level", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", contentType)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	const form = "application/x-www-form-urlencoded" // of curl -d
	for _, body := range []string{`{"level":"info"}`, "level=info"} {
		if status := put(body, form); status != 200 || level() != zap.InfoLevel {
			t.Errorf("PUT %s as curl does: %d, want 200", body, status)
		}
		put(`{"level":"debug"}`, "application/json")
	}
	if status := put(`{"level":"error"}`, "application/json"); status != 200 || level() != zap.ErrorLevel {
		t.Errorf("PUT error: %d, and the level is %v", status, level())
	}
	if status := put(`{"level":"loud"}`, "application/json"); status != 400 {
		t.Errorf("PUT loud: %d, want 400", status)
	}
}

// TestReadiness holds a Client's connection open while the server drains.
func TestReadiness(t *testing.T) {
	s, admin := startAdmin(t, shortDrain)
	if status, _ := s.get(t, admin, "/readyz", nil); status != 200 {
		t.Errorf("ready: %d, want 200", status)
	}
	done := make(chan struct{})
	left := s.clients.Enter()
	go func() {
		defer close(done)
		defer left()
		<-s.clients.Context.Done()
		if status, body := s.get(t, admin, "/readyz", nil); status != 503 || !strings.Contains(body, "shutting down") {
			t.Errorf("while draining: %d %s, want 503", status, body)
		}
		if status, _ := s.get(t, admin, "/livez", nil); status != 200 {
			t.Errorf("alive while draining: %d, want 200", status)
		}
	}()
	s.stop()
	<-done
}

// TestMetrics wants the counts of what happened, and none of its words.
func TestMetrics(t *testing.T) {
	own := prometheus.NewCounter(prometheus.CounterOpts{Name: "of_the_program_total", Help: "A counter of the program."})
	s, admin := startAdmin(t, func(o *Options) { o.Collectors = []prometheus.Collector{own} })
	host := s.host(t)
	client := s.client(t)
	client.send(`{"id":1,"method":"Secret.method"}`)
	client.until(`"id":1`)
	client.Conn.Close(wsconn.Reason{Code: 4321, Text: "mine"})
	client.reason()
	host.Conn.Close(wsconn.ReasonNormal)
	host.reason()
	s.await(t, `"clients":0`)
	s.await(t, `"hostConnected":false`)
	refused := upgradeHeader()
	refused.Set("Origin", "https://evil.example")
	s.get(t, s.addr(false), "/devtools/browser", refused)
	bad := upgradeHeader()
	bad.Set("Sec-WebSocket-Version", "12")
	s.get(t, s.addr(true), "/icdp/host", bad)
	s.get(t, s.addr(true), "/hub/mine/secret-path", nil)
	want := []string{
		`cdphub_connections_closed_total{code="4xxx",side="client"} 1`,
		`cdphub_connections_closed_total{code="1000",side="host"} 1`,
		`cdphub_handshakes_refused_total{reason="forbidden",side="client"} 1`,
		`cdphub_handshakes_refused_total{reason="upgrade_required",side="host"} 1`,
		"cdphub_connection_panics_total 0",
		"of_the_program_total 0",
		"cdphub_hosts 0", "cdphub_clients 0", "cdphub_hubs 1", "cdphub_links 0",
		"cdphub_commands_received_total 1", `cdphub_commands_answered_total{by="hub"} 1`, `cdphub_commands_answered_total{by="host"} 0`,
		"cdphub_commands_pending 0", "cdphub_answers_misrouted_total 0", `cdphub_event_deliveries_total{outcome="sent"} 0`,
		"go_goroutines ", "go_build_info{", "process_open_fds ",
	}
	var text string
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		_, text = s.get(t, admin, "/metrics", nil) // a connection is counted once its goroutine ends
		if strings.Contains(text, want[0]) && strings.Contains(text, want[1]) {
			break
		}
	}
	for _, line := range want {
		if !strings.Contains(text, line) {
			t.Errorf("%q is not in\n%s", line, text)
		}
	}
	for _, word := range []string{"ecret", "mine", "evil"} {
		if strings.Contains(text, word) {
			t.Errorf("the metrics tell %q", word)
		}
	}
}

// upgradeHeader is a handshake's.
func upgradeHeader() http.Header {
	return http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"},
		"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
	}
}

// TestR91HubsAreApart wants of one hub no name of another.
func TestR91HubsAreApart(t *testing.T) {
	s, admin := startAdmin(t, nil)
	dial(t, "ws://"+s.addr(false)+"/hub/neighbour/devtools/browser", nil)
	var hubs struct {
		Count int
		Hubs  []struct{ Hub string }
	}
	_, body := s.get(t, admin, "/hubs", nil)
	if err := json.Unmarshal([]byte(body), &hubs); err != nil || hubs.Count != 1 || hubs.Hubs[0].Hub != "neighbour" {
		t.Errorf("the admin listener does not show the hub: %s %v", body, err)
	}
	for _, path := range []string{"/hub/mine/icdp/status", "/hub/mine/json/list", "/hub/mine/json/version"} {
		if _, body := s.get(t, s.addr(false), path, nil); strings.Contains(body, "neighbour") {
			t.Errorf("%s tells of another hub: %s", path, body)
		}
	}
	if _, body := s.get(t, admin, "/metrics", nil); strings.Contains(body, "neighbour") {
		t.Error("the metrics name a hub")
	}
}
