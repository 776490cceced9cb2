package webpage

import "net/http"

// Home is what the home page of a hub contains. It has nothing about what runs: the
// page's script asks for that, with the token of its user.
type Home struct {
	Hub    string // its name; "" is the default hub
	Path   string // before each of its paths, such as "" or "/hub/NAME"
	Status string // path below that of the JSON that the script asks for
	Token  string // role of the token that is needed to see what runs: "client", "host", or "" for none
	Shell  string // address of the ready-made Host page; "": no Host listener is known
	// Clients are the ways to connect; none where the address for Clients is not known.
	Clients []Snippet
}

// Snippet is how one client connects.
type Snippet struct {
	Client string `json:"client"`
	Code   string `json:"code"`
}

// WriteHome answers a request with the home page.
func WriteHome(w http.ResponseWriter, h Home) {
	form := "form-action 'none'"
	if h.Shell != "" {
		form = "form-action " + h.Shell
	}
	header := w.Header()
	header.Set("Content-Security-Policy", Policy("script-src 'self'", "connect-src 'self'", form,
		"frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"))
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	writeHTML(w, http.StatusOK, renderPage("home.html", h))
}
