package e2e

import (
	"net/http/httptest"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// This package's names for what the harness starts.

const appPage = harness.AppPage

type endpoint struct {
	site *site
	port string

	hub     *hub // through the hub only
	browser *browser
}

type site struct {
	*harness.Site
	app, host *httptest.Server
}

type hub struct {
	*harness.Hub
	clientAddr, hostAddr string
}

type (
	browser struct{ *harness.Browser }
	status  = harness.Status
)

func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	h := harness.NewEndpoint(t)
	e := &endpoint{site: ours(h.Site), port: h.Port, browser: &browser{h.Browser}}
	if h.Hub != nil {
		e.hub = &hub{h.Hub, h.Hub.ClientAddr, h.Hub.HostAddr}
	}
	return e
}

func newSite(t *testing.T) *site {
	t.Helper()
	return ours(harness.NewSite(t))
}

func ours(s *harness.Site) *site { return &site{s, s.App, s.Host} }

func startHub(t *testing.T) *hub {
	t.Helper()
	h := harness.StartHub(t)
	return &hub{h, h.ClientAddr, h.HostAddr}
}

func startBrowser(t *testing.T, url string, debugging bool) *browser {
	t.Helper()
	return &browser{harness.StartBrowser(t, url, debugging)}
}

func (s *site) useHub(base string)                        { s.UseHub(base) }
func (s *site) ask(path, question string) (string, error) { return s.Ask(path, question) }

func (s *site) expect(t *testing.T, path, question, want string) {
	t.Helper()
	s.Expect(t, path, question, want)
}

func (h *hub) port(t *testing.T) string { return h.Port(t) }
func (h *hub) status() (status, error)  { return h.Status() }

func (h *hub) awaitTarget(t *testing.T, id, title string) {
	t.Helper()
	h.AwaitTarget(t, id, title)
}

func (h *hub) get(t *testing.T, method, path string) (int, string) {
	t.Helper()
	return h.Get(t, method, path)
}
