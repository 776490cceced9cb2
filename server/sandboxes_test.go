package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/sandboxes"
)

// sandbox asks for a path of sandboxes, with lines of a header.
func (s started) sandbox(t *testing.T, first string, lines ...string) (said, sandboxes.Record) {
	t.Helper()
	if len(lines) == 0 {
		lines = []string{"Authorization: Bearer " + clientToken}
	}
	host := "Host: " + s.addr(false)
	if strings.HasPrefix(lines[0], "Host: ") {
		host, lines = lines[0], append(lines[1:], "Authorization: Bearer "+clientToken)
	}
	got := raw(t, s.addr(false), asking(first+" HTTP/1.1", append([]string{host}, lines...)...))
	var r sandboxes.Record
	if got.status < 300 && strings.HasPrefix(got.body, "{") {
		if err := json.Unmarshal([]byte(got.body), &r); err != nil {
			t.Errorf("%s: %s: %v", first, got.body, err)
		}
	}
	return got, r
}

func TestSandboxes(t *testing.T) {
	s := start(t, func(o *Options) {
		withActions(o)
		o.Browsers = fakeBrowsers(works, front.SandboxPrefix+"*")
	})
	made, r := s.sandbox(t, "POST "+sandboxes.Path)
	name := r.SandboxID
	at := "ws://" + s.addr(false) + "/hub/" + name
	want := sandboxes.Record{SandboxID: name, WSEndpoint: at + "/cdp", NDJSONEndpoint: at + "/ndjson", CreatedAt: r.CreatedAt, AccessToken: r.AccessToken}
	if made.status != 201 || r != want || !regexp.MustCompile(`^sandbox-[a-z2-7]{26}$`).MatchString(name) || time.Since(r.CreatedAt) > time.Minute {
		t.Fatalf("%d %s, want %+v", made.status, made.body, want)
	}
	if at := made.header.Get("Location"); at != sandboxes.Path+"/"+name {
		t.Errorf("Location is %q", at)
	}
	if s.browsers.Numbers().Running != 1 {
		t.Error("it has no browser")
	}
	if got, read := s.sandbox(t, "GET "+sandboxes.Path+"/"+name); got.status != 200 || read != withoutToken(r) {
		t.Errorf("read: %d %+v, want %+v", got.status, read, r)
	}
	if derived := strings.TrimSuffix(r.WSEndpoint, "/cdp") + "/ndjson"; derived != r.NDJSONEndpoint {
		t.Errorf("%s cannot be derived: %s", r.NDJSONEndpoint, derived)
	}
	header := http.Header{"Sec-WebSocket-Protocol": {"bearer." + clientToken}}
	a, cdp := dial(t, r.NDJSONEndpoint, header), dial(t, r.WSEndpoint, header)
	rpc := dial(t, "ws://"+s.addr(false)+"/session/"+name+"/rpc", header)
	for _, c := range []*far{a, rpc} {
		c.send(`{"id":"1","action":"session.list","session":"` + name + `"}`)
		c.wants(`{"id":"1","success":true,"data":{"sessions":["` + name + `"]}}`)
	}
	if got, _ := s.sandbox(t, "DELETE "+sandboxes.Path+"/"+name); got.status != 204 {
		t.Errorf("delete: %d %s", got.status, got.body)
	}
	for _, c := range []*far{a, cdp, rpc} {
		if why := c.reason(); why != wsconn.ReasonDeleted {
			t.Errorf("closed with %v, want 1001 sandbox deleted", why)
		}
	}
	if s.browsers.Numbers().Running != 0 {
		t.Error("its browser is still there")
	}
	for _, first := range []string{"GET", "DELETE"} {
		if got, _ := s.sandbox(t, first+" "+sandboxes.Path+"/"+name); got.status != 404 {
			t.Errorf("%s afterwards: %d", first, got.status)
		}
	}
	for _, path := range []string{"/ndjson", "/cdp", "/devtools/browser"} {
		if got := raw(t, s.addr(false), handshake("/hub/"+name+path, "Authorization: Bearer "+clientToken)); got.status != 404 {
			t.Errorf("%s comes back with %d", path, got.status)
		}
	}
	if got := raw(t, s.addr(true), handshake("/hub/"+name+"/icdp/host", "Authorization: Bearer "+hostToken)); got.status != 404 {
		t.Errorf("a Host of it: %d, want 404", got.status)
	}
}

