package cli

import (
	"cmp"
	"fmt"
	"net"
	"os/exec"
	"strings"

	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/server"
)

// guide says where the listeners of a server are, and what to do with them.
//
// Where Clients need a token, an example on a terminal has one that the server
// has made for it, which is good for the hub at the root until the server ends.
// Elsewhere, where what is printed may be kept as a log, it has the name of a
// variable. The tokens of the options are never printed.
type guide struct {
	srv          *server.Server
	secure       bool   // the listeners speak TLS
	urlTokens    bool   // a token may stand in a URL
	agentBrowser string // the program; "agent-browser" when empty
	terminal     bool   // what is printed is read by a person, and not kept

	token string // for the examples; set by examples
}

// tokenVariable stands for a Client's token where none is printed.
const tokenVariable = "$CDPHUB_CLIENT_TOKEN"

// scheme is "http" or "ws", or with TLS "https" or "wss".
func (g *guide) scheme(plain string) string {
	if g.secure {
		return plain + "s"
	}
	return plain
}

// endpoint is the address of Clients, and its port.
func (g *guide) endpoint() (addr, port string) {
	addr = server.Reachable(g.srv.ClientAddr())
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		port = addr
	}
	return addr, port
}

// examples are commands to try, one on each line. action is what agent-browser does, which is
// explained where it is not installed.
func (g *guide) examples(action string) string {
	text := g.commands(action)
	if _, err := exec.LookPath(cmp.Or(g.agentBrowser, "agent-browser")); err != nil {
		text += "\nagent-browser is a command line for AI agents: npm install --global agent-browser\n"
	}
	return text
}

func (g *guide) commands(action string) string {
	addr, port := g.endpoint()
	program := cmp.Or(g.agentBrowser, "agent-browser")
	list := g.scheme("http") + "://" + addr + "/json/list"
	if !g.srv.NeedsTokens() {
		at := port
		if g.secure {
			at = g.scheme("ws") + "://" + addr + "/devtools/browser"
		}
		return fmt.Sprintf("  %s --cdp %s %s\n  curl %s\n", program, at, action, list)
	}
	var b strings.Builder
	token := g.clientToken()
	if !g.terminal {
		fmt.Fprintf(&b, "  export CDPHUB_CLIENT_TOKEN=...     # a Client's token\n")
	}
	if g.urlTokens {
		fmt.Fprintf(&b, "  %s --cdp \"%s://%s/devtools/browser?token=%s\" %s\n", program, g.scheme("ws"), addr, token, action)
	}
	fmt.Fprintf(&b, "  curl -H \"Authorization: Bearer %s\" %s\n", token, list)
	return b.String()
}

// clientToken is the token in an example, or the name of a variable where no token
// may be printed.
func (g *guide) clientToken() string {
	if !g.terminal {
		return tokenVariable
	}
	if g.token == "" {
		g.token = g.srv.ClientToken()
	}
	return g.token
}

// dashboard is the address of the dashboard as it may be printed; "" where there is none.
func (g *guide) dashboard() string {
	page := g.srv.DashboardURL()
	if page != "" && g.srv.NeedsTokens() && g.terminal {
		page += "#token=" + g.clientToken()
	}
	return page
}

// watch is a line with the address of the dashboard; "" where there is none.
func (g *guide) watch() string {
	if page := g.dashboard(); page != "" {
		return "Watch it in the dashboard: " + page + "\n"
	}
	return ""
}

// listeners lists the addresses of the listeners, one on each line.
func (g *guide) listeners() string {
	var b strings.Builder
	line := func(what, addr string) {
		_, unix := httpserver.UnixPath(addr)
		switch {
		case unix:
			fmt.Fprintf(&b, "  %-11s %s\n", what, addr)
		case addr != "":
			fmt.Fprintf(&b, "  %-11s %s://%s\n", what, g.scheme("http"), server.Reachable(addr))
		}
	}
	line("Clients", g.srv.ClientAddr())
	line("Host pages", g.srv.HostAddr())
	line("operators", g.srv.AdminAddr())
	if page := g.dashboard(); page != "" {
		fmt.Fprintf(&b, "  %-11s %s\n", "dashboard", page)
	}
	return b.String()
}
