package server

import (
	"archive/zip"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/devtools"
)

// withDevTools has a front end of one page.
func withDevTools(t *testing.T, o *Options) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "frontend.zip")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z := zip.NewWriter(file)
	if _, err = z.Create(devtools.Page); err == nil {
		err = z.Close()
	}
	if err == nil {
		o.DevTools, err = OpenDevTools(path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// socket asks for a ticket for a target, and returns the path of the socket that
// it opens.
func (s started) socket(t *testing.T, target string, lines ...string) string {
	t.Helper()
	got := raw(t, s.addr(false), asking("GET /devtools/ui/?target="+target+" HTTP/1.1", append(lines, "Host: "+s.addr(false))...))
	to, err := url.Parse(got.header.Get("Location"))
	if err != nil || got.status != 302 || to.Path != "/devtools/ui/inspector.html" {
		t.Fatalf("%d %v %v, want the front end", got.status, got.header, err)
	}
	_, path, _ := strings.Cut(to.Query().Get("ws"), "/")
	return "/" + path
}

func TestR180DevToolsAreForTheirOwnOrigin(t *testing.T) {
	s := start(t, func(o *Options) { withDevTools(t, o) })
	s.host(t)
	s.await(t, `"targetId":"T1"`)
	host := "Host: " + s.addr(false)
	const own = "Origin: http://localhost"
	for _, tt := range []struct {
		name   string
		ticket bool
		lines  []string
		status int
	}{
		{"own page with a ticket", true, []string{own}, 101},
		{"program with a ticket", true, nil, 101},
		{"own page without a ticket", false, []string{own, "User-Agent: Mozilla/5.0 (X11; Linux x86_64)"}, 403},
		{"program that names the address as its origin", false, []string{own}, 101},
		{"foreign page with a ticket", true, []string{"Origin: https://evil.example"}, 403},
		{"other port with a ticket", true, []string{"Origin: http://127.0.0.1:1"}, 403},
		{"other scheme with a ticket", true, []string{"Origin: https://localhost"}, 403},
		{"two origins with a ticket", true, []string{own, "Origin: https://evil.example"}, 403},
		{"DevTools of a browser with a ticket", true, []string{"Origin: devtools://devtools"}, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := "/devtools/page/T1"
			if tt.ticket {
				path = s.socket(t, "T1")
			}
			if got := raw(t, s.addr(false), handshake(path, tt.lines...)); got.status != tt.status {
				t.Errorf("%d %s, want %d", got.status, got.body, tt.status)
			}
		})
	}
	for path, lines := range map[string][]string{
		"/devtools/ui/?target=T1":     {host, "Sec-Fetch-Site: cross-site"},
		"/devtools/ui/inspector.html": {host, "Origin: https://evil.example"},
	} {
		if got := raw(t, s.addr(false), asking("GET "+path+" HTTP/1.1", lines...)); got.status != 403 {
			t.Errorf("%s for a foreign page: %d %s, want 403", path, got.status, got.body)
		}
	}
}

func TestR181TicketsOpenOneTarget(t *testing.T) {
	s := start(t, withTokens)
	s.paired(t, hostToken)
	token := "Authorization: Bearer " + clientToken
	used := s.socket(t, "T1", token)
	if strings.Contains(used, clientToken) {
		t.Errorf("%s has the token", used)
	}
	for _, tt := range []struct {
		name, path string
		status     int
	}{
		{"a new ticket", used, 101},
		{"a used ticket", used, 403},
		{"another target", strings.Replace(s.socket(t, "T1", token), "/T1?", "/T2?", 1), 403},
		{"another hub", "/hub/h1" + s.socket(t, "T1", token), 403},
		{"no ticket", "/devtools/page/T1", 401},
		{"an unknown ticket", "/devtools/page/T1?ticket=AAAAAAAAAAAAAAAAAAAAAAAAAA", 403},
		{"the browser", strings.Replace(s.socket(t, "T1", token), "/page/T1", "/browser", 1), 401},
	} {
		if got := raw(t, s.addr(false), handshake(tt.path)); got.status != tt.status {
			t.Errorf("%s: %d %s, want %d", tt.name, got.status, got.body, tt.status)
		}
	}
	for path, want := range map[string]int{"/devtools/ui/?target=T1": 401, "/devtools/ui/?target=T1&token=" + clientToken: 302, "/devtools/ui/inspector.html": 501} {
		if got := raw(t, s.addr(false), asking("GET "+path+" HTTP/1.1", "Host: localhost")); got.status != want {
			t.Errorf("%s: %d %s, want %d", path, got.status, got.body, want)
		}
	}
}

func TestR182TicketsHaveTheRightsOfTheirToken(t *testing.T) {
	token := func(scope string) string {
		return fmt.Sprintf("tokens: [{name: a, token: %s, role: client, scope: %s}, {name: h, token: %s, role: host}]", clientToken, scope, hostToken)
	}
	change, rewrite := withFile(t, token("readonly"))
	s := start(t, change)
	s.paired(t, hostToken)
	c := dial(t, "ws://"+s.addr(false)+s.socket(t, "T1", "Authorization: Bearer "+clientToken), nil)
	c.send(`{"id":1,"method":"Runtime.evaluate","params":{"expression":"1"}}`)
	if got := c.until(`"id":1`); !strings.Contains(got, "needs scope standard") {
		t.Errorf("a ticket of a readonly token evaluates: %s", got)
	}
	late := s.socket(t, "T1", "Authorization: Bearer "+clientToken)
	rewrite("tokens: [{name: h, token: " + hostToken + ", role: host}]")
	if why := c.reason(); why.Code != 4401 && !strings.Contains(why.Text, "token") {
		t.Errorf("the connection ended with %v, want that of a revoked token", why)
	}
	if why := dial(t, "ws://"+s.addr(false)+late, nil).reason(); !strings.Contains(why.Text, "token") {
		t.Errorf("the ticket of a revoked token: %v", why)
	}
}
