package harness

import "testing"

// AppPage is the page that every endpoint shows at first.
const AppPage = "/app.html"

// Endpoint is a CDP endpoint with one Target, which shows the app.
type Endpoint struct {
	Site    *Site
	Target  string   // as -target has it
	Port    string   // of 127.0.0.1, where Clients connect
	Browser *Browser // nil where the hub starts it

	Hub *Hub // nil where the Clients drive a whole browser
}

// NewEndpoint starts what -target names and waits until the app can be driven. A
// hub is given the further arguments of `cdphub serve`; its Browser shows the Host
// page /host/1, whose Target is app-1.
func NewEndpoint(t testing.TB, args ...string) *Endpoint {
	t.Helper()
	return EndpointOf(t, Target(), args...)
}

// EndpointOf is NewEndpoint for a target of another name than that of -target.
func EndpointOf(t testing.TB, target string, args ...string) *Endpoint {
	t.Helper()
	s := NewSite(t)
	switch target {
	case "browser":
		h := StartBrowserHub(t, s.App.URL+AppPage, args...)
		h.AwaitTitle(t, "Field book") // which starts the browser
		s.Expect(t, AppPage, "document.title", `"Field book"`)
		return &Endpoint{Site: s, Target: target, Port: h.Port(t)}
	case "chromium":
		b := StartBrowser(t, s.App.URL+AppPage, true)
		e := &Endpoint{Site: s, Target: target, Port: b.Port(t), Browser: b}
		s.Expect(t, AppPage, "document.title", `"Field book"`)
		return e
	}
	h := StartHub(t, args...)
	s.UseHub("http://" + h.HostAddr)
	e := &Endpoint{Site: s, Target: target, Port: h.Port(t), Hub: h, Browser: StartBrowser(t, s.Host.URL+"/host/1", false)}
	h.AwaitTarget(t, "app-1", "Field book")
	return e
}