// TestSandboxRefusals are JSON, and there is no sandbox without a browser.
func TestSandboxRefusals(t *testing.T) {
	s := start(t, nil)
	for request, want := range map[string]string{
		"POST " + sandboxes.Path:               `409 {"error":"A sandbox would have no browser: start cdphub with --browser, and let --browser-hub name sandbox-*."}`,
		"PUT " + sandboxes.Path:                `405 {"error":"Create a sandbox with POST, or list sandboxes with GET."}`,
		"GET " + sandboxes.Path + "/nobody":    `404 {"error":"the sandbox does not exist (it may have ended)"}`,
		"DELETE " + sandboxes.Path + "/nobody": `404 {"error":"the sandbox does not exist (it may have ended)"}`,
		"PATCH " + sandboxes.Path + "/nobody":  `405 {"error":"Read a sandbox with GET, or delete it with DELETE."}`,
	} {
		got, _ := s.sandbox(t, request)
		if text := fmt.Sprint(got.status, " ", strings.TrimSpace(got.body)); text != want || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s as %s, want %s", request, text, got.header.Get("Content-Type"), want)
		}
	}
}

// withoutToken is a record as it can be read later.
func withoutToken(r sandboxes.Record) sandboxes.Record {
	r.AccessToken = ""
	return r
}

// TestR122SandboxTokens wants the token of a sandbox to open that alone, and to end
// with it.
func TestR122SandboxTokens(t *testing.T) {
	const other = "token-of-somebody-else"
	change, _ := withFile(t, "tokens: [{name: other, token: "+other+", role: client, hub: '*', scope: full}]")
	s := start(t, func(o *Options) { withActions(o); change(o); o.Actions.MaxSandboxes = 3 })
	_, one := s.sandbox(t, "POST "+sandboxes.Path)
	_, two := s.sandbox(t, "POST "+sandboxes.Path)
	_, others := s.sandbox(t, "POST "+sandboxes.Path, "Authorization: Bearer "+other)
	open := func(sandbox sandboxes.Record, path, token string) int {
		return raw(t, s.addr(false), handshake("/hub/"+sandbox.SandboxID+path, "Authorization: Bearer "+token)).status
	}
	for _, path := range []string{"/cdp", "/ndjson", "/devtools/browser"} {
		if status := open(one, path, one.AccessToken); status != 101 {
			t.Errorf("%s with the token of the sandbox: %d, want 101", path, status)
		}
		if status := open(two, path, one.AccessToken); status != 401 {
			t.Errorf("%s of another sandbox: %d, want 401", path, status)
		}
	}
	for _, path := range []string{"/devtools/browser", "/hub/one/devtools/browser"} {
		if got := raw(t, s.addr(false), handshake(path, "Authorization: Bearer "+one.AccessToken)); got.status != 401 {
			t.Errorf("%s, which is no sandbox: %d, want 401", path, got.status)
		}
	}
	if got, _ := s.sandbox(t, "POST "+sandboxes.Path, "Authorization: Bearer "+one.AccessToken); got.status != 401 {
		t.Errorf("making another sandbox: %d, want 401", got.status)
	}
	for token, want := range map[string][]sandboxes.Record{clientToken: {withoutToken(one), withoutToken(two)}, other: {withoutToken(others)}} {
		got, _ := s.sandbox(t, "GET "+sandboxes.Path, "Authorization: Bearer "+token)
		var list struct{ Sandboxes []sandboxes.Record }
		if err := json.Unmarshal([]byte(got.body), &list); err != nil || got.status != 200 || !slices.Equal(list.Sandboxes, want) {
			t.Errorf("the list of %s: %d %s, %v; want %+v", token, got.status, got.body, err, want)
		}
	}
	c := dial(t, one.WSEndpoint, bearer(one.AccessToken))
	s.sandbox(t, "DELETE "+sandboxes.Path+"/"+one.SandboxID)
	if why := c.reason(); why != wsconn.ReasonDeleted {
		t.Errorf("closed with %v, want 1001 sandbox deleted", why)
	}
	for end := time.Now().Add(within); open(one, "/cdp", one.AccessToken) != 401; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the token has outlived its sandbox")
		}
	}
}

