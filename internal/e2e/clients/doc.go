// Package clients runs what people use CDP for, in the clients they use: chromedp
// and rod from Go, Puppeteer (also over WebDriver BiDi), chrome-remote-interface,
// Selenium and Stagehand from Node, and the servers of the Model Context Protocol (MCP) that are
// built on Playwright and Puppeteer.
//
// Each client has a table of checks. A check belongs to a feature of the list in
// features.go and is the same against both endpoints:
//
//	go test ./clients -target=hub       the app in an iframe, through the hub
//	go test ./clients -target=chromium  the app in a tab of Chromium, directly
//	go test ./clients -target=browser   the app in a tab of a Chromium behind a hub
//
// Where an iframe cannot give what a tab gives, the check says so, says why, and
// has another body for the hub that asserts what happens instead. The outcome of
// every check is appended to the file that E2E_RESULTS names, if any, as a line of
// JSON: see Result.
//
// The Node clients are in node, with a lock file of their own, and Stagehand in stagehand. They run under
// Debian 12's Node 18, the MCP servers under the newer Node that the lock file
// brings along, because they refuse to start under 18.
package clients
