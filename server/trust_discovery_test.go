package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// differing are the requests that a hub answers otherwise than Chromium 156, with the reasons. docs/browsers.md has
// them, too.
var differing = map[string]string{
	"GET /json/":                  "lists, as icdp's relay does",
	"GET /json/activate/ID/":      "finds the target: a slash at the end is no part of an id",
	"put /json/new":               "", // equal; the verb is compared without case
	"PUT /json/new?SITE/?a=1&b=2": "opens the whole address: Chromium cuts it at the first &, for its parameter for_tab",
	"PUT /json/new?for_tab":       "a hub lists no tabs, and makes a page",
	"GET /json%2fversion":         "the hub has no such path",
	"GET /jsonx":                  "the hub has no such path",
	"GET /json#x":                 "HTTP sends no fragments",
	"GET /json/close/%zz":         "is no address, and gets 400",
}

// otherVerbs are the verbs with which Chromium closes and activates, and a hub does not: a page of
// another site can send a POST.
var otherVerbs = []string{"PUT", "POST", "DELETE", "OPTIONS", "PATCH", "get", "FOO", "HEAD"}

// discoverer is a server of /json/….
type discoverer struct {
	t    *testing.T
	addr string
	ids  map[string]string // of targets, by their names
}

// ask sends one request. Its answer has SITE and ID in place of what differs between servers.
func (d *discoverer) ask(verb, path string) (status int, kind, body string) {
	d.t.Helper()
	for name, id := range d.ids {
		path = strings.ReplaceAll(path, name, id)
	}
	got := raw(d.t, d.addr, asking(verb+" "+path+" HTTP/1.1", "Host: "+d.addr, "Content-Length: 0", "Connection: close"))
	body = got.body
	for name, id := range d.ids {
		body = strings.ReplaceAll(body, id, name)
	}
	return got.status, strings.ToLower(strings.ReplaceAll(got.header.Get("Content-Type"), " ", "")), body
}

// entries are the pages of /json/list in their order, and the members of all entries.
func (d *discoverer) entries() (pages []string, members []string) {
	d.t.Helper()
	_, _, body := d.ask("GET", "/json/list")
	var list []map[string]string
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		d.t.Fatalf("%s: %v", body, err)
	}
	all := map[string]bool{}
	for _, e := range list {
		if e["type"] == "browser_ui" || e["url"] == "about:blank" {
			continue
		}
		pages = append(pages, e["type"]+" "+e["url"]+" "+e["title"]+" "+e["parentId"])
		for name := range e {
			all[name] = true
		}
	}
	return pages, slices.Sorted(maps.Keys(all))
}

// open makes a page, which is called by a name from then on.
func (d *discoverer) open(name, address string) string {
	d.t.Helper()
	_, _, body := d.ask("PUT", "/json/new?"+address)
	var made struct{ ID, URL string }
	if err := json.Unmarshal([]byte(body), &made); err != nil {
		d.t.Fatalf("%s: %s", address, body)
	}
	d.ids[name] = made.ID
	return made.URL
}

