// Package e2e proves the hub from end to end: the cdphub program, a Host page in
// a headless Chromium without any debugging port, the Frame Agent in iframes of
// another origin, and real clients, agent-browser above all.
//
// What a client did is not read back through the client: the pages under
// testdata/e2e carry a witness, a script that answers the test over a WebSocket of
// its own (see site_test.go).
//
// The same tables run against Chromium's own debugging port, which is what they
// were made from:
//
//	go test ./ -target=hub       through the hub; the default
//	go test ./ -target=chromium  straight at Chromium
//
// Chromium is looked for under the names in browser_test.go, agent-browser in
// node_modules, where npm ci puts it. The variables CHROMIUM and AGENT_BROWSER name
// others. A missing program is a failure.
package e2e
