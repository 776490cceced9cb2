package server

import "testing"

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
