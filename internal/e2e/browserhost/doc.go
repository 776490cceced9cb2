// Package browserhost tests a real Chromium as a Host, through the cdphub program:
// what Clients of one browser are to each other, what becomes of all when the
// browser or the hub is killed, a browser beside a Host page, the pool of browsers,
// and a Host of another maker, examples/browser-host.mjs.
package browserhost
