package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// ownLogin and ownApp are two sites as a browser sees them; upLogin and upApp are their
// servers.
const (
	ownApp, upApp     = "http://127.0.0.1:9224", "http://localhost:3000"
	ownLogin, upLogin = "http://127.0.0.1:9225", "https://login.example:8443"
)

// twoSites are the moves of a request to the site of logins.
var twoSites = moves{
	{origin{"http", "127.0.0.1:9225"}, origin{"https", "login.example:8443"}},
	{origin{"http", "127.0.0.1:9224"}, origin{"http", "localhost:3000"}},
}

// TestR335Parameters has parameters that are the address of a site, as a request has them
// in the browser and at the server, and others, which stay byte by byte.
func TestR335Parameters(t *testing.T) {
	enc, lower := url.QueryEscape, func(s string) string { return strings.ToLower(url.QueryEscape(s)) }
	for _, tt := range []struct{ name, own, upstream string }{
		{"redirect_uri", "redirect_uri=" + enc(ownApp+"/cb?a=1&b=2"), "redirect_uri=" + enc(upApp+"/cb?a=1&b=2")},
		{"in another case", "redirect_uri=" + lower(ownApp+"/cb"), "redirect_uri=" + lower(upApp+"/cb")},
		{"not encoded", "next=" + ownApp + "/cb?x=1", "next=" + upApp + "/cb?x=1"},
		{"half encoded", "next=http:%2F%2F127.0.0.1:9224%2Fcb", "next=http:%2F%2Flocalhost:3000%2Fcb"},
		{"of the other site", "return_to=" + enc(ownLogin) + "&x", "return_to=" + enc(upLogin) + "&x"},
		{"several", "RelayState=" + enc(ownApp+"#f") + "&Signature=a%2Bb&post_logout_redirect_uri=" + enc(ownApp), "RelayState=" + enc(upApp+"#f") + "&Signature=a%2Bb&post_logout_redirect_uri=" + enc(upApp)},
		{"state", "state=" + enc(ownApp+"/"), "state=" + enc(ownApp+"/")},
		{"no address", "q=127.0.0.1:9224&p=/cb&;&%zz=%zz&=&a==b", "q=127.0.0.1:9224&p=/cb&;&%zz=%zz&=&a==b"},
		{"a port that only begins so", "next=" + enc(ownApp+"5/"), "next=" + enc(ownApp+"5/")},
		{"a host that only begins so", "next=" + enc(ownApp+".evil.example/"), "next=" + enc(ownApp+".evil.example/")},
		{"a user before the host", "next=" + enc("http://127.0.0.1:9224@evil.example/"), "next=" + enc("http://127.0.0.1:9224@evil.example/")},
		{"longer than an origin", "next=http://" + strings.Repeat("a", maxOrigin) + "/", "next=http://" + strings.Repeat("a", maxOrigin) + "/"},
	} {
		if got := moveParams(tt.own, twoSites.originToUpstream, opaque); got != tt.upstream {
			t.Errorf("%s: the server gets %s, want %s", tt.name, got, tt.upstream)
		}
		if tt.name == "state" {
			continue
		}
		location := twoSites.toOwnLocation(upLogin + "/x?" + tt.upstream + "#rest")
		if want := ownLogin + "/x?" + tt.own + "#rest"; location != want {
			t.Errorf("%s: the browser gets %s, want %s", tt.name, location, want)
		}
	}
	// Another name of this machine is not written as toUpstream would write it again.
	for _, address := range []string{"https://else.example/?next=" + enc(upApp), upLogin + "/?iss=" + enc(upLogin) + "&state=" + enc(upApp), upLogin + "/?next=" + enc("http://127.0.0.1:3000/")} {
		if got, want := twoSites.toOwnLocation(address), strings.Replace(address, upLogin+"/", ownLogin+"/", 1); got != want {
			t.Errorf("%s became %s", address, got)
		}
	}
}

