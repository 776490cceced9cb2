package proxy

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/zap"
)

// TestOrigins has ports that go without saying, which browsers leave out and
// apps may write.
func TestOrigins(t *testing.T) {
	to := origin{"http", "127.0.0.1:9223"}
	for _, tt := range []struct{ from, address, want string }{
		{"https://app.example", "https://app.example:443/a", "http://127.0.0.1:9223/a"},
		{"https://app.example:443", "https://APP.example/a", "http://127.0.0.1:9223/a"},
		{"http://app.example", "http://app.example:80/a", "http://127.0.0.1:9223/a"},
		{"http://app.example:80", "//app.example/a", "http://127.0.0.1:9223/a"},
		{"https://app.example", "https://app.example:80/a", "https://app.example:80/a"},
		{"https://app.example", "http://app.example:443/a", "http://app.example:443/a"},
		{"https://app.example", "https://app.example:8443/a", "https://app.example:8443/a"},
	} {
		u, err := url.Parse(tt.from)
		if err != nil {
			t.Fatal(err)
		}
		if got := moveURL(tt.address, originOf(u), to); got != tt.want {
			t.Errorf("%s of %s became %s, want %s", tt.address, tt.from, got, tt.want)
		}
	}
}

func TestRequestAsIfDirect(t *testing.T) {
	var got *http.Request
	own, upstream := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r }, nil)
	ask(t, "GET", own+"/a%2Fb?q=1;2&%zz", "Origin: "+own, "Referer: "+own+"/from?x", "Accept-Encoding: br, gzip", "Sec-Fetch-Dest: document",
		`If-None-Match: "a"`, "If-Modified-Since: x", "Cookie: a=b")
	if got.RequestURI != "/a%2Fb?q=1;2&%zz" || "http://"+got.Host != upstream {
		t.Errorf("asked %s of %s", got.RequestURI, got.Host)
	}
	want := http.Header{
		"Origin": {upstream}, "Referer": {upstream + "/from?x"}, "Accept-Encoding": {"br, gzip"}, "Sec-Fetch-Dest": {"document"}, "Cookie": {"a=b"},
		"User-Agent": got.Header["User-Agent"],
	}
	if fmt.Sprint(got.Header) != fmt.Sprint(want) {
		t.Errorf("headers %v\nwant %v", got.Header, want)
	}
	ask(t, "GET", own+"/", "Origin: https://other.example", "Referer: "+own+".other.example/", "Accept-Encoding: br", "Sec-Fetch-Dest: image", `If-None-Match: "a"`)
	h := got.Header
	if h.Get("Origin") != "https://other.example" || h.Get("Referer") != own+".other.example/" || h.Get("Accept-Encoding") != "br" || h.Get("If-None-Match") != `"a"` {
		t.Errorf("of another origin: %v", h)
	}
	for given, want := range map[string]string{"dcb, dcz": "identity", "gzip, deflate, br, zstd, dcb;q=0.5": "gzip, deflate, br, zstd", "*": "identity", "compress, ZSTD;q=0.1": "ZSTD;q=0.1"} {
		for _, dest := range []string{"iframe", "script", "style", "worker"} {
			ask(t, "GET", own+"/", "Accept-Encoding: "+given, "Sec-Fetch-Dest: "+dest)
			if e := got.Header.Get("Accept-Encoding"); e != want {
				t.Errorf("for %s of a %s asked for %s, want %s", given, dest, e, want)
			}
		}
	}
}

func TestRequestOfTheHostPage(t *testing.T) {
	var got http.Header
	own, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header }, nil)
	ask(t, "GET", own, "Referer: "+host+"/", "Sec-Fetch-Dest: iframe", "Sec-Fetch-Site: same-site")
	if got.Get("Referer") != "" || got.Get("Sec-Fetch-Dest") != "document" || got.Get("Sec-Fetch-Site") != "none" {
		t.Errorf("of the Host page: %v", got)
	}
	ask(t, "GET", own, "Referer: "+own+"/", "Sec-Fetch-Dest: iframe", "Sec-Fetch-Site: same-origin")
	if got.Get("Referer") == "" || got.Get("Sec-Fetch-Dest") != "iframe" || got.Get("Sec-Fetch-Site") != "same-origin" {
		t.Errorf("of the app: %v", got)
	}
}

