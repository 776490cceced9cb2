package server

import (
	"net/http/httptest"
	"testing"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/server/internal/front"
)

func TestClientNames(t *testing.T) {
	for _, tt := range []struct{ url, agent, token, want string }{
		{"/devtools/browser", "Playwright/1.58.2 (x64; debian 12) node/22.1", "", "playwright"},
		{"/devtools/browser", "Puppeteer 24.36.1", "", "puppeteer"},
		{"/devtools/browser", "", "", "client"},
		{"/devtools/browser?name=night%20shift", "Puppeteer 24.36.1", "", "night shift"},
		{"/devtools/browser?name=two", "Puppeteer 24.36.1", "ci", "ci/two"},
		{"/devtools/browser", "Puppeteer 24.36.1", "ci", "ci"},
		{"/devtools/browser", "Puppeteer 24.36.1", "--client-token", "puppeteer"},
		{"/mcp", "Mozilla/5.0 (X11)", "", "mcp"},
		{"/devtools/browser", "Mozilla/5.0 (X11)", "", "browser"},
	} {
		r := httptest.NewRequest("GET", tt.url, nil)
		r.Header.Set("User-Agent", tt.agent)
		r = front.Route{Path: r.URL.Path}.With(r)
		if got := clientName(r, auth.Pass{Grant: auth.Grant{Name: tt.token}}); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
