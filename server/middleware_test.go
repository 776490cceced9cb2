package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/sandboxes"
)

// TestR07BodiesThatAreNotJSON sends what a page of any site could, and requests
// of other methods, to the paths that take calls over HTTP. Nothing is executed.
func TestR07BodiesThatAreNotJSON(t *testing.T) {
	s := start(t, func(f *Options) {
		f.Tokens.Client, f.Actions.MaxSandboxes = clientToken, 4
		f.Browsers = fakeBrowsers(works, front.SandboxPrefix+"*")
		f.ClientOrigins = []string{"https://friend.example"}
	})
	token := "Authorization: Bearer " + clientToken
	const asJSON = "Content-Type: application/json; charset=utf-8"
	for path, allowed := range map[string]string{"/hooks/invoke": "POST", "/mcp": "POST, DELETE", sandboxes.Path: "GET, POST", "/hub/x/hooks/invoke": "POST"} {
		for _, tt := range []struct {
			name, method string
			lines        []string
			status       int
		}{
			{"text", "POST", []string{token, "Content-Type: text/plain"}, 415},
			{"a form", "POST", []string{token, "Content-Type: application/x-www-form-urlencoded"}, 415},
			{"a form of parts", "POST", []string{token, "Content-Type: multipart/form-data; boundary=x"}, 415},
			{"no name", "POST", []string{token}, 415},
			{"a name that is none", "POST", []string{token, "Content-Type: application/json, text/plain"}, 415},
			{"text that says it is JSON", "POST", []string{token, "Content-Type: text/plain; a=application/json"}, 415},
			{"text of a friend", "POST", []string{token, "Content-Type: text/plain", "Origin: https://friend.example"}, 415},
			{"a foreign origin", "POST", []string{token, asJSON, "Origin: https://evil.example"}, 403},
			{"no origin", "POST", []string{token, asJSON, "Origin: null"}, 403},
			{"another site", "POST", []string{token, asJSON, "Sec-Fetch-Site: cross-site"}, 403},
			{"text without a token", "POST", []string{"Content-Type: text/plain"}, 401},
			{"PATCH", "PATCH", []string{token, asJSON}, 405},
			{"PUT", "PUT", []string{token, asJSON}, 405},
			{"OPTIONS", "OPTIONS", []string{token, asJSON}, 405},
		} {
			const body = `{"name":"browser.list"}`
			got := raw(t, s.addr(false), asking(tt.method+" "+path+" HTTP/1.1", append(tt.lines, "Host: localhost", "Content-Length: 23")...)+body)
			if got.status != tt.status {
				t.Errorf("%s with %s: %d %s, want %d", path, tt.name, got.status, got.body, tt.status)
			}
			if tt.status == 415 && !strings.Contains(got.body, "Content-Type: application/json") {
				t.Errorf("%s with %s: %q does not say what to do", path, tt.name, got.body)
			}
			if tt.status == 405 && got.header.Get("Allow") != allowed {
				t.Errorf("%s with %s: Allow is %q, want %q", path, tt.name, got.header.Get("Allow"), allowed)
			}
		}
	}
	if n := len(s.sandboxes.Names()); n != 0 {
		t.Errorf("%d sandboxes were made", n)
	}
	good := raw(t, s.addr(false), asking("POST "+sandboxes.Path+" HTTP/1.1", token, asJSON, "Host: localhost", "Content-Length: 2")+"{}")
	if good.status != 201 {
		t.Errorf("JSON: %d %s, want 201", good.status, good.body)
	}
}

// TestBAPConnectionsOfAnAddress opens one more than there may be.
func TestBAPConnectionsOfAnAddress(t *testing.T) {
	s := start(t, func(f *Options) { f.Tokens.TrustedProxies = []string{"127.0.0.1"} })
	url := "ws://" + s.addr(false) + "/bap"
	from := func(n int) string { return fmt.Sprintf("2001:db8::%x", n) } // all of one network
	var last *far
	for n := range 10 {
		last = dial(t, url, http.Header{"X-Forwarded-For": {from(n)}})
	}
	for _, path := range []string{"/bap", "/", "/hub/other/bap"} {
		if got := raw(t, s.addr(false), handshake(path, "X-Forwarded-For: "+from(10))); got.status != 429 || got.header.Get("Retry-After") == "" || !strings.Contains(got.body, "--bap-connections") {
			t.Errorf("%s: the eleventh is answered with %d %q, want 429", path, got.status, got.body)
		}
	}
	if got := raw(t, s.addr(false), handshake("/bap", "X-Forwarded-For: 2001:db8:0:1::1")); got.status != 101 {
		t.Errorf("another network: %d, want 101", got.status)
	}
	dial(t, "ws://"+s.addr(false)+"/ndjson", nil)
	last.Conn.Close(wsconn.ReasonNormal)
	for end := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		if got := raw(t, s.addr(false), handshake("/bap", "X-Forwarded-For: "+from(11))); got.status == 101 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the place of a connection that has ended is still taken")
		}
	}
}
