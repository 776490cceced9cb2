package server

import (
	"io"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/doors"
	"github.com/cdphub/cdphub/server/internal/front"
)

// doorUses say to an agent what each protocol of clients is for.
var doorUses = map[doors.Protocol]string{
	doors.CDP:     "WebSocket for Playwright, Puppeteer and any other CDP client; GET /json/list has the targets",
	doors.BAP:     "WebSocket for clients of this protocol",
	doors.JSONRPC: "WebSocket with calls such as browser.snapshot and browser.click",
	doors.Hooks:   "WebSocket, and POST /hooks/invoke, for hooks of agents",
	doors.NDJSON:  "WebSocket with one JSON object for each action",
	doors.MCP:     "HTTP endpoint of tools such as browser_navigate and browser_click, for agents with MCP",
}

// docsBase is where the documentation is as Markdown.
const docsBase = "https://raw.githubusercontent.com/cdphub/cdphub/main/docs/"

// llmsHead and llmsTail are around the doors in /llms.txt, a file of https://llmstxt.org.
const (
	llmsHead = `# cdphub

> This hub lets any client of the Chrome DevTools Protocol (CDP), and agents over MCP and other protocols, drive web apps in iframes and shared Chromium browsers.

`
	llmsToken = "This hub wants a token of role client with each request and each WebSocket: send the header `Authorization: Bearer TOKEN`. Ask the operator of the hub for one.\n\n"
	llmsTail  = `
## Documentation

- [Connect a client](` + docsBase + `clients.md): how Playwright, Puppeteer, agent-browser, MCP clients and others connect
- [Actions](` + docsBase + `actions.md): snapshots, clicks, forms and errors of MCP and the other action APIs
- [Downloads](` + docsBase + `downloads.md): files that pages download, their names, limits and events
- [Ask a person](` + docsBase + `handoff.md): hand a page to a person, for a log-in for example, and go on afterwards
- [Troubleshooting](` + docsBase + `troubleshooting.md): what errors mean, and what to do
`
)

// serveLLMs answers /llms.txt: what this hub is, and where an agent connects. The request needs no
// token, and the answer names nothing that runs.
func (s *Server) serveLLMs(w http.ResponseWriter, r *http.Request) {
	if !front.OnlyReads(w, r) {
		return
	}
	var b strings.Builder
	b.WriteString(llmsHead)
	if s.tokens.Set() {
		b.WriteString(llmsToken)
	}
	b.WriteString("## Where clients connect\n\n")
	for _, p := range doors.All() {
		if address := s.addressFor(r, p); address != "" {
			b.WriteString("- [" + p.String() + "](" + address + "): " + doorUses[p] + "\n")
		}
	}
	if base := s.siblingURL(r, front.RouteOf(r).On.Clients, s.ClientAddr()); base != "" {
		b.WriteString("\n## Files that pages have downloaded\n\n- [Downloads](" + base + "/downloads): GET lists them, GET and DELETE of /downloads/ID fetch and delete one")
		if s.tokens.Set() {
			b.WriteString("; it needs a token of scope full")
		}
		b.WriteString("\n")
	}
	b.WriteString(llmsTail)
	w.Header().Set("Content-Type", plainText)
	io.WriteString(w, b.String()) //nolint:errcheck // a peer that is gone
}
