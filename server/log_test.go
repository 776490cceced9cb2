package server

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/logging/logtest"
)

// stuck is a log that nobody reads until it is closed.
type stuck struct {
	open chan struct{}
	logtest.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.open
	return s.Buffer.Write(p)
}

// TestF19StuckLog serves a Client while nobody reads the log, and more is
// logged than there is room for.
func TestF19StuckLog(t *testing.T) {
	to := &stuck{open: make(chan struct{})}
	l := logtest.Open(t, to)
	s := startLogged(t, l.Logger, nil)
	s.host(t)
	client := s.client(t)
	long := strings.Repeat("x", 1000)
	const lines = 2000
	for i := range lines {
		l.Info(fmt.Sprintf("kind %d", i), zap.String("long", long))
		if i%100 == 0 {
			client.send(fmt.Sprintf(`{"id":%d,"method":"Browser.getVersion"}`, i))
			client.until(fmt.Sprintf(`{"id":%d,`, i))
		}
	}
	dropped := l.DroppedBySink()
	if dropped == 0 || dropped > lines {
		t.Errorf("%d of %d lines dropped", dropped, lines)
	}
	if _, body := s.get(t, s.addr(false), "/icdp/status", nil); !strings.Contains(body, `"clients":1`) {
		t.Errorf("the Client was lost: %s", body)
	}
	l.Sync() // gives up
	close(to.open)
	for end := time.Now().Add(within); !strings.Contains(to.String(), "log lines are missing"); {
		if time.Now().After(end) {
			t.Fatal("nothing says that lines are missing")
		}
		l.Sync()
	}
	for _, line := range logtest.Read(t, to.String()) {
		if strings.HasPrefix(line.Msg, "log lines are missing") && uint64(line.LeftOut) != dropped {
			t.Errorf("the log says that %d lines are missing, want %d", line.LeftOut, dropped)
		}
	}
}

// TestF19BrokenPipe has nobody at the other end of the log any more.
func TestF19BrokenPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	l := logtest.Open(t, w)
	s := startLogged(t, l.Logger, nil)
	client := s.client(t)
	client.send(`{"id":1,"method":"Browser.getVersion"}`)
	client.until(`"id":1`)
}

// TestR105RefusedRequests refuses more requests than may be logged.
func TestR105RefusedRequests(t *testing.T) {
	var out logtest.Buffer
	l := logtest.Open(t, &out)
	s := startLogged(t, l.Logger, nil)
	const requests = 300
	for range requests {
		s.get(t, s.addr(false), "/json/list", http.Header{"Origin": {"https://evil.example"}})
	}
	s.stop()
	perSecond, total := map[string]int{}, 0
	for _, line := range logtest.Read(t, out.String()) {
		if line.Msg != "request refused" {
			continue
		}
		perSecond[line.TS.Format(time.TimeOnly)]++
		if line.LeftOut > 0 {
			total += line.LeftOut
			continue
		}
		total++
		if line.Status != 403 || line.Side != "client" || line.Why == "" {
			t.Errorf("a refused request was logged as %+v", line)
		}
	}
	if total != requests {
		t.Errorf("%d refused requests were logged or counted, want %d", total, requests)
	}
	for second, n := range perSecond {
		if n > 20 { // the stretches of time need not begin with the second
			t.Errorf("%d lines at %s, want at most 10 a second", n, second)
		}
	}
}

// TestLevelsOfRefusals wants a line at info for what an operator may act on, and at
// debug for what browsers and MCP clients just try.
func TestLevelsOfRefusals(t *testing.T) {
	for _, tt := range []struct {
		name, request string
		tokens        bool
		status        int
		level         string
	}{
		{"probe", asking("GET /robots.txt HTTP/1.1", "Host: localhost"), false, 404, "debug"},
		{"probe of a hub with tokens", asking("GET /robots.txt HTTP/1.1", "Host: localhost"), true, 401, "debug"},
		{"GET probe of MCP", asking("GET /mcp HTTP/1.1", "Host: localhost", "Accept: text/event-stream"), false, 405, "debug"},
		{"GET of a WebSocket", asking("GET /devtools/browser HTTP/1.1", "Host: localhost"), false, 426, "debug"},
		{"foreign page", asking("GET /json/list HTTP/1.1", "Host: localhost", "Origin: https://evil.example"), false, 403, "info"},
		{"foreign name", asking("GET /json/list HTTP/1.1", "Host: evil.example"), false, 403, "info"},
		{"wrong token", asking("GET /json/list HTTP/1.1", "Host: localhost", "Authorization: Bearer "+wrongToken), true, 401, "info"},
		{"wrong token in the query", asking("GET /json/list?token="+wrongToken+" HTTP/1.1", "Host: localhost"), true, 401, "info"},
		{"Client without a token", handshake("/devtools/browser"), true, 401, "info"},
		{"Client of a target that is not there", handshake("/devtools/page/T9"), false, 404, "info"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out logtest.Buffer
			l := logtest.Open(t, &out)
			s := startLogged(t, l.Logger, func(o *Options) {
				if tt.tokens {
					withTokens(o)
				}
			})
			if got := raw(t, s.addr(false), tt.request); got.status != tt.status {
				t.Errorf("%d %s, want %d", got.status, got.body, tt.status)
			}
			s.stop()
			l.Sync()
			for _, line := range logtest.Read(t, out.String()) {
				if line.Msg == "request refused" || line.Msg == "login failed" {
					if line.Level != tt.level {
						t.Errorf("logged at %s, want %s", line.Level, tt.level)
					}
					return
				}
			}
			t.Errorf("not logged:\n%s", &out)
		})
	}
}
