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
	"Puppeteer BiDi": all("Over BiDi, Puppeteer 25 finds no bodies at Chromium 156 itself.", "response bodies"),
	"chromedp":       all("When a second context on a page ends, chromedp closes the page.", "new CDP session"),
	"Stagehand": all("Stagehand has no command for it, or only one that asks a language model.",
		"navigation events", "touch", "handles", "expose function", "page error", "dialog", "request and response events", "response bodies",
		"intercept", "storage", "element screenshot", "pdf", "DOM nodes", "set content", "emulation", "profiling"),
	"Selenium": all("Selenium has no command for it, or only over BiDi, which chromedriver does not serve with debuggerAddress.",
		"navigation events", "touch", "expose function", "console", "page error", "request and response events",
		"response bodies", "intercept", "storage", "set content", "profiling"),
	"agent-browser": all("The client has no command for it.",
		"two clients at once", "new CDP session", "navigation events", "touch",
		"handles", "expose function", "init script", "response bodies", "set content"),
	"DevTools": all("DevTools show a page to a person, and drive none.",
		"new page", "close", "new CDP session", "goto", "back", "forward", "wait for", "navigation events",
		"click", "dblclick", "hover", "drag", "mouse wheel", "touch", "fill", "type", "press", "keyboard shortcuts", "check", "select", "upload",
		"expose function", "init script", "dialog", "pdf", "locators", "set content"),
}

// Untested are the features that a client has and no test tries.
var Untested = map[string]map[string]string{
	"DevTools": all("DevTools have it, and their test does not try it.",
		"two clients at once", "reload", "intercept", "screenshot", "element screenshot", "frames", "accessibility", "viewport", "emulation", "profiling"),
}

const (
	hasTouch = "Playwright requires a context that was created with hasTouch. The context of a connected browser is not."
	noTool   = "The client has no tool for it, or only with additional capabilities turned on."
)

func all(reason string, features ...string) map[string]string {
	m := map[string]string{}
	for _, f := range features {
		m[f] = reason
	}
	return m
}
