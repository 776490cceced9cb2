package server

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/server/internal/front"
)

// apiNames are the names of Clients of the action APIs that say nothing else of
// themselves, by path.
var apiNames = map[string]string{"/ndjson": "ndjson", "/ws": "json-rpc", "/hooks": "hooks", "/hooks/invoke": "hooks", "/mcp": "mcp", "/bap": "bap"}

// clientName is what people call a Client, before the hub adds its number: the name
// of its token and the name=… of its URL, joined by "/". Without both it is the name
// of the action API, or else the program that its User-Agent names, such as
// "playwright" (RFC 9110, section 10.1.5).
func clientName(r *http.Request, pass auth.Pass) string {
	var parts []string
	if of := pass.Grant.Name; of != "" && !strings.HasPrefix(of, "--") { // an option names nobody
		parts = append(parts, of)
	}
	if own := r.URL.Query().Get("name"); own != "" {
		parts = append(parts, own)
	}
	if len(parts) > 0 {
		return strings.Join(parts, "/")
	}
	if api := apiNames[front.RouteOf(r).Path]; api != "" {
		return api
	}
	program, _, _ := strings.Cut(r.Header.Get("User-Agent"), "/") // Playwright/1.58.2 (…)
	program, _, _ = strings.Cut(strings.TrimSpace(program), " ")  // Puppeteer 24.36.1
	switch program = strings.ToLower(program); program {
	case "":
		return "client"
	// Every browser calls itself Mozilla/5.0.
	case "mozilla":
		return "browser"
	case "go-http-client":
		return "go"
	}
	return program
}

// socketQuery is the query of the socket URLs in the answers of discovery: a program
// that asks with tabs=own, name=… or session=… then connects with it. Clients such as
// Playwright read the URL from /json/version and do not add the query themselves.
func socketQuery(r *http.Request, pass auth.Pass) string {
	query := pass.Query
	for _, name := range socketParams {
		value := r.URL.Query().Get(name)
		if value == "" || strings.HasPrefix(front.RouteOf(r).Path, "/json/new") { // whose query is an address
			continue
		}
		sign := "&"
		if query == "" {
			sign = "?"
		}
		query += sign + name + "=" + url.QueryEscape(value)
	}
	return query
}

// tabsKnown reports whether a request says of tabs=… what the hub knows.
func tabsKnown(r *http.Request) bool {
	at := front.RouteOf(r)
	return auth.OwnTabs(r, at.Path) || r.URL.Query().Get("tabs") == "all" || strings.HasPrefix(at.Path, "/json/new")
}
