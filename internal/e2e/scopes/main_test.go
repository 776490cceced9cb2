package scopes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// secret is what no Client below privileged may have.
const secret = "canary-5f1c9a"

// crumb is a cookie that no Client below full may have, nor any script.
const crumb = "crumb-77e0b2"

// stage is a hub that wants tokens, with a browser behind it, a file that holds
// the secret and a folder that must stay empty.
type stage struct {
	*testing.T
	hub          *harness.Hub
	key          string
	site         string
	file, folder string
	served       *atomic.Int64 // how often the file of the site
	hidesCookies bool          // from the Clients
}

// page says how often it has been changed, resized or hidden.
const page = `<!doctype html><title>%s</title><h1>Page</h1><input type=file><a href="/file" download="evil.txt">get</a>
<script>
	changes = [];
	for (const kind of ["resize", "visibilitychange", "freeze", "beforeprint", "focus", "blur", "scroll"]) addEventListener(kind, () => changes.push(kind), true);
	new MutationObserver((list) => changes.push(...list.map((m) => m.type))).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
</script>`

// newStage has the browser that startHub starts behind its hub.
func newStage(t *testing.T, startHub func(testing.TB, string, ...string) *harness.Hub) *stage {
	t.Helper()
	s := &stage{T: t, folder: t.TempDir(), served: new(atomic.Int64)}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			s.served.Add(1)
			w.Header().Set("Content-Disposition", "attachment; filename=evil.txt")
			io.WriteString(w, "evil")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: crumb, HttpOnly: true})
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, page, r.URL.Path)
	}))
	t.Cleanup(site.Close)
	s.site = site.URL
	s.key = filepath.Join(t.TempDir(), "key")
	s.file = filepath.Join(t.TempDir(), "canary.txt")
	s.write(s.key, strings.Repeat("secret", 8))
	s.write(s.file, secret)
	t.Setenv("HOME", s.folder) // where a browser would leave downloads
	s.hub = startHub(t, s.site+"/start", "--jwt-key", s.key,
		"--browser-arg=--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
	return s
}

func (s *stage) write(path, text string) {
	s.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

// client connects a Client of a scope.
func (s *stage) client(scope string) *harness.CDP {
	s.Helper()
	return harness.DialCDPAs(s.T, "http://"+s.hub.ClientAddr, s.token(scope))
}

// open opens a page and attaches to it.
func (s *stage) open(c *harness.CDP, url, contextID string) (target, session string) {
	s.Helper()
	params := map[string]any{"url": url}
	if contextID != "" {
		params["browserContextId"] = contextID
	}
	target = member(s.T, c.Call(s.T, "", "Target.createTarget", params), "targetId")
	session = c.Attach(s.T, target)
	harness.Eventually(s.T, harness.Soon, func() error {
		if state := c.Evaluate(s.T, session, "location.href + ' ' + document.readyState"); state != fmt.Sprintf("%q", url+" complete") {
			return fmt.Errorf("%s is %s", url, state)
		}
		return nil
	})
	return target, session
}

// member reads a string of a result.
func member(t *testing.T, result json.RawMessage, name string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal(result, &all); err != nil {
		t.Fatal(err)
	}
	text, _ := all[name].(string)
	return text
}

// untouched checks that a Client has heard nothing of the secret, and that the
// file and the folder are as they were.
func (s *stage) untouched(who string, c *harness.CDP) {
	s.Helper()
	for _, m := range c.All(func(m harness.Message) bool {
		has := func(text string) bool {
			return bytes.Contains(m.Params, []byte(text)) || bytes.Contains(m.Result, []byte(text))
		}
		return has(secret) || has(crumb) && s.hidesCookies
	}) {
		s.Errorf("%s has the secret, by %s %.300s%.300s", who, m.Method, m.Params, m.Result)
	}
	if text, err := os.ReadFile(s.file); err != nil || string(text) != secret {
		s.Errorf("%s has changed the file: %q, %v", who, text, err)
	}
	_ = filepath.WalkDir(s.folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.Contains(d.Name(), "evil") {
			s.Errorf("%s has written %s", who, path)
		}
		return nil
	})
}
