package proxy

import (
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestR335LogInElsewhere logs in at an identity provider that the proxy serves, too, and
// logs out again.
func TestR335LogInElsewhere(t *testing.T) {
	app, issuer := startShop(t, false)
	runLogin(t, "through", app, issuer, "--also-proxy", issuer)
}

// TestR336LostAtLogIn goes to an identity provider that the proxy does not serve: the page
// is lost, every Client and the person at the Host page can read why, and the page comes back.
func TestR336LostAtLogIn(t *testing.T) {
	app, issuer := startShop(t, true)
	runLogin(t, "lost", app, issuer)
}

// TestR339MCPLeadsBack has a client of MCP go to the address that the text of an error names,
// in the same tab.
func TestR339MCPLeadsBack(t *testing.T) {
	app, _ := startShop(t, true)
	h, page := harness.StartProxy(t, app)
	harness.StartBrowser(t, page, false)
	h.AwaitTitle(t, "Shop")
	endpoint := "http://127.0.0.1:" + h.Port(t)
	cdp := harness.DialCDP(t, endpoint)
	targets := cdp.Pages(t)
	session := cdp.Attach(t, targets[0])
	cdp.Call(t, session, "Runtime.enable", nil)
	cdp.Evaluate(t, session, "document.querySelector('a').click()")
	cdp.Await(t, "the end of the document", func(m harness.Message) bool { return m.Method == "Runtime.executionContextsCleared" })
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	use := func(tool string, args map[string]any) (text string) {
		res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range res.Content {
			if one, is := c.(*mcp.TextContent); is {
				text += one.Text
			}
		}
		return text
	}
	said := use("browser_snapshot", nil)
	_, rest, named := strings.Cut(said, "Page.navigate to ")
	back, _, _ := strings.Cut(rest, " leads back")
	if !named {
		t.Fatalf("a snapshot of a page that is away says %s", said)
	}
	if said = use("browser_navigate", map[string]any{"url": back}); !strings.Contains(said, "Shop") {
		t.Errorf("browser_navigate says %s", said)
	}
	if now := cdp.Pages(t); len(now) != 1 || now[0] != targets[0] {
		t.Errorf("there are the pages %v, want %v", now, targets)
	}
}

func runLogin(t *testing.T, specs, app, issuer string, args ...string) {
	h, page := harness.StartProxy(t, app, args...)
	host, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	b := harness.StartBrowser(t, page, true)
	h.AwaitTitle(t, "Shop")
	harness.RunPlaywright(t, 2, nil, "SPECS=login/"+specs, "CDP_ENDPOINT=http://127.0.0.1:"+h.Port(t), "BROWSER=http://127.0.0.1:"+b.Port(t), "HOST_PAGE="+page,
		"APP="+strings.TrimSuffix(host.Query().Get("app"), "/"), "UPSTREAM="+app, "ISSUER="+issuer)
}
