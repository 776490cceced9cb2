// Package browserhost tests a real Chromium as a Host, through the cdphub program:
// what Clients of one browser are to each other, what becomes of all when the
// browser or the hub is killed, a browser beside a Host page, and the pool of
// browsers.
package browserhost
