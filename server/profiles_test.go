package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestR351ProfilesAreKept has two tokens and a sandbox log in, restarts the hub, and wants each
// token, and nobody else, to have its own log-in.
func TestR351ProfilesAreKept(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := r.URL.Query().Get("name"); name != "" {
			http.SetCookie(w, &http.Cookie{Name: "user", Value: name, MaxAge: 1000})
		}
		user := "nobody"
		if c, err := r.Cookie("user"); err == nil {
			user = c.Value
		}
		fmt.Fprint(w, "<title>", user, "</title>")
	}))
	t.Cleanup(site.Close)
	dir := t.TempDir()
	titles := func(query string, tokens ...string) (titles []string) {
		s := withShares(t, func(o *Options) {
			o.Browsers = testBrowser()
			o.Browsers.Profiles, o.Browsers.Hubs, o.Browsers.Max = dir, nil, 8
		})
		for _, token := range tokens {
			path := "/devtools/browser"
			if token == rootsToken {
				_, made := s.sandbox(t, "POST /browser-sandboxes", "Authorization: Bearer "+token)
				path = "/hub/" + made.SandboxID + path
			}
			d := &cdpSocket{far: dial(t, "ws://"+s.addr(false)+path, bearer(token))}
			d.send(fmt.Sprintf(`{"id":1,"method":"Target.createTarget","params":{"url":"%s/%s"}}`, site.URL, strings.ReplaceAll(query, "NAME", token)))
			session := d.Attach(resultText(t, d.until(`"id":1,`), "targetId"))
			d.send(fmt.Sprintf(`{"id":2,"method":"Runtime.evaluate","params":{"expression":"new Promise((done) => { const look = () => document.title ? done(document.title) : setTimeout(look, 10); look(); })","awaitPromise":true},"sessionId":%q}`, session))
			titles = append(titles, d.until(`"id":2,`))
		}
		s.stop()
		return titles
	}
	titles("?name=NAME", annsToken, bobsToken, rootsToken)
	after := titles("", annsToken, teamToken, bobsToken, rootsToken)
	for i, want := range []string{annsToken, "nobody", bobsToken, "nobody"} {
		if !strings.Contains(after[i], `"value":"`+want) {
			t.Errorf("browser %d has %s, want %s", i, after[i], want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, e := range entries {
		folders = append(folders, e.Name())
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the mode of %s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
	want := []string{"_" + ownShare(annsToken), "_" + ownShare(bobsToken), "_team"}
	slices.Sort(want)
	if !slices.Equal(folders, want) {
		t.Errorf("there are %v, want %v", folders, want)
	}
}
