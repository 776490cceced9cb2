package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// each parameter of a Client's URL with one letter left out, doubled, changed, or exchanged
// with the next is refused with its name, at each kind of path.
func TestR323MisspelledParams(t *testing.T) {
	s := start(t, nil)
	s.host(t)
	known := slices.Concat(socketParams, otherParams)
	for _, name := range known {
		for i := range len(name) {
			for _, wrong := range []string{name[:i] + name[i+1:], name[:i+1] + name[i:], name[:i] + "x" + name[i+1:], exchange(name, i)} {
				if slices.Contains(known, wrong) || wrong == "" {
					continue
				}
				got := hubtest.Raw(t, s.addr(false), hubtest.Handshake("/devtools/browser?"+wrong+"=work"))
				if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, wrong+"=") {
					t.Fatalf("?%s=work: %d %s, want 400 and %s", wrong, got.Status, got.Body, name)
				}
			}
		}
	}
	for path, want := range map[string]string{
		"/devtools/browser?sesion=work":       "write session=",
		"/devtools/page/T1?tab=own":           "write tabs=",
		"/json/version?sesssion=work":         "write session=",
		"/json/list?acess_token=x":            "write access_token=",
		"/hub/mine/devtools/browser?fresch=1": "write fresh=",
		"/ws?namee=x":                         "write name=",
		"/mcp?cap=pdf":                        "write caps=",
	} {
		got := hubtest.Raw(t, s.addr(false), hubtest.Handshake(path))
		if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, want) {
			t.Errorf("%s: %d %s, want 400 with %q", path, got.Status, got.Body, want)
		}
	}
}

// exchange makes two letters of a name change places.
func exchange(name string, i int) string {
	if i+1 >= len(name) {
		return name
	}
	return name[:i] + name[i+1:i+2] + name[i:i+1] + name[i+2:]
}

// TestR353ParamsOfResources wants what looks like a filter to be refused where there are none, and to be ignored where
// Chromium ignores it.
func TestR353ParamsOfResources(t *testing.T) {
	s := start(t, withTokens)
	for path, refused := range map[string]bool{
		"GET /downloads?limit=5": true, "GET /downloads?name=report.pdf": true, "GET /downloads/?x": true, "GET /hub/mine/downloads?since=1": true,
		"GET /downloads/ID?inline=1": true, "DELETE /downloads/ID?force=true": true, "GET /sessions?state=away": true, "DELETE /sessions/work?force=1": true,
		"GET /downloads?token=" + clientToken: false, "GET /downloads": false, "GET /sessions": false, "GET /downloads?tabs=own": false,
		"GET /json/list?limit=5": false, "GET /json/version?t=1": false, "GET /json?page=2": false,
	} {
		got := hubtest.Raw(t, s.addr(false), hubtest.Request(path+" HTTP/1.1", "Host: localhost", "Authorization: Bearer "+clientToken))
		if is := got.Status == http.StatusBadRequest && strings.Contains(got.Body, "has no effect"); is != refused {
			t.Errorf("%s: %d %s, want it to be refused: %v", path, got.Status, got.Body, refused)
		}
	}
}

// a parameter that is none of the hub's is ignored, as Chromium ignores it. These are what
// other services and proxies add to the URL of a CDP endpoint.
func TestR323ParamsOfOthers(t *testing.T) {
	s := start(t, nil)
	s.host(t)
	for _, name := range []string{
		"apiKey", "api_key", "page", "id", "type", "time", "timeout", "stealth", "headless", "blockAds", "launch", "ttl", "trackingId", "proxy",
		"browser", "keepAlive", "region", "user", "key", "date", "tag", "lang", "code", "for_tab", "utm_source", "solveCaptchas", "record", "t", "v", "_", "sessionId", "targetId", "refresh",
	} {
		if got := hubtest.Raw(t, s.addr(false), hubtest.Handshake("/devtools/browser?"+name+"=1")); got.Status != http.StatusSwitchingProtocols {
			t.Errorf("?%s=1: %d %s, want 101", name, got.Status, got.Body)
		}
	}
	if got := hubtest.Raw(t, s.addr(false), hubtest.Request("PUT /json/new?http://127.0.0.1/?sesion=1 HTTP/1.1", "Host: localhost")); strings.Contains(got.Body, "write session=") {
		t.Errorf("the address of a new page: %d %s", got.Status, got.Body)
	}
}
