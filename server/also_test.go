package server

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestR337ShellReportsLeaving has the browser report where the frames of a shell go, by a
// policy that forbids nothing and that no address can change.
func TestR337ShellReportsLeaving(t *testing.T) {
	long := strings.Repeat("&origin=http://"+strings.Repeat("a", 100)+".example", maxShellPolicy/100)
	for query, want := range map[string]string{
		"app=http://127.0.0.1:9224/x&also=http://127.0.0.1:9225=https://login.example&origin=https://app.example": "frame-src data: blob: http://127.0.0.1:9224 http://localhost:9224 https://app.example http://127.0.0.1:9225 http://localhost:9225",
		"app=" + url.QueryEscape("http://a;script-src 'none'/"):                                                   "frame-src data: blob:",
		"app=javascript:alert(1)&origin=nothing":                                                                  "frame-src data: blob:",
		"app=http://app.example" + long:                                                                           "",
	} {
		w := httptest.NewRecorder()
		bundles()["/shell"].serve(w, httptest.NewRequest(http.MethodGet, "/shell?"+query, http.NoBody))
		if got := w.Header().Get("Content-Security-Policy-Report-Only"); got != want {
			t.Errorf("%.100s: %q, want %q", query, got, want)
		}
	}
}

// TestR335AlsoNamesOrigins refuses what is no origin of another site.
func TestR335AlsoNamesOrigins(t *testing.T) {
	for text, want := range map[string]string{
		"https://login.example.com/realm":  "is not an origin",
		"https://login.example.com?a=b":    "is not an origin",
		"ftp://login.example.com":          "is not an origin",
		"http://":                          "is not an origin",
		"http://127.0.0.1:3000":            "is served already",
		"http://[::1]:3000/":               "is served already",
		"https://a.example https://b.test": "",
	} {
		s, err := New(Options{
			ClientAddr: "127.0.0.1:0", HostAddr: "127.0.0.1:0",
			App: &App{URL: "3000", Addr: "127.0.0.1:0", Also: append([]string{"https://other.example"}, strings.Fields(text)...)},
		})
		if want == "" && err == nil {
			s.closeListeners()
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || want == "" {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestShellIsIsolated wants the shell to be cross-origin isolated where its address says so, and only there: it
// could show no frame of another site without an embedder policy.
func TestShellIsIsolated(t *testing.T) {
	for query, want := range map[string]string{"app=http://localhost:3000": " ", "app=http://localhost:3000&isolated": "same-origin require-corp"} {
		w := httptest.NewRecorder()
		bundles()["/shell"].serve(w, httptest.NewRequest(http.MethodGet, "/shell?"+query, http.NoBody))
		if got := w.Header().Get("Cross-Origin-Opener-Policy") + " " + w.Header().Get("Cross-Origin-Embedder-Policy"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}