// TestR307DiscoveryIsChromiums sends requests of every kind to /json/… of a bare Chromium and of a hub with one, side by
// side: verbs, paths, escapes, doubled calls, the order and the members of lists.
func TestR307DiscoveryIsChromiums(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>at %s &lt;b&gt; \"q\" 'a' &amp;</title>", r.URL.Path)
	}))
	t.Cleanup(site.Close)
	profile := browsertest.Borrow(t)
	port, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
	if err != nil {
		t.Fatal(err)
	}
	bare := &discoverer{t, "127.0.0.1:" + strings.Split(string(port), "\n")[0], map[string]string{}}
	s := start(t, func(o *Options) { o.Browsers = testBrowser(); o.Browsers.Hubs = []string{browsers.RootHub} })
	hub := &discoverer{t, s.ClientAddr(), map[string]string{}}
	both := func(do func(d *discoverer)) { do(bare); do(hub) }
	compare := func(verb, path string) {
		t.Helper()
		wantStatus, wantKind, want := bare.ask(verb, path)
		status, kind, got := hub.ask(verb, path)
		name := verb + " " + strings.ReplaceAll(path, site.URL, "SITE")
		same := status == wantStatus && kind == wantKind && (status == 200 && kind != "" && strings.HasPrefix(want, "{") || strings.HasPrefix(want, "[") || got == want || verb == "HEAD")
		if why, differs := differing[name]; differs && why != "" {
			if same {
				t.Errorf("%s is answered as Chromium does: it needs no reason", name)
			}
			return
		}
		if !same {
			t.Errorf("%s: %d %s %.120q, Chromium has %d %s %.120q", name, status, kind, got, wantStatus, wantKind, want)
		}
	}
	both(func(d *discoverer) {
		for _, name := range []string{"A", "B", "C"} {
			d.open("TARGET"+name, site.URL+"/"+name)
		}
	})
	for _, verb := range append([]string{"GET"}, otherVerbs...) {
		if verb == "HEAD" {
			continue // Chromium answers with a body, which HTTP forbids
		}
		for _, path := range []string{"/json", "/json/list", "/json/list/", "/json/version", "/json/version/", "/json/nope", "/json/protocol"} {
			compare(verb, path)
		}
		if verb != "PUT" {
			compare(verb, "/json/new")
		}
	}
	for _, path := range []string{
		"/json/", "/json//list", "/json/list/x", "/json/list?x=1", "/json/VERSION", "/json/version/x/y", "/json/version?a#b", "/json/version#x", "/json/ver%73ion", "/json/listx",
		"/json/activate", "/json/activate/", "/json/activate/x", "/json/close", "/json/close/", "/json/close/x/y", "/json/close/%20", "/json/close/a+b", "/json/close/%zz", "/json/new/x", "/json%2fversion", "/jsonx", "/json#x",
	} {
		compare("GET", path)
	}
	addresses := []string{
		site.URL + "/a+b?c+d", site.URL + "/a%20b?x=%2B%26+y", site.URL + "/%25", site.URL + "/caf\u00e9", site.URL + "/caf%C3%A9", site.URL + "/h#frag?x#y", site.URL + "/?q=%23", "data:text/html,<title>a+b</title>x",
		strings.ReplaceAll(site.URL, ":", "%3A"), strings.ToUpper(site.URL[:4]) + site.URL[4:] + "/UP", "about:blank#frag", "nope", "localhost", "example.test/x", "127.0.0.1:1/y", "%", "%zz", "http://[", "http://", "http:///", "http://a:99999/",
		"http://1.2.3.4.5/", "http://a%00b/", "url=" + site.URL, "%20", "", "mailto:x@y", "foo%20bar", "?" + site.URL, "//" + site.URL[5:],
	}
	for _, address := range addresses {
		want, got := bare.open("TARGETX", address), hub.open("TARGETX", address)
		if got != want {
			t.Errorf("PUT /json/new?%s opens %q, Chromium %q", address, got, want)
		}
		both(func(d *discoverer) { d.ask("GET", "/json/close/TARGETX") })
	}
	compare("GET", "/json/activate/TARGETA")
	compare("GET", "/json/activate/TARGETA?x=1")
	compare("GET", "/json/activate/TARGETA#x")
	for range 2 {
		compare("GET", "/json/close/TARGETB")
	}
	compare("GET", "/json/activate/TARGETB")
	var wantPages, pages, wantMembers, members []string
	hubtest.Eventually(t, "titles", func() bool {
		wantPages, wantMembers = bare.entries()
		pages, members = hub.entries()
		// Where there are windows, as in the hub's order, an activated page is first; in a headless shell it stays.
		return len(pages) == 2 && len(wantPages) == 2 && strings.Contains(pages[0], "/A at /A") && strings.Contains(wantPages[0], "/C at /C")
	})
	slices.Reverse(wantPages)
	if !slices.Equal(pages, wantPages) || !slices.Equal(members, wantMembers) {
		t.Errorf("the list has %q of %q, Chromium's %q of %q", pages, members, wantPages, wantMembers)
	}
	both(func(d *discoverer) { d.open("TARGETN", site.URL+"/D") })
	hubtest.Eventually(t, "the newest page to be first", func() bool {
		p, _ := hub.entries()
		b, _ := bare.entries()
		return strings.Contains(p[0], "/D") && strings.Contains(b[0], "/D")
	})
	var version, wantVersion map[string]string
	_, _, body := bare.ask("GET", "/json/version")
	_, _, own := hub.ask("GET", "/json/version")
	if json.Unmarshal([]byte(body), &wantVersion) != nil || json.Unmarshal([]byte(own), &version) != nil {
		t.Fatal(body, own)
	}
	delete(wantVersion, "webSocketDebuggerUrl") // that of Chromium changes with each start
	delete(version, "webSocketDebuggerUrl")
	if !maps.Equal(version, wantVersion) {
		t.Errorf("/json/version has %q, Chromium %q", version, wantVersion)
	}
	both(func(d *discoverer) {
		for name := range d.ids {
			d.ask("GET", "/json/close/"+name)
		}
	})
}