// TestR335Requests sends requests to a site beside the app: headers, forms and cookies are
// those that it would get without the proxy.
func TestR335Requests(t *testing.T) {
	var got *http.Request
	var body string
	own, upstream := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		got, body = r, string(b)
		if err != nil {
			t.Error(err)
		}
		for _, cookie := range []string{"session=1; HttpOnly", "__Host-a=2; Path=/", "both=3; Domain=example"} {
			w.Header().Add("Set-Cookie", cookie)
		}
		w.Header().Set("Access-Control-Allow-Origin", upLogin)
		w.Header().Set("Location", upLogin+"/a?next="+url.QueryEscape("http://"+r.Host+"/b"))
		w.Header().Set("Content-Security-Policy", "default-src 'none'; form-action https:; connect-src login.example:8443; frame-src *.example:8443")
	}, func(o *Options) {
		o.Also = []Site{{Upstream: mustParse(upLogin), Port: "9225"}, {Upstream: mustParse("http://app.example"), Port: "9226"}}
		o.First = mustParse("http://app.example")
	})
	host := cookieHost(mustParse(upstream).Host)
	at := strings.Replace(ownLogin, "127.0.0.1", mustParse(own).Hostname(), 1)
	req := httptest.NewRequest("POST", own+"/x?next="+url.QueryEscape(at+"/y"), strings.NewReader("redirect_uri="+url.QueryEscape(own+"/cb")+"&state="+url.QueryEscape(own)))
	req.RequestURI = ""
	for name, value := range map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Origin": at, "Referer": at + "/from?next=" + url.QueryEscape(own),
		"Cookie": "session=app; session~" + host + "=mine; session~login.example=theirs; a~b=app; both~.example=theirs",
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	for what, pair := range map[string][2]string{
		"query":    {got.URL.RawQuery, "next=" + url.QueryEscape(upLogin+"/y")},
		"body":     {body, "redirect_uri=" + url.QueryEscape(upstream+"/cb") + "&state=" + url.QueryEscape(own)},
		"Origin":   {got.Header.Get("Origin"), upLogin},
		"Referer":  {got.Header.Get("Referer"), upLogin + "/from?next=" + url.QueryEscape(upstream)},
		"Cookie":   {got.Header.Get("Cookie"), "session=mine"},
		"Location": {res.Header.Get("Location"), at + "/a?next=" + url.QueryEscape(own+"/b")},
		"CORS":     {res.Header.Get("Access-Control-Allow-Origin"), at},
		"cookies":  {strings.Join(res.Header["Set-Cookie"], ", "), "session~" + host + "=1; HttpOnly, __Host-a~" + host + "=2; Path=/, both~" + host + "=3; Domain=example"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %q, want %q", what, pair[0], pair[1])
		}
	}
	csp := parsePolicies(res.Header.Get("Content-Security-Policy"))
	for _, name := range []string{"form-action", "connect-src", "frame-src"} {
		if d := csp[0].find(name); d == nil || !slices.Contains(d.sources, at) {
			t.Errorf("%s does not name the site at the proxy: %v", name, csp)
		}
	}
}

func mustParse(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return u
}

// TestR335Jars keeps the cookies of hosts apart, as browsers do.
func TestR335Jars(t *testing.T) {
	j := &jars{first: "localhost", hosts: []string{"localhost", "login.corp.example", "app.corp.example"}}
	jar := map[string]string{}
	set := func(host, cookie string) {
		pair, _, _ := strings.Cut(rewriteCookie(cookie, host, j), ";")
		name, value, _ := strings.Cut(pair, "=")
		jar[name] = value
	}
	set("localhost", "sid=1")
	set("login.corp.example", "sid=2")
	set("login.corp.example", "all=3; Domain=.corp.example")
	set("app.corp.example", "sid=4; Domain=app.corp.example")
	set("localhost", "odd~name=5")
	var all []string
	for name, value := range jar {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	for host, want := range map[string]string{
		"localhost": "odd~name=5; sid=1", "login.corp.example": "all=3; sid=2", "app.corp.example": "all=3; sid=4",
	} {
		h := http.Header{"Cookie": {strings.Join(all, "; ")}}
		if j.keep(h, host); h.Get("Cookie") != want {
			t.Errorf("%s gets %q of %q, want %q", host, h.Get("Cookie"), all, want)
		}
	}
}

// TestR335LongForm passes a form on as it is that is longer than maxForm.
func TestR335LongForm(t *testing.T) {
	for length, moved := range map[int]bool{maxForm: true, maxForm + 1: false} {
		text := "next=" + url.QueryEscape(ownApp) + "&a="
		text += strings.Repeat("a", length-len(text))
		r := httptest.NewRequest("POST", "/", strings.NewReader(text))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		twoSites.moveForm(r)
		got, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		if (string(got) != text) != moved || r.ContentLength != int64(len(got)) {
			t.Errorf("%d bytes: moved %v, length %d of %d", length, string(got) != text, r.ContentLength, len(got))
		}
	}
}
