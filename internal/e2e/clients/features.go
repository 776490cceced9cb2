package clients

// Features are the names under which checks are counted, in the order in which a
// reader meets them.
var Features = []string{
	"connect", "list pages", "new page", "close", "two clients at once", "new CDP session",
	"goto", "reload", "back", "forward", "wait for", "navigation events",
	"click", "dblclick", "hover", "drag", "mouse wheel", "touch",
	"fill", "type", "press", "keyboard shortcuts", "check", "select", "upload",
	"evaluate", "evaluate errors", "evaluate promises", "handles", "expose function", "init script",
	"console", "page error", "dialog",
	"request and response events", "response bodies", "intercept", "cookies", "storage",
	"screenshot", "element screenshot", "pdf",
	"frames", "locators", "accessibility", "DOM nodes", "set content", "viewport", "emulation", "profiling",
}
