package e2e

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// The answers over HTTP that clients look for, with and without a trailing slash.
func TestDiscovery(t *testing.T) {
	onlyHub(t)
	e := newEndpoint(t)
	socket := "ws://" + e.hub.clientAddr + "/devtools/browser"
	page := map[string]any{
		"description": "icdp iframe target", "id": "app-1", "title": "Field book",
		"type": "page", "url": e.site.app.URL + appPage, "webSocketDebuggerUrl": socket,
	}
	// Whether the program has a front end depends on what was built before it. Each
	// request gets another ticket.
	frontend := regexp.MustCompile(`"devtoolsFrontendUrl":"(http://` + regexp.QuoteMeta(e.hub.clientAddr) + `/devtools/ui/inspector\.html\?ws=[^"&]+%2Fdevtools%2Fpage%2Fapp-1%3Fticket%3D[A-Z2-7]{26})?",`)
	for _, path := range []string{"/json", "/json/", "/json/list", "/json/list/"} {
		code, body := e.hub.get(t, "GET", path)
		expectJSON(t, path, code, frontend.ReplaceAllString(body, ""), []any{page})
	}
	code, body := e.hub.get(t, "GET", "/icdp/status")
	expectJSON(t, "/icdp/status", code, body, map[string]any{
		"hostConnected": true, "clients": float64(0),
		"targets": []any{map[string]any{"targetId": "app-1", "title": "Field book", "url": e.site.app.URL + appPage}},
	})

	for _, path := range []string{"/json/version", "/json/version/"} {
		code, body := e.hub.get(t, "GET", path)
		var version map[string]string
		if err := json.Unmarshal([]byte(body), &version); err != nil || code != 200 {
			t.Fatalf("%s: %d %s", path, code, body)
		}
		for field, want := range map[string]string{
			"Browser": `^\S+/\S+$`, "Protocol-Version": `^1\.3$`, "User-Agent": `.`, "V8-Version": `^synthetic$`,
			"WebKit-Version": `^synthetic$`, "webSocketDebuggerUrl": "^" + regexp.QuoteMeta(socket) + "$",
		} {
			if !regexp.MustCompile(want).MatchString(version[field]) {
				t.Errorf("%s: %s is %q, want %s", path, field, version[field], want)
			}
		}
	}
	if code, body := e.hub.get(t, "GET", "/"); code != 200 || !strings.Contains(body, socket) { // wait-on and health checks ask so
		t.Errorf("/: %d %s, want 200 and the addresses", code, body)
	}
	for _, path := range []string{"/json/nosuch", "//json/version", "/devtools"} {
		if code, body := e.hub.get(t, "GET", path); code != 404 {
			t.Errorf("%s: %d %s, want 404", path, code, body)
		}
	}
}

// expectJSON compares the answer to a path with want.
func expectJSON(t *testing.T, path string, code int, body string, want any) {
	t.Helper()
	var got any
	if err := json.Unmarshal([]byte(body), &got); err != nil || code != 200 || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %d\n  %s\nwant\n  %v", path, code, body, want)
	}
}
