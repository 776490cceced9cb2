package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/relay/quota"
)

// elsewhere names, for resources that one does not take by a request, the test of the
// package that has them: its folder and its name.
var elsewhere = map[quota.Resource]string{
	quota.Calls:          "relay TestR247Calls",
	quota.Sessions:       "relay TestR247Sessions",
	quota.Tabs:           "relay TestR247Tabs",
	quota.Parked:         "relay TestR247Parked",
	quota.Paused:         "relay TestR247Paused",
	quota.Hubs:           "relay TestR247Hubs",
	quota.Uploads:        "relay TestR247Uploads",
	quota.BrowserQueue:   "internal/browsers TestR248QueueIsShared",
	quota.BAPSessions:    "actions/bap TestR247BAPSessions",
	quota.ActionCalls:    "actions TestR247ActionCalls",
	quota.Memory:         "internal/wsconn TestR249MemoryOfOneToken",
	quota.NamedMemory:    "internal/named TestR249NamedSessionsOfOthers",
	quota.TimelineMemory: "internal/journal TestR249TimelinesOfOthersStay",
	quota.Timelines:      "internal/journal TestR249TimelinesOfOthersStay",
	quota.TimelineQueue:  "internal/journal TestR249EventsOfOthersAreNotLost",
	quota.Recordings:     "internal/journal TestR249RecordingsOfOthersStay",
}

// requests are the requests that take one of each other resource, for as long as their
// connection lasts. N stands for a number. total is what there is of it. Operators have a
// listener, and the connections to it, for themselves.
var requests = map[quota.Resource]struct {
	total   int64
	request string
	options func(*Options)
}{
	quota.Clients:     {20, handshake("/devtools/browser"), func(o *Options) { o.Limits.MaxClients = 20 }},
	quota.Connections: {30, handshake("/hub/hN/devtools/browser"), func(o *Options) { o.Limits.MaxConnections = 30 }},
	quota.Browsers:    {8, handshake("/hub/bN/devtools/browser"), func(o *Options) { o.Browsers = fakeBrowsers(works, "b*") }},
	quota.Sandboxes: {10, asking("POST /browser-sandboxes HTTP/1.1", "Host: localhost", "Content-Length: 0"), func(o *Options) {
		o.Browsers, o.Actions.MaxSandboxes = fakeBrowsers(works, "sandbox-*"), 10
		o.Browsers.Max = 100
	}},
	quota.Viewers:        {20, handshake("/ui/api/view?target=T1"), nil},
	quota.EventStreams:   {64, asking("GET /ui/api/events HTTP/1.1", "Host: localhost"), nil},
	quota.BAPConnections: {10, handshake("/bap"), nil},
	quota.MCPSessions:    {20, mcpInitialize, nil},
}

const mcpBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`

var mcpInitialize = asking("POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json", "Accept: application/json, text/event-stream",
	fmt.Sprint("Content-Length: ", len(mcpBody))) + mcpBody

// TestR247EveryLimitIsShared walks the table of resources: one token takes all that it
// gets, then an operator and another token still get theirs.
func TestR247EveryLimitIsShared(t *testing.T) {
	for r := range quota.Table {
		r := quota.Resource(r)
		t.Run(quota.Table[r].Name, func(t *testing.T) {
			how, ours := requests[r]
			if !ours {
				wantTest(t, elsewhere[r])
				return
			}
			change, _ := withFile(t, "tokens:\n"+
				"  - {name: greedy, token: "+clientToken+", role: client, hub: \"*\", scope: full}\n"+
				"  - {name: other, token: "+otherToken+", role: client, hub: \"*\", scope: full}\n"+
				"  - {name: third, token: the-token-of-a-third-one, role: client, hub: \"*\", scope: full}\n"+
				"  - {name: host, token: "+hostToken+", role: host}\n"+
				"  - {name: operator, token: "+adminToken+", role: admin}\n")
			s := start(t, func(o *Options) {
				change(o)
				shortDrain(o)
				o.AdminAddr, o.totals = "127.0.0.1:0", map[quota.Resource]int64{r: how.total}
				if how.options != nil {
					how.options(o)
				}
			})
			if how.options == nil {
				dial(t, "ws://"+s.addr(true)+"/icdp/host", bearer(hostToken)).send(`{"kind":"ready","v":1,"targets":[{"targetId":"T1"}]}`)
				s.knows(t, "T1")
			}
			s.shareOut(t, r, how.total, how.request)
		})
	}
}

// shareOut has one token take all that it gets, and then wants one for everybody else.
func (s started) shareOut(t *testing.T, r quota.Resource, total int64, request string) {
	t.Helper()
	took := int64(0)
	for ; took <= total; took++ {
		status, body := s.take(t, s.addr(false), request, clientToken, int(took))
		if status >= 400 {
			if !strings.Contains(body, "This token has "+fmt.Sprint(took)) || status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
				t.Errorf("the refusal of one more is %d %s", status, body)
			}
			break
		}
	}
	if took == 0 || took > total*3/4 {
		t.Errorf("one token has %d of %d %s", took, total, quota.Table[r].Unit)
	}
	metrics := s.metricsOf(t)
	if want := fmt.Sprintf("cdphub_quota{resource=%q,token=\"greedy\"} %d\n", quota.Table[r].Name, took); !strings.Contains(metrics, want) {
		t.Errorf("the metrics lack %s", want)
	}
	if status, body := s.take(t, s.addr(false), request, otherToken, 1000); status >= 400 {
		t.Errorf("another token: %d %s", status, body)
	}
}

// take sends a request with a token, and keeps its connection.
func (s started) take(t *testing.T, addr, request, token string, n int) (status int, body string) {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	line, rest, _ := strings.Cut(request, "\r\n")
	io.WriteString(nc, strings.ReplaceAll(line, "N/", fmt.Sprint(n, "/"))+"\r\nAuthorization: Bearer "+token+"\r\n"+rest)
	resp, err := http.ReadResponse(bufio.NewReader(nc), nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode >= 400 {
		text, _ := io.ReadAll(resp.Body)
		body = string(text)
	}
	return resp.StatusCode, body
}

// metricsOf is what operators see.
func (s started) metricsOf(t *testing.T) string {
	t.Helper()
	_, body := s.get(t, s.AdminAddr(), "/metrics", bearer(adminToken))
	return body
}

// knows waits until there is a target.
func (s started) knows(t *testing.T, target string) {
	t.Helper()
	await(t, "the target is there", func() bool {
		_, body := s.get(t, s.addr(false), "/json/list", bearer(clientToken))
		return strings.Contains(body, target)
	})
}

// wantTest wants a test to be there: "FOLDER NAME".
func wantTest(t *testing.T, where string) {
	t.Helper()
	folder, name, _ := strings.Cut(where, " ")
	files, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
	if err != nil || name == "" {
		t.Fatalf("no test takes all of this resource with one token: add it to this file (%q)", where)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), "func "+name+"(") {
			return
		}
	}
	t.Errorf("%s has no test %s", folder, name)
}