func TestSandboxesAreFew(t *testing.T) {
	s := start(t, withActions)
	_, one := s.sandbox(t, "POST "+sandboxes.Path)
	_, two := s.sandbox(t, "POST "+sandboxes.Path+"/")
	if one.SandboxID == two.SandboxID || two.SandboxID == "" {
		t.Errorf("two sandboxes: %q and %q", one.SandboxID, two.SandboxID)
	}
	if got, _ := s.sandbox(t, "POST "+sandboxes.Path); got.status != 503 || !strings.Contains(got.body, "--max-sandboxes") {
		t.Errorf("a third: %d %s", got.status, got.body)
	}
	s.sandbox(t, "DELETE "+sandboxes.Path+"/"+one.SandboxID)
	if got, _ := s.sandbox(t, "POST "+sandboxes.Path); got.status != 201 {
		t.Errorf("in its place: %d %s", got.status, got.body)
	}
	for first, allowed := range map[string]string{"PUT " + sandboxes.Path: "GET, POST", "PUT " + sandboxes.Path + "/" + two.SandboxID: "GET, DELETE"} {
		if got, _ := s.sandbox(t, first); got.status != 405 || got.header.Get("Allow") != allowed {
			t.Errorf("%s: %d, allowed %q", first, got.status, got.header.Get("Allow"))
		}
	}
	if got, _ := s.sandbox(t, "GET "+sandboxes.Path+"/default"); got.status != 404 {
		t.Errorf("a hub that is no sandbox: %d, want 404", got.status)
	}
}

func TestSandboxWithoutBrowser(t *testing.T) {
	s := start(t, func(o *Options) {
		withActions(o)
		o.Browsers = fakeBrowsers(func() error { return wsconn.ErrHandshake }, "/", "*")
	})
	for range 3 { // no place is lost
		if got, _ := s.sandbox(t, "POST "+sandboxes.Path); got.status != 503 {
			t.Errorf("%d %s, want 503", got.status, got.body)
		}
	}
}

// TestR24SandboxesNeedScopeFull on every hub.
func TestR24SandboxesNeedScopeFull(t *testing.T) {
	const standard, ofHub, full = "token-standard--", "token-of-one-hub", "token-of-all-hub"
	change, _ := withFile(t, `tokens:
  - {token: `+standard+`, role: client, hub: "*", scope: standard}
  - {token: `+ofHub+`, role: client, hub: one, scope: full}
  - {token: `+full+`, role: client, hub: "*", scope: full}
`)
	s := start(t, func(f *Options) {
		withActions(f)
		f.Tokens.Client, f.Tokens.Host, f.Tokens.Admin = "", "", ""
		change(f)
	})
	for token, status := range map[string]int{standard: 403, ofHub: 401, full: 201, wrongToken: 401} {
		if got, _ := s.sandbox(t, "POST "+sandboxes.Path, "Authorization: Bearer "+token); got.status != status {
			t.Errorf("%s: %d %s, want %d", token, got.status, got.body, status)
		}
	}
	if got, _ := s.sandbox(t, "POST "+sandboxes.Path, "Origin: https://evil.example", "Authorization: Bearer "+full); got.status != 403 {
		t.Errorf("from a page: %d, want 403", got.status)
	}
}

func TestSandboxesBelowADomain(t *testing.T) {
	s := start(t, func(f *Options) { withActions(f); f.BaseDomain = "hubs.example" })
	_, r := s.sandbox(t, "POST "+sandboxes.Path, "Host: hubs.example:81")
	if want := "ws://" + r.SandboxID + ".hubs.example:81/cdp"; r.WSEndpoint != want {
		t.Errorf("%s, want %s", r.WSEndpoint, want)
	}
	c := dial(t, "ws://"+s.addr(false)+"/ndjson", http.Header{"Host": {r.SandboxID + ".hubs.example"}, "Authorization": {"Bearer " + clientToken}})
	c.send(listSessions)
	c.wants(`{"id":"1","success":true,"data":{"sessions":["` + r.SandboxID + `"]}}`)
}

// TestSandboxesEndClientsWithin the process too: those of callers over HTTP.
func TestSandboxesEndClientsWithin(t *testing.T) {
	s := start(t, withActions)
	_, r := s.sandbox(t, "POST "+sandboxes.Path)
	join := s.clientsOf(r.SandboxID, relay.ClientOptions{})
	stays, err := join(func(string, string, []byte) {})
	if err != nil {
		t.Fatal(err)
	}
	goes, err := join(func(string, string, []byte) {})
	if err != nil {
		t.Fatal(err)
	}
	left := func() bool { // other errors are the browser's, which answers nothing
		_, err := stays.Send("", "Browser.getVersion", nil)(t.Context())
		return err != nil && strings.Contains(err.Error(), "has left")
	}
	goes.Leave()
	if left() {
		t.Error("it was ended while it was in use")
	}
	s.sandbox(t, "DELETE "+sandboxes.Path+"/"+r.SandboxID)
	for end := time.Now().Add(within); !left(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a Client has outlived its sandbox")
		}
	}
	stays.Leave()
	if _, err := join(func(string, string, []byte) {}); err == nil {
		t.Error("another Client has joined it")
	}
}