// TestHTTPS has an app on https, with a certificate that nobody has signed.
func TestHTTPS(t *testing.T) {
	app := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b", Secure: true, SameSite: http.SameSiteNoneMode})
		w.Header().Set("Content-Type", forHTML)
		w.Header().Set("Location", "https://"+r.Host+"/next")
		io.WriteString(w, page)
	}))
	app.Config.ErrorLog = zap.NewStdLog(zap.NewNop())
	app.StartTLS()
	defer app.Close()
	at, err := url.Parse(app.URL)
	if err != nil {
		t.Fatal(err)
	}
	own, _ := serve(t, nil, func(o *Options) { o.Upstream, o.AnyCertificate = at, true })
	res, body := ask(t, "GET", own)
	if body != tagged(own) || res.Header.Get("Set-Cookie") != "a=b" || res.Header.Get("Location") != own+"/next" {
		t.Errorf("%v %s", res.Header, body)
	}
	own, _ = serve(t, nil, func(o *Options) { o.Upstream = at })
	if res, body := ask(t, "GET", own); res.StatusCode != 502 || !strings.Contains(body, "is not trusted (net::ERR_CERT_AUTHORITY_INVALID): start cdphub with --insecure-cert") {
		t.Errorf("without leave to trust it: %d %s", res.StatusCode, body)
	}
}

func TestLocation(t *testing.T) {
	var location string
	own, upstream := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.Header().Set("Refresh", "0; url="+location)
		w.WriteHeader(http.StatusFound)
	}, nil)
	port := upstream[strings.LastIndexByte(upstream, ':'):]
	for _, tt := range []struct{ in, want string }{
		{upstream + "/next?a=%2F#b", own + "/next?a=%2F#b"},
		{upstream, own},
		{upstream + "?a=/b", own + "?a=/b"},
		{upstream + "#a/b", own + "#a/b"},
		{strings.ToUpper(upstream) + "?A", own + "?A"},
		{"http://localhost" + port + "/a", own + "/a"},
		{"//127.0.0.1" + port + "/a", own + "/a"},
		{"/relative", "/relative"},
		{"https://sso.example/login", "https://sso.example/login"},
		{"https://127.0.0.1" + port + "/", "https://127.0.0.1" + port + "/"},
		{"mailto:a@b", "mailto:a@b"},
	} {
		location = tt.in
		res, _ := ask(t, "GET", own+"/")
		if got := res.Header.Get("Location"); got != tt.want {
			t.Errorf("%s became %s, want %s", tt.in, got, tt.want)
		}
		if got := res.Header.Get("Refresh"); got != "0; url="+tt.want {
			t.Errorf("Refresh to %s became %s", tt.in, got)
		}
	}
}

func TestCookies(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"a=b; Path=/; HttpOnly; SameSite=Lax", "a=b; Path=/; HttpOnly; SameSite=Lax"},
		{"a=b; Domain=app.example; Secure", "a=b"},
		{"a=b; domain=.EXAMPLE; Max-Age=1", "a=b; Max-Age=1"},
		{"a=b; Domain=other.example", "a=b; Domain=other.example"},
		{"a=b; Domain=pp.example", "a=b; Domain=pp.example"},
		{"a=b; Domain=xample", "a=b; Domain=xample"},
		{"a=b; Domain=my.app.example", "a=b; Domain=my.app.example"},
		{"a=b; SameSite=None; Secure; Partitioned", "a=b"},
		{"__Host-a=b; Path=/; Secure; SameSite=None", "__Host-a=b; Path=/; Secure; SameSite=None"},
		{"secure; domain=app.example", "secure"},
	} {
		if got := rewriteCookie(tt.in, "app.example", nil); got != tt.want {
			t.Errorf("%s became %s, want %s", tt.in, got, tt.want)
		}
	}
	own, _ := serve(t, answer(200, "", "Set-Cookie: a=b; Domain=127.0.0.1; Secure", "Set-Cookie: c=d"), nil)
	if res, _ := ask(t, "GET", own+"/"); fmt.Sprint(res.Header["Set-Cookie"]) != "[a=b c=d]" {
		t.Errorf("cookies %q", res.Header["Set-Cookie"])
	}
}
