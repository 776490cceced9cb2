package clients

// Lacks are the features for which a client has no command of its own, or none
// without an option that it is not run with.
var Lacks = map[string]map[string]string{
	"Playwright":            {"touch": hasTouch},
	"Playwright in Firefox": {"touch": hasTouch},
	"Playwright MCP": all(noTool,
		"two clients at once", "new CDP session", "reload", "forward", "navigation events", "mouse wheel", "touch",
		"handles", "expose function", "init script", "page error", "response bodies", "intercept", "cookies", "storage",
		"pdf", "locators", "DOM nodes", "set content", "emulation", "profiling"),
	"chrome-devtools-mcp": all(noTool,
		"two clients at once", "new CDP session", "navigation events", "mouse wheel", "touch", "check", "select",
		"handles", "expose function", "init script", "response bodies", "intercept", "cookies", "storage", "pdf",
		"frames", "locators", "DOM nodes", "set content"),
	"chromedp": all("A second context on a page closes the page when it ends.", "new CDP session"),
	"agent-browser": all("There is no command for it.",
		"two clients at once", "new CDP session", "navigation events", "touch",
		"handles", "expose function", "init script", "response bodies", "set content"),
}

const (
	hasTouch = "It asks for a context made with hasTouch, which one that is connected to is not."
	noTool   = "There is no tool for it, or none without further capabilities."
)

func all(reason string, features ...string) map[string]string {
	m := map[string]string{}
	for _, f := range features {
		m[f] = reason
	}
	return m
}
