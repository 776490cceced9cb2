package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAppAddress(t *testing.T) {
	for in, want := range map[string]string{
		"3000":                  "http://localhost:3000/",
		"localhost:3000":        "http://localhost:3000/",
		"app.example/a?b#c":     "http://app.example/a?b#c",
		"https://app.example":   "https://app.example/",
		"http://127.0.0.1:8/x/": "http://127.0.0.1:8/x/",
	} {
		if got, err := appAddress(in); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v, want %s", in, got, err, want)
		}
	}
	for _, address := range []string{"ftp://a/", "http://a b/"} {
		o := testOptions()
		o.App = &App{URL: address, Addr: "127.0.0.1:0"}
		if srv, err := New(o); err == nil {
			srv.Close()
			t.Errorf("%q is taken", address)
		}
	}
}

// TestR364OwnOriginIsNoHost refuses a Host origin at which the app is: its pages cannot be
// Hosts, and the proxy would take each Referer of the app for that of a Host page.
func TestR364OwnOriginIsNoHost(t *testing.T) {
	for _, origin := range []string{"http://localhost:3000", "http://127.0.0.1:3000", "http://LOCALHOST:3000/"} {
		o := testOptions()
		o.App = &App{URL: "localhost:3000", Addr: "127.0.0.1:0"}
		o.HostOrigins = []string{"https://host.example", origin}
		srv, err := New(o)
		if err == nil {
			srv.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "server.Options.HostOrigins "+strings.TrimSuffix(strings.ToLower(origin), "/")+" is the app's own address") {
			t.Errorf("%s: %v", origin, err)
		}
	}
}

// TestR364Credentials sends the name and the password of the app's address to the app. The Host
// page's address has neither.
func TestR364Credentials(t *testing.T) {
	var got []string
	app := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.Header.Get("Authorization")) }))
	defer app.Close()
	o := testOptions()
	o.App = &App{URL: strings.Replace(app.URL, "://", "://ann:p%3Aq@", 1), Addr: "127.0.0.1:0"}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if page, upstream := s.AppPage(); strings.Contains(page+upstream, "ann") {
		t.Errorf("the Host page is %s of %s", page, upstream)
	}
	for _, own := range []string{"", "Bearer x"} {
		r := httptest.NewRequest("GET", "/", http.NoBody)
		r.Host = s.app.Addr().String()
		if own != "" {
			r.Header.Set("Authorization", own)
		}
		s.app.server.Handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	if strings.Join(got, ", ") != "Basic YW5uOnA6cQ==, Bearer x" {
		t.Errorf("the app gets %q", got)
	}
}
