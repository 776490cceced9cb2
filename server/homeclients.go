package server

import (
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/webpage"
	"github.com/cdphub/cdphub/server/internal/front"
)

// siblingURL is the URL of the asked hub at a listener as the asker can reach it:
// by the name that the request used, and the port of the listener unless that is
// the one that was asked. It is "" when there is no such listener, or a reverse proxy stands in front
// of it.
func (s *Server) siblingURL(r *http.Request, asked bool, addr string) string {
	own := auth.OwnAddressOf(r)
	host := own.Host
	if !asked {
		// Behind a reverse proxy, only what it relays to is known.
		if own != auth.AskedAddress(r) {
			return ""
		}
		_, port, err := net.SplitHostPort(addr)
		if err != nil {
			return ""
		}
		name, _, err := net.SplitHostPort(host)
		if err != nil {
			name = host
		}
		// JoinHostPort adds the brackets of an IPv6 address again (RFC 3986, section
		// 3.2.2).
		own = auth.OwnAddress{Secure: s.o.TLS.on()}
		host = net.JoinHostPort(strings.Trim(name, "[]"), port)
	}
	if strings.ContainsAny(host, " ;,'\"") { // it goes into a header of the answer
		return ""
	}
	own.Host = host
	return own.HTTP() + front.RouteOf(r).Prefix
}

// snippets say how each client connects to the hub at a URL. They are shown on the
// dashboard and on the home page. Without a token the page has the word TOKEN in its
// place.
func (s *Server) snippets(base string) []webpage.Snippet {
	// "http" becomes "ws", and "https" becomes "wss".
	socket := "ws" + strings.TrimPrefix(base, "http") + "/devtools/browser"
	playwright, puppeteer, query, mcp, curl := "", "", "", "", ""
	if s.tokens.Set() {
		const header = `headers: { Authorization: "Bearer TOKEN" }`
		playwright, puppeteer = ", { "+header+" }", ", "+header
		query = "?token=TOKEN"
		mcp = `, "headers": { "Authorization": "Bearer TOKEN" }`
		curl = `-H "Authorization: Bearer TOKEN" `
	}
	list := []webpage.Snippet{
		{Client: "Playwright", Code: fmt.Sprintf("const browser = await chromium.connectOverCDP(%q%s);", base, playwright)},
		{Client: "Puppeteer", Code: fmt.Sprintf("const browser = await puppeteer.connect({ browserWSEndpoint: %q%s });", socket, puppeteer)},
	}
	// This snippet has the token in its URL, which --url-token=false forbids.
	if query == "" || !s.o.Tokens.NoURLs {
		list = append(list, webpage.Snippet{Client: "agent-browser", Code: fmt.Sprintf("agent-browser --cdp %q snapshot -i", socket+query)})
	}
	if !s.o.Actions.Off {
		list = append(list, webpage.Snippet{Client: "MCP", Code: fmt.Sprintf(`{ "mcpServers": { "browser": { "url": %q%s } } }`, base+"/mcp", mcp)})
	}
	return append(list, webpage.Snippet{Client: "curl", Code: fmt.Sprintf("curl %s%s/json/list", curl, base)})
}
