package webpage

import (
	"encoding/json"
	"net/http"
)

// Dashboard is what the page of a hub's dashboard contains. It has nothing about what
// runs: the page's script asks for that, with the token of its user.
// web/src/dashboard/page.ts reads its JSON.
type Dashboard struct {
	Hub     string    `json:"hub"`     // its name; "" is the default hub
	Path    string    `json:"path"`    // before each of its paths, such as "" or "/hub/NAME"
	Token   bool      `json:"token"`   // a token is needed to see what runs
	Links   bool      `json:"links"`   // the link of a handoff opens without one
	Shell   string    `json:"shell"`   // address of the ready-made Host page; "": no Host listener is known
	Clients []Snippet `json:"clients"` // the ways to connect; none where the address for Clients is not known
	Socket  string    `json:"-"`       // origin of the page's WebSockets: "ws://HOST"
}

// WriteDashboard answers a request with the dashboard. Its script and stylesheet
// are at Path/ui/app.js and Path/ui/app.css.
func WriteDashboard(w http.ResponseWriter, d Dashboard) {
	page, err := json.Marshal(d)
	if err != nil {
		panic(err) // strings alone
	}
	form := "form-action 'none'"
	if d.Shell != "" {
		// A form of the page opens the Host page, which is at the origin of another
		// listener.
		form = "form-action " + d.Shell
	}
	header := w.Header()
	// The origin stands here beside 'self', too: Safari before 15.4 did not take
	// WebSockets for 'self'.
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "+
		"connect-src 'self' "+d.Socket+"; base-uri 'none'; frame-ancestors 'none'; "+form+
		"; require-trusted-types-for 'script'; trusted-types 'none'")
	// No page of another origin that opens the dashboard reaches its window.
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	writeHTML(w, http.StatusOK, renderPage("dashboard.html", struct {
		Dashboard
		JSON string
	}{d, string(page)}))
}
